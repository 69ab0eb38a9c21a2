//! Modules, names, frames and paths of many profiles, each once.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use residue_profile::{
    CUT, Frame, FrameId, Module, NONE, Node, NodeId, Profile, ROOT, SourcePlace,
};

/// Every item once, numbered in the order of first appearance.
pub struct Interned<K> {
    pub items: Vec<K>,
    numbers: HashMap<K, u32>,
}

impl<K> Default for Interned<K> {
    fn default() -> Self {
        Interned {
            items: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl<K: Clone + Eq + Hash> Interned<K> {
    fn number<Q>(&mut self, item: &Q) -> u32
    where
        K: Borrow<Q>,
        Q: ToOwned<Owned = K> + Eq + Hash + ?Sized,
    {
        if let Some(&number) = self.numbers.get(item) {
            return number;
        }
        let number = self.items.len() as u32;
        self.items.push(item.to_owned());
        self.numbers.insert(item.to_owned(), number);
        number
    }
}

/// Modules, whose place in memory is that of the first that was seen.
#[derive(Default)]
pub struct Modules {
    pub items: Vec<Module>,
    numbers: HashMap<(String, String), u32>,
}

impl Modules {
    fn number(&mut self, module: &Module) -> u32 {
        let key = (module.path.clone(), module.build_id.clone());
        *self.numbers.entry(key).or_insert_with(|| {
            self.items.push(module.clone());
            (self.items.len() - 1) as u32
        })
    }
}

/// Frames, with the number of their row of places.
#[derive(Default)]
pub struct Frames {
    pub items: Vec<Frame>,
    pub places: Vec<u32>,
    /// Without an unwind table in some profile.
    pub without_table: BTreeSet<FrameId>,
    numbers: HashMap<(Frame, u32), u32>,
}

impl Frames {
    fn number(&mut self, frame: Frame, places: u32) -> u32 {
        let mut key = frame;
        // Outside every module a name says what it is; the address is another in
        // every process.
        if frame.module == NONE && frame.function != NONE {
            key.address = 0;
        }
        *self.numbers.entry((key, places)).or_insert_with(|| {
            self.items.push(frame);
            self.places.push(places);
            (self.items.len() - 1) as u32
        })
    }
}

/// The tree of calls.
pub struct Nodes {
    pub items: Vec<Node>,
    numbers: HashMap<(NodeId, u32), NodeId>,
}

impl Default for Nodes {
    fn default() -> Self {
        let root = Node {
            parent: ROOT,
            frame: NONE,
        };
        Nodes {
            items: vec![root],
            numbers: HashMap::new(),
        }
    }
}

impl Nodes {
    fn number(&mut self, node: Node) -> NodeId {
        *self
            .numbers
            .entry((node.parent, node.frame))
            .or_insert_with(|| {
                self.items.push(node);
                (self.items.len() - 1) as NodeId
            })
    }
}

#[derive(Default)]
pub struct Tables {
    pub modules: Modules,
    pub functions: Interned<String>,
    pub files: Interned<String>,
    pub place_rows: Interned<Vec<SourcePlace>>,
    pub frames: Frames,
    pub nodes: Nodes,
}

impl Tables {
    /// Adds what is new, and returns the number in the sum of every node.
    pub fn add(&mut self, profile: &Profile) -> Vec<NodeId> {
        let modules = profile.modules.iter();
        let modules: Vec<u32> = modules.map(|module| self.modules.number(module)).collect();
        let functions = numbers(&mut self.functions, &profile.functions);
        let files = numbers(&mut self.files, &profile.files);
        let place = |place: &SourcePlace| SourcePlace {
            function: renumbered(&functions, place.function),
            file: renumbered(&files, place.file),
            line: place.line,
        };
        let mut frames = Vec::with_capacity(profile.frames.len());
        for (index, frame) in profile.frames.iter().enumerate() {
            let places: Vec<SourcePlace> = profile.places.row(index).iter().map(place).collect();
            let frame = Frame {
                module: renumbered(&modules, frame.module),
                address: frame.address,
                function: renumbered(&functions, frame.function),
            };
            let places = self.place_rows.number(places.as_slice());
            frames.push(self.frames.number(frame, places));
        }
        let without_table = profile.without_table.iter();
        let without_table = without_table.map(|&frame| renumbered(&frames, frame));
        self.frames.without_table.extend(without_table);
        let mut nodes: Vec<NodeId> = Vec::with_capacity(profile.nodes.len());
        for (index, node) in profile.nodes.iter().enumerate() {
            let number = if index == ROOT as usize {
                ROOT
            } else {
                self.nodes.number(Node {
                    parent: nodes.get(node.parent as usize).copied().unwrap_or(ROOT),
                    frame: match node.frame {
                        CUT => CUT,
                        frame => renumbered(&frames, frame),
                    },
                })
            };
            nodes.push(number);
        }
        nodes
    }
}

fn numbers(interned: &mut Interned<String>, items: &[String]) -> Vec<u32> {
    let items = items.iter();
    items.map(|item| interned.number(item.as_str())).collect()
}

/// [`NONE`] for what is in no table.
fn renumbered(numbers: &[u32], id: u32) -> u32 {
    numbers.get(id as usize).copied().unwrap_or(NONE)
}
