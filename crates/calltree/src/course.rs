//! How rules and filters bend a path: frame by frame, root first.

use residue_names::Action;

use crate::filter::{Marks, UNDER};

/// What has happened on a path so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Course {
    /// What comes below counts as the last frame's own.
    is_closed: bool,
    /// A frame that was asked to become the root has been passed.
    is_under: bool,
}

/// Where the next frame goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nowhere; it is not shown.
    Stay,
    /// Below the one before.
    Below,
    /// Below the one before, unless that has the same label.
    Join,
    /// Below the root, or the frame that was asked to be it; all between is cut.
    Cut,
    /// To the very root, for it was asked to be it.
    Root,
}

impl Course {
    pub(crate) fn turn(&mut self, action: Action, marks: Marks, joins_equal: bool) -> Turn {
        if marks & UNDER != 0 && !self.is_under {
            self.is_under = true;
            self.is_closed = action == Action::CollapseBelow;
            return Turn::Root;
        }
        if self.is_closed && action != Action::CutAbove {
            return Turn::Stay;
        }
        self.is_closed = action == Action::CollapseBelow;
        match action {
            Action::Hide => Turn::Stay,
            Action::CutAbove => Turn::Cut,
            Action::MergeLibrary => Turn::Join,
            Action::Keep | Action::CollapseBelow if joins_equal => Turn::Join,
            Action::Keep | Action::CollapseBelow => Turn::Below,
        }
    }
}
