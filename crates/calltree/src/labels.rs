//! What a node of the tree is called.

use std::borrow::Cow;
use std::sync::Arc;

use residue_profile::harmless::is_harmful;
use rustc_hash::{FxHashMap, FxHashSet};

/// Index into [`crate::CallTree::labels`].
pub type LabelId = u32;

/// A name that is shown, with as much of its place as the tree tells apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Label {
    pub name: Arc<str>,
    /// File name of the library; empty where there is none or several.
    pub module: Arc<str>,
    /// Path of the source file; empty where it is not known or told apart.
    pub file: Arc<str>,
    /// From one; zero where it is not known or told apart.
    pub line: u32,
    /// Part of a framework, of little interest to who uses it.
    pub is_framework: bool,
}

impl Label {
    /// A name and nothing else.
    pub fn text(name: &str) -> Label {
        let none: Arc<str> = Arc::from("");
        Label {
            name: Arc::from(name),
            module: none.clone(),
            file: none,
            line: 0,
            is_framework: false,
        }
    }

    /// Whether it reads the same.
    pub(crate) fn is_same(&self, other: &Label) -> bool {
        let texts = |it: &Label| [it.name.clone(), it.module.clone(), it.file.clone()];
        self.line == other.line && texts(self) == texts(other)
    }
}

/// Every text once, so that two are the same if they stand at the same place.
#[derive(Default)]
pub(crate) struct Texts {
    known: FxHashSet<Arc<str>>,
}

impl Texts {
    pub(crate) fn intern(&mut self, text: &str) -> Arc<str> {
        let text = without_controls(text);
        if let Some(known) = self.known.get(&*text) {
            return known.clone();
        }
        let new: Arc<str> = Arc::from(&*text);
        self.known.insert(new.clone());
        new
    }
}

/// Names come from files of anybody's making, and terminals obey control characters.
fn without_controls(text: &str) -> Cow<'_, str> {
    let is_plain = text.bytes().all(|byte| (b' '..0x7f).contains(&byte));
    match is_plain || !text.contains(is_harmful) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.replace(is_harmful, "")),
    }
}

/// Every label once. All its texts are those of one table.
#[derive(Default)]
pub(crate) struct Labels {
    pub(crate) labels: Vec<Label>,
    pub(crate) texts: Texts,
    /// By where name, module and file stand, and the line.
    numbers: FxHashMap<([usize; 3], u32), LabelId>,
}

impl Labels {
    /// What only some rules call a framework's is not.
    pub(crate) fn intern(&mut self, label: Label) -> LabelId {
        let place = |text: &Arc<str>| text.as_ptr() as usize;
        let places = [&label.name, &label.module, &label.file].map(place);
        let number = *self.numbers.entry((places, label.line)).or_insert_with(|| {
            self.labels.push(label.clone());
            (self.labels.len() - 1) as LabelId
        });
        self.labels[number as usize].is_framework &= label.is_framework;
        number
    }

    pub(crate) fn intern_text(&mut self, name: &str) -> LabelId {
        let none = self.texts.intern("");
        let label = Label {
            name: self.texts.intern(name),
            module: none.clone(),
            file: none,
            line: 0,
            is_framework: false,
        };
        self.intern(label)
    }
}
