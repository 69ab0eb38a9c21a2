//! Which stacks of a profile are read, and under which names.

use residue_calltree::{CallTree, Detail, Filter, Options, PathReader};
use residue_names::{NameStyle, Rules};
use residue_profile::{Measured, MemoryKind, Profile, Span};

/// The same for every answer about stacks.
#[derive(Clone)]
pub struct Choice {
    pub kind: MemoryKind,
    pub filter: Filter,
    pub names: Names,
    /// Which counters the profile knows, as it is read.
    pub measured: Measured,
    /// The part of the recording that it is read as.
    pub span: Span,
}

/// Under which names functions are shown.
#[derive(Clone)]
pub struct Names {
    pub rules: Rules,
    pub style: NameStyle,
}

impl Names {
    /// Short names by the built-in rules: what is shown unless something else is asked for.
    pub fn usual() -> Names {
        Names {
            rules: Rules::builtin(),
            style: NameStyle::Short,
        }
    }

    /// Short names, every frame.
    pub fn short() -> Names {
        Names {
            rules: Rules::none(),
            style: NameStyle::Short,
        }
    }

    /// The names of the linker in full, every frame.
    pub fn full() -> Names {
        Names {
            rules: Rules::none(),
            style: NameStyle::Full,
        }
    }

    /// Reads paths with their lines, of whatever kind.
    pub fn paths<'a>(&'a self, profile: &'a Profile, filter: &'a Filter) -> PathReader<'a> {
        let options = Options {
            rules: &self.rules,
            style: self.style,
            detail: Detail::Line,
            kind: MemoryKind::All,
            filter,
        };
        PathReader::new(profile, options)
    }
}

impl Choice {
    /// All stacks of a kind of a whole recording.
    pub fn whole(kind: MemoryKind, names: Names) -> Choice {
        Choice {
            kind,
            filter: Filter::default(),
            names,
            measured: Measured::Everything,
            span: Span::WHOLE,
        }
    }

    pub fn options(&self, detail: Detail) -> Options<'_> {
        Options {
            rules: &self.names.rules,
            style: self.names.style,
            detail,
            kind: self.kind,
            filter: &self.filter,
        }
    }

    /// The tree of calls under the names that are asked for.
    pub fn tree(&self, profile: &Profile, detail: Detail) -> CallTree {
        CallTree::of(profile, &self.options(detail))
    }
}
