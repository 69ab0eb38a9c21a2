//! The page with its data in one file, which opens from disk and can be attached to an
//! issue. It holds the top of the data; the rest is one row for each kind of memory, and
//! is said to be.
//!
//! `viewer/src/file/data.ts` says what the data are.

use std::io::Write;

use anyhow::{Result, bail};

use super::assets;
use residue_query::page::answers::{Answer, answer};
use residue_query::page::file_rows::script_json::escaped;
use residue_query::page::file_rows::{FileRows, Limits};
use residue_query::page::shelf::Shelf;

/// What becomes of the tags by which the page loads its parts.
const SCRIPT_TAG: (&str, &str) = ("<script", "</script>");
const STYLE_TAG: (&str, &str) = ("<link rel=\"stylesheet\"", ">");

/// Writes the whole file.
pub fn write(shelf: &Shelf, out: &mut dyn Write) -> Result<()> {
    let data = data(shelf, &Limits::USUAL)?;
    let page = assets::page();
    let html = without_tag(page.html, SCRIPT_TAG);
    let html = without_tag(&html, STYLE_TAG);
    let Some((head, rest)) = html.split_once("</head>") else {
        bail!("this executable was built without the page; `make` builds it");
    };
    let Some((body, tail)) = rest.split_once("</body>") else {
        bail!("this executable was built without the page; `make` builds it");
    };
    out.write_all(head.as_bytes())?;
    // Whatever a name in the data tries, nothing is loaded and nothing is sent.
    out.write_all(
        b"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
          script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\" />\n",
    )?;
    write!(
        out,
        "<style>{}</style>\n</head>",
        page.css.replace("</", "<\\/")
    )?;
    out.write_all(body.as_bytes())?;
    out.write_all(b"<script type=\"application/json\" id=\"residue-data\">")?;
    out.write_all(&data)?;
    // Inside a script only its end, and what begins a comment, could be misread.
    let script = page.js.replace("</script", "<\\/script");
    let script = script.replace("<!--", "<\\!--");
    write!(
        out,
        "</script>\n<script type=\"module\">{script}</script>\n</body>"
    )?;
    Ok(out.write_all(tail.as_bytes())?)
}

/// The page without the first tag of a kind.
fn without_tag(html: &str, (start, end): (&str, &str)) -> String {
    let Some((before, rest)) = html.split_once(start) else {
        return html.to_string();
    };
    match rest.split_once(end) {
        Some((_, after)) => format!("{before}{after}"),
        None => html.to_string(),
    }
}

/// The data as one document, in which no tag can begin.
fn data(shelf: &Shelf, limits: &Limits) -> Result<Vec<u8>> {
    let rows = FileRows::of(&shelf.first, limits)?;
    let mut shelf = shelf.clone();
    shelf.left_out = rows.left_out();
    let shelf = &shelf;
    let mut data = Vec::new();
    for (name, question, query) in [
        ("about", "about", ""),
        ("verdict", "verdict", ""),
        ("timeline", "timeline", ""),
    ] {
        let start = if data.is_empty() { '{' } else { ',' };
        write!(data, "{start}\"{name}\":")?;
        data.extend(asked(shelf, question, query)?);
    }
    for (name, question, parameter, words) in [
        ("stages", "stages", "value", ["rss", "vm", "live", "time"]),
        (
            "sizes",
            "sizes",
            "kind",
            ["heap", "mapping", "reported", "all"],
        ),
    ] {
        write!(data, ",\"{name}\":")?;
        for (index, word) in words.into_iter().enumerate() {
            let start = if index == 0 { '{' } else { ',' };
            write!(data, "{start}\"{word}\":")?;
            data.extend(asked(shelf, question, &format!("{parameter}={word}"))?);
        }
        data.push(b'}');
    }
    let mut data = escaped(&data);
    rows.write(&mut data)?;
    write!(data, ",\"details\":{{")?;
    write_details(shelf, &rows, limits, &mut data)?;
    write!(data, "}}}}")?;
    Ok(data)
}

/// Details of the rows that matter most, as long as they fit.
fn write_details(shelf: &Shelf, rows: &FileRows, limits: &Limits, out: &mut Vec<u8>) -> Result<()> {
    let mut bytes = 0;
    for (index, stack) in rows.stacks().take(limits.details).enumerate() {
        let detail = escaped(&asked(shelf, "stack", &format!("stack={stack}"))?);
        bytes += detail.len();
        if bytes > limits.detail_bytes {
            break;
        }
        let comma = if index == 0 { "" } else { "," };
        write!(out, "{comma}\"{stack}\":")?;
        out.extend(detail);
    }
    Ok(())
}

fn asked(shelf: &Shelf, question: &str, query: &str) -> Result<Vec<u8>> {
    match answer(shelf, question, query) {
        Answer::Given(document) => Ok(document),
        Answer::Refused(why) => bail!("{question}: {why}"),
        Answer::Unknown => bail!("{question} is no question"),
    }
}

#[cfg(test)]
mod tests {
    use residue_query::choice::Names;
    use residue_query::page::opened::Opened;
    use residue_testkit::synthetic::{self, Spec};
    use serde_json::Value;

    use super::*;

    #[test]
    fn tags_are_taken_out_whole() {
        let html = "<head><script type=\"module\" src=\"./page.js\"></script>\n<b></head>";
        assert_eq!(without_tag(html, SCRIPT_TAG), "<head>\n<b></head>");
        let html = "<link rel=\"icon\" /><link rel=\"stylesheet\" crossorigin href=\"./p.css\"><b>";
        assert_eq!(without_tag(html, STYLE_TAG), "<link rel=\"icon\" /><b>");
        assert_eq!(without_tag("<p>", SCRIPT_TAG), "<p>");
    }

    #[test]
    fn details_are_those_of_the_first_rows_as_long_as_they_fit() {
        let profile = synthetic::profile(&Spec {
            stacks: 60,
            events: 20,
            modules: 3,
            functions: 20,
            depth: 6,
            threads: 2,
            seed: 3,
            long_names: true,
        });
        let name = "a.residue".to_string();
        let opened = Opened::new(name, profile, Names::short());
        let shelf = Shelf::new(opened, None);
        let of = |details: usize, detail_bytes: usize| {
            let limits = Limits {
                details,
                detail_bytes,
                ..Limits::USUAL
            };
            let written = data(&shelf, &limits).unwrap();
            assert!(!written.contains(&b'<'));
            let read: Value = serde_json::from_slice(&written).unwrap();
            (written.len(), read["details"].as_object().unwrap().clone())
        };
        let (none_bytes, none) = of(0, usize::MAX);
        assert!(none.is_empty());
        let (_, three) = of(3, usize::MAX);
        assert_eq!(three.len(), 3);
        for (stack, detail) in &three {
            assert_eq!(detail["row"]["stack"].to_string(), *stack);
        }
        const MOST: usize = 100_000;
        let (bytes, some) = of(usize::MAX, MOST);
        assert!(some.len() > 1 && some.len() < shelf.first.groups().count());
        // Each has its number in front.
        assert!(bytes - none_bytes <= MOST + 10 * some.len());
        assert!(bytes - none_bytes > MOST / 2);
    }
}
