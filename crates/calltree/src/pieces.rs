//! Frames as pieces: one for each function that was inlined there, and the frame's
//! own; each with its label and what the rules do to it.

use residue_names::{Action, FrameName, NameStyle, Rules, Shown};
use residue_profile::{CUT, FrameId, NONE, Profile, SourcePlace};
use rustc_hash::FxHashMap;

use crate::filter::Marks;
use crate::labels::{Label, LabelId, Labels, Texts};
use crate::scopes::scope_name;
use crate::{Detail, Options};

/// In place of frames that the depth limit left out.
pub const CUT_FRAMES: &str = "[... frames left out ...]";
/// In place of a frame that a damaged file does not hold any more.
pub const LOST_FRAME: &str = "[lost frame]";
const NO_LIBRARY: &str = "[no library]";

/// One function at one place in a frame.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    pub label: LabelId,
    pub action: Action,
    pub marks: Marks,
}

/// A function of one library and file: what rules and filters look at.
pub(crate) struct Subject<'a> {
    /// Linkage name, or the address in words where there is none.
    name: std::borrow::Cow<'a, str>,
    pub module: &'a str,
    file: &'a str,
    has_module: bool,
}

impl Subject<'_> {
    /// The name of the scope, if this is one.
    pub(crate) fn scope(&self) -> Option<&str> {
        scope_name(&self.name, self.has_module)
    }

    pub(crate) fn frame_name(&self) -> FrameName<'_> {
        FrameName {
            linkage: &self.name,
            module: self.module,
            file: self.file,
        }
    }
}

/// The pieces of every frame that some stack passes through, outermost first.
pub(crate) struct Pieces {
    starts: Vec<u32>,
    pieces: Vec<Piece>,
    cut: Piece,
    lost: Piece,
}

impl Pieces {
    /// `is_used` says of every frame whether it matters.
    pub(crate) fn of(
        profile: &Profile,
        is_used: &[bool],
        options: &Options<'_>,
        labels: &mut Labels,
    ) -> Pieces {
        let mut table = FunctionTable::default();
        let mut starts = Vec::with_capacity(profile.frames.len() + 1);
        let mut parts: Vec<FramePart> = Vec::new();
        for (index, &is_used) in is_used.iter().enumerate() {
            starts.push(parts.len() as u32);
            if is_used {
                table.add_frame(profile, index, &mut parts);
            }
        }
        starts.push(parts.len() as u32);
        let shown = show(&table.subjects, options.rules, options.style);
        let marks = marks(&table.subjects, &shown, options);
        let mut labelling = Labelling::new(&table.subjects, &shown, options.detail);
        let pieces = parts
            .iter()
            .map(|part| Piece {
                label: labelling.number(part, labels),
                action: shown[part.subject as usize].action,
                marks: marks[part.subject as usize],
            })
            .collect();
        let mut text = |name| Piece {
            label: labels.intern_text(name),
            action: Action::Keep,
            marks: 0,
        };
        Pieces {
            cut: text(CUT_FRAMES),
            lost: text(LOST_FRAME),
            starts,
            pieces,
        }
    }

    pub(crate) fn of_frame(&self, frame: FrameId) -> &[Piece] {
        match frame {
            CUT => std::slice::from_ref(&self.cut),
            NONE => std::slice::from_ref(&self.lost),
            frame => {
                let frame = frame as usize;
                &self.pieces[self.starts[frame] as usize..self.starts[frame + 1] as usize]
            }
        }
    }
}

/// The conditions that each subject fulfils.
fn marks(subjects: &[Subject<'_>], shown: &[Shown], options: &Options<'_>) -> Vec<Marks> {
    let filter = options.filter;
    if filter.is_empty() {
        return vec![0; subjects.len()];
    }
    // Full names are long, and the same in all libraries and files.
    let mut numbers: FxHashMap<*const u8, usize> = FxHashMap::default();
    let mut names: Vec<FrameName<'_>> = Vec::new();
    if filter.looks_at_names() {
        for subject in subjects {
            numbers.entry(subject.name.as_ptr()).or_insert_with(|| {
                names.push(subject.frame_name());
                names.len() - 1
            });
        }
    }
    let full = Rules::none().show_all(&names, NameStyle::Full);
    let mark = |(subject, shown): (&Subject<'_>, &Shown)| {
        let number = numbers.get(&subject.name.as_ptr());
        let full = number.map_or("", |&number| &full[number].name);
        filter.marks(subject, &shown.name, full)
    };
    subjects.iter().zip(shown).map(mark).collect()
}

fn show(subjects: &[Subject<'_>], rules: &Rules, style: NameStyle) -> Vec<Shown> {
    // One function in many libraries and files is made readable once, if it stands
    // together.
    let mut order: Vec<u32> = (0..subjects.len() as u32).collect();
    order.sort_unstable_by_key(|&at| subjects[at as usize].name.as_ptr());
    let names = order.iter().map(|&at| subjects[at as usize].frame_name());
    let names: Vec<FrameName<'_>> = names.collect();
    let shown = rules.show_all(&names, style);
    let mut placed: Vec<(u32, Shown)> = order.into_iter().zip(shown).collect();
    placed.sort_unstable_by_key(|(at, _)| *at);
    placed.into_iter().map(|(_, shown)| shown).collect()
}

/// What stands for a frame that the profile does not hold, or none.
pub(crate) fn special_name(profile: &Profile, frame: FrameId) -> Option<&'static str> {
    match frame {
        CUT => Some(CUT_FRAMES),
        frame if frame as usize >= profile.frames.len() => Some(LOST_FRAME),
        _ => None,
    }
}

/// A subject at a line of its file.
pub(crate) struct FramePart {
    pub subject: u32,
    line: u32,
}

/// All subjects, each once.
#[derive(Default)]
pub(crate) struct FunctionTable<'a> {
    pub subjects: Vec<Subject<'a>>,
    known: FxHashMap<(u32, u32, u32), u32>,
}

