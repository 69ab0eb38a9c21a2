//! Single paths as they are read in the whole tree: the same names, hidden, cut and
//! collapsed by the same rules, without making the tree.

use std::collections::HashMap;

use residue_names::{Action, NameStyle, Rules, Shown};
use residue_profile::{FrameId, NodeId, Profile, Stack};

use crate::course::{Course, Turn};
use crate::filter::Marks;
use crate::labels::{Label, Texts};
use crate::pieces::{FunctionTable, Labelling, special_name};
use crate::scopes::is_by_frame_pointer;
use crate::{Detail, Options, placeholder};

/// One function of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathStep {
    pub label: Label,
    /// The compiler put it into the function before it.
    pub is_inlined: bool,
    /// Found by a frame pointer alone: what it called has no unwind table.
    pub by_frame_pointer: bool,
}

/// Reads paths of one profile; every name is made once.
pub struct PathReader<'a> {
    profile: &'a Profile,
    options: Options<'a>,
    shown: HashMap<FrameId, Vec<Piece>>,
}

struct Piece {
    step: PathStep,
    action: Action,
    marks: Marks,
}

impl<'a> PathReader<'a> {
    pub fn new(profile: &'a Profile, options: Options<'a>) -> PathReader<'a> {
        PathReader {
            profile,
            options,
            shown: HashMap::new(),
        }
    }

    /// The labels of the path to a node, root first. Never empty, except for the root:
    /// where every frame is hidden, the innermost is shown all the same.
    pub fn labels(&mut self, node: NodeId) -> Vec<Label> {
        let steps = self.steps_to(node).into_iter();
        steps.map(|step| step.label).collect()
    }

    /// The path of a stack, root first, or what stands in its place.
    pub fn steps(&mut self, stack: &Stack) -> Vec<PathStep> {
        match placeholder(stack) {
            Some(text) => vec![PathStep {
                label: Label::text(text),
                is_inlined: false,
                by_frame_pointer: false,
            }],
            None => self.steps_to(stack.node),
        }
    }

    /// The functions of one frame, its own and those inlined there, outermost first,
    /// whatever rules do to them on a path.
    pub fn frame(&mut self, frame: FrameId) -> Vec<Label> {
        let pieces = self.pieces(frame).iter();
        pieces.map(|piece| piece.step.label.clone()).collect()
    }

    fn steps_to(&mut self, node: NodeId) -> Vec<PathStep> {
        let joins_equal = self.options.detail == Detail::Library;
        let mut frames: Vec<FrameId> = self.profile.frames_leaf_first(node).collect();
        frames.reverse();
        let mut course = Course::default();
        let mut path: Vec<PathStep> = Vec::new();
        // How much of it stays when the rest is cut.
        let mut root_steps = 0;
        let mut innermost = None;
        let profile = self.profile;
        let callees = frames.iter().skip(1).copied().map(Some).chain([None]);
        for (&frame, callee) in frames.iter().zip(callees) {
            let by_frame_pointer =
                callee.is_some_and(|callee| is_by_frame_pointer(profile, frame, callee));
            for piece in self.pieces(frame) {
                let step = PathStep {
                    by_frame_pointer,
                    ..piece.step.clone()
                };
                innermost = Some(step.clone());
                let turn = course.turn(piece.action, piece.marks, joins_equal);
                let is_same = || {
                    path.last()
                        .is_some_and(|it| it.label.is_same(&piece.step.label))
                };
                match turn {
                    Turn::Stay => continue,
                    Turn::Join if is_same() => continue,
                    Turn::Below | Turn::Join => {}
                    Turn::Cut => path.truncate(root_steps),
                    Turn::Root => {
                        path.clear();
                        root_steps = 1;
                    }
                }
                path.push(step);
            }
        }
        if path.is_empty() {
            path.extend(innermost);
        }
        path
    }

    fn pieces(&mut self, frame: FrameId) -> &[Piece] {
        let (profile, options) = (self.profile, &self.options);
        self.shown
            .entry(frame)
            .or_insert_with(|| pieces(profile, frame, options))
    }
}

/// The pieces of one frame, outermost first.
fn pieces(profile: &Profile, frame: FrameId, options: &Options<'_>) -> Vec<Piece> {
    if let Some(name) = special_name(profile, frame) {
        return vec![Piece {
            step: PathStep {
                label: Label::text(name),
                is_inlined: false,
                by_frame_pointer: false,
            },
            action: Action::Keep,
            marks: 0,
        }];
    }
    let mut table = FunctionTable::default();
    let mut parts = Vec::new();
    table.add_frame(profile, frame as usize, &mut parts);
    let show = |rules: &Rules, style: NameStyle| -> Vec<Shown> {
        let subjects = table.subjects.iter();
        subjects
            .map(|subject| rules.show(&subject.frame_name(), style))
            .collect()
    };
    let shown = show(options.rules, options.style);
    let full = match options.filter.looks_at_names() {
        true => show(&Rules::none(), NameStyle::Full),
        false => Vec::new(),
    };
    let labelling = Labelling::new(&table.subjects, &shown, options.detail);
    let mut texts = Texts::default();
    let mut pieces = Vec::with_capacity(parts.len());
    for (depth, part) in parts.iter().enumerate() {
        let at = part.subject as usize;
        let full = full.get(at).map_or("", |shown| &shown.name);
        let filter = options.filter;
        pieces.push(Piece {
            step: PathStep {
                label: labelling.label(part, &mut texts),
                is_inlined: depth > 0,
                by_frame_pointer: false,
            },
            action: shown[at].action,
            marks: filter.marks(&table.subjects[at], &shown[at].name, full),
        });
    }
    pieces
}
