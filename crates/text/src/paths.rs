//! Call paths as lines, leaf first.

use residue_calltree::{Label, PathStep};

use crate::report::grid::name_beside;
use crate::terminal::Page;
use residue_names::columns;
use residue_query::paths::place;

/// Columns that the name of a function keeps in any case.
const SHORTEST_NAME: usize = 20;

/// `#0 operator new  libstdc++.so.6` and so on up to the root, from steps that go the
/// other way. More than `max_frames` are shortened in the middle, unless that is 0.
pub fn lines(path: &[PathStep], max_frames: usize, page: &Page, indent: usize) -> Vec<String> {
    let gap = gap(path.len(), max_frames);
    let mut lines = Vec::new();
    for (index, step) in path.iter().rev().enumerate() {
        if index == gap.start && !gap.is_empty() {
            lines.push(page.dim(&format!("… {} frames …", gap.len())));
        }
        if !gap.contains(&index) {
            let room = page.width.saturating_sub(indent);
            lines.push(line(index, step, page, room));
        }
    }
    lines
}

/// What [`BY_FRAME_POINTER`] means, for below the paths that show it.
pub const ABOUT_FRAME_POINTERS: &str = "(by frame pointer): the function below has no unwind \
    table; this caller is less certain than the others";
const BY_FRAME_POINTER: &str = "  (by frame pointer)";

fn line(index: usize, step: &PathStep, page: &Page, room: usize) -> String {
    let label = &step.label;
    if is_no_frame(label) {
        return page.fit(&label.name, room);
    }
    let number = format!("#{index} ");
    let mut place = place(label).map_or(String::new(), |place| format!("  {place}"));
    if step.is_inlined {
        place.push_str("  (inlined)");
    }
    if step.by_frame_pointer {
        place.push_str(BY_FRAME_POINTER);
    }
    let taken = number.len() + columns(&place);
    let room = room.saturating_sub(taken).max(SHORTEST_NAME);
    let name = name_beside(page, &label.name, &label.module, label.is_framework, room);
    format!("{number}{name}{}", page.dim(&place))
}

/// What stands in place of frames has no number.
fn is_no_frame(label: &Label) -> bool {
    const IN_PLACE_OF_FRAMES: [&str; 4] = [
        "[... frames left out ...]",
        "[pooled: blocks outside the size limits]",
        "[no room for the path]",
        "[lost path]",
    ];
    IN_PLACE_OF_FRAMES.contains(&&*label.name)
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

/// The leaf side of a path in one line, root first: `main > … > fill > grow`.
pub fn one_line(path: &[PathStep], page: &Page, indent: usize) -> String {
    const MOST_FRAMES: usize = 5;
    let names: Vec<&str> = path.iter().map(|step| &*step.label.name).collect();
    let start = names.iter().position(|name| *name == "main").unwrap_or(0);
    let names = &names[start..];
    let text = match names.len() {
        0..=MOST_FRAMES => names.join(" > "),
        length => {
            let tail = &names[length + 1 - MOST_FRAMES..];
            format!("{} > … > {}", names[0], tail.join(" > "))
        }
    };
    page.fit(&text, page.width.saturating_sub(indent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_calltree::{Detail, Filter, Options, PathReader};
    use residue_names::{NameStyle, Rules};
    use residue_profile::MemoryKind;
    use residue_profile::{Profile, ROOT, Ragged, SourcePlace};
    use residue_testkit::sample;

    fn steps(profile: &Profile, stack: usize) -> Vec<PathStep> {
        let options = Options {
            rules: &Rules::none(),
            style: NameStyle::Short,
            detail: Detail::Line,
            kind: MemoryKind::All,
            filter: &Filter::default(),
        };
        PathReader::new(profile, options).steps(&profile.stacks[stack])
    }

    fn lines_of(profile: &Profile, stack: usize, max_frames: usize) -> Vec<String> {
        lines(&steps(profile, stack), max_frames, &Page::plain(100), 0)
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
    fn places_and_inlined_functions_are_said() {
        let mut profile = sample::profile();
        profile.files = vec!["/home/me/src/thing.cpp".into(), "new.h".into()];
        let place = |function, file, line| SourcePlace {
            function,
            file,
            line,
        };
        profile.places = Ragged::default();
        profile.places.push_row([]);
        // The function of frame 1, with `operator new` inlined.
        profile.places.push_row([place(2, 1, 7), place(1, 0, 12)]);
        let shown = lines_of(&profile, 0, 0);
        assert_eq!(
            shown,
            [
                "#0 operator new  libfoo.so",
                "#1 operator new  libfoo.so  new.h:7  (inlined)",
                "#2 space::Thing::foo  libfoo.so  src/thing.cpp:12",
                "#3 main  server",
            ]
        );
        let narrow = lines(&steps(&profile, 0), 0, &Page::plain(44), 0);
        assert_eq!(narrow[2], "#2 space:…::foo  libfoo.so  src/thing.cpp:12");
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

    #[test]
    fn one_line_keeps_the_leaf_side() {
        let page = Page::plain(100);
        let profile = sample::profile();
        let line = one_line(&steps(&profile, 0), &page, 0);
        assert_eq!(line, "main > space::Thing::foo > operator new");
        let deep = one_line(&steps(&sample::deep(9), 0), &page, 0);
        assert_eq!(deep, "main > … > main > main > main > main");
    }
}
