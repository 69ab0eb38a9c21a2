//! A profile that is looked at, with what is worked out from it once and asked for again
//! and again.

use std::sync::{Arc, OnceLock};

use anyhow::Result;
use residue_analysis::churn::{Saving, savings};
use residue_analysis::groups::Groups;
use residue_analysis::history::EventRange;
use residue_analysis::time::{self, TimeVerdict};
use residue_analysis::verdict::{Verdict, verdict_of};
use residue_calltree::{Detail, PathReader, outermost_scopes};
use residue_profile::{MemoryKind, Profile, Span};

use super::recent::Recent;
use super::tree::{ShownTree, by_scope};
use crate::choice::{Choice, Names};
use crate::moment_view::{self, Live};

/// Ranges whose stacks are kept: 16 bytes a stack each.
const RANGES_KEPT: usize = 6;
/// Ranges whose verdicts are kept: some hundred kilobytes each.
const VERDICTS_KEPT: usize = 8;

pub struct Opened {
    /// File name without folders, or the program.
    pub name: String,
    pub profile: Profile,
    choice: Choice,
    groups: OnceLock<Groups>,
    /// By function, library, line and name.
    trees: [OnceLock<ShownTree>; 4],
    scope_tree: OnceLock<ShownTree>,
    lives: Recent<(Option<u32>, Option<u32>), Vec<Live>>,
    verdicts: Recent<EventRange, Option<Verdict>>,
    time: OnceLock<Result<TimeVerdict, time::Missing>>,
    savings: OnceLock<Vec<Saving>>,
}

impl Opened {
    pub fn new(name: String, profile: Profile, names: Names) -> Opened {
        Opened {
            name,
            profile,
            choice: Choice::whole(MemoryKind::All, names),
            groups: OnceLock::new(),
            trees: Default::default(),
            scope_tree: OnceLock::new(),
            lives: Recent::new(RANGES_KEPT),
            verdicts: Recent::new(VERDICTS_KEPT),
            time: OnceLock::new(),
            savings: OnceLock::new(),
        }
    }

    /// Stacks through the same functions, which are one row of the page.
    pub fn groups(&self) -> &Groups {
        self.groups.get_or_init(|| Groups::of(&self.profile))
    }

    /// The tree of calls of all kinds of memory.
    pub fn tree(&self, detail: Detail) -> &ShownTree {
        let place = match detail {
            Detail::Function => 0,
            Detail::Library => 1,
            Detail::Line => 2,
            Detail::Name => 3,
        };
        self.trees[place].get_or_init(|| ShownTree::new(self.choice.tree(&self.profile, detail)))
    }

    /// The tree by function, if it is there already: who needs a few names only does not
    /// wait for all of them.
    pub fn tree_if_made(&self) -> Option<&ShownTree> {
        self.trees[0].get()
    }

    /// The same by function, with scopes as its first level.
    pub fn tree_by_scope(&self) -> &ShownTree {
        self.scope_tree.get_or_init(|| {
            let scopes = outermost_scopes(&self.profile).into_iter().flatten();
            let scopes = scopes.map(|scope| format!("[{scope}]")).collect();
            ShownTree::new(by_scope(&self.tree(Detail::Function).tree, &scopes))
        })
    }

    pub fn names(&self) -> &Names {
        &self.choice.names
    }

    /// Paths of single stacks, with their lines.
    pub fn paths(&self) -> PathReader<'_> {
        PathReader::new(&self.profile, self.choice.options(Detail::Line))
    }

    /// The moments of a range; of the whole recording where there is none.
    pub fn span(&self, events: Option<EventRange>) -> Result<Span> {
        match events {
            Some(EventRange { from, to }) => Ok(self.profile.timeline.span_of_events(from, to)?),
            None => Ok(Span {
                from: None,
                to: None,
            }),
        }
    }

    /// What each stack came to hold in a span.
    pub fn live(&self, span: Span) -> Arc<Vec<Live>> {
        self.lives.get((span.from, span.to), || {
            moment_view::live(&self.profile, span)
        })
    }

    /// The verdict on a range; `None` where there are fewer than two events in it.
    pub fn verdict(&self, events: Option<EventRange>) -> Arc<Option<Verdict>> {
        let of = |range, run: Option<&Verdict>| {
            self.verdicts.get(range, || {
                verdict_of(&self.profile, self.groups(), range, run)
            })
        };
        let run = of(EventRange::ALL, None);
        match events {
            Some(range) if !self.is_whole(range) => of(range, Option::as_ref(&run)),
            _ => run,
        }
    }

    /// The verdict of time on the whole recording, or why there is none.
    pub fn time(&self) -> Result<&TimeVerdict, &time::Missing> {
        let judge = || time::verdict(&self.profile, EventRange::ALL);
        self.time.get_or_init(judge).as_ref()
    }

    /// What need not be allocated, of the whole recording.
    pub fn savings(&self) -> &[Saving] {
        self.savings.get_or_init(|| savings(&self.profile))
    }

    /// Whether a range holds every event. The page opens on one that does, and must not wait
    /// for the same verdict twice.
    pub fn is_whole(&self, range: EventRange) -> bool {
        let events = self.profile.timeline.moments.iter();
        let mut events = events.map(|moment| moment.event).filter(|&event| event > 0);
        events.all(|event| (range.from..=range.to).contains(&event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::answers::sample::events;

    #[test]
    fn a_range_of_all_events_has_the_verdict_of_the_run() {
        let opened = Opened::new("a".to_string(), events(20), Names::short());
        let range = |from, to| Some(EventRange { from, to });
        let run = opened.verdict(None);
        assert!(run.is_some());
        for whole in [range(0, u32::MAX), range(1, 20), range(1, 99)] {
            assert!(Arc::ptr_eq(&opened.verdict(whole), &run), "{whole:?}");
        }
        for part in [range(1, 19), range(2, 20)] {
            assert!(!Arc::ptr_eq(&opened.verdict(part), &run), "{part:?}");
        }
    }
}
