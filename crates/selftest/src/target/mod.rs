//! The program that `residue selftest` records: it does what it can count, and tells
//! what it did.
//!
//! It is compiled into `residue` itself, so that a machine needs no compiler to prove
//! that recording works there.

mod costs;
mod event_function;
mod functions;
mod leak;
mod mappings;
mod pairs;
mod recursion;
mod tally;

use serde::{Deserialize, Serialize};
use std::hint::black_box;

pub use costs::Costs;
pub use event_function::NAME as EVENT_FUNCTION;
pub use leak::{LAST_STAMP, STAMPS_PER_EVENT};
pub use tally::{TalliedKind, Tally, scope_name};

/// What the program is to do.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Task {
    pub work: Work,
    /// Do something else than is told, to prove that it is found out.
    pub spoil: Option<Spoil>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Call every function that gives or takes memory.
    Calls,
    /// Allocate at all depths of a recursion.
    Recursion,
    /// Run events that leave so much behind, beside noise that is freed again.
    Leak {
        bytes_per_event: u64,
        events: u64,
        is_touched: bool,
    },
    /// Enter the event function so often.
    EventFunction { events: u64 },
    /// Measure what marks and allocations cost.
    Costs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spoil {
    /// One call more than told.
    Calls,
    /// Fewer stacks than told.
    Stacks,
    /// A little more left behind than told.
    Leak,
    /// Touched where it should not be, and the other way round.
    Touch,
    /// One event more than told.
    Events,
}

/// What the program did, by its own count.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    Calls {
        functions: Vec<Tally>,
        /// Functions that this system does not have.
        missing: Vec<String>,
    },
    Recursion {
        allocations: u64,
        deepest_calls: u64,
    },
    Leak {
        events: u64,
    },
    EventFunction {
        events: u64,
    },
    Costs(Costs),
}

/// Does the work and tells what was done.
pub fn run(task: Task) -> Told {
    let is_spoiled = |spoil: Spoil| task.spoil == Some(spoil);
    match task.work {
        Work::Calls => call_everything(is_spoiled(Spoil::Calls)),
        Work::Recursion => {
            let done = recursion::allocate_at_all_depths();
            let untrue = if is_spoiled(Spoil::Stacks) {
                1_000_000
            } else {
                0
            };
            Told::Recursion {
                allocations: done.allocations + untrue,
                deepest_calls: done.deepest_calls,
            }
        }
        Work::Leak {
            bytes_per_event,
            events,
            is_touched,
        } => {
            let untold = if is_spoiled(Spoil::Leak) {
                bytes_per_event / 10 + 1
            } else {
                0
            };
            let is_touched = is_touched != is_spoiled(Spoil::Touch);
            leak::run_events(events, bytes_per_event + untold, is_touched);
            Told::Leak { events }
        }
        Work::EventFunction { events } => {
            event_function::enter(events + u64::from(is_spoiled(Spoil::Events)));
            Told::EventFunction { events }
        }
        Work::Costs => Told::Costs(costs::measure()),
    }
}

fn call_everything(one_more: bool) -> Told {
    let mut functions = Vec::new();
    let mut missing = Vec::new();
    // As a plugin of a C program would.
    let has_cpp = functions::load(c"libstdc++.so.6");
    for pair in pairs::ALL {
        let is_here = has_cpp || !pair.is_cpp();
        match is_here.then(|| pair.call()).flatten() {
            Some(tally) => functions.push(tally),
            None => missing.push(pair.tested.to_string()),
        }
    }
    functions.extend(mappings::call_all());
    if one_more {
        let scope = scope_name("malloc");
        let _scope = residue_marks::scope(scope.as_str());
        drop(black_box(Vec::<u8>::with_capacity(1)));
    }
    Told::Calls { functions, missing }
}
