//! Transcripts: blocks of a document that show commands and what they print.
//!
//! ````text
//!   ```console
//!   $ residue leaks job.residue          a command, run by bash
//!   LEAK  18.8 KiB/event                 what it prints, on both outputs
//!     RSS growth ...                     `...` stands for any text of a line
//!   ...                                  and alone for any number of lines
//!   ```
//! ````
//!
//! Everything else is compared exactly.

use std::ops::Range;

use regex::Regex;

pub const ANY: &str = "...";
const FENCE: &str = "```";

/// A command and what it is said to print.
#[derive(Debug, PartialEq, Eq)]
pub struct Step {
    pub command: String,
    pub printed: Vec<String>,
    /// The lines of the document that hold what is printed.
    pub place: Range<usize>,
}

/// All commands of a document, in their order.
pub fn steps(document: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_transcript = false;
    for (number, line) in document.lines().enumerate() {
        if line.starts_with(FENCE) {
            is_transcript = line == "```console";
            continue;
        }
        if !is_transcript {
            continue;
        }
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step {
                command: command.to_string(),
                printed: Vec::new(),
                place: number + 1..number + 1,
            }),
            (None, Some(step)) => {
                step.printed.push(line.to_string());
                step.place.end = number + 1;
            }
            (None, None) => panic!("line {}: a transcript begins with `$ `", number + 1),
        }
    }
    steps
}

/// Whether a line is as it is said to be.
pub fn matches_line(said: &str, printed: &str) -> bool {
    if !said.contains(ANY) {
        return said == printed;
    }
    let parts: Vec<String> = said.split(ANY).map(regex::escape).collect();
    let pattern = format!("^{}$", parts.join(".*"));
    Regex::new(&pattern).expect("escaped").is_match(printed)
}

/// Whether all that is printed is as it is said to be.
pub fn matches(said: &[String], printed: &[String]) -> bool {
    match said.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == ANY => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, others)| matches_line(first, line) && matches(rest, others)),
    }
}

/// What differs from run to run, or from machine to machine, and never is compared.
const VARYING: &[(&str, &str)] = &[
    (r"\bpid \d+", "pid ..."),
    (r"\b0x[0-9a-f]+", "0x..."),
    (r"\b[\d.]+ (ns|µs|ms|s|min)\b", "..."),
    (r"\bRSS( growth)? [+\d].*", "RSS$1 ..."),
    (r"\bRSS was read .*", "RSS was read ..."),
    (r"\bRSS flat.*", "RSS flat ..."),
    (r"\b\d[\d ]* compared", "... compared"),
    (r"\bresident +.*\d.*", "resident ..."),
    (r"\b\d+ of \d+ frames", "... of ... frames"),
    (r"\brecorder +[\d.]+ [KM]iB of memory.*", "recorder ..."),
    (r"\brecorder [\d.]+ [KM]iB", "recorder ..."),
    (r"\S*/workloads/", ".../"),
];

/// A new transcript: what two runs printed, with what differs left out. Lines that the
/// document has already are kept as they stand, as far as they still are true.
pub fn renewed(said: &[String], one: &[String], other: &[String]) -> Vec<String> {
    if matches(said, one) && matches(said, other) && !said.is_empty() {
        return said.to_vec();
    }
    let mut lines: Vec<String> = Vec::new();
    for pair in pairs(one, other) {
        let Some((line, twin)) = pair else {
            // Lines that only one run has.
            if lines.last().is_none_or(|last| last != ANY) {
                lines.push(ANY.to_string());
            }
            continue;
        };
        let kept = said.iter().filter(|it| *it != ANY);
        let mut kept = kept.filter(|it| matches_line(it, line) && matches_line(it, twin));
        lines.push(match kept.next() {
            Some(kept) => kept.clone(),
            None => masked(line, twin),
        });
        // Lines that may be missing are behind the same line as before.
        let is_followed = |two: &[String]| two[1] == ANY && Some(&two[0]) == lines.last();
        if said.windows(2).any(is_followed) {
            lines.push(ANY.to_string());
            if said.ends_with(&lines[lines.len() - 2..]) {
                return lines;
            }
        }
    }
    lines
}

