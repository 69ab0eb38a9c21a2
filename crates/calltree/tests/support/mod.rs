//! Profiles in one line a stack, and what a slow and simple reader makes of them.

#![allow(dead_code)]

use residue_calltree::{CallTree, Detail, Label, NOT_SHOWN, Options};
use residue_names::{Action, FrameName, NameStyle, Rules};
use residue_profile::*;
use residue_testkit::builder::Builder;
use residue_testkit::counters::multiples;

/// A label as it is compared: name, module, file, line.
pub type Key = (String, String, String, u32);

pub fn key(label: &Label) -> Key {
    (
        label.name.to_string(),
        label.module.to_string(),
        label.file.to_string(),
        label.line,
    )
}

/// A stack for each path, written as [`Builder`] says.
pub fn profile(stacks: &[(&str, u64)]) -> Profile {
    let mut built = Builder::new();
    for &(path, value) in stacks {
        built.stack(path, multiples(value));
    }
    built.profile
}

pub fn add_stack(profile: &mut Profile, node: NodeId, kind: StackKind, value: u64) {
    profile.stacks.push(Stack {
        node,
        kind,
        counters: multiples(value),
    });
}

/// The conditions of a filter as plain words: a frame fits a word that it contains.
#[derive(Debug, Clone, Default)]
pub struct Words {
    pub focus: Option<String>,
    pub ignore: Option<String>,
    pub under: Option<String>,
    pub module: Option<String>,
    pub scope: Option<String>,
}

impl Words {
    pub fn filter(&self) -> residue_calltree::Filter {
        let mut filter = residue_calltree::Filter::default();
        if let Some(word) = &self.focus {
            filter = filter.focus(word).unwrap();
        }
        if let Some(word) = &self.ignore {
            filter = filter.ignore(word).unwrap();
        }
        if let Some(word) = &self.under {
            filter = filter.under(word).unwrap();
        }
        if let Some(word) = &self.module {
            filter = filter.module(word);
        }
        if let Some(word) = &self.scope {
            filter = filter.scope(word);
        }
        filter
    }
}

/// One function on a path, as the simple reader sees it.
struct Seen {
    key: Key,
    /// As it is shown, and its own.
    names: [String; 2],
    module: String,
    action: Action,
}

impl Seen {
    fn fits(&self, word: &str) -> bool {
        self.names.iter().any(|name| name.contains(word))
    }
}

/// The path of a stack as it ought to be shown, or nothing where a filter is against
/// it. Works on whole lists, where the tree works node by node.
pub fn expected_path(
    profile: &Profile,
    stack: &Stack,
    rules: &Rules,
    words: &Words,
    options: &Options<'_>,
) -> Option<Vec<Key>> {
    if !options.kind.holds(stack.kind) {
        return None;
    }
    let mut frames: Vec<FrameId> = profile.frames_leaf_first(stack.node).collect();
    frames.reverse();
    let seen: Vec<Seen> = frames
        .iter()
        .flat_map(|&frame| seen_of_frame(profile, frame, rules, options.detail))
        .collect();
    let has = |word: &Option<String>, fits: fn(&Seen, &str) -> bool| {
        let word = word.as_ref()?;
        Some(seen.iter().any(|it| fits(it, word)))
    };
    let scope = words.scope.as_ref().map(|word| format!("[{word}]"));
    let passes = has(&words.focus, Seen::fits) != Some(false)
        && has(&words.ignore, Seen::fits) != Some(true)
        && has(&words.under, Seen::fits) != Some(false)
        && has(&words.module, |it, word| it.module == word) != Some(false)
        && has(&scope, |it, word| it.names[1] == word) != Some(false);
    if !passes {
        return None;
    }
    let placeholder = residue_calltree::placeholder(stack);
    if let Some(text) = placeholder {
        return Some(vec![(text.into(), "".into(), "".into(), 0)]);
    }
    Some(bend(&seen, words, options.detail))
}

fn bend(seen: &[Seen], words: &Words, detail: Detail) -> Vec<Key> {
    let root = words.under.as_ref().map(|word| {
        let mut frames = seen.iter();
        frames.position(|it| it.fits(word)).unwrap()
    });
    let mut kept: Vec<Key> = root
        .map(|root| seen[root].key.clone())
        .into_iter()
        .collect();
    let first = root.map_or(0, |root| root + 1);
    let below = &seen[first..];
    let cut = below.iter().rposition(|it| it.action == Action::CutAbove);
    let is_open = root.is_none_or(|root| seen[root].action != Action::CollapseBelow);
    let from = match cut {
        Some(cut) => cut,
        None if is_open => 0,
        None => below.len(),
    };
    for it in &below[from..] {
        let is_joined = detail == Detail::Library || it.action == Action::MergeLibrary;
        let is_same = is_joined && it.action != Action::CutAbove && kept.last() == Some(&it.key);
        if it.action != Action::Hide && !is_same {
            kept.push(it.key.clone());
        }
        if it.action == Action::CollapseBelow {
            break;
        }
    }
    if kept.is_empty() {
        kept.extend(seen.last().map(|it| it.key.clone()));
    }
    kept
}

fn seen_of_frame(profile: &Profile, id: FrameId, rules: &Rules, detail: Detail) -> Vec<Seen> {
    if id == CUT {
        let name = "[... frames left out ...]".to_string();
        return vec![Seen {
            key: (name.clone(), "".into(), "".into(), 0),
            names: [String::new(), String::new()],
            module: String::new(),
            action: Action::Keep,
        }];
    }
    let frame = profile.frames[id as usize];
    let module = profile.module_name(frame.module).unwrap_or("").to_string();
    let own = [SourcePlace {
        function: frame.function,
        file: NONE,
        line: 0,
    }];
    let places = match profile.places.row(id as usize) {
        [] => &own[..],
        row => row,
    };
    let see = |place: &SourcePlace| {
        let linkage = &profile.functions[place.function as usize];
        let file = profile.files.get(place.file as usize);
        let file = file.map_or("", String::as_str);
        let frame_name = FrameName {
            linkage,
            module: &module,
            file,
        };
        let shown = rules.show(&frame_name, NameStyle::Short);
        let is_merged = shown.action == Action::MergeLibrary;
        let is_scope = linkage.starts_with('[');
        let (name, place) = match detail {
            Detail::Library if !is_scope => (module.clone(), false),
            Detail::Line => (shown.name.clone(), !is_merged),
            _ => (shown.name.clone(), false),
        };
        let has_module = detail != Detail::Name
            && (!is_merged || detail == Detail::Library || name == format!("[{module}]"));
        let key = (
            name,
            if has_module {
                module.clone()
            } else {
                "".into()
            },
            if place { file.into() } else { "".into() },
            0,
        );
        (key, place, shown)
    };
    let mut seen = Vec::new();
    for place in places.iter().rev() {
        let (mut key, has_line, shown) = see(place);
        if has_line {
            key.3 = place.line;
        }
        seen.push(Seen {
            key,
            names: [
                shown.name,
                profile.functions[place.function as usize].clone(),
            ],
            module: module.clone(),
            action: shown.action,
        });
    }
    seen
}

/// The paths of a tree's stacks, and nothing for those that are not shown.
pub fn tree_paths(tree: &CallTree) -> Vec<Option<Vec<Key>>> {
    let path = |&node: &u32| {
        let path = (node != NOT_SHOWN).then(|| tree.path(node))?;
        Some(path.iter().map(|&node| key(tree.label(node))).collect())
    };
    tree.node_of_stack.iter().map(path).collect()
}
