//! What the page shows is what `residue report` says, number for number.

use std::collections::BTreeMap;

use residue_analysis::history::EventRange;
use residue_profile::{Counter, MemoryKind, Profile, Ragged};
use residue_testkit::synthetic::{self, Spec};
use serde_json::{Value, json};

use super::sample::{ask, open_profiles, refusal};
use crate::choice::{Choice, Names};
use crate::moment_view;
use crate::page::open_profiles::OpenProfiles;
use crate::report::callers::callers;
use crate::report::source::Source;

/// Few functions that call each other over and over.
fn recursive() -> Profile {
    let mut profile = profile();
    for frame in &mut profile.frames {
        frame.function %= 6;
        frame.module = 0;
    }
    profile.places = Ragged::default();
    profile
}

fn profile() -> Profile {
    synthetic::profile(&Spec {
        stacks: 200,
        events: 40,
        modules: 5,
        functions: 25,
        depth: 12,
        threads: 3,
        seed: 7,
        long_names: false,
    })
}

fn choice(kind: MemoryKind) -> Choice {
    Choice::whole(kind, Names::short())
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn sum(values: &Value) -> u64 {
    values.as_array().unwrap().iter().map(number).sum()
}

/// Keys of functions by name and library.
fn keys(profiles: &OpenProfiles, counter: &str) -> BTreeMap<(String, String), String> {
    let mut keys = BTreeMap::new();
    let mut offset = 0;
    loop {
        let query = format!("counter={counter}&offset={offset}&limit=7");
        let answer = ask(profiles, "functions", &query);
        let rows = answer["rows"].as_array().unwrap();
        for row in rows {
            let text = |name: &str| row[name].as_str().unwrap().to_string();
            keys.insert((text("function"), text("library")), text("key"));
        }
        offset += rows.len();
        if rows.is_empty() {
            assert_eq!(offset as u64, number(&answer["found"]));
            return keys;
        }
    }
}

#[test]
fn callers_and_callees_are_those_of_the_report() {
    let profile = recursive();
    let profiles = open_profiles(profile.clone(), None);
    for counter in [Counter::Calls, Counter::Total, Counter::AtPeak] {
        let counters = vec![counter, Counter::Calls];
        let source = Source::new(&profile, choice(MemoryKind::Heap), counters).unwrap();
        let expected = callers(&source, 0.0, None, usize::MAX);
        let keys = keys(&profiles, counter.name());
        assert_eq!(keys.len(), expected.functions.len());
        let mut recursive = 0;
        for function in &expected.functions {
            let key = &keys[&(function.function.clone(), function.library.clone())];
            let query = format!("function={key}&counter={}", counter.name());
            let answer = ask(&profiles, "callers", &query);
            assert_eq!(number(&answer["function"]["self"]), function.own);
            assert_eq!(
                number(&answer["function"]["cumulative"]),
                function.cumulative
            );
            for (side, ends) in [
                ("callers", &function.callers),
                ("callees", &function.callees),
            ] {
                let mut expected: BTreeMap<(String, String), (u64, u64)> = ends
                    .iter()
                    .map(|end| {
                        let name = (end.function.clone(), end.library.clone());
                        (name, (end.value, end.recursive))
                    })
                    .collect();
                if let Some((begun, _)) = expected.remove(&("(root)".into(), String::new())) {
                    assert_eq!(number(&answer["begun"]), begun);
                }
                let seen: BTreeMap<(String, String), (u64, u64)> = answer[side]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|end| {
                        let text = |name: &str| end[name].as_str().unwrap().to_string();
                        recursive += number(&end["recursive"]);
                        let numbers = (number(&end["value"]), number(&end["recursive"]));
                        ((text("function"), text("library")), numbers)
                    })
                    .collect();
                assert_eq!(seen, expected, "{side} of {}", function.function);
            }
        }
        assert!(recursive > 0, "nothing here calls itself");
    }
}

