//! Whole pictures of made-up profiles: what they show is what the verdict says, and no
//! profile is too odd to be drawn.

mod runs;

use residue_analysis::history::EventRange;
use residue_analysis::verdict::{Verdict, verdict};
use residue_plot::{Look, Panel, Picture, Subject, draw, png};
use residue_profile::Profile;
use residue_profile::pins::{HeapMap, MapCell, Pins};
use residue_profile::timeline::{Account, EventNumber, MomentKind, NameId, Source, Stamp};
use roxmltree::{Document, Node};
use runs::{EVIL, run};

const ALL: [Panel; 7] = [
    Panel::Timeline,
    Panel::Stages,
    Panel::Survival,
    Panel::Account,
    Panel::Heap,
    Panel::HeapAge,
    Panel::HeapStack,
];
const LIGHT: Look = Look {
    width_px: Look::USUAL_WIDTH_PX,
    is_dark: false,
};

fn drawn_as(profile: &Profile, range: EventRange, look: Look) -> (Picture, Option<Verdict>) {
    let verdict = verdict(profile, range);
    let subject = Subject {
        profile,
        range,
        verdict: verdict.as_ref(),
        headline: &format!("what is said {EVIL}"),
        stack_name: &|stack| format!("stack {stack} {EVIL}"),
    };
    (draw(&subject, &ALL, look), verdict)
}

fn drawn(profile: &Profile) -> (Picture, Option<Verdict>) {
    drawn_as(profile, EventRange::ALL, LIGHT)
}

fn with<'a>(document: &'a Document<'a>, attribute: &str) -> Vec<Node<'a, 'a>> {
    let nodes = document.descendants();
    nodes.filter(|node| node.has_attribute(attribute)).collect()
}

fn number(node: &Node<'_, '_>, attribute: &str) -> f64 {
    node.attribute(attribute).unwrap().parse().unwrap()
}

