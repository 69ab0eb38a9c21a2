//! The tree of calls with a row for every function: a frame of the profile is as many
//! rows as there are functions inlined in it, and one.

use residue_calltree::is_by_frame_pointer;
use residue_names::{FrameName, NameStyle, Rules};
use residue_profile::{
    CUT, FileId, Frame, FrameId, FunctionId, ModuleId, NONE, NodeId, Profile, ROOT, SourcePlace,
};
use rustc_hash::FxHashMap;

/// Row of the frame that stands for those left out of a deep stack.
const CUT_ROW: u32 = 0;
/// Row of the frame that stands for one that a damaged file has lost.
const LOST_ROW: u32 = 1;

pub(super) struct FrameRow<'a> {
    /// As rules show it; `None` where no name is known.
    pub function: Option<u32>,
    pub linkage: Option<&'a str>,
    pub module: Option<&'a str>,
    pub file: Option<&'a str>,
    pub line: Option<u32>,
    pub address: Option<u64>,
    pub is_inlined: bool,
}

pub(super) struct NodeRow {
    /// Always before its children; `None` for the outermost call.
    pub parent: Option<u32>,
    pub frame: u32,
    /// Its caller was found by the frame pointer alone.
    pub caller_by_frame_pointer: bool,
}

pub(super) struct Calls<'a> {
    pub frames: Vec<FrameRow<'a>>,
    pub nodes: Vec<NodeRow>,
    names: Vec<String>,
    /// Per node of the profile, the end of its rows.
    node_ends: Vec<u32>,
}

impl<'a> Calls<'a> {
    pub(super) fn of(profile: &'a Profile, rules: &Rules, style: NameStyle) -> Calls<'a> {
        let mut naming = Naming::default();
        let special = |name| FrameRow {
            function: Some(name),
            linkage: None,
            module: None,
            file: None,
            line: None,
            address: None,
            is_inlined: false,
        };
        let mut frames = vec![special(CUT_ROW), special(LOST_ROW)];
        let mut frame_ends = Vec::with_capacity(profile.frames.len());
        for (index, frame) in profile.frames.iter().enumerate() {
            add_frame(profile, index, frame, &mut naming, &mut frames);
            frame_ends.push(frames.len() as u32);
        }
        let rows_of_frame = |frame: FrameId| match frame {
            CUT => CUT_ROW..CUT_ROW + 1,
            NONE => LOST_ROW..LOST_ROW + 1,
            frame => {
                let frame = frame as usize;
                let start = match frame {
                    0 => LOST_ROW + 1,
                    _ => frame_ends[frame - 1],
                };
                start..frame_ends[frame]
            }
        };
        let mut nodes: Vec<NodeRow> = Vec::with_capacity(profile.nodes.len());
        let mut node_ends = Vec::with_capacity(profile.nodes.len());
        for (index, node) in profile.nodes.iter().enumerate() {
            if index != ROOT as usize {
                let mut parent = innermost(&node_ends, node.parent);
                let caller = profile.nodes[node.parent as usize].frame;
                let mut caller_by_frame_pointer = is_by_frame_pointer(profile, caller, node.frame);
                for frame in rows_of_frame(node.frame) {
                    nodes.push(NodeRow {
                        parent,
                        frame,
                        caller_by_frame_pointer,
                    });
                    // What is inlined was called in the same frame.
                    caller_by_frame_pointer = false;
                    parent = Some((nodes.len() - 1) as u32);
                }
            }
            node_ends.push(nodes.len() as u32);
        }
        Calls {
            frames,
            nodes,
            names: naming.shown(rules, style),
            node_ends,
        }
    }

    pub(super) fn name(&self, frame: usize) -> Option<&str> {
        let name = self.frames[frame].function?;
        self.names.get(name as usize).map(String::as_str)
    }

    /// The innermost row of a node of the profile; `None` for the root.
    pub(super) fn innermost(&self, node: NodeId) -> Option<u32> {
        innermost(&self.node_ends, node)
    }

    /// Adds the frames of a path, outermost first.
    pub(super) fn append_path(&self, node: NodeId, path: &mut Vec<u32>) {
        let start = path.len();
        let mut at = self.innermost(node);
        while let Some(row) = at {
            let node = &self.nodes[row as usize];
            path.push(node.frame);
            at = node.parent;
        }
        path[start..].reverse();
    }
}

fn innermost(node_ends: &[u32], node: NodeId) -> Option<u32> {
    match node {
        ROOT => None,
        node => node_ends[node as usize].checked_sub(1),
    }
}

fn add_frame<'a>(
    profile: &'a Profile,
    index: usize,
    frame: &Frame,
    naming: &mut Naming<'a>,
    rows: &mut Vec<FrameRow<'a>>,
) {
    let own = [SourcePlace {
        function: frame.function,
        file: NONE,
        line: 0,
    }];
    let places = match profile.places.row(index) {
        [] => &own[..],
        places => places,
    };
    let module = profile.module_name(frame.module);
    for (depth, place) in places.iter().rev().enumerate() {
        let linkage = profile.functions.get(place.function as usize);
        let linkage = linkage.map(String::as_str).filter(|name| !name.is_empty());
        let file = profile.files.get(place.file as usize).map(String::as_str);
        rows.push(FrameRow {
            function: linkage.map(|linkage| {
                let key = (place.function, frame.module, place.file);
                let name = FrameName {
                    linkage,
                    module: module.unwrap_or(""),
                    file: file.unwrap_or(""),
                };
                naming.number(key, name)
            }),
            linkage,
            module,
            file,
            line: Some(place.line).filter(|&line| line > 0),
            address: Some(frame.address),
            is_inlined: depth > 0,
        });
    }
}

/// Names that are asked for, each once.
struct Naming<'a> {
    asked: Vec<FrameName<'a>>,
    /// By function, module and file.
    known: FxHashMap<(FunctionId, ModuleId, FileId), u32>,
}

impl Default for Naming<'_> {
    fn default() -> Self {
        let text = |linkage| FrameName {
            linkage,
            module: "",
            file: "",
        };
        Naming {
            // In the order of the rows that stand for no frame.
            asked: vec![text("[... frames left out ...]"), text("[lost frame]")],
            known: FxHashMap::default(),
        }
    }
}

impl<'a> Naming<'a> {
    fn number(&mut self, key: (FunctionId, ModuleId, FileId), name: FrameName<'a>) -> u32 {
        let asked = &mut self.asked;
        *self.known.entry(key).or_insert_with(|| {
            asked.push(name);
            (asked.len() - 1) as u32
        })
    }

    fn shown(self, rules: &Rules, style: NameStyle) -> Vec<String> {
        let shown = rules.show_all(&self.asked, style);
        shown.into_iter().map(|shown| shown.name).collect()
    }
}
