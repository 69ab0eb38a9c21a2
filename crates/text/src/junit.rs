//! A check as JUnit XML, which continuous integration shows beside its tests.

use std::io::{self, Write};

use residue_query::check::{CheckDocument, CheckEntry};
use residue_query::gate::Decision;

use super::check::check_lines;

/// One test case a limit. What cannot be told is an error: no failure, and no pass either.
pub fn write(document: &CheckDocument<'_>, out: &mut dyn Write) -> io::Result<()> {
    let number = |decision| {
        let checks = document.checks.iter();
        checks.filter(|check| check.decision == decision).count()
    };
    let (failures, errors) = (number(Decision::Above), number(Decision::CannotTell));
    let tests = document.checks.len();
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    let name = escaped(&document.file);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"residue check\" {counts}>")?;
    writeln!(
        out,
        "  <testsuite name=\"{name}\" {counts} skipped=\"0\" time=\"0\">"
    )?;
    for check in &document.checks {
        write_case(check, &name, out)?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

fn write_case(check: &CheckEntry<'_>, class: &str, out: &mut dyn Write) -> io::Result<()> {
    let name = match check.check {
        "rss" => "peak RSS",
        "time-growth" => "time growth per event",
        "cpu" => "CPU time per event",
        _ => "growth per event",
    };
    let text = escaped(&check_lines(check).join("\n"));
    let summary = escaped(&check.summary);
    writeln!(
        out,
        "    <testcase classname=\"{class}\" name=\"{name}\" time=\"0\">"
    )?;
    let element = match check.decision {
        Decision::Within => None,
        Decision::Above => Some(("failure", "above the limit")),
        Decision::CannotTell => Some(("error", "cannot tell")),
    };
    match element {
        Some((element, kind)) => writeln!(
            out,
            "      <{element} type=\"{kind}\" message=\"{summary}\">{text}</{element}>"
        )?,
        None => writeln!(out, "      <system-out>{text}</system-out>")?,
    }
    writeln!(out, "    </testcase>")
}

/// For text and for attributes. XML 1.0 has no way to write most control characters.
fn escaped(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\n' | '\t' => xml.push(char),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => xml.push('\u{fffd}'),
            _ => xml.push(char),
        }
    }
    xml
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::Profile;
    use residue_query::check::{no_growth_verdict, resident};

    #[test]
    fn markup_and_control_characters_are_escaped() {
        let text = "std::vector<int>::push_back(\"a\" & b)\u{1b}[1m";
        let expected = "std::vector&lt;int&gt;::push_back(&quot;a&quot; &amp; b)\u{fffd}[1m";
        assert_eq!(escaped(text), expected);
    }

    #[test]
    fn every_limit_is_a_test_case() {
        let mut profile = Profile::default();
        profile.meta.max_rss_bytes = Some(3 << 20);
        let checks = vec![
            resident(&profile, 4 << 20),
            resident(&profile, 2 << 20),
            no_growth_verdict("no <events>".to_string(), 0.0, "event"),
        ];
        let document = CheckDocument::new("a&b.residue".to_string(), &profile, checks);
        let mut written = Vec::new();
        write(&document, &mut written).unwrap();
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="residue check" tests="3" failures="1" errors="1">
  <testsuite name="a&amp;b.residue" tests="3" failures="1" errors="1" skipped="0" time="0">
    <testcase classname="a&amp;b.residue" name="peak RSS" time="0">
      <system-out>PASS: peak RSS 3.00 MiB, limit 4.00 MiB</system-out>
    </testcase>
    <testcase classname="a&amp;b.residue" name="peak RSS" time="0">
      <failure type="above the limit" message="peak RSS 3.00 MiB, limit 2.00 MiB">FAIL: peak RSS 3.00 MiB, limit 2.00 MiB</failure>
    </testcase>
    <testcase classname="a&amp;b.residue" name="growth per event" time="0">
      <error type="cannot tell" message="no &lt;events&gt;">CANNOT TELL: no &lt;events&gt;</error>
    </testcase>
  </testsuite>
</testsuites>
"#;
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }
}