/// Every length in the drawing is a number inside the picture, or nearly.
fn expect_sound(svg: &str) {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    let root = document.root_element();
    let (width, height) = (number(&root, "width"), number(&root, "height"));
    assert!(
        width >= 480.0 && (60.0..3000.0).contains(&height),
        "{width} x {height}"
    );
    for node in document.descendants() {
        for length in ["x", "x1", "x2", "cx"] {
            if let Some(text) = node.attribute(length) {
                let place: f64 = text.parse().unwrap();
                assert!((-1.0..=width + 1.0).contains(&place), "{length} = {place}");
            }
        }
        for length in ["width", "height"] {
            if let Some(text) = node.attribute(length) {
                assert!(text.parse::<f64>().unwrap() >= 0.0, "{length} = {text}");
            }
        }
        if let Some(size) = node.attribute("font-size") {
            assert!(size.parse::<f64>().unwrap() >= 11.0, "a font of {size} px");
        }
        assert!(!node.has_tag_name("script"));
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn the_line_has_the_rate_of_the_verdict_and_every_event_has_a_bar() {
    let profile = run(
        120,
        &|event| 300 + i64::from(event * 37 % 200),
        Source::Marks,
    );
    let (picture, verdict) = drawn(&profile);
    let verdict = verdict.unwrap();
    expect_sound(&picture.svg);
    let document = Document::parse(&picture.svg).unwrap();
    let rates = with(&document, "data-rate");
    assert_eq!(rates.len(), 1);
    assert_eq!(number(&rates[0], "data-rate"), verdict.growth.rate);
    let wedges = with(&document, "data-low");
    assert_eq!(wedges.len(), 1);
    assert_eq!(number(&wedges[0], "data-low"), verdict.growth.low);
    assert_eq!(number(&wedges[0], "data-high"), verdict.growth.high);
    assert_eq!(wedges[0].attribute("points").unwrap().split(' ').count(), 6);
    let survivors = with(&document, "data-survivors");
    assert_eq!(survivors.len(), 2);
    let bars = |node: &Node<'_, '_>| node.children().filter(Node::is_element).count();
    assert_eq!(bars(&survivors[0]), 120);
    assert_eq!(
        survivors[1].attribute("data-survivors"),
        Some("all other stacks")
    );
    assert_eq!(bars(&survivors[1]), 0);
    assert_eq!(picture.panels, [Panel::Timeline, Panel::Survival]);
    let reasons = [
        "no stamps: no stage matrix",
        "no accounts of two events: no account of RSS",
        "no picture of the memory (residue run --holders): no heap",
    ];
    assert_eq!(picture.left_out, reasons);
    let texts: Vec<&str> = document
        .descendants()
        .filter_map(|node| node.text())
        .collect();
    let note = format!("Not drawn: {}", reasons.join("; "));
    assert!(texts.contains(&note.as_str()), "{texts:?}");
}

#[test]
fn a_long_run_is_thinned_to_two_hundred_bars_and_a_line_of_its_width() {
    let profile = run(30_000, &|event| i64::from(event % 3) * 100, Source::Marks);
    let (picture, _) = drawn(&profile);
    expect_sound(&picture.svg);
    let document = Document::parse(&picture.svg).unwrap();
    let survivors = with(&document, "data-survivors");
    let bars = survivors[0].children().filter(Node::is_element).count();
    assert_eq!(bars, 200);
    for line in with(&document, "data-line") {
        let points = line.attribute("points").unwrap().split(' ').count();
        assert!(points <= 2 * 960, "{points} points");
    }
    assert!(picture.svg.len() < 200_000, "{} bytes", picture.svg.len());
}

/// Two stamps an event, of evil names; RSS grows by 8 KiB from one event to the next.
fn with_stamps(profile: &mut Profile, events: EventNumber) {
    let timeline = &mut profile.timeline;
    let names = timeline.names.len() as NameId;
    timeline
        .names
        .extend([format!("{EVIL} one"), format!("{EVIL} two")]);
    for event in 1..=events {
        for stamp in 0..2 {
            timeline.stamps.push(Stamp {
                spent: residue_profile::timeline::Spent::default(),
                name: names + stamp,
                event,
                time_ns: u64::from(event) * 1_000_000 + u64::from(stamp) + 1,
                vm_bytes: None,
                rss_bytes: Some(rss_bytes(event)),
                live_bytes: None,
            });
        }
    }
    for moment in &mut timeline.moments {
        moment.rss_bytes = Some(rss_bytes(moment.event));
    }
}

fn rss_bytes(event: EventNumber) -> u64 {
    (1 << 20) + u64::from(event) * 8192
}

/// Accounts of every tenth event: the heap grows by 500 bytes an event.
fn with_accounts(profile: &mut Profile) {
    let begins = profile.timeline.moments.iter().zip(0..);
    for (moment, id) in begins.filter(|(moment, _)| moment.kind == MomentKind::Begin) {
        if moment.event.is_multiple_of(10) {
            let grown = u64::from(moment.event) * 500;
            profile.timeline.accounts.push(Account {
                moment: id,
                heap_bytes: grown,
                live_bytes: grown,
                ..Account::default()
            });
        }
    }
}

/// Cells of three areas: some not in RAM, some free, others with blocks of two stacks.
fn with_heap(profile: &mut Profile) {
    let cells = (0..300).map(|cell: u64| {
        let kind = cell % 4;
        MapCell {
            start: cell * 8192 + cell / 100 * (1 << 20),
            pages: 2,
            resident_pages: kind.min(2),
            pinned_pages: kind.saturating_sub(1),
            used_bytes: kind.saturating_sub(1) * (cell % 40) * 100,
            stack: (kind > 1).then_some(u32::from(cell > 150)),
            birth: (kind > 1).then_some((cell / 3) as u32),
        }
    });
    let pins = Pins {
        map: HeapMap {
            cell_pages: 2,
            cells: cells.collect(),
        },
        ..Pins::default()
    };
    profile.picture = Some(residue_profile::holders::Picture {
        event: 100,
        pins: Some(pins),
        ..Default::default()
    });
}

#[test]
fn every_cell_of_the_heap_that_is_in_ram_is_drawn_once() {
    let mut profile = run(100, &|_| 500, Source::Marks);
    with_heap(&mut profile);
    let (picture, _) = drawn(&profile);
    expect_sound(&picture.svg);
    let document = Document::parse(&picture.svg).unwrap();
    let panels = with(&document, "data-panel");
    for name in ["heap", "heap-age", "heap-stack"] {
        let panel = panels
            .iter()
            .find(|it| it.attribute("data-panel") == Some(name));
        let runs = panel
            .unwrap()
            .children()
            .filter_map(|it| it.attribute("data-cells"));
        let cells: Vec<u64> = runs
            .flat_map(|run| {
                let (from, to) = run.split_once("..").unwrap();
                from.parse().unwrap()..=to.parse::<u64>().unwrap()
            })
            .collect();
        let expected: Vec<u64> = (0..300).filter(|cell| cell % 4 > 0).collect();
        assert_eq!(cells, expected, "{name}");
        // Two areas begin behind the first.
        let lines = panel
            .unwrap()
            .children()
            .filter(|it| it.has_tag_name("line"));
        assert_eq!(lines.count(), 2, "{name}");
    }
}

#[test]
fn all_panels_stand_in_one_picture_with_numbers_to_the_byte() {
    let mut profile = run(100, &|_| 500, Source::Marks);
    with_stamps(&mut profile, 100);
    with_accounts(&mut profile);
    with_heap(&mut profile);
    let (picture, verdict) = drawn(&profile);
    expect_sound(&picture.svg);
    assert_eq!(picture.panels, ALL);
    assert_eq!(picture.left_out, [""; 0]);
    let document = Document::parse(&picture.svg).unwrap();
    let guilty = with(&document, "data-guilty");
    assert_eq!(guilty.len(), 1);
    let name = "<script>alert(\"1\")</script>&']]> two → begin";
    assert_eq!(guilty[0].attribute("data-guilty"), Some(name));
    let intervals = with(&document, "data-interval");
    assert_eq!(intervals.len(), 4);
    // The first rectangle is what stands behind the cells.
    let cells = |node: &Node<'_, '_>| node.children().filter(Node::is_element).count() - 1;
    assert_eq!(intervals.iter().map(cells).max(), Some(100));
    let parts: Vec<(&str, f64)> = with(&document, "data-part")
        .iter()
        .map(|node| {
            (
                node.attribute("data-part").unwrap(),
                number(node, "data-bytes"),
            )
        })
        .collect();
    assert_eq!(parts.len(), 2, "{parts:?}");
    assert_eq!((parts[0].0, parts[1].0), ("live heap", "unexplained"));
    let account = verdict.unwrap().account.unwrap().bytes_per_event;
    assert_eq!(
        (parts[0].1, parts[1].1),
        (account.live_heap, account.unexplained)
    );
    assert_eq!((account.live_heap, account.unexplained), (500.0, 7692.0));
}

#[test]
fn a_picture_has_twice_as_many_pixels_and_is_not_blank() {
    let mut profile = run(60, &|_| 1000, Source::Marks);
    with_stamps(&mut profile, 60);
    for (is_dark, width_px) in [(false, 960), (true, 600)] {
        let look = Look { width_px, is_dark };
        let (picture, _) = drawn_as(&profile, EventRange::ALL, look);
        let document = Document::parse(&picture.svg).unwrap();
        let height = number(&document.root_element(), "height") as u32;
        let file = png(&picture.svg).unwrap();
        let decoder = png::Decoder::new(std::io::Cursor::new(&file));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (2 * width_px, 2 * height));
        let paper = &pixels[..4].to_vec();
        let inked = pixels.chunks(4).filter(|pixel| *pixel != paper).count();
        let share = inked as f64 / (info.width * info.height) as f64;
        assert!(
            (0.02..0.9).contains(&share),
            "{share} of the picture is drawn"
        );
        // The headline: text is drawn with the font that comes along.
        let row_bytes = info.width as usize * 4;
        let headline = &pixels[2 * 20 * row_bytes..2 * 42 * row_bytes];
        assert!(headline.chunks(4).any(|pixel| pixel != paper), "no letters");
    }
}

#[test]
fn letters_that_the_font_lacks_do_no_harm() {
    let mut profile = run(10, &|_| 1000, Source::Marks);
    profile.meta.program = "内存 مرحبا 🦀 e\u{301} \u{202e}\u{fffd}".to_string();
    let (picture, _) = drawn(&profile);
    expect_sound(&picture.svg);
    assert_eq!(png(&picture.svg).unwrap()[..8], *b"\x89PNG\r\n\x1a\n");
}

#[test]
fn a_profile_of_nothing_says_so() {
    let (picture, _) = drawn(&Profile::default());
    expect_sound(&picture.svg);
    assert_eq!(picture.panels, []);
    assert_eq!(picture.left_out.len(), 5);
    assert_eq!(picture.left_out[0], "fewer than two events: no timeline");
    png(&picture.svg).unwrap();
}

#[test]
fn no_profile_is_too_odd() {
    for source in [Source::Marks, Source::Ticks, Source::Imported, Source::None] {
        for events in [0, 1, 2, 40] {
            for change in [0, 1 << 40, i64::from(i32::MIN)] {
                let mut profile = run(events, &|_| change, source);
                expect_sound(&drawn(&profile).0.svg);
                with_stamps(&mut profile, events);
                with_accounts(&mut profile);
                expect_sound(&drawn(&profile).0.svg);
                let ranges = [(0, 0), (2, 3), (5, 2), (7, u32::MAX), (u32::MAX, u32::MAX)];
                for (from, to) in ranges {
                    let look = Look {
                        width_px: from.max(480),
                        is_dark: true,
                    };
                    expect_sound(&drawn_as(&profile, EventRange { from, to }, look).0.svg);
                }
            }
        }
    }
}

#[test]
fn tables_that_do_not_fit_together_are_drawn_all_the_same() {
    let mut profile = run(50, &|_| 100, Source::Marks);
    with_stamps(&mut profile, 50);
    // Stacks, names and moments that are not there; sizes beyond all reason.
    profile.births = Default::default();
    profile.births.push_row([residue_profile::BirthBin {
        birth: u32::MAX,
        blocks: u64::MAX,
        bytes: u64::MAX,
    }]);
    for stamp in &mut profile.timeline.stamps {
        stamp.rss_bytes = Some(u64::MAX);
        stamp.live_bytes = Some(i64::MAX as u64);
    }
    for moment in &mut profile.timeline.moments {
        moment.rss_bytes = Some(u64::MAX / 2);
        moment.recorder_bytes = u64::MAX;
        moment.kind = match moment.event {
            7 => MomentKind::Snapshot,
            _ => moment.kind,
        };
        moment.name = Some(u32::MAX);
    }
    profile.timeline.about.events = u64::MAX;
    profile.timeline.about.birth_bin_events = u32::MAX;
    profile.meta.started_unix_ns = u64::MAX;
    profile.meta.program = "x".repeat(100_000);
    let (picture, _) = drawn(&profile);
    expect_sound(&picture.svg);
    png(&picture.svg).unwrap();
}
