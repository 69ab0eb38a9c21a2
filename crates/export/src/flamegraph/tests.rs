//! Pictures, read back frame by frame.

use super::*;
use crate::sample;
use quick_xml::Reader;
use quick_xml::events::Event;
use residue_profile::{MemoryKind, Profile};

/// One frame of a picture: its text, where it begins and how wide it is.
type Drawn = (String, u64, u64);

/// Reads a picture; fails where it is no XML.
fn frames(svg: &[u8]) -> Vec<Drawn> {
    let mut reader = Reader::from_reader(svg);
    reader.config_mut().check_end_names = true;
    let mut frames = Vec::new();
    let (mut is_title, mut title, mut depth) = (false, String::new(), 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) => {
                depth += 1;
                is_title = tag.name().as_ref() == b"title";
                if is_title {
                    title.clear();
                }
            }
            Event::End(_) => {
                depth -= 1;
                is_title = false;
            }
            Event::Text(text) if is_title => title.push_str(&text.decode().unwrap()),
            Event::GeneralRef(name) if is_title => {
                title.push_str(&format!("&{};", name.decode().unwrap()));
            }
            Event::Empty(tag) if tag.name().as_ref() == b"rect" => {
                let number = |name: &str| {
                    let attribute = tag.try_get_attribute(name).unwrap()?;
                    let digits = String::from_utf8(attribute.value.into_owned()).unwrap();
                    Some(digits.parse().unwrap())
                };
                if let (Some(start), Some(width)) = (number("fg:x"), number("fg:w")) {
                    frames.push((title.clone(), start, width));
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    frames
}

fn picture(profile: &Profile, counter: Counter, look: &Look) -> Vec<u8> {
    let tree = sample::tree(profile, MemoryKind::Heap);
    let source = Source {
        profile,
        tree: &tree,
        counters: &[counter],
    };
    let mut out = Vec::new();
    write(&source, look, &mut out).unwrap();
    out
}

fn drawn(text: &str, start: u64, width: u64) -> Drawn {
    (text.to_string(), start, width)
}

#[test]
fn frames_are_as_wide_as_their_sums() {
    let look = Look::of("server", Counter::Live);
    let svg = picture(&sample::profile(), Counter::Live, &look);
    let mut found = frames(&svg);
    found.sort();
    assert_eq!(
        found,
        [
            drawn("[... frames left out ...] (1,000 bytes, 34.06%)", 16, 1000),
            drawn("[jit] 0x7f0012f0 (1,000 bytes, 34.06%)", 16, 1000),
            drawn(
                "[pooled: blocks outside the size limits] (16 bytes, 0.54%)",
                0,
                16
            ),
            drawn("all (2,936 bytes, 100%)", 0, 2936),
            drawn("load (1,920 bytes, 65.40%)", 1016, 1920),
            drawn("main (2,920 bytes, 99.46%)", 16, 2920),
            drawn("odd:name (1,000 bytes, 34.06%)", 16, 1000),
            drawn("operator new (1,920 bytes, 65.40%)", 1016, 1920),
            drawn("space::Thing::foo (1,920 bytes, 65.40%)", 1016, 1920),
        ]
    );
    let text = String::from_utf8(svg.clone()).unwrap();
    assert!(text.contains("server: live bytes"));
    assert!(text.contains("Bytes live at the end"));
    assert!(svg == picture(&sample::profile(), Counter::Live, &look));
}

#[test]
fn roots_are_on_top_when_inverted() {
    let mut look = Look::of("server", Counter::Calls);
    let straight = picture(&sample::profile(), Counter::Calls, &look);
    look.is_inverted = true;
    let inverted = picture(&sample::profile(), Counter::Calls, &look);
    assert_eq!(frames(&straight), frames(&inverted));
    let height = |svg: &[u8], name: &str| -> u32 {
        let svg = std::str::from_utf8(svg).unwrap();
        let (_, from_name) = svg.split_once(&format!("<title>{name} (")).unwrap();
        let (_, from_height) = from_name.split_once("y=\"").unwrap();
        from_height.split('"').next().unwrap().parse().unwrap()
    };
    assert!(height(&straight, "all") > height(&straight, "main"));
    assert!(height(&inverted, "all") < height(&inverted, "main"));
}

#[test]
fn hostile_names_are_well_formed_and_take_nothing_away() {
    let names = [
        "f",
        "f 1",
        "<&>\"'",
        "\u{1b}[1m",
        "]]>",
        "\u{ffff}",
        "# g",
        "",
        "f;g",
    ];
    let all: Vec<Vec<&str>> = names
        .iter()
        .flat_map(|&one| names.iter().map(move |&other| vec![one, other]))
        .collect();
    let mut look = Look::of("a<b\u{0}", Counter::Calls);
    look.subtitle = "&".to_string();
    let svg = picture(&sample::paths(&all), Counter::Calls, &look);
    let frames = frames(&svg);
    assert_eq!(frames.len(), 1 + 9 + 81);
    assert_eq!(frames.iter().map(|(_, _, width)| width).max(), Some(&81));
    let sum: u64 = frames.iter().map(|(_, _, width)| width).sum();
    assert_eq!(sum, 3 * 81);
}

#[test]
fn what_is_too_narrow_is_part_of_the_frame_below() {
    let narrow: Vec<String> = (0..20_000).map(|number| format!("f{number}")).collect();
    let paths = |wide: u64| {
        let narrow = narrow.iter().map(|name| (vec!["main", name], 0, 1));
        let wide = (vec!["main", "wide"], 0, wide);
        narrow.chain([wide]).collect::<Vec<_>>()
    };
    let mut out = Vec::new();
    differential(paths(20_000), &Look::default(), &mut out).unwrap();
    let widths: Vec<u64> = frames(&out).iter().map(|(_, _, width)| *width).collect();
    assert_eq!(widths, [40_000, 40_000, 20_000]);
}

#[test]
fn roots_too_narrow_are_counted_together() {
    let narrow: Vec<String> = (0..3).map(|number| format!("f{number}")).collect();
    let narrow = narrow.iter().map(|name| (vec![&**name], 0, 1));
    let wide = (vec!["main"], 0, 99_997);
    let mut out = Vec::new();
    differential(narrow.chain([wide]), &Look::default(), &mut out).unwrap();
    let widths: Vec<u64> = frames(&out).iter().map(|(_, _, width)| *width).collect();
    assert_eq!(widths, [100_000, 99_997]);
}

#[test]
fn changes_are_drawn_as_wide_as_they_are_after() {
    let paths = [
        (vec!["main", "grown"], 10, 60),
        (vec!["main", "same"], 40, 40),
        (vec!["main", "gone"], 50, 0),
        (vec!["main", "shrunk"], 30, 20),
        (vec!["main", "grown"], 5, 0),
    ];
    let look = Look {
        unit: "bytes".to_string(),
        ..Look::default()
    };
    let mut out = Vec::new();
    differential(paths, &look, &mut out).unwrap();
    let mut found = frames(&out);
    found.sort();
    assert_eq!(
        found,
        [
            drawn("all (120 bytes, 100%)", 0, 120),
            drawn("grown (60 bytes, 50.00%; +37.50%)", 0, 60),
            drawn("main (120 bytes, 100.00%; 0.00%)", 0, 120),
            drawn("same (40 bytes, 33.33%; 0.00%)", 60, 40),
            drawn("shrunk (20 bytes, 16.67%; -8.33%)", 100, 20),
        ]
    );
}

#[test]
fn nothing_to_draw_is_said() {
    let mut out = Vec::new();
    let look = Look::of("server", Counter::Live);
    let failed = differential([(vec!["main"], 5, 0)], &look, &mut out);
    let message = failed.unwrap_err().to_string();
    assert_eq!(message, "nothing to draw: the sum is 0 bytes");
    assert!(out.is_empty());
}

#[test]
fn numbers_too_large_are_refused() {
    let look = Look::default();
    for (before, after) in [(0, u64::MAX), (u64::MAX, 1), (0, 1 << 63), (1 << 63, 1)] {
        let failed = differential([(vec!["main"], before, after)], &look, &mut Vec::new());
        let message = failed.unwrap_err().to_string();
        assert!(
            message.starts_with("the numbers are too large"),
            "{message}"
        );
    }
    let twice = [(vec!["a"], 0, i64::MAX as u64), (vec!["b"], 0, 1)];
    assert!(differential(twice, &look, &mut Vec::new()).is_err());
    let once = [(vec!["a"], i64::MAX as u64, i64::MAX as u64)];
    let mut out = Vec::new();
    differential(once, &look, &mut out).unwrap();
    assert_eq!(frames(&out)[0].2, i64::MAX as u64);
}
