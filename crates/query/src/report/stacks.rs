//! The highest stacks.

use residue_profile::Counter;

use crate::report::source::Source;
use crate::select::{Selection, select};

pub struct Stacks {
    pub selection: Selection,
    pub whole: u64,
    pub counter: Counter,
}

impl Stacks {
    pub fn of(source: &Source<'_>, limit: usize) -> Stacks {
        let counter = source.counter();
        let is_meant = |stack: usize| source.admits(stack);
        Stacks {
            selection: select(source.profile, counter, is_meant, limit),
            whole: source.whole(counter),
            counter,
        }
    }
}
