//! Call paths as lines, leaf first.

use residue_profile::{FrameId, Profile, ROOT, Stack, StackKind};

use super::names::{CUT_FRAMES, Names};

/// In place of the path of a stack that has none.
pub fn placeholder(stack: &Stack) -> Option<&'static str> {
    match stack.kind {
        StackKind::Pooled => Some("[pooled: blocks outside the size limits]"),
        StackKind::Overflow => Some("[no room for the path]"),
        StackKind::Heap | StackKind::Mapping | StackKind::Reported => {
            (stack.node == ROOT).then_some("[lost path]")
        }
    }
}

/// `#0 operator new  libstdc++.so.6` and so on up to the root. More than
/// `max_frames` frames are shortened in the middle, unless that is 0.
pub fn lines(
    profile: &Profile,
    names: &mut Names<'_>,
    stack: &Stack,
    max_frames: usize,
) -> Vec<String> {
    if let Some(text) = placeholder(stack) {
        return vec![text.to_string()];
    }
    let frames: Vec<FrameId> = profile.frames_leaf_first(stack.node).collect();
    let gap = gap(frames.len(), max_frames);
    let mut lines = Vec::new();
    for (index, &frame) in frames.iter().enumerate() {
        if index == gap.start && !gap.is_empty() {
            lines.push(format!("… {} frames …", gap.len()));
        }
        if !gap.contains(&index) {
            lines.push(line(names, index, frame));
        }
    }
    lines
}

fn line(names: &mut Names<'_>, index: usize, frame: FrameId) -> String {
    let name = names.frame(frame);
    match names.module_beside(frame) {
        _ if name == CUT_FRAMES => name,
        Some(module) => format!("#{index} {name}  {module}"),
        None => format!("#{index} {name}"),
    }
}

/// The frames to leave out: who allocated is at the leaf, so that side keeps three
/// quarters. A gap of one frame would take the line it saves.
fn gap(frames: usize, max_frames: usize) -> std::ops::Range<usize> {
    if max_frames == 0 || frames <= max_frames.saturating_add(1) {
        return 0..0;
    }
    let root_side = max_frames / 4;
    let leaf_side = max_frames - root_side;
    leaf_side..frames - root_side
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::names::NameStyle;
    use crate::text::sample;

    fn lines_of(profile: &Profile, stack: usize, max_frames: usize) -> Vec<String> {
        let mut names = Names::new(profile, NameStyle::Short);
        lines(profile, &mut names, &profile.stacks[stack], max_frames)
    }

    #[test]
    fn paths_go_from_the_leaf_to_the_root() {
        let profile = sample::profile();
        assert_eq!(
            lines_of(&profile, 0, 0),
            [
                "#0 operator new  libfoo.so",
                "#1 space::Thing::foo  libfoo.so",
                "#2 main  server",
            ]
        );
        assert_eq!(
            lines_of(&profile, 2, 0),
            [
                "#0 odd;name  libfoo.so",
                "#1 [jit] 0x7f0012f0",
                "[... frames left out ...]",
                "#3 main  server",
            ]
        );
        assert_eq!(
            lines_of(&profile, 3, 0),
            ["#0 libfoo.so+0x12f0", "#1 main  server"]
        );
    }

    #[test]
    fn stacks_without_a_path_say_why() {
        let mut profile = sample::profile();
        assert_eq!(
            lines_of(&profile, 4, 0),
            ["[pooled: blocks outside the size limits]"]
        );
        assert_eq!(lines_of(&profile, 5, 0), ["[no room for the path]"]);
        profile.stacks[0].node = ROOT;
        assert_eq!(lines_of(&profile, 0, 0), ["[lost path]"]);
    }

    #[test]
    fn long_paths_are_shortened_in_the_middle() {
        let profile = sample::deep(40);
        let shown = lines_of(&profile, 0, 8);
        assert_eq!(
            shown[5..],
            [
                "#5 main  server",
                "… 32 frames …",
                "#38 main  server",
                "#39 main  server",
            ]
        );
        assert_eq!(lines_of(&profile, 0, 0).len(), 40);
        assert_eq!(lines_of(&profile, 0, 39).len(), 40);
        assert_eq!(lines_of(&profile, 0, 38).len(), 39);
        assert_eq!(
            lines_of(&profile, 0, 1),
            ["#0 main  server", "… 39 frames …"]
        );
    }
}
