//! A path in one line, as the verdict shows it.

use residue_calltree::{Label, PathReader, placeholder};
use residue_profile::timeline::StackId;
use residue_profile::{NodeId, Profile};
use serde::Serialize;

use crate::paths::shortened;

/// Frames of a path that are shown in one line.
const SHOWN_FRAMES: usize = 6;

/// The path of a stack, and how it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ShownPath {
    /// Every function that is shown of it, inlined ones too, root first.
    pub path: Vec<String>,
    /// The part of it that is worth a line: `main > … > fill > grow`.
    pub shown: String,
    /// Its innermost line that is the program's own: `sframe.h:214`.
    pub place: Option<String>,
}

impl ShownPath {
    /// Of no stack.
    pub fn none() -> ShownPath {
        ShownPath {
            path: Vec::new(),
            shown: String::new(),
            place: None,
        }
    }

    /// With so many functions at most, and so many characters of each.
    pub fn cut(mut self, most_steps: usize, most_characters: usize) -> ShownPath {
        self.path = shortened(&self.path, most_steps, most_characters);
        self
    }

    /// In one line, with its place.
    pub fn line(&self) -> String {
        match &self.place {
            Some(place) => format!("{}  {place}", self.shown),
            None => self.shown.clone(),
        }
    }
}

/// The path of a stack, or what stands in its place.
pub fn shown_path_of_stack(
    profile: &Profile,
    paths: &mut PathReader<'_>,
    stack: StackId,
) -> ShownPath {
    let stack = &profile.stacks[stack as usize];
    match placeholder(stack) {
        Some(text) => ShownPath {
            path: vec![text.to_string()],
            shown: text.to_string(),
            place: None,
        },
        None => shown_path(paths, stack.node),
    }
}

/// The function that a path is about: the innermost of the program's own, if possible one whose
/// file is known; where all lie in the system's headers the innermost of all.
pub fn own_function(paths: &mut PathReader<'_>, profile: &Profile, stack: StackId) -> Label {
    let stack = &profile.stacks[stack as usize];
    if let Some(text) = placeholder(stack) {
        return Label::text(text);
    }
    let mut steps = paths.labels(stack.node);
    let known = |label: &Label| !is_in_header(label) && !label.file.is_empty();
    let place = steps
        .iter()
        .rposition(known)
        .or_else(|| steps.iter().rposition(|label| !is_in_header(label)));
    match place.or(steps.len().checked_sub(1)) {
        Some(place) => steps.swap_remove(place),
        None => Label::text(""),
    }
}

/// The leaf side of a path, from `main` on if it fits. Of the steps inside a library of
/// headers only the first is shown: what the program called.
pub fn shown_path(paths: &mut PathReader<'_>, node: NodeId) -> ShownPath {
    let mut steps = paths.labels(node);
    let path = steps.iter().map(|label| label.name.to_string()).collect();
    let start = steps.iter().position(|label| &*label.name == "main");
    steps.drain(..start.unwrap_or(0));
    let mut was_in_header = false;
    steps.retain(|label| {
        !std::mem::replace(&mut was_in_header, is_in_header(label)) || !was_in_header
    });
    let names: Vec<&str> = steps.iter().map(|label| &*label.name).collect();
    let shown = match names.len() {
        0..=SHOWN_FRAMES => names.join(" > "),
        length => {
            let tail = &names[length + 2 - SHOWN_FRAMES..];
            format!("{} > … > {}", names[0], tail.join(" > "))
        }
    };
    let own_line = steps.iter().rev().find(|label| !is_in_header(label));
    ShownPath {
        path,
        shown,
        place: own_line.and_then(place),
    }
}

/// Code of the system's headers, inlined or not: containers, smart pointers.
fn is_in_header(label: &Label) -> bool {
    label.file.starts_with("/usr/")
}

/// `sframe.h:214`, where it is known.
pub fn place(label: &Label) -> Option<String> {
    let file = label
        .file
        .rsplit('/')
        .next()
        .filter(|name| !name.is_empty())?;
    Some(match label.line {
        0 => file.to_string(),
        line => format!("{file}:{line}"),
    })
}
