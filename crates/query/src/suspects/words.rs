//! What suspects have in common, in words.

use residue_analysis::verdict::Headline;
use residue_profile::Counter;
use residue_profile::units::{bytes, counted};

use super::Role;

/// `2 stacks leak`; nothing where there are none.
pub fn title(role: Role, headline: Headline, found: usize) -> String {
    let stacks = |one: &str, many: &str| {
        let verb = if found == 1 { one } else { many };
        format!("{} {verb}", counted(found as u64, "stack", "stacks"))
    };
    match (role, headline) {
        _ if found == 0 => String::new(),
        (Role::Guilty, Headline::Leak) => stacks("leaks", "leak"),
        (Role::Guilty, Headline::FreedAtExit) => stacks(
            "grows to the end and is freed at exit",
            "grow to the end and are freed at exit",
        ),
        (Role::Guilty, Headline::Filling) => stacks("fills up", "fill up"),
        (Role::Guilty, _) => stacks("grows ever more slowly", "grow ever more slowly"),
        (Role::Pins, _) => stacks(
            "keeps mostly empty pages of the heap resident",
            "keep mostly empty pages of the heap resident",
        ),
        (Role::Notable | Role::Largest, Headline::NoGrowth) => {
            format!("no stack leaks; {}", stacks("moved", "moved"))
        }
        (Role::Notable | Role::Largest, _) => {
            format!("no stack explains it; {}", stacks("moved", "moved"))
        }
    }
}

/// `1.20 MiB live at the peak, in 12 stacks`.
pub fn largest(counter: Counter, all: u64, stacks: usize) -> String {
    if stacks == 0 {
        return String::new();
    }
    let stacks = counted(stacks as u64, "stack", "stacks");
    format!("{} {}, in {stacks}", bytes(all), state(counter))
}

/// What bytes of a counter are.
pub fn state(counter: Counter) -> &'static str {
    match counter {
        Counter::AtPeak => "live at the peak",
        Counter::Live => "live at the end",
        _ => "allocated",
    }
}

/// What stands for suspects that are not told.
pub fn more(number: usize) -> Option<String> {
    let stacks = counted(number as u64, "more stack", "more stacks");
    (number > 0).then(|| format!("and {stacks}"))
}
