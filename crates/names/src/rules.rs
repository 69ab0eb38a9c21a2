//! How frames are shown: under which name, and whether at all.
//!
//! Rules come from small text files (docs/RULES.md), the built-in one first and the
//! user's after it. They are applied when a profile is read; what is stored never
//! changes.

pub(crate) mod pattern;
mod read;

use std::borrow::Cow;

use rayon::prelude::*;

use crate::fit::fit;
use crate::shorten::Shortening;
use crate::{DemangleStyle, demangle};
use pattern::{Head, Pattern};
pub use read::RuleError;

/// A frame, as far as rules look at it.
#[derive(Debug, Clone, Copy)]
pub struct FrameName<'a> {
    /// The name that the linker knows.
    pub linkage: &'a str,
    /// The file name of the library or program, empty if unknown.
    pub module: &'a str,
    /// The source file, empty if unknown.
    pub file: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NameStyle {
    /// As the rules have it.
    #[default]
    Short,
    /// Without parameters and return type, else as the compiler has it.
    NoParams,
    /// With parameters.
    Full,
}

/// A frame as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub name: String,
    pub action: Action,
    /// Code that calls the program's own, or does its housekeeping.
    pub is_framework: bool,
}

/// What becomes of a frame in a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    Keep,
    /// It is left out; what it allocated counts for its caller.
    Hide,
    /// Everything that it calls is counted as its own.
    CollapseBelow,
    /// Its callers are left out: it becomes a root.
    CutAbove,
    /// Its name is that of the library, and neighbours of the same name become one.
    MergeLibrary,
}

#[derive(Debug, Clone, Default)]
pub struct Rules {
    verdicts: Vec<Verdict>,
    shortening: Option<Shortening>,
    /// In their order, each on what the one before left.
    renames: Vec<Rename>,
    drops_suffixes: bool,
    /// In characters.
    longest: Option<usize>,
}

/// What a rule says about frames. The last that matches decides.
#[derive(Debug, Clone)]
struct Verdict {
    subject: Subject,
    says: Says,
}

#[derive(Debug, Clone)]
enum Says {
    Action(Action),
    Framework,
    /// Under this name, or that of the module.
    Merge(Option<String>),
}

/// Which frames a rule is about: all of it must match.
#[derive(Debug, Clone)]
struct Subject {
    name: Pattern,
    module: Option<Pattern>,
    file: Option<Pattern>,
    linkage: Option<Pattern>,
}

/// A glob is the whole name; of a regular expression, each match is replaced.
#[derive(Debug, Clone)]
struct Rename {
    subject: Subject,
    to: String,
}

/// A linkage name made readable, before rules look at where it stands.
struct ReadName<'a> {
    /// Without parameters.
    plain: Cow<'a, str>,
    /// What comes after these was appended to the name.
    base_bytes: usize,
    /// Shortened, or in full, where that is another.
    shown: Option<String>,
    /// What is shown in the end, where that is the same everywhere.
    short: Option<String>,
}

impl ReadName<'_> {
    fn base(&self) -> &str {
        &self.plain[..self.base_bytes]
    }
}

/// What all rules together say about a frame.
struct Decision {
    action: Action,
    /// Its name, if it becomes one with others.
    merged: Option<String>,
    is_framework: bool,
}

impl Subject {
    fn matches(&self, name: &str, frame: &FrameName<'_>) -> bool {
        self.name.matches(name) && self.is_at(frame)
    }

    /// Whether all but the name matches.
    fn is_at(&self, frame: &FrameName<'_>) -> bool {
        let holds = |pattern: &Option<Pattern>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| pattern.matches(text))
        };
        holds(&self.module, frame.module)
            && holds(&self.file, frame.file)
            && holds(&self.linkage, frame.linkage)
    }
}

impl Rules {
    /// The rules that apply unless the user says otherwise.
    pub fn builtin() -> Rules {
        // Tests read the file; a user never sees it fail.
        Rules::parse(include_str!("default.rules"), "default.rules").unwrap_or_default()
    }

    /// No rules: short names are those without parameters.
    pub fn none() -> Rules {
        Rules::default()
    }

    /// Reads rules. An error says where: `FILE:LINE: reason`.
    pub fn parse(text: &str, source: &str) -> Result<Rules, RuleError> {
        read::read(text, source)
    }

    /// These rules, and then others, which decide where both speak.
    pub fn and_then(mut self, later: Rules) -> Rules {
        self.verdicts.extend(later.verdicts);
        self.renames.extend(later.renames);
        self.shortening = match (self.shortening, later.shortening) {
            (Some(earlier), Some(later)) => Some(earlier.and_then(later)),
            (earlier, later) => later.or(earlier),
        };
        self.drops_suffixes |= later.drops_suffixes;
        self.longest = later.longest.or(self.longest);
        self
    }

    /// How one frame is shown.
    pub fn show(&self, frame: &FrameName<'_>, style: NameStyle) -> Shown {
        self.show_named(&self.read_name(frame.linkage, style), frame, style)
    }

