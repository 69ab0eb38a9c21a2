//! Damaged files of every format: read or refused, never a panic.

use std::path::Path;

use residue_analysis::stages::{Value, analyse, stamps_of};
use residue_import::{Format, Options, Unit, parse};
use residue_testkit::files::damage::mutate;
use residue_testkit::files::numpy;
use residue_testkit::random::Random;

const ROUNDS: u64 = 10_000;

const PIECES: [&[u8]; 12] = [
    b"\n",
    b",",
    b":",
    b"#",
    b"99999999999999999999",
    b"-1",
    b"nan",
    b"1e308",
    b"\xff",
    b"\"",
    b"",
    b"VSIZE ",
];

/// Returns how many of the damaged files could still be read.
fn survive(name: &str, whole: &[u8]) -> u64 {
    let mut random = Random::new(1);
    let formats = [
        None,
        Some(Format::Stamps),
        Some(Format::Npy),
        Some(Format::MemoryCheck),
        Some(Format::Prmon),
        Some(Format::Csv),
    ];
    let mut read = 0;
    for round in 0..ROUNDS {
        let mut bytes = whole.to_vec();
        if round > 0 {
            mutate(&mut bytes, &mut random, &PIECES);
        }
        // Mostly as it would be found, sometimes as something else.
        let format = if round % 4 == 3 {
            formats[random.index(formats.len())]
        } else {
            None
        };
        let unit = (round % 5 == 4).then_some(Unit::Gib);
        match parse(Path::new(name), &bytes, None, &Options { format, unit }) {
            Ok(imported) => {
                read += 1;
                let timeline = &imported.profile.timeline;
                let (names, stamps) = stamps_of(timeline);
                for value in [Value::Rss, Value::Vm, Value::Live, Value::Time] {
                    if let Ok(stages) = analyse(&names, &stamps, value) {
                        assert!(!stages.rows.is_empty());
                    }
                }
                let times: Vec<u64> = timeline.moments.iter().map(|m| m.time_ns).collect();
                assert!(times.is_sorted());
            }
            Err(error) => assert!(error.to_string().starts_with("cannot import ")),
        }
    }
    read
}

/// Some damage is harmless and some is not; a reader that takes all or none is wrong.
fn check(name: &str, whole: &[u8]) {
    let read = survive(name, whole);
    assert!(
        (ROUNDS / 20..ROUNDS - ROUNDS / 20).contains(&read),
        "{name}: {read}"
    );
}

#[test]
fn stamps() {
    let mut text = "CUDA:/usr/local\nstart:1706856131162134,1344488,702820\n".to_string();
    for event in 0..12 {
        for (stamp, name) in ["head", "middle", "tail"].iter().enumerate() {
            let time = 1_706_856_131_200_000_u64 + event * 1000 + stamp as u64;
            text += &format!(
                "{name}:{time},{},{} # hits={event}\n",
                8000 + event,
                4000 + event
            );
        }
    }
    check("sprof.txt", text.as_bytes());
}

#[test]
fn arrays() {
    let rows: Vec<Vec<f64>> = (0..20)
        .map(|row| vec![row as f64, 100.0 + row as f64, 50.0])
        .collect();
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    check("a.npy", &numpy::npy("<f8", false, 1, &rows));
    check("a.npy", &numpy::npy(">i8", true, 2, &rows));
}

#[test]
fn memory_check() {
    let mut text = String::new();
    for event in 1..8 {
        text += &format!("%MSG-w MemoryCheck:  X 15-Dec-2016 14:51:11 CET Run: 1 Event: {event}\n");
        for module in ["A:a", "B:b"] {
            text += &format!("MemoryCheck: module {module} VSIZE 7062.66 0 RSS 5512.{event} 0.4\n");
        }
    }
    check("job.log", text.as_bytes());
}

#[test]
fn prmon() {
    let mut text = "Time\twtime\trss\tvmem\tnthreads\n".to_string();
    for row in 0..20 {
        text += &format!(
            "{}\t{row}\t{}\t{}\t2\n",
            1_527_669_447 + row,
            100 + row,
            200 + row
        );
    }
    check("prmon.txt", text.as_bytes());
}

#[test]
fn csv() {
    let mut text = "event,time_s,vm_kib,rss_kib,hits\n".to_string();
    for row in 0..20 {
        text += &format!("{row},{row}.5,{},{},{}\n", 200 + row, 100 + row, row * 7);
    }
    check("t.csv", text.as_bytes());
}