/// Lines of one run beside those of another; `None` for each that has no fellow.
fn pairs<'a>(one: &'a [String], other: &'a [String]) -> Vec<Option<(&'a str, &'a str)>> {
    if one.len() == other.len() {
        let pairs = one.iter().zip(other);
        return pairs.map(|(line, twin)| Some((&**line, &**twin))).collect();
    }
    let is_fellow = |line: &str, twin: &str| without_varying(line) == without_varying(twin);
    let mut pairs = Vec::new();
    let mut from = 0;
    for line in one {
        let fellow = (from..other.len()).find(|&at| is_fellow(line, &other[at]));
        if let Some(at) = fellow {
            pairs.extend((from..at).map(|_| None));
            pairs.push(Some((line.as_str(), other[at].as_str())));
            from = at + 1;
        } else {
            pairs.push(None);
        }
    }
    pairs.extend((from..other.len()).map(|_| None));
    pairs
}

fn without_varying(line: &str) -> String {
    VARYING.iter().fold(line.to_string(), |line, (what, with)| {
        let what = Regex::new(what).expect("a pattern of ours");
        what.replace_all(&line, *with).into_owned()
    })
}

/// A line without the words that differ.
fn masked(line: &str, twin: &str) -> String {
    let (line, twin) = (without_varying(line), without_varying(twin));
    let (words, twins) = (line.split(' '), twin.split(' '));
    if words.clone().count() != twins.clone().count() {
        return ANY.to_string();
    }
    let words = words.zip(twins);
    let words = words.map(|(word, twin)| if word == twin { word } else { ANY });
    words.collect::<Vec<&str>>().join(" ")
}

mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn transcripts_are_found_with_their_places() {
        let text = "# A\n```console\n$ ls\na\nb\n$ true\n```\n```sh\n$ rm x\n```\n";
        let expected = [
            Step {
                command: "ls".to_string(),
                printed: lines("a\nb"),
                place: 3..5,
            },
            Step {
                command: "true".to_string(),
                printed: Vec::new(),
                place: 6..6,
            },
        ];
        assert_eq!(steps(text), expected);
    }

    #[test]
    fn dots_stand_for_any_text_and_alone_for_any_lines() {
        assert!(matches(
            &lines("a ... c\n...\nz"),
            &lines("a b.b c\nx\ny\nz")
        ));
        assert!(matches(&lines("...\nz"), &lines("z")));
        assert!(!matches(&lines("a ... c"), &lines("a b d")));
        assert!(!matches(&lines("a"), &lines("a\nb")));
        assert!(!matches(&lines("a*"), &lines("aaa")));
    }

    #[test]
    fn what_differs_is_left_out_of_a_new_transcript() {
        let one = lines("live 12 B, pid 7\nRSS growth 23 KiB\nrate 1.5 B\nsame");
        let other = lines("live 12 B, pid 9\nRSS growth 24 KiB\nrate 1.6 B\nsame");
        let expected = lines("live 12 B, pid ...\nRSS growth ...\nrate ... B\nsame");
        assert_eq!(renewed(&[], &one, &other), expected);
        let longer = [&one[..2], &lines("a note"), &one[2..]].concat();
        let expected = lines("live 12 B, pid ...\nRSS growth ...\n...\nrate 1.5 B\nsame");
        assert_eq!(renewed(&[], &longer, &one), expected);
        let said = lines("same\n...");
        assert_eq!(renewed(&said, &one[3..], &one[3..]), said);
        let said = lines("rate ...\n...");
        let expected = lines("live 12 B, pid ...\nRSS growth ...\nrate ...\n...");
        assert_eq!(renewed(&said, &one, &other), expected);
        let said = lines("same\n...\nold");
        assert_eq!(renewed(&said, &one[3..], &one[3..]), lines("same\n..."));
        let said = lines("live ...\n...");
        assert_eq!(renewed(&said, &one, &other), said);
        let said = lines("live ...\nrate 1.5 B");
        let expected = lines("live ...\nRSS growth ...\nrate ... B\nsame");
        assert_eq!(renewed(&said, &one, &other), expected);
    }
}
