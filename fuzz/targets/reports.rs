//! What commands say of a profile, as text, JSON and CSV. The first four bytes choose: what is
//! asked, which memory, by which counter, and how much of it; the rest are sections.
#![no_main]

use std::io::sink;
use std::sync::LazyLock;

use residue_analysis::history::EventRange;
use residue_analysis::merge::merge;
use residue_analysis::stages::{Value, of_events};
use residue_analysis::verdict::verdict;
use residue_fuzz::{file_of, on_this_thread};
use residue_profile::{Counter, Measured, MemoryKind, Profile, decode_lossy};
use residue_query::check::{CheckDocument, IgnoreList, growth, resident};
use residue_query::choice::{Choice, Names};
use residue_query::leaks::{Limits, document as leaks_document};
use residue_query::list::functions;
use residue_query::no_events::NoVerdict;
use residue_query::report::flat::Limit;
use residue_query::report::source::Source;
use residue_query::report::stacks::Stacks;
use residue_query::report::{Request, View, document};
use residue_query::{dump, holders, moment_view, pins, processes, thread_view, warnings};
use residue_text::leaks::{Length, lines_on};
use residue_text::list::Listing;
use residue_text::report::{self, Look};
use residue_text::terminal::Page;

static NAMES: LazyLock<Names> = LazyLock::new(Names::usual);

libfuzzer_sys::fuzz_target!(
    init: on_this_thread(),
    |bytes: &[u8]| {
        let Some((&[what, kind, counter, amount], sections)) = bytes.split_first_chunk() else {
            return;
        };
        let (profile, _) = decode_lossy(&file_of(sections)).expect("its header is right");
        let kind = MemoryKind::ALL[usize::from(kind) % MemoryKind::ALL.len()];
        let counter = Counter::ALL[usize::from(counter) % Counter::ALL.len()];
        let amount = usize::from(amount);
        match what % 10 {
            0 => report_of(&profile, Choice::whole(kind, NAMES.clone()), counter, amount),
            1 => leaks(&profile, amount),
            2 => check(&profile, amount),
            3 => stages(&profile, amount),
            4 => list(&profile, kind, counter, amount),
            5 => dumps(&profile),
            6 => at_a_moment(profile, kind, amount),
            7 => parts(profile, kind, counter, amount),
            8 => held(&profile, amount),
            _ => pinned(&profile, amount),
        }
    }
);

const PAGE_COLUMNS: usize = 80;

fn report_of(profile: &Profile, choice: Choice, counter: Counter, amount: usize) {
    let Ok(source) = Source::new(profile, choice, vec![counter, Counter::Calls]) else {
        return;
    };
    let view = View::ALL[amount % View::ALL.len()];
    let request = Request {
        views: vec![view],
        limit: Limit {
            rows: amount,
            min_percent: 0.0,
        },
        threshold_percent: 0.5,
        function: None,
        inverted: amount % 2 == 1,
    };
    let look = Look {
        page: &Page::plain(PAGE_COLUMNS),
        max_frames: 16,
        names_note: None,
        says_nothing: true,
    };
    report::text(&source, &request, &look);
    let _ = report::write_csv(&source, &request, &mut sink());
    let stacks = Stacks::of(&source, amount);
    let document = document::report(&source, &request, &stacks);
    serde_json::to_writer(sink(), &document).expect("a report is JSON");
}

fn leaks(profile: &Profile, amount: usize) {
    let Some(verdict) = verdict(profile, EventRange::ALL) else {
        let _ = NoVerdict::of(profile, EventRange::ALL).to_string();
        return;
    };
    let length = Length {
        stacks: amount,
        with_rest: true,
    };
    lines_on(
        &Page::plain(PAGE_COLUMNS),
        profile,
        &verdict,
        length,
        &NAMES,
    );
    let document = leaks_document(profile, &verdict, &NAMES, Limits::NONE);
    serde_json::to_writer(sink(), &document).expect("a verdict is JSON");
}

