//! Folded stacks: `main;parse;malloc 4096`, one line a path, root first.
//!
//! Paths that read the same are one path here, though their addresses differ: two
//! lines of one function, two overloads. They are merged node by node, so the
//! work grows with the tree and not with stacks times depth:
//!
//! ```text
//!   node of the profile ── (parent, name) ──► node of the merged tree ──► line
//! ```

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;

use residue_profile::{FrameId, NONE, Profile, ROOT};

use super::counter::{Counter, Kind};
use super::names::{NameStyle, Names};
use super::paths;

/// Writes all paths of the kind whose value is not zero, sorted byte by byte.
pub fn write(
    profile: &Profile,
    counter: Counter,
    kind: Kind,
    out: &mut dyn Write,
) -> io::Result<()> {
    Tree::of(profile, counter, kind).write(out)
}

/// Index into [`Tree::nodes`]; 0 is the root.
type MergedId = u32;
/// Index into [`Labels::texts`].
type LabelId = u32;

struct Merged {
    parent: MergedId,
    label: LabelId,
    value: u64,
}

struct Tree<'a> {
    labels: Labels<'a>,
    nodes: Vec<Merged>,
    known: HashMap<(MergedId, LabelId), MergedId>,
}

impl<'a> Tree<'a> {
    fn of(profile: &'a Profile, counter: Counter, kind: Kind) -> Tree<'a> {
        let mut tree = Tree {
            labels: Labels::new(profile),
            nodes: Vec::new(),
            known: HashMap::new(),
        };
        let label = tree.labels.intern(String::new());
        tree.nodes.push(Merged {
            parent: ROOT,
            label,
            value: 0,
        });
        let chosen: Vec<_> = profile
            .stacks
            .iter()
            .filter(|stack| kind.holds(stack.kind) && counter.value(stack) > 0)
            .collect();
        let mut merged = used_nodes(profile, chosen.iter().map(|stack| stack.node));
        for index in 1..merged.len() {
            if merged[index] != NONE {
                let node = &profile.nodes[index];
                let label = tree.labels.of_frame(node.frame);
                merged[index] = tree.child(merged[node.parent as usize], label);
            }
        }
        for stack in chosen {
            let at = match paths::placeholder(stack) {
                Some(text) => {
                    let label = tree.labels.intern(text.to_string());
                    tree.child(ROOT, label)
                }
                None => merged[stack.node as usize],
            };
            let value = &mut tree.nodes[at as usize].value;
            *value = value.saturating_add(counter.value(stack));
        }
        tree
    }

    fn child(&mut self, parent: MergedId, label: LabelId) -> MergedId {
        *self.known.entry((parent, label)).or_insert_with(|| {
            self.nodes.push(Merged {
                parent,
                label,
                value: 0,
            });
            (self.nodes.len() - 1) as MergedId
        })
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let children = Children::of(&self.nodes);
        let mut path = String::new();
        // A list and not recursion: how deep paths go is up to the file.
        let mut work = self.steps_below(ROOT, &children);
        while let Some(step) = work.pop() {
            match step {
                Step::Line(at) => {
                    let node = &self.nodes[at as usize];
                    let label = self.labels.text(node.label);
                    writeln!(out, "{path}{label} {}", node.value)?;
                }
                Step::Down(at) => {
                    work.push(Step::Up(path.len()));
                    path.push_str(self.labels.text(self.nodes[at as usize].label));
                    path.push(';');
                    work.extend(self.steps_below(at, &children));
                }
                Step::Up(length) => path.truncate(length),
            }
        }
        Ok(())
    }

    /// What to do for the children of a node, last first. Sorted by what their
    /// lines begin with, which sorts the lines.
    fn steps_below(&self, at: MergedId, children: &Children) -> Vec<Step> {
        let mut steps: Vec<(String, Step)> = Vec::new();
        for &child in children.of_node(at) {
            let node = &self.nodes[child as usize];
            let label = self.labels.text(node.label);
            if node.value > 0 {
                steps.push((format!("{label} {}", node.value), Step::Line(child)));
            }
            if !children.of_node(child).is_empty() {
                steps.push((format!("{label};"), Step::Down(child)));
            }
        }
        steps.sort_unstable_by(|(one, _), (other, _)| other.cmp(one));
        steps.into_iter().map(|(_, step)| step).collect()
    }
}

enum Step {
    /// Write the line of this node.
    Line(MergedId),
    /// Go on with what is below this node.
    Down(MergedId),
    /// Leave a node; the path had this length before.
    Up(usize),
}

/// [`NONE`] for nodes on no path of interest, [`ROOT`] for all others.
fn used_nodes(profile: &Profile, leaves: impl Iterator<Item = u32>) -> Vec<MergedId> {
    let mut nodes = vec![NONE; profile.nodes.len()];
    if let Some(root) = nodes.first_mut() {
        *root = ROOT;
    }
    for leaf in leaves {
        let mut at = leaf as usize;
        while nodes[at] == NONE {
            nodes[at] = ROOT;
            at = profile.nodes[at].parent as usize;
        }
    }
    nodes
}

/// The children of every node, in one array.
struct Children {
    items: Vec<MergedId>,
    starts: Vec<u32>,
}

impl Children {
    fn of(nodes: &[Merged]) -> Children {
        let mut items: Vec<MergedId> = (1..nodes.len() as MergedId).collect();
        items.sort_by_key(|&node| nodes[node as usize].parent);
        let mut starts = vec![0; nodes.len() + 1];
        for node in &nodes[1..] {
            starts[node.parent as usize + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        Children { items, starts }
    }

    fn of_node(&self, node: MergedId) -> &[MergedId] {
        let row: Range<usize> =
            self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        &self.items[row]
    }
}

/// The text of every frame, equal texts under one id.
struct Labels<'a> {
    names: Names<'a>,
    of_frame: Vec<Option<LabelId>>,
    texts: Vec<String>,
    known: HashMap<String, LabelId>,
}

impl<'a> Labels<'a> {
    fn new(profile: &'a Profile) -> Labels<'a> {
        Labels {
            names: Names::new(profile, NameStyle::NoParams),
            of_frame: vec![None; profile.frames.len()],
            texts: Vec::new(),
            known: HashMap::new(),
        }
    }

    fn of_frame(&mut self, frame: FrameId) -> LabelId {
        if let Some(Some(label)) = self.of_frame.get(frame as usize) {
            return *label;
        }
        let name = self.names.frame(frame);
        let label = self.intern(name);
        if let Some(place) = self.of_frame.get_mut(frame as usize) {
            *place = Some(label);
        }
        label
    }

    /// The separator of the format cannot be part of a name.
    fn intern(&mut self, text: String) -> LabelId {
        let text = text.replace(';', ":");
        if let Some(&label) = self.known.get(&text) {
            return label;
        }
        let label = self.texts.len() as LabelId;
        self.texts.push(text.clone());
        self.known.insert(text, label);
        label
    }

    fn text(&self, label: LabelId) -> &str {
        &self.texts[label as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sample;
    use residue_profile::{Node, Stack};

    fn fold(profile: &Profile, counter: Counter, kind: Kind) -> String {
        let mut out = Vec::new();
        write(profile, counter, kind, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn paths_are_merged_and_sorted() {
        let profile = sample::profile();
        assert_eq!(
            fold(&profile, Counter::Calls, Kind::Heap),
            "[no room for the path] 1\n\
             [pooled: blocks outside the size limits] 50\n\
             main;[... frames left out ...];[jit] 0x7f0012f0;odd:name 1\n\
             main;space::Thing::foo;operator new 110\n"
        );
    }

    #[test]
    fn zeros_are_left_out() {
        let profile = sample::profile();
        assert_eq!(
            fold(&profile, Counter::Live, Kind::Heap),
            "[pooled: blocks outside the size limits] 16\n\
             main;[... frames left out ...];[jit] 0x7f0012f0;odd:name 1000\n\
             main;space::Thing::foo;operator new 1920\n"
        );
        assert_eq!(
            fold(&profile, Counter::Live, Kind::Mapping),
            "main;libfoo.so+0x12f0 8192\n"
        );
        assert_eq!(fold(&profile, Counter::Live, Kind::All).lines().count(), 4);
        assert_eq!(fold(&Profile::default(), Counter::Live, Kind::All), "");
    }

    /// Functions named like this under each other, and calls in all of them.
    fn named(functions: &[&str], nodes: &[(u32, u32)]) -> Profile {
        let mut profile = sample::profile();
        profile.functions = functions.iter().map(|name| name.to_string()).collect();
        let frame = profile.frames[0];
        profile.frames = (0..functions.len() as u32)
            .map(|function| residue_profile::Frame { function, ..frame })
            .collect();
        profile.nodes.truncate(1);
        let node = |&(parent, frame): &(u32, u32)| Node { parent, frame };
        profile.nodes.extend(nodes.iter().map(node));
        let stack = profile.stacks[0];
        profile.stacks = (1..profile.nodes.len() as u32)
            .map(|node| Stack { node, ..stack })
            .collect();
        profile
    }

    #[test]
    fn lines_are_in_the_order_of_their_bytes() {
        let names = ["f", "f new", "f 1", "f 2", "f<a>", "f!", "f\u{e9}"];
        let mut nodes: Vec<(u32, u32)> = (0..7).map(|frame| (ROOT, frame)).collect();
        nodes.extend((1..=7).flat_map(|parent| (0..7).map(move |frame| (parent, frame))));
        let text = fold(&named(&names, &nodes), Counter::Calls, Kind::Heap);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 56);
        assert!(lines.is_sorted(), "{text}");
    }

    #[test]
    fn a_path_of_a_million_calls_does_not_overflow() {
        let mut profile = sample::deep(1_000_000);
        profile.functions[0] = "f".into();
        let text = fold(&profile, Counter::Calls, Kind::Heap);
        assert!(text.ends_with(";f;f;f 100\n"));
        assert_eq!(text.len(), 2 * 1_000_000 + " 100".len());
    }
}