#[test]
fn boxes_add_up_to_the_ledger_from_either_end_and_from_any_root() {
    let profile = profile();
    let profiles = open_profiles(profile.clone(), None);
    for by in ["function", "module", "line", "scope"] {
        for counter in Counter::SUMS {
            for inverted in ["", "&inverted=1"] {
                let query = format!("by={by}&counter={}{inverted}", counter.name());
                let answer = ask(&profiles, "flame", &query);
                let heap = profile
                    .stacks
                    .iter()
                    .filter(|it| MemoryKind::Heap.holds(it.kind));
                let whole: u64 = heap.map(|stack| counter.value(stack)).sum();
                assert_eq!(number(&answer["whole"]), whole, "{query}");
                assert_eq!(number(&answer["value"][0]), whole);
                if answer["left_out"] == 0 {
                    assert_eq!(sum(&answer["own"]), whole, "{query}");
                }
            }
        }
    }
    // Every box is the root of what is below it.
    for inverted in ["", "&inverted=1"] {
        let all = ask(&profiles, "flame", &format!("counter=calls{inverted}"));
        for place in [1, 5, 50] {
            let key = all["key"][place].as_str().unwrap();
            let below = ask(
                &profiles,
                "flame",
                &format!("counter=calls&root={key}{inverted}"),
            );
            assert_eq!(below["value"][0], all["value"][place]);
            assert_eq!(below["own"][0], all["own"][place]);
            let crumbs = below["breadcrumbs"].as_array().unwrap();
            assert_eq!(crumbs.last().unwrap()["key"], all["key"][place]);
            assert_eq!(crumbs.last().unwrap()["value"], all["value"][place]);
            assert_eq!(below["whole"], all["whole"]);
        }
    }
    assert_eq!(
        refusal(&profiles, "flame", "root=0123456789abcdef"),
        "root: no such call in this profile"
    );
    assert!(refusal(&profiles, "flame", "events=1..5&counter=total").starts_with("`total` is not"));
}

#[test]
fn the_path_of_a_stack_is_a_root() {
    let profile = profile();
    let profiles = open_profiles(profile.clone(), None);
    let rows = ask(&profiles, "stacks", "kind=all&limit=20");
    for row in rows["rows"].as_array().unwrap() {
        let query = format!("kind=all&counter=total&stack={}", row["stack"]);
        let flame = ask(&profiles, "flame", &query);
        let stack = &profile.stacks[number(&row["stack"]) as usize];
        assert!(number(&flame["value"][0]) >= stack.counters.total_bytes);
        let crumbs = flame["breadcrumbs"].as_array().unwrap();
        let path: Vec<&Value> = crumbs.iter().map(|crumb| &crumb["name"]).collect();
        assert_eq!(json!(path), row["path"]);
        assert_eq!(flame["key"][0], crumbs.last().unwrap()["key"]);
        let function = flame["function"][0].as_str().unwrap();
        let callers = ask(
            &profiles,
            "callers",
            &format!("kind=all&counter=total&function={function}"),
        );
        assert_eq!(
            callers["function"]["function"],
            row["path"].as_array().unwrap().last().unwrap().clone()
        );
    }
    assert_eq!(
        refusal(&profiles, "flame", "stack=99999999"),
        "stack: 99999999 is not in this flame graph"
    );
}

#[test]
fn stacks_that_are_named_come_first() {
    let profiles = open_profiles(profile(), None);
    let usual = ask(&profiles, "stacks", "events=11..20&limit=200");
    let stacks = |table: &Value| -> Vec<u64> {
        let rows = table["rows"].as_array().unwrap();
        rows.iter().map(|row| number(&row["stack"])).collect()
    };
    let usual = stacks(&usual);
    let [third, second] = [usual[2], usual[1]];
    let query = format!("events=11..20&limit=200&first={third},{second},4000000000");
    let named = stacks(&ask(&profiles, "stacks", &query));
    let mut expected = vec![third, second];
    expected.extend(
        usual
            .iter()
            .filter(|stack| ![third, second].contains(stack)),
    );
    assert_eq!(named, expected);
    let why = refusal(&profiles, "stacks", "first=a");
    assert!(
        why.starts_with("first: `a` is not the number of a stack"),
        "{why}"
    );
}

