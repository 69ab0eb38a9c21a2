//! What is new, gone, grown or shrunk from one profile to the other.

use anyhow::{Result, anyhow};
use residue_calltree::diff::{Class, ComparedRow};
use serde::Serialize;

use super::stack_row::{MOST_NAME, shortened};
use crate::compare::comparison::Comparison;
use crate::compare::document::Number;
use crate::compare::rows::{By, Table};
use crate::page::compared::{Compared, Wanted};
use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;
use crate::page::selection::StackFilter;
use residue_names::cut_middle;
use residue_profile::units::Unit;

const USUAL_ROWS: usize = 50;
const MOST_ROWS: usize = 200;

/// Answers `api/compare`. Parameters: by, counter, kind, focus, ignore, class (all, new, gone, grown,
/// shrunk), offset, limit (most 200). Side `a` is before, `b` is after.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Compare {
    #[cfg_attr(feature = "typescript", ts(type = "CounterName"))]
    counter: &'static str,
    unit: Unit,
    #[cfg_attr(feature = "typescript", ts(type = "CompareBy"))]
    by: &'static str,
    /// What numbers are divided by in `rate_*`: null where they are not.
    #[cfg_attr(feature = "typescript", ts(type = "EventUnit | null"))]
    per: Option<&'static str>,
    before: CompareSide,
    after: CompareSide,
    counts: Counts,
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    growth: Number,
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    fall: Number,
    found: usize,
    offset: usize,
    rows: Vec<CompareRow>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct CompareSide {
    name: String,
    program: String,
    events: Option<u64>,
    total: i64,
}

