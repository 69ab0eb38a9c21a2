//! Lines of a source file with what each of them allocated.
//!
//! A file is named by its number in the profile's list, so no other can be asked for.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result};
use residue_calltree::{Detail, Functions, LabelId};
use serde::Serialize;

use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;
use crate::page::selection::Selection;
use crate::visible::visible;
use residue_profile::units::Unit;

const MOST_LINES: usize = 2000;
/// Lines around those with numbers.
const CONTEXT: u32 = 5;
/// Characters of a line that are sent.
pub const LONGEST_LINE: usize = 500;

/// Answers `api/source`. Parameters: side, events, kind, focus, ignore, counter, file (a `file_id` of
/// this profile), line (where to look).
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SourceLines {
    file: String,
    /// Why there is no text, where there is none.
    missing: Option<String>,
    /// Lines with numbers and those around them, at most 2000.
    lines: Vec<SourceLine>,
    unit: Unit,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct SourceLine {
    /// From one.
    line: u32,
    text: Option<String>,
    #[serde(rename = "self")]
    own: u64,
    cumulative: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Numbers {
    own: u64,
    cumulative: u64,
}

pub fn source(profiles: &OpenProfiles, question: &Question) -> Result<SourceLines> {
    let selection = Selection::of(profiles.side(question)?, question)?;
    let number = question.number("file")?.context("file: none is named")?;
    let files = &selection.opened.profile.files;
    let path = usize::try_from(number).ok().and_then(|at| files.get(at));
    let path = path.with_context(|| format!("there is no file {number}"))?;
    let wanted = question.number("line")?;
    let wanted = wanted
        .and_then(|line| u32::try_from(line).ok())
        .filter(|line| *line > 0);

    let numbers = numbers(&selection, path)?;
    let text = (profiles.read_source)(path);
    let shown = shown_lines(&numbers, text.as_deref(), wanted);
    let line = |line: u32| {
        let Numbers { own, cumulative } = numbers.get(&line).copied().unwrap_or_default();
        let text = text.as_ref().and_then(|it| it.get(line as usize - 1));
        SourceLine {
            line,
            text: text.map(|text| text.chars().take(LONGEST_LINE).collect()),
            own,
            cumulative,
        }
    };
    Ok(SourceLines {
        file: visible(path),
        missing: match &text {
            Some(_) => None,
            None => Some(format!(
                "{} is not on this machine, or is not a text file",
                visible(path)
            )),
        },
        lines: shown.into_iter().map(line).collect(),
        unit: selection.unit(),
    })
}

/// By line of the file; what a line did within itself is counted once.
fn numbers(selection: &Selection<'_>, path: &str) -> Result<BTreeMap<u32, Numbers>> {
    let shown = selection.opened.tree(Detail::Line);
    // As labels have it.
    let path = path.replace(char::is_control, "");
    let mut lines: Vec<u32> = Vec::new();
    let mut group_of_line: HashMap<u32, u32> = HashMap::new();
    // Of each label its line, from one; zero is for all others.
    let mut groups: Vec<u32> = vec![0; shown.tree.labels.len()];
    for (group, label) in groups.iter_mut().zip(&shown.tree.labels) {
        if label.line > 0 && *label.file == *path {
            *group = *group_of_line.entry(label.line).or_insert_with(|| {
                lines.push(label.line);
                lines.len() as u32
            });
        }
    }
    if lines.is_empty() {
        return Ok(BTreeMap::new());
    }
    let group = |label: LabelId| groups[label as usize];
    let by_line = Functions::grouped(&shown.tree, &shown.children, lines.len() + 1, group);
    let sums = by_line.sums(&selection.values(shown)?.own);
    let of_lines = sums.own.iter().zip(&sums.cumulative).skip(1);
    let numbers = lines
        .iter()
        .zip(of_lines)
        .map(|(&line, (&own, &cumulative))| (line, Numbers { own, cumulative }));
    Ok(numbers
        .filter(|(_, numbers)| *numbers != Numbers::default())
        .collect())
}

/// Lines with numbers, the one that is looked for, and those around them; without a text
/// the lines alone. Of too many those nearest to what is looked for, or to the line with
/// the highest number.
fn shown_lines(
    numbers: &BTreeMap<u32, Numbers>,
    text: Option<&[String]>,
    wanted: Option<u32>,
) -> Vec<u32> {
    let length = text.map_or(u32::MAX, |it| u32::try_from(it.len()).unwrap_or(u32::MAX));
    let context = if text.is_some() { CONTEXT } else { 0 };
    let mut shown: BTreeSet<u32> = BTreeSet::new();
    for &line in numbers.keys().chain(&wanted) {
        shown.insert(line);
        let around = line.saturating_sub(context)..=line.saturating_add(context);
        shown.extend(around.filter(|it| (1..=length).contains(it)));
    }
    let shown: Vec<u32> = shown.into_iter().collect();
    if shown.len() <= MOST_LINES {
        return shown;
    }
    let highest = numbers.iter().max_by_key(|(_, numbers)| numbers.cumulative);
    let middle = wanted.or(highest.map(|(&line, _)| line)).unwrap_or(1);
    let at = shown.partition_point(|&line| line < middle);
    let start = at
        .saturating_sub(MOST_LINES / 2)
        .min(shown.len() - MOST_LINES);
    shown[start..start + MOST_LINES].to_vec()
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ask, open_profiles, refusal};
    use super::*;
    use residue_profile::{Profile, Ragged, SourcePlace};
    use residue_testkit::sample;
    use serde_json::{Value, json};
    use std::sync::Arc;

    /// The small profile with places in one file: `foo` on lines 12 and 14, called in
    /// `main` on line 20.
    fn profile(file: &str) -> Profile {
        let mut profile = sample::profile();
        profile.files = vec!["/nowhere/other.c".to_string(), file.to_string()];
        profile.places = Ragged::default();
        let place = |function, line| SourcePlace {
            function,
            file: 1,
            line,
        };
        profile.places.push_row([place(0, 20)]);
        profile.places.push_row([place(1, 12)]);
        for _ in 2..5 {
            profile.places.push_row([]);
        }
        profile.places.push_row([place(1, 14)]);
        profile
    }

    fn numbers(answer: &Value) -> Vec<(u64, u64, u64)> {
        let number = |line: &Value, key: &str| line[key].as_u64().unwrap();
        let lines = answer["lines"].as_array().unwrap().iter();
        lines
            .map(|line| {
                (
                    number(line, "line"),
                    number(line, "self"),
                    number(line, "cumulative"),
                )
            })
            .filter(|(_, own, cumulative)| own + cumulative > 0)
            .collect()
    }

    #[test]
    fn lines_have_their_sums_and_those_around_them_a_text() {
        let mut profiles = open_profiles(profile("/here/thing.cpp"), None);
        profiles.read_source = Arc::new(|path| {
            assert_eq!(path, "/here/thing.cpp");
            Some((1..=30).map(|line| format!("line {line}")).collect())
        });
        let answer = ask(&profiles, "source", "file=1&counter=total");
        assert_eq!(answer["missing"], Value::Null);
        assert_eq!(answer["unit"], "bytes");
        // All of the heap is called from main, but for what has no path; operator new has
        // no place of its own.
        let whole = 6400 + 102_400 + 1000;
        assert_eq!(
            numbers(&answer),
            [(12, 0, 6400), (14, 0, 102_400), (20, 0, whole)]
        );
        let lines = answer["lines"].as_array().unwrap();
        let [first, last] = [&lines[0], &lines[lines.len() - 1]];
        assert_eq!([&first["line"], &last["line"]], [7, 25]);
        assert_eq!(first["text"], "line 7");
        let focused = ask(&profiles, "source", "file=1&counter=calls&focus=odd&line=1");
        assert_eq!(focused["unit"], "count");
        assert_eq!(numbers(&focused), [(20, 0, 1)]);
        assert_eq!(
            focused["lines"][0],
            json!({"line": 1, "text": "line 1", "self": 0, "cumulative": 0})
        );
    }

    #[test]
    fn without_its_text_a_file_has_numbers_still() {
        let profiles = open_profiles(profile("/nowhere/thing.cpp"), None);
        let answer = ask(&profiles, "source", "file=1&counter=total&kind=mapping");
        let why = "/nowhere/thing.cpp is not on this machine, or is not a text file";
        assert_eq!(answer["missing"], why);
        let expected = json!([{"line": 20, "text": null, "self": 0, "cumulative": 16_384}]);
        assert_eq!(answer["lines"], expected);
        assert_eq!(ask(&profiles, "source", "file=0")["lines"], json!([]));
    }

    #[test]
    fn nothing_but_files_of_the_profile_can_be_named() {
        let profiles = open_profiles(profile("/nowhere/thing.cpp"), None);
        assert_eq!(refusal(&profiles, "source", "file=2"), "there is no file 2");
        let why = refusal(&profiles, "source", "file=/etc/passwd");
        assert!(
            why.starts_with("file: `/etc/passwd` is not a number"),
            "{why}"
        );
        assert_eq!(refusal(&profiles, "source", ""), "file: none is named");
    }

    #[test]
    fn at_most_so_many_lines_are_sent_around_the_one_that_is_looked_for() {
        let numbers = (1..=5000).map(|line| {
            let cumulative = if line == 4990 { 2 } else { 1 };
            (line, Numbers { own: 0, cumulative })
        });
        let numbers: BTreeMap<u32, Numbers> = numbers.collect();
        let around = |wanted| {
            let lines = shown_lines(&numbers, None, wanted);
            (lines.len(), lines[0], lines[lines.len() - 1])
        };
        assert_eq!(around(Some(2500)), (2000, 1500, 3499));
        assert_eq!(around(None), (2000, 3001, 5000));
        assert_eq!(around(Some(3)), (2000, 1, 2000));
    }
}