#[test]
fn a_range_is_what_its_events_left() {
    let profile = profile();
    let profiles = open_profiles(profile.clone(), None);
    let range = EventRange { from: 11, to: 20 };
    let span = profiles.first.span(Some(range)).unwrap();
    let live = moment_view::live(&profile, span);
    let heap = |stack: &usize| MemoryKind::Heap.holds(profile.stacks[*stack].kind);
    let stacks: Vec<usize> = (0..live.len()).filter(heap).collect();
    let net: i64 = stacks.iter().map(|&stack| live[stack].bytes).sum();
    let grown: i64 = stacks.iter().map(|&stack| live[stack].bytes.max(0)).sum();
    let fallen: i64 = stacks.iter().map(|&stack| live[stack].bytes.min(0)).sum();
    assert!(grown > 0 && fallen < 0);

    let table = ask(&profiles, "stacks", "events=11..20&limit=200");
    assert_eq!(table["sums"]["growth_bytes"].as_i64().unwrap(), net);
    assert_eq!(number(&table["fallen_bytes"]), fallen.unsigned_abs());
    assert_eq!(number(&table["events"]), 10);
    assert_eq!([&table["first_event"], &table["last_event"]], [11, 20]);
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.len() as u64, number(&table["found"]));
    let growths: Vec<i64> = rows
        .iter()
        .map(|row| row["growth_bytes"].as_i64().unwrap())
        .collect();
    assert_eq!(growths.iter().sum::<i64>(), net);
    assert!(growths.is_sorted_by(|one, other| one >= other));
    assert!(rows.iter().all(|row| row["shape"].is_string()));

    for by in ["function", "module", "scope"] {
        let flame = ask(&profiles, "flame", &format!("events=11..20&by={by}"));
        assert_eq!(number(&flame["whole"]), grown.unsigned_abs());
        assert_eq!(number(&flame["fallen"]), fallen.unsigned_abs());
    }
    // Against itself nothing changed, and nothing is wider than it was.
    let same = ask(&profiles, "flame", "events=11..20&against=11..20");
    assert_eq!(same["base"], same["value"]);
    assert_eq!(same["weight"], same["value"]);
    let other = ask(&profiles, "flame", "events=11..20&against=21..30");
    assert_eq!(
        other["base_whole"],
        ask(&profiles, "flame", "events=21..30")["whole"]
    );
    let widths = |name: &str| number(&other[name][0]);
    assert!(widths("weight") >= widths("value").max(widths("base")));
    assert!(widths("weight") <= widths("value") + widths("base"));
}

#[test]
fn the_largest_block_is_a_maximum_and_never_a_sum() {
    let mut profile = recursive();
    let profiles = open_profiles(profile.clone(), None);
    let groups = profiles.first.groups();
    let largest = |stacks: &[u32]| {
        let blocks = stacks.iter().map(|stack| &profile.stacks[*stack as usize]);
        blocks.map(|stack| stack.counters.largest_bytes).max()
    };
    // Of a range it is that of the whole recording, as are all numbers but growth.
    for range in ["", "&events=11..20"] {
        let query = format!("kind=all&sort=largest&limit=200{range}");
        let table = ask(&profiles, "stacks", &query);
        let rows = table["rows"].as_array().unwrap();
        let mut seen = Vec::new();
        let mut most_members = 0;
        for row in rows {
            let group = groups.of_stack[number(&row["stack"]) as usize];
            let members = groups.members(group);
            assert_eq!(row["largest_bytes"].as_u64(), largest(members));
            seen.push(number(&row["largest_bytes"]));
            most_members = most_members.max(members.len());
        }
        assert!(most_members > 1 && seen.is_sorted_by(|one, other| one >= other));
        let all: Vec<u32> = (0..profile.stacks.len() as u32).collect();
        assert_eq!(table["sums"]["largest_bytes"].as_u64(), largest(&all));
    }
    let of_one = ask(&profiles, "stack", "stack=0");
    let by_thread = of_one["threads"].as_array().unwrap();
    let by_thread = by_thread.iter().map(|part| number(&part["largest_bytes"]));
    assert_eq!(by_thread.max(), of_one["row"]["largest_bytes"].as_u64());
    assert_eq!(
        refusal(&profiles, "flame", "counter=largest"),
        "`largest` is a maximum, and a flame graph adds up what lies below"
    );

    profile.has_largest = false;
    let profiles = open_profiles(profile, None);
    let why = "`largest` was not recorded: the file is from an earlier version of residue or from \
               another tool";
    assert_eq!(refusal(&profiles, "stacks", "sort=largest"), why);
    let table = ask(&profiles, "stacks", "");
    assert_eq!(table["sums"]["largest_bytes"], Value::Null);
    assert_eq!(table["rows"][0]["largest_bytes"], Value::Null);
    let of_one = ask(&profiles, "stack", "stack=0");
    assert_eq!(of_one["row"]["largest_bytes"], Value::Null);
    assert_eq!(of_one["threads"][0]["largest_bytes"], Value::Null);
}