impl<'a> FunctionTable<'a> {
    /// Adds the parts of one frame, outermost first.
    pub(crate) fn add_frame(
        &mut self,
        profile: &'a Profile,
        index: usize,
        parts: &mut Vec<FramePart>,
    ) {
        let frame = &profile.frames[index];
        let own = [SourcePlace {
            function: frame.function,
            file: NONE,
            line: 0,
        }];
        let places = match profile.places.row(index) {
            [] => &own[..],
            places => places,
        };
        for place in places.iter().rev() {
            let subject = match profile.functions.get(place.function as usize) {
                Some(name) if !name.is_empty() => {
                    let key = (place.function, frame.module, place.file);
                    *self.known.entry(key).or_insert_with(|| {
                        self.subjects
                            .push(subject(profile, frame.module, place.file, name.into()));
                        (self.subjects.len() - 1) as u32
                    })
                }
                _ => {
                    let address = frame.address;
                    let name = match profile.module_name(frame.module) {
                        Some(module) => format!("{module}+{address:#x}"),
                        None => format!("[jit] {address:#x}"),
                    };
                    self.subjects
                        .push(subject(profile, frame.module, place.file, name.into()));
                    (self.subjects.len() - 1) as u32
                }
            };
            parts.push(FramePart {
                subject,
                line: place.line,
            });
        }
    }
}

fn subject<'a>(
    profile: &'a Profile,
    module: u32,
    file: u32,
    name: std::borrow::Cow<'a, str>,
) -> Subject<'a> {
    let module = profile.module_name(module);
    Subject {
        name,
        module: module.unwrap_or(""),
        file: profile.files.get(file as usize).map_or("", String::as_str),
        has_module: module.is_some(),
    }
}

/// Makes labels that share their texts.
pub(crate) struct Labelling<'a> {
    detail: Detail,
    subjects: &'a [Subject<'a>],
    shown: &'a [Shown],
    /// By subject, and line where that makes a difference.
    known: FxHashMap<(u32, u32), LabelId>,
}

impl<'a> Labelling<'a> {
    pub(crate) fn new(
        subjects: &'a [Subject<'a>],
        shown: &'a [Shown],
        detail: Detail,
    ) -> Labelling<'a> {
        Labelling {
            detail,
            subjects,
            shown,
            known: FxHashMap::default(),
        }
    }

    fn number(&mut self, part: &FramePart, labels: &mut Labels) -> LabelId {
        let line = if self.tells_lines_apart(part) {
            part.line
        } else {
            0
        };
        // The file is part of the subject.
        if let Some(&label) = self.known.get(&(part.subject, line)) {
            return label;
        }
        let label = self.label(part, &mut labels.texts);
        let label = labels.intern(label);
        self.known.insert((part.subject, line), label);
        label
    }

    /// What is merged has no place any more.
    fn tells_lines_apart(&self, part: &FramePart) -> bool {
        let action = self.shown[part.subject as usize].action;
        self.detail == Detail::Line && action != Action::MergeLibrary
    }

    pub(crate) fn label(&self, part: &FramePart, texts: &mut Texts) -> Label {
        let subject = &self.subjects[part.subject as usize];
        let shown = &self.shown[part.subject as usize];
        // A rule may merge several libraries under one name.
        let is_one_of_several = shown.action == Action::MergeLibrary
            && shown.name.trim_matches(['[', ']']) != subject.module;
        let module = match self.detail {
            Detail::Name => "",
            Detail::Function | Detail::Line if is_one_of_several => "",
            Detail::Library | Detail::Function | Detail::Line => subject.module,
        };
        let name = match self.detail {
            Detail::Library if subject.scope().is_none() => match module {
                "" => NO_LIBRARY,
                module => module,
            },
            _ => &shown.name,
        };
        let (file, line) = match self.tells_lines_apart(part) {
            true => (subject.file, part.line),
            false => ("", 0),
        };
        Label {
            name: texts.intern(name),
            module: texts.intern(module),
            file: texts.intern(file),
            line,
            is_framework: shown.is_framework && self.detail != Detail::Library,
        }
    }
}
