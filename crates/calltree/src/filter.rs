//! Which stacks are read: those that pass through, or do not pass through, some frame.

use regex::Regex;
use residue_names::glob;

use crate::patterns::smart_case;
use crate::pieces::Subject;

/// Conditions on stacks. An empty list is no condition; several of one kind are
/// alternatives.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    focus: Vec<Regex>,
    ignore: Vec<Regex>,
    under: Vec<Regex>,
    modules: Vec<String>,
    scopes: Vec<String>,
}

/// What is wrong with a pattern.
#[derive(Debug)]
pub struct FilterError(String);

impl std::fmt::Display for FilterError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FilterError {}

/// Conditions that a path fulfils, one bit each.
pub(crate) type Marks = u8;
const FOCUS: Marks = 1;
const IGNORE: Marks = 2;
pub(crate) const UNDER: Marks = 4;
const MODULE: Marks = 8;
const SCOPE: Marks = 16;

impl Filter {
    /// Only stacks with a frame that matches.
    pub fn focus(self, pattern: &str) -> Result<Filter, FilterError> {
        self.with(pattern, |filter| &mut filter.focus)
    }

    /// No stack with a frame that matches.
    pub fn ignore(self, pattern: &str) -> Result<Filter, FilterError> {
        self.with(pattern, |filter| &mut filter.ignore)
    }

    /// Only what happens under a frame that matches, which becomes the root.
    pub fn under(self, pattern: &str) -> Result<Filter, FilterError> {
        self.with(pattern, |filter| &mut filter.under)
    }

    /// Only stacks with a frame in a library whose file name matches the glob.
    pub fn module(mut self, glob: &str) -> Filter {
        self.modules.push(glob.to_string());
        self
    }

    /// Only stacks inside a scope of that name; the name may be a glob.
    pub fn scope(mut self, glob: &str) -> Filter {
        self.scopes.push(glob.to_string());
        self
    }

    fn with(
        mut self,
        pattern: &str,
        list: fn(&mut Filter) -> &mut Vec<Regex>,
    ) -> Result<Filter, FilterError> {
        let regex = smart_case(pattern).map_err(|error| FilterError(error.to_string()))?;
        list(&mut self).push(regex);
        Ok(self)
    }

    pub fn is_empty(&self) -> bool {
        self.modules.is_empty() && self.scopes.is_empty() && !self.looks_at_names()
    }

    pub(crate) fn looks_at_names(&self) -> bool {
        !(self.focus.is_empty() && self.ignore.is_empty() && self.under.is_empty())
    }

    /// The conditions that one frame fulfils. It matches by the name it is shown
    /// under and by its full one.
    pub(crate) fn marks(&self, subject: &Subject<'_>, shown: &str, full: &str) -> Marks {
        let matches = |list: &[Regex]| {
            let mut list = list.iter();
            list.any(|regex| regex.is_match(shown) || regex.is_match(full))
        };
        let mark = |bit: Marks, is_met: bool| if is_met { bit } else { 0 };
        let mut modules = self.modules.iter();
        let mut scopes = self.scopes.iter();
        mark(FOCUS, matches(&self.focus))
            | mark(IGNORE, matches(&self.ignore))
            | mark(UNDER, matches(&self.under))
            | mark(MODULE, modules.any(|pattern| glob(pattern, subject.module)))
            | mark(
                SCOPE,
                subject
                    .scope()
                    .is_some_and(|name| scopes.any(|pattern| glob(pattern, name))),
            )
    }

    /// Whether a path whose frames fulfil these conditions is read.
    pub(crate) fn admits(&self, marks: Marks) -> bool {
        let needs = |bit: Marks, is_asked: bool| !is_asked || marks & bit != 0;
        marks & IGNORE == 0
            && needs(FOCUS, !self.focus.is_empty())
            && needs(UNDER, !self.under.is_empty())
            && needs(MODULE, !self.modules.is_empty())
            && needs(SCOPE, !self.scopes.is_empty())
    }
}