#[test]
fn tables_are_ordered_searched_and_paged() {
    let profiles = open_profiles(profile(), None);
    for sort in [
        "live",
        "total",
        "calls",
        "churn",
        "peak",
        "temporaries",
        "live-blocks",
    ] {
        let column = match sort {
            "live" => "live_bytes",
            "total" => "total_bytes",
            "churn" => "churn_bytes",
            "peak" => "peak_bytes",
            "live-blocks" => "live_blocks",
            other => other,
        };
        let mut seen = Vec::new();
        let mut found = 1;
        while (seen.len() as u64) < found {
            let query = format!("sort={sort}&offset={}&limit=50&ascending=1", seen.len());
            let page = ask(&profiles, "stacks", &query);
            found = number(&page["found"]);
            let rows = page["rows"].as_array().unwrap();
            assert!(!rows.is_empty());
            seen.extend(rows.iter().map(|row| number(&row[column])));
        }
        assert!(seen.is_sorted(), "{sort}");
    }
    let all = ask(&profiles, "stacks", "limit=200");
    let name = all["rows"][0]["path"][0].as_str().unwrap();
    let query: String =
        form_urlencoded::byte_serialize(format!("^{}$", regex::escape(name)).as_bytes()).collect();
    let some = ask(&profiles, "stacks", &format!("focus={query}&limit=200"));
    let through = |row: &&Value| {
        row["path"]
            .as_array()
            .unwrap()
            .iter()
            .any(|step| step == name)
    };
    let expected = all["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(through)
        .count();
    assert!(expected > 0);
    assert!(number(&some["found"]) >= expected as u64);
    assert!(
        some["rows"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| through(&row))
    );
    let leaks = ask(&profiles, "stacks", "shape=leak");
    assert!(
        leaks["rows"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["shape"] == "leak")
    );
}

#[test]
fn threads_add_up_and_have_trees_of_their_own() {
    let profile = profile();
    let profiles = open_profiles(profile.clone(), None);
    let all = ask(&profiles, "flame", "by=thread&counter=calls");
    let heap = profile
        .stacks
        .iter()
        .filter(|it| MemoryKind::Heap.holds(it.kind));
    let calls: u64 = heap.map(|stack| stack.counters.calls).sum();
    assert_eq!(number(&all["whole"]), calls);
    let boxes = all["key"].as_array().unwrap();
    assert!(boxes.len() > 2);
    for (place, key) in boxes.iter().enumerate().skip(1) {
        let tid = key.as_str().unwrap().strip_prefix("thread:").unwrap();
        let query = format!("by=thread&thread={tid}&counter=calls");
        let one = ask(&profiles, "flame", &query);
        assert_eq!(one["value"][0], all["value"][place]);
    }
    assert!(
        refusal(&profiles, "flame", "thread=1&counter=calls").starts_with("thread: there is none")
    );
}
