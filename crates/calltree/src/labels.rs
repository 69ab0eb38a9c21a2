//! What a node of the tree is called.

use std::sync::Arc;

use rustc_hash::FxHashMap;

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

/// What makes a label another one.
type Identity = (Arc<str>, Arc<str>, Arc<str>, u32);

impl Label {
    fn identity(&self) -> Identity {
        let (name, module, file) = (&self.name, &self.module, &self.file);
        (name.clone(), module.clone(), file.clone(), self.line)
    }

    /// Whether it reads the same.
    pub(crate) fn is_same(&self, other: &Label) -> bool {
        self.identity() == other.identity()
    }

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
}

/// Every label once.
#[derive(Default)]
pub(crate) struct Labels {
    pub(crate) labels: Vec<Label>,
    numbers: FxHashMap<Identity, LabelId>,
}

impl Labels {
    /// What only some rules call a framework's is not.
    pub(crate) fn intern(&mut self, label: Label) -> LabelId {
        let identity = label.identity();
        if let Some(&number) = self.numbers.get(&identity) {
            self.labels[number as usize].is_framework &= label.is_framework;
            return number;
        }
        let number = self.labels.len() as LabelId;
        self.labels.push(label);
        self.numbers.insert(identity, number);
        number
    }

    pub(crate) fn intern_text(&mut self, name: &str) -> LabelId {
        self.intern(Label::text(name))
    }
}
