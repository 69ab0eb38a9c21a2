//! Flame graphs from one function on, without some functions, and of a part of the width:
//! all of them add up to what the table of functions says.

use residue_profile::{Profile, Ragged};
use residue_testkit::synthetic::{self, Spec};
use serde_json::Value;

use super::sample::{ask, open_profiles, refusal};

/// Functions that call each other, some of them themselves.
fn profile(functions: u32) -> Profile {
    let mut profile = synthetic::profile(&Spec {
        stacks: 200,
        events: 40,
        modules: 5,
        functions: 25,
        depth: 12,
        threads: 3,
        seed: 7,
        long_names: false,
    });
    for frame in &mut profile.frames {
        frame.function %= functions;
        frame.module = 0;
    }
    profile.places = Ragged::default();
    profile
}

fn numbers(column: &Value) -> Vec<u64> {
    let column = column.as_array().unwrap().iter();
    column.map(|number| number.as_u64().unwrap()).collect()
}

#[test]
fn a_function_has_what_the_table_says_above_it_and_below_it() {
    for functions in [6, 25] {
        let profiles = open_profiles(profile(functions), None);
        let table = ask(&profiles, "functions", "counter=total&limit=200");
        for row in table["rows"].as_array().unwrap() {
            for inverted in ["", "&inverted=1"] {
                let key = row["key"].as_str().unwrap();
                let query = format!("counter=total&function={key}{inverted}");
                let flame = ask(&profiles, "flame", &query);
                assert_eq!(flame["value"][0], row["cumulative"], "{query}");
                assert_eq!(flame["whole"], table["whole"]);
                assert_eq!(flame["function"][0], row["key"]);
                if flame["left_out"] == 0 {
                    let own: u64 = numbers(&flame["own"]).iter().sum();
                    assert_eq!(own, numbers(&flame["value"])[0], "{query}");
                }
                // Who called it calls it in the table of callers too, with as much.
                let ends = ask(
                    &profiles,
                    "callers",
                    &format!("counter=total&function={key}"),
                );
                let name = if inverted.is_empty() {
                    "callees"
                } else {
                    "callers"
                };
                for (at, parent) in flame["parent"].as_array().unwrap().iter().enumerate() {
                    let is_next = *parent == 0;
                    let ends = ends[name].as_array().unwrap();
                    let end = ends.iter().find(|end| end["key"] == flame["function"][at]);
                    // A recursive call is further out too, where it counts.
                    if let Some(end) = end.filter(|end| is_next && end["recursive"] == 0) {
                        assert!(flame["value"][at].as_u64() <= end["value"].as_u64());
                    }
                    assert!(!is_next || end.is_some(), "{query}");
                }
            }
        }
    }
    let profiles = open_profiles(profile(6), None);
    assert_eq!(
        refusal(&profiles, "flame", "function=0123456789abcdef"),
        "no such function in this profile"
    );
}

#[test]
fn with_a_function_and_without_it_is_everything() {
    let profiles = open_profiles(profile(25), None);
    let whole = ask(&profiles, "flame", "counter=calls")["whole"].as_u64();
    let table = ask(&profiles, "functions", "counter=calls&limit=200");
    for row in table["rows"].as_array().unwrap() {
        let name = row["function"].as_str().unwrap();
        let part = |filter: &str| {
            let pattern: String =
                form_urlencoded::byte_serialize(format!("^{}$", regex::escape(name)).as_bytes())
                    .collect();
            let query = format!("counter=calls&{filter}={pattern}");
            ask(&profiles, "flame", &query)["whole"].as_u64()
        };
        let sum = part("focus").unwrap() + part("ignore").unwrap();
        assert_eq!(Some(sum), whole, "{name}");
    }
    // Of the tables too.
    let found = |filter: &str| ask(&profiles, "stacks", filter)["found"].as_u64();
    assert!(found("ignore=.") < found(""));
}

#[test]
fn boxes_stand_in_the_box_that_they_are_in() {
    let profiles = open_profiles(profile(25), None);
    let all = ask(&profiles, "flame", "counter=total");
    let whole = all["weight"][0].as_u64().unwrap();
    let span = format!("{}..{}", whole / 3, whole / 2);
    for query in [
        "counter=total".to_string(),
        "counter=total&inverted=1".to_string(),
        format!("counter=total&span={span}"),
        "by=thread&counter=calls".to_string(),
    ] {
        let flame = ask(&profiles, "flame", &query);
        let [start, weight] = ["start", "weight"].map(|name| numbers(&flame[name]));
        for (at, parent) in flame["parent"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
            .skip(1)
        {
            let parent = parent.as_u64().unwrap() as usize;
            assert!(start[at] >= start[parent], "{query}");
            assert!(
                start[at] + weight[at] <= start[parent] + weight[parent],
                "{query}"
            );
        }
    }
    assert_eq!(
        refusal(&profiles, "flame", "span=7"),
        "span: `7` is not a part of a width such as 0..4096"
    );
}
