//! Named parts of the work stand as frames at the root.

use crate::dumped::Dump;
use crate::support::Lab;

#[test]
fn one_call_site_in_and_outside_of_scopes_is_told_apart() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["scopes"]);
    recorded.expect_exact();
    let rounds = recorded.truths().get("rounds");
    let dump = Dump::of(&lab, &recorded);
    let scopes = |stack: usize| -> Vec<&str> {
        let names = dump.names(stack).into_iter();
        names.filter(|name| name.starts_with('[')).collect()
    };
    let mut found: Vec<(Vec<&str>, u64, u64)> = dump
        .stacks_with("scoped_alloc")
        .into_iter()
        .map(|stack| {
            let counters = &dump.stacks[stack].counters;
            (scopes(stack), counters.calls, counters.live_bytes)
        })
        .collect();
    found.sort();
    let mut expected = vec![
        (vec![], rounds, 10 * rounds),
        (vec!["[inner]", "[outer]"], rounds, 40 * rounds),
        (vec!["[odd]"], rounds, 20 * rounds),
        (vec!["[outer]"], rounds, 80 * rounds),
    ];
    expected.sort();
    assert_eq!(found, expected);
}