    /// How each of many frames is shown, in their order, by all threads. Those of one
    /// linkage name are read once where they stand together.
    pub fn show_all(&self, frames: &[FrameName<'_>], style: NameStyle) -> Vec<Shown> {
        // Parts are small, because long names lie together.
        const PART: usize = 256;
        if frames.len() <= PART {
            return self.show_part(frames, style);
        }
        let parts = frames.par_chunks(PART);
        parts
            .flat_map_iter(|part| self.show_part(part, style))
            .collect()
    }

    fn show_part(&self, frames: &[FrameName<'_>], style: NameStyle) -> Vec<Shown> {
        let mut shown = Vec::with_capacity(frames.len());
        for same in frames.chunk_by(|one, other| one.linkage == other.linkage) {
            let mut name = self.read_name(same[0].linkage, style);
            if style == NameStyle::Short && !self.renames_by_place() {
                name.short = Some(self.short(&name, &same[0]));
            }
            let all = same.iter();
            shown.extend(all.map(|frame| self.show_named(&name, frame, style)));
        }
        shown
    }

    /// What can be said of a name wherever it stands.
    fn read_name<'a>(&self, linkage: &'a str, style: NameStyle) -> ReadName<'a> {
        let plain = without_controls(demangle(linkage, DemangleStyle::NoParams));
        let base_bytes = split_suffix(&plain).0.len();
        let shown = match style {
            NameStyle::NoParams => None,
            NameStyle::Short => {
                let base = &plain[..base_bytes];
                let shortening = self.shortening.as_ref();
                shortening.and_then(|shortening| shortening.apply(base))
            }
            NameStyle::Full => {
                let full = without_controls(demangle(linkage, DemangleStyle::Full));
                Some(full.into_owned())
            }
        };
        ReadName {
            plain,
            base_bytes,
            shown,
            short: None,
        }
    }

    /// Whether a name may be short in one library or file and not in another.
    fn renames_by_place(&self) -> bool {
        let subjects = self.renames.iter().map(|rename| &rename.subject);
        subjects
            .into_iter()
            .any(|it| it.module.is_some() || it.file.is_some())
    }

    fn show_named(&self, name: &ReadName<'_>, frame: &FrameName<'_>, style: NameStyle) -> Shown {
        let decision = self.decide(name.base(), frame);
        let name = match (decision.merged, style) {
            (Some(merged), _) => merged,
            (None, NameStyle::Short) => match &name.short {
                Some(short) => short.clone(),
                None => self.short(name, frame),
            },
            (None, NameStyle::NoParams | NameStyle::Full) => {
                name.shown.as_deref().unwrap_or(&name.plain).to_owned()
            }
        };
        Shown {
            name,
            action: decision.action,
            is_framework: decision.is_framework,
        }
    }

    fn decide(&self, name: &str, frame: &FrameName<'_>) -> Decision {
        let mut action = None;
        let mut is_framework = None;
        let head = Head::of(name);
        let verdicts = self.verdicts.iter().rev();
        for verdict in verdicts.filter(|verdict| verdict.subject.name.may_match(head)) {
            let is_open = match verdict.says {
                Says::Framework => is_framework.is_none(),
                Says::Action(Action::Keep) => action.is_none() || is_framework.is_none(),
                Says::Action(_) | Says::Merge(_) => action.is_none(),
            };
            if !is_open || !verdict.subject.matches(name, frame) {
                continue;
            }
            match &verdict.says {
                Says::Framework => is_framework = Some(true),
                Says::Action(Action::Keep) => {
                    is_framework.get_or_insert(false);
                    action.get_or_insert((Action::Keep, None));
                }
                Says::Action(other) => action = Some((*other, None)),
                Says::Merge(into) => {
                    let library = || format!("[{}]", without_controls(frame.module.into()));
                    let into = into.clone().unwrap_or_else(library);
                    action = Some((Action::MergeLibrary, Some(into)));
                }
            }
            if action.is_some() && is_framework.is_some() {
                break;
            }
        }
        let (action, merged) = action.unwrap_or((Action::Keep, None));
        Decision {
            action,
            merged,
            is_framework: is_framework.unwrap_or(false),
        }
    }

    fn short(&self, read: &ReadName<'_>, frame: &FrameName<'_>) -> String {
        let (base, suffix) = read.plain.split_at(read.base_bytes);
        let mut name = read.shown.as_deref().unwrap_or(base).to_owned();
        for rename in self.renames.iter().filter(|r| r.subject.is_at(frame)) {
            match &rename.subject.name {
                Pattern::Glob(glob) if glob.matches(&name) => name.clone_from(&rename.to),
                Pattern::Glob(_) => {}
                Pattern::Regex(regex) => {
                    if let Cow::Owned(renamed) = regex.replace_all(&name, rename.to.as_str()) {
                        name = renamed;
                    }
                }
            }
        }
        if !self.drops_suffixes {
            name += suffix;
        }
        // Nothing is left of a name that was only what rules take away.
        if name.is_empty() {
            name.push_str(base);
        }
        match self.longest {
            Some(longest) => fit(name, longest),
            None => name,
        }
    }
}

/// What was appended to a name: the part or copy of a function, or its stub.
fn split_suffix(name: &str) -> (&str, &str) {
    let at = match name.ends_with(']') {
        true => name.rfind(" [."),
        false => name.strip_suffix("@plt").map(str::len),
    };
    name.split_at(at.filter(|at| *at > 0).unwrap_or(name.len()))
}

/// Names come from files of anybody's making, and terminals obey control characters.
fn without_controls(text: Cow<'_, str>) -> Cow<'_, str> {
    // The bytes of longer characters may be controls of their own, from U+0080.
    let is_clean = text.bytes().all(|byte| (b' '..0x7f).contains(&byte));
    match is_clean || !text.contains(char::is_control) {
        true => text,
        false => Cow::Owned(text.chars().filter(|char| !char.is_control()).collect()),
    }
}