fn check(profile: &Profile, amount: usize) {
    let mut checks = vec![resident(profile, amount as u64)];
    if let Some(verdict) = verdict(profile, EventRange::ALL) {
        let ignored = IgnoreList {
            name: "known.txt".to_string(),
            holds: &|name| name.len() % 2 == 1,
        };
        checks.push(growth(profile, verdict, amount as f64, &ignored));
    }
    for check in &checks {
        residue_text::check::check_lines(check);
    }
    let document = CheckDocument::new("a.residue".to_string(), profile, checks);
    residue_text::junit::write(&document, &mut sink()).expect("a sink takes all");
    serde_json::to_writer(sink(), &document).expect("a check is JSON");
}

fn stages(profile: &Profile, amount: usize) {
    for value in [Value::Rss, Value::Vm, Value::Live, Value::Time] {
        if let Ok(stages) = of_events(&profile.timeline, EventRange::ALL, Some(value)) {
            residue_text::stages::write(&stages, "event", amount, &mut sink())
                .expect("a sink takes all");
            let document = residue_query::stages::document(&stages, "event");
            serde_json::to_writer(sink(), &document).expect("stages are JSON");
        }
    }
}

fn list(profile: &Profile, kind: MemoryKind, counter: Counter, amount: usize) {
    let choice = Choice::whole(kind, NAMES.clone());
    let counters = [counter];
    let Ok(functions) = functions(profile, &choice, "*", &counters) else {
        return;
    };
    let listing = Listing {
        counters: &counters,
        functions: &functions,
        source: &|_| None,
        context: amount as u32,
    };
    listing.text(&Page::plain(PAGE_COLUMNS));
}

fn dumps(profile: &Profile) {
    dump::write_json(profile, EventRange::ALL, &mut sink()).expect("a sink takes all");
    residue_text::dump::write(profile, EventRange::ALL, &mut sink()).expect("a sink takes all");
    warnings::warnings(profile);
    processes::summary(profile);
}

/// As it was when an event began, or as it changed from there to the end.
fn held(profile: &Profile, amount: usize) {
    let Some(picture) = &profile.picture else {
        return;
    };
    let document = holders::document(profile, picture, &NAMES, holders::Limits::NONE);
    let length = residue_text::holders::Length {
        stacks: amount,
        chains: amount,
    };
    residue_text::holders::lines(&Page::plain(PAGE_COLUMNS), &document, length);
    serde_json::to_writer(sink(), &document).expect("a document");
}

fn pinned(profile: &Profile, amount: usize) {
    let pictured = profile.picture.as_ref();
    let Some((picture, pins)) = pictured.and_then(|it| Some((it, it.pins.as_ref()?))) else {
        return;
    };
    let document = pins::document(profile, picture, pins, &NAMES, pins::Limits::NONE);
    residue_text::pins::lines(&Page::plain(PAGE_COLUMNS), &document, amount);
    serde_json::to_writer(sink(), &document).expect("a document");
}

fn at_a_moment(profile: Profile, kind: MemoryKind, amount: usize) {
    let event = amount / 2;
    let part = match amount % 2 {
        0 => format!("{event}"),
        _ => format!("{event}..end"),
    };
    let part = part.parse().expect("a part");
    let Ok(span) = profile.timeline.span_of(&part) else {
        return;
    };
    let (view, measured) = moment_view::of(profile, span);
    let choice = Choice {
        measured,
        ..Choice::whole(kind, NAMES.clone())
    };
    report_of(&view, choice, Counter::Live, amount);
}

/// Of some threads, and added to itself.
fn parts(profile: Profile, kind: MemoryKind, counter: Counter, amount: usize) {
    let twice = merge(vec![profile.clone(), profile.clone()]);
    let choice = Choice::whole(kind, NAMES.clone());
    report_of(&twice, choice.clone(), counter, amount);
    if let Ok(of_threads) = thread_view::of(profile, "*") {
        let measured = Measured::ByThread;
        report_of(&of_threads, Choice { measured, ..choice }, counter, amount);
    }
}