#[derive(Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "CompareCounts")
)]
struct Counts {
    new: u64,
    gone: u64,
    grown: u64,
    shrunk: u64,
    unchanged: u64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct CompareRow {
    #[cfg_attr(feature = "typescript", ts(type = "CompareClass"))]
    class: &'static str,
    before: i64,
    after: i64,
    delta: i128,
    rate_before: Option<f64>,
    rate_after: Option<f64>,
    rate_delta: Option<f64>,
    /// Of all growth, or of all fall.
    share: f64,
    /// Function or library; of a stack the path, root first.
    name: Option<String>,
    path: Option<Vec<String>>,
}

pub fn compare(profiles: &OpenProfiles, question: &Question) -> Result<Compare> {
    let wanted = Wanted {
        by: match question.word("by", &["function", "stack", "library"])? {
            "stack" => By::Stack,
            "library" => By::Library,
            _ => By::Function,
        },
        counter: question.counter()?,
        kind: question.kind()?,
        filter: StackFilter::of(question)?,
    };
    let class = question.word("class", &["all", "new", "gone", "grown", "shrunk"])?;
    let offset = question.limit("offset", 0, usize::MAX)?;
    let limit = question.limit("limit", USUAL_ROWS, MOST_ROWS)?;

    let compared = profiles.compared(&wanted)?;
    let Compared { comparison, table } = match &*compared {
        Ok(compared) => compared,
        Err(why) => return Err(anyhow!(why.clone())),
    };
    // What grew most comes first, then what fell most.
    let rows = || table.more().iter().chain(table.less().iter().rev());
    let is_meant = |row: &&ComparedRow| class == "all" || row.class.name() == class;
    let number = |weight: i128| Number::of(comparison, weight);
    let sums = &table.sums;
    Ok(Compare {
        counter: wanted.counter.name(),
        unit: wanted.counter.unit(),
        by: wanted.by.name(),
        per: comparison.per,
        before: CompareSide {
            name: comparison.before.address.clone(),
            program: comparison.before.program.clone(),
            events: comparison.before.events,
            total: table.whole.before,
        },
        after: CompareSide {
            name: comparison.after.address.clone(),
            program: comparison.after.program.clone(),
            events: comparison.after.events,
            total: table.whole.after,
        },
        counts: Counts {
            new: sums.count(Class::New),
            gone: sums.count(Class::Gone),
            grown: sums.count(Class::Grown),
            shrunk: sums.count(Class::Shrunk),
            unchanged: sums.unchanged,
        },
        growth: number(sums.growth),
        fall: number(sums.fall),
        found: rows().filter(is_meant).count(),
        offset,
        rows: rows()
            .filter(is_meant)
            .skip(offset)
            .take(limit)
            .map(|row| compare_row(comparison, table, row))
            .collect(),
    })
}

fn compare_row(comparison: &Comparison, table: &Table, row: &ComparedRow) -> CompareRow {
    let scale = comparison.scale;
    let rate = |value: f64| comparison.per.map(|_| value);
    let tree = &comparison.tree;
    let is_stack = table.by == By::Stack;
    let name = || cut_middle(&tree.labels[row.id as usize].name, MOST_NAME).to_string();
    let path = || {
        let mut names: Vec<&str> = tree
            .path_leaf_first(row.id)
            .map(|label| &*label.name)
            .collect();
        names.reverse();
        shortened(&names)
    };
    CompareRow {
        class: row.class.name(),
        before: row.pair.before,
        after: row.pair.after,
        delta: row.pair.delta(),
        rate_before: rate(scale.before(row.pair)),
        rate_after: rate(scale.after(row.pair)),
        rate_delta: rate(scale.delta(row.pair)),
        share: table.sums.share(row.weight),
        name: (!is_stack).then(name),
        path: is_stack.then(path),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ask, events, open_profiles, refusal};
    use crate::choice::{Choice, Names};
    use crate::compare::{By, Given, PerEvent, Request, Side, Table, compare, document};
    use residue_profile::{Counter, MemoryKind, Profile};
    use serde_json::{Value, json};

    /// The small profile after some events, and after more with other numbers.
    fn profiles() -> [Profile; 2] {
        let before = events(4);
        let mut after = events(6);
        after.stacks[0].counters.live_bytes = 5000;
        after.stacks[1].counters.live_bytes = 70;
        after.stacks[2].counters.live_bytes = 0;
        after.stacks[3].counters.live_bytes = 8193;
        after.functions[3] = "renamed".to_string();
        after.modules[1].build_id = "another".to_string();
        [before, after]
    }

    /// What `residue diff --json` writes of the same two.
    fn written(by: By, counter: Counter, kind: MemoryKind) -> Value {
        let choice = Choice::whole(kind, Names::short());
        let request = Request {
            choice: &choice,
            counter,
            detail: by.detail(),
            per_event: PerEvent::WhereTheyDiffer,
        };
        let [before, after] = profiles().map(|profile| {
            let given = Given {
                address: String::new(),
                part: None,
            };
            Side::of(&request, &profile, given).unwrap()
        });
        let comparison = compare(&request, before, after).unwrap();
        let table = Table::of(&comparison, by, false);
        let limits = document::Limits {
            top: usize::MAX,
            min_percent: 0.0,
        };
        let mut out = Vec::new();
        document::write(&comparison, &table, &limits, None, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    /// A row of the command as the page has it.
    fn of_page(row: &Value) -> Value {
        let mut path = row["frames"].clone();
        if let Some(path) = path.as_array_mut() {
            path.reverse();
        }
        let mut page = json!({"name": row["name"], "path": path});
        for key in [
            "class",
            "before",
            "after",
            "delta",
            "rate_before",
            "rate_after",
            "rate_delta",
            "share",
        ] {
            page[key] = row[key].clone();
        }
        page
    }

    #[test]
    fn rows_are_those_of_the_command() {
        let [before, after] = profiles();
        let profiles = open_profiles(before, Some(after));
        for by in [By::Stack, By::Function, By::Library] {
            for kind in MemoryKind::ALL {
                for counter in [Counter::Live, Counter::Calls] {
                    let document = written(by, counter, kind);
                    let query = format!(
                        "by={}&kind={}&counter={}",
                        by.name(),
                        kind.name(),
                        counter.name()
                    );
                    let answer = ask(&profiles, "compare", &query);
                    let rows = document["rows"].as_array().unwrap();
                    let expected: Vec<Value> = rows.iter().map(of_page).collect();
                    assert_eq!(answer["rows"], json!(expected), "{query}");
                    assert_eq!(answer["found"], expected.len());
                    for key in ["counter", "unit", "by", "per", "growth", "fall"] {
                        assert_eq!(answer[key], document[key], "{query} {key}");
                    }
                    for class in ["new", "gone", "grown", "shrunk", "unchanged"] {
                        let count = &document[format!("rows_{class}")];
                        assert_eq!(answer["counts"][class], *count, "{query} {class}");
                    }
                    for side in ["before", "after"] {
                        for key in ["program", "events", "total"] {
                            assert_eq!(answer[side][key], document[side][key], "{query} {side}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn rows_can_be_chosen_and_paged() {
        let [before, after] = profiles();
        let profiles = open_profiles(before, Some(after));
        let all = ask(&profiles, "compare", "by=stack&kind=all");
        assert_eq!(all["per"], "event");
        assert_eq!(
            [&all["before"]["name"], &all["after"]["name"]],
            ["a.residue", "b.residue"]
        );
        let classes: Vec<&str> = all["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["class"].as_str().unwrap())
            .collect();
        // What grew most first, then what fell most; by event, as there were more of them. What
        // is the same to the byte in both runs did not change.
        assert_eq!(classes, ["grown", "shrunk", "gone"]);
        assert_eq!(all["counts"]["unchanged"], 1);
        let gone = ask(&profiles, "compare", "by=stack&kind=all&class=gone");
        assert_eq!(gone["rows"], json!([all["rows"][2]]));
        let page = ask(&profiles, "compare", "by=stack&kind=all&offset=1&limit=2");
        assert_eq!(page["rows"], json!([all["rows"][1], all["rows"][2]]));
        assert_eq!([&page["found"], &page["offset"]], [3, 1]);
        let focused = ask(&profiles, "compare", "by=stack&kind=all&focus=thing");
        assert_eq!(focused["found"], 1);
        assert_eq!(focused["after"]["total"], 5070);
    }

    #[test]
    fn two_profiles_are_needed() {
        let why = refusal(
            &self::open_profiles(Profile::default(), None),
            "compare",
            "",
        );
        assert_eq!(why, "only one profile is open");
        let empty = self::open_profiles(Profile::default(), Some(Profile::default()));
        assert_eq!(ask(&empty, "compare", "by=library")["rows"], json!([]));
    }

    /// Two builds have files of different names, and the same functions.
    #[test]
    fn flame_graphs_of_two_builds_match_by_name() {
        let before = events(4);
        let mut after = events(4);
        for module in &mut after.modules {
            module.path.push_str("-2");
            module.build_id = "another".to_string();
        }
        let flame = ask(
            &open_profiles(before, Some(after)),
            "flame",
            "side=b&against=a",
        );
        assert!(flame["value"].as_array().unwrap().len() > 3);
        assert_eq!(flame["base"], flame["value"]);
    }
}
