//! Each format: what is read, and what is said of files that cannot be.

use std::path::Path;

use residue_import::{Error, Format, Imported, Options, Unit, parse, read};
use residue_profile::timeline::Moment;
use residue_testkit::files::numpy::npy;

fn try_import(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, Error> {
    parse(Path::new(name), bytes, None, options)
}

fn import(name: &str, text: &str) -> Imported {
    try_import(name, text.as_bytes(), &Options::default()).unwrap()
}

fn refusal(name: &str, text: &str) -> String {
    let error = try_import(name, text.as_bytes(), &Options::default()).unwrap_err();
    error.to_string()
}

fn sizes(imported: &Imported) -> Vec<(Option<u64>, Option<u64>)> {
    let of = |moment: &Moment| (moment.vm_bytes, moment.rss_bytes);
    imported.profile.timeline.moments.iter().map(of).collect()
}

fn times_ns(imported: &Imported) -> Vec<u64> {
    let moments = &imported.profile.timeline.moments;
    moments.iter().map(|moment| moment.time_ns).collect()
}

#[test]
fn stamps_that_never_come_back_have_no_events() {
    let imported = import("a.txt", "a:1706856131162134,4,8\nb:1706856131162135,4,8\n");
    let timeline = &imported.profile.timeline;
    assert_eq!((timeline.stamps.len(), timeline.moments.len()), (2, 0));
    assert!(imported.profile.meta.notes[1].contains("no stamp name repeats"));
}

#[test]
fn names_may_have_colons_tags_and_hashes() {
    let text = "[A]a::b:1,4,8\n[A]c#d:2,4,8\n[A]a::b:3,4,12\n[A]c#d:4,4,16 # note: 1,2,3\r\n\n";
    let imported = import("a.txt", text);
    assert_eq!(imported.profile.timeline.names, ["[A]a::b", "[A]c#d"]);
    assert_eq!(imported.period, Some(2));
    assert_eq!(
        sizes(&imported),
        [(Some(4096), Some(8192)), (Some(4096), Some(12_288))]
    );
}

#[test]
fn broken_stamps_are_named_and_a_cut_last_line_is_left_out() {
    let good = "a:1706856131162134,4,8\na:1706856131162135,4,8\n";
    assert_eq!(
        refusal("x.txt", &format!("{good}a:1706856131162134,4\n")),
        "cannot import x.txt: line 3: \"a:1706856131162134,4\" is not `microseconds,vm,rss`"
    );
    assert_eq!(
        refusal("x.txt", &format!("{good}\nnonsense\n")),
        "cannot import x.txt: line 4: \"nonsense\" is neither a stamp nor KEY:value"
    );
    assert_eq!(
        refusal("x.txt", &format!("{good}a:17068561311621340000,4,8\n")),
        "cannot import x.txt: line 3: \"17068561311621340000\" is too large"
    );
    for cut in ["a:1706856131162134,4", "a", "a:1706856131162134,"] {
        let imported = import("x.txt", &format!("{good}{cut}"));
        assert_eq!(imported.profile.timeline.stamps.len(), 2);
        assert!(imported.profile.meta.notes[1].contains("is cut"), "{cut}");
    }
}

/// The array of which the founding user showed the ends, and one with all columns.
const G4_ROWS: [[f64; 4]; 3] = [
    [71888.7, 21316.36, 0.0, 0.0],
    [71889.41, 21279.992, 0.0, 0.0],
    [71890.07, 21247.656, 0.0, 0.0],
];

#[test]
fn arrays_of_floats_are_in_seconds_and_thousands_of_kib() {
    let rows: Vec<&[f64]> = G4_ROWS.iter().map(|row| row.as_slice()).collect();
    let imported = try_import("p.npy", &npy("<f8", false, 1, &rows), &Options::default()).unwrap();
    assert_eq!(imported.format, Format::Npy);
    assert_eq!(
        sizes(&imported),
        [
            (Some(21_827_952_640), None),
            (Some(21_790_711_808), None),
            (Some(21_757_599_744), None)
        ]
    );
    assert_eq!(times_ns(&imported), [0, 710_000_000, 1_370_000_000]);
    // The same in single precision, to its own digits.
    let imported = try_import("p.npy", &npy("<f4", false, 1, &rows), &Options::default()).unwrap();
    assert_eq!(
        sizes(&imported)[0],
        (Some((21_316.36_f32 as f64 * 1_024_000.0) as u64), None)
    );
    let options = Options {
        unit: Some(Unit::Mib),
        ..Options::default()
    };
    let imported = try_import("p.npy", &npy("<f8", false, 1, &rows), &options).unwrap();
    assert_eq!(
        sizes(&imported)[0],
        (Some((21_316.36 * 1_048_576.0_f64).round() as u64), None)
    );
}

#[test]
fn arrays_of_all_kinds_orders_and_versions_say_the_same() {
    let rows: [&[f64]; 3] = [
        &[5.0, 100.0, 40.0],
        &[7.0, 104.0, 44.0],
        &[9.0, 108.0, 40.0],
    ];
    for version in [1, 2, 3] {
        for fortran in [false, true] {
            for kind in ["<i4", ">i4", "<i8", ">i8"] {
                let bytes = npy(kind, fortran, version, &rows);
                let imported = try_import("a.npy", &bytes, &Options::default()).unwrap();
                let kib = |vm: u64, rss: u64| (Some(vm << 10), Some(rss << 10));
                assert_eq!(sizes(&imported), [kib(100, 40), kib(104, 44), kib(108, 40)]);
                assert_eq!(times_ns(&imported), [0, 2000, 4000], "{kind}");
            }
            for kind in ["<f4", ">f4", "<f8", ">f8"] {
                let bytes = npy(kind, fortran, version, &rows);
                let imported = try_import("a.npy", &bytes, &Options::default()).unwrap();
                assert_eq!(sizes(&imported)[2], (Some(110_592_000), Some(40_960_000)));
                assert_eq!(times_ns(&imported)[2], 4_000_000_000, "{kind}");
            }
        }
    }
}

#[test]
fn arrays_that_cannot_be_read_say_why() {
    let rows: [&[f64]; 2] = [&[1.0, 2.0, 3.0], &[2.0, 3.0, 4.0]];
    let whole = npy("<i8", false, 1, &rows);
    let refusal = |bytes: &[u8]| {
        let error = try_import("a.npy", bytes, &Options::default()).unwrap_err();
        error.to_string()
    };
    assert!(refusal(&whole[..whole.len() - 1]).contains("it is cut: it has 1 of its 2 rows"));
    assert!(refusal(&whole[..9]).contains("ends inside its header"));
    assert!(refusal(&npy("<c8", false, 1, &rows)).contains("only f4, f8, i4 and i8"));
    assert!(refusal(&npy("<i8", false, 9, &rows)).contains("version 9"));
    let wide: [&[f64]; 1] = [&[1.0; 5]];
    assert!(refusal(&npy("<i8", false, 1, &wide)).contains("its shape is (1, 5)"));
    let negative: [&[f64]; 2] = [&[1.0, 2.0], &[1.0, -2.0]];
    assert!(refusal(&npy("<f8", false, 1, &negative)).contains("line 2: the virtual size"));
}

#[test]
fn names_beside_an_array_make_stamps_of_it() {
    let rows: [&[f64]; 4] = [
        &[1.0, 8.0, 4.0],
        &[2.0, 8.0, 6.0],
        &[3.0, 8.0, 8.0],
        &[4.0, 8.0, 9.0],
    ];
    let bytes = npy("<i8", false, 1, &rows);
    let directory = std::env::temp_dir().join(format!("residue-import-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("a.npy");
    std::fs::write(&path, &bytes).unwrap();
    std::fs::write(directory.join("a_names.txt"), "head\ntail\nhead\ntail\n").unwrap();
    let imported = read(&path, &Options::default());
    std::fs::remove_dir_all(&directory).unwrap();
    let imported = imported.unwrap();
    assert_eq!(imported.period, Some(2));
    assert_eq!(imported.profile.timeline.names, ["head", "tail"]);
    let wrong = parse(&path, &bytes, Some("one\n"), &Options::default()).unwrap_err();
    assert!(
        wrong
            .to_string()
            .ends_with("it has 4 rows, but there are 1 names beside it")
    );
}

const ONCE_PER_EVENT: &str = "\
Begin processing the 1st record. Run 1, Event 101, LumiSection 2 at 15-Dec-2016 14:50:58.325 CET
%MSG-w MemoryCheck:  PostProcessEvent 15-Dec-2016 14:51:08 CET Run: 1 Event: 101
MemoryCheck: event : VSIZE 984.5 0 RSS 700.25 0
%MSG
other words
%MSG-w MemoryCheck:  PostProcessEvent 15-Dec-2016 14:51:09 CET Run: 1 Event: 102
MemoryCheck: event : VSIZE 985.5 1 RSS 702.25 2
%MSG
";

#[test]
fn one_line_an_event_of_simple_memory_check() {
    let imported = import("job.log", ONCE_PER_EVENT);
    assert_eq!(imported.format, Format::MemoryCheck);
    let mib = |vm: f64, rss: f64| {
        (
            Some((vm * 1_048_576.0) as u64),
            Some((rss * 1_048_576.0) as u64),
        )
    };
    assert_eq!(sizes(&imported), [mib(984.5, 700.25), mib(985.5, 702.25)]);
    assert_eq!(times_ns(&imported), [0, 1_000_000_000]);
    let moments = &imported.profile.timeline.moments;
    assert_eq!((moments[1].event, moments[1].id), (2, 102));
    assert_eq!(
        imported.profile.meta.started_unix_ns,
        1_481_813_468_000_000_000
    );
    assert!(imported.profile.timeline.stamps.is_empty());
}

#[test]
fn modules_of_simple_memory_check_are_stamps_with_holes() {
    let report = |module: &str, event: u64, rss: f64| {
        format!(
            "%MSG-w MemoryCheck:  {module} 15-Dec-2016 14:51:11 CET Run: 1 Event: {event}\n\
             MemoryCheck: module {module} VSIZE 7062.66 0 RSS {rss} 0.5 HEAP-ARENA [ SIZE-BYTES 1 ]\n\
             %MSG\n"
        )
    };
    let text = [
        report("Source:source", 7, 100.0),
        report("Tracks:high", 7, 101.0),
        report("Hits:all", 7, 102.0),
        report("Source:source", 9, 110.0),
        report("Hits:all", 9, 112.0),
    ]
    .concat();
    let imported = import("job.log", &text);
    let timeline = &imported.profile.timeline;
    assert_eq!(timeline.names, ["Source:source", "Tracks:high", "Hits:all"]);
    let events: Vec<u32> = timeline.stamps.iter().map(|stamp| stamp.event).collect();
    assert_eq!(events, [1, 1, 1, 2, 2]);
    let ids: Vec<u64> = timeline.moments.iter().map(|moment| moment.id).collect();
    assert_eq!(ids, [7, 9]);
    assert_eq!(
        refusal("job.log", "MemoryCheck: event : VSIZE 1 0 RSS x 0\n"),
        "cannot import job.log: line 1: RSS is \"x\", not a size"
    );
}

#[test]
fn samples_of_prmon() {
    let table = "Time\twtime\tstime\tutime\tpss\trss\tswap\tvmem\n\
                 1527669447\t1\t0\t0\t5116\t5816\t0\t35036\n\
                 1527669478\t32\t6\t7\t379469\t385508\t0\t929804\n";
    let imported = import("prmon.txt", table);
    assert_eq!(imported.format, Format::Prmon);
    assert_eq!(
        sizes(&imported),
        [
            (Some(35_036 << 10), Some(5816 << 10)),
            (Some(929_804 << 10), Some(385_508 << 10))
        ]
    );
    assert_eq!(times_ns(&imported), [0, 31_000_000_000]);
    assert!(refusal("prmon.txt", &format!("{table}1 2 3\n")).contains("line 4: 3 columns"));
    let wrong = table.replace("35036", "many");
    assert!(refusal("prmon.txt", &wrong).contains("line 2: vmem is \"many\""));
    let summary = r#"{"Avg":{"rss":1},"HW":{},"Max":{"rss":2},"prmon":{"Version":"3"}}"#;
    assert!(refusal("prmon.json", summary).contains("no series"));
}

#[test]
fn tables_with_a_header() {
    let table = "event,time_ms,rss_kib,VM (bytes),hits,note\n\
                 7,0,100,409600,36180,1.5\n\
                 8,250.5,,409601,35264,\n";
    let imported = import("t.csv", table);
    assert_eq!(imported.format, Format::Csv);
    assert_eq!(
        sizes(&imported),
        [(Some(409_600), Some(102_400)), (Some(409_601), None)]
    );
    assert_eq!(times_ns(&imported), [0, 250_500_000]);
    let timeline = &imported.profile.timeline;
    assert_eq!(timeline.names, ["hits", "note"]);
    let counts: Vec<(u32, u32, f64)> = timeline
        .counts
        .iter()
        .map(|count| (count.event, count.name, count.value))
        .collect();
    assert_eq!(counts, [(1, 0, 36180.0), (1, 1, 1.5), (2, 0, 35264.0)]);
    assert_eq!(timeline.moments[1].id, 8);
}

#[test]
fn tables_whose_numbers_or_units_are_unclear() {
    assert!(refusal("t.csv", "event,rss\n1,5\n").contains("line 1: the unit of rss is not known"));
    let options = Options {
        unit: Some(Unit::Mib),
        ..Options::default()
    };
    let imported = try_import("t.csv", b"event,rss\n1,5\n", &options).unwrap();
    assert_eq!(sizes(&imported), [(None, Some(5 << 20))]);
    assert!(refusal("t.csv", "event,rss_kib\n1,-5\n").contains("line 2: rss_kib is \"-5\""));
    assert!(refusal("t.csv", "rss_kib,rss_mib\n1,5\n").contains("rss_mib appears twice"));
    assert!(refusal("t.csv", "rss_kib,x\n1\n2,3\n").contains("line 2: 1 column where"));
    assert!(refusal("t.csv", "1,2\n3,4\n").contains("none of vm, rss, live"));
    assert!(refusal("t.csv", "rss_kib\n").contains("no data in it"));
    let quoted = import("t.csv", "rss_kib;\"a;b\"\n1;\"2\"\n");
    assert_eq!(quoted.profile.timeline.names, ["a;b"]);
}

#[test]
fn what_is_no_known_format_is_refused() {
    assert!(refusal("x", "").ends_with("it is empty"));
    assert!(refusal("x", "hello world\n").contains("no format that is known"));
    assert!(refusal("x.json", "{\"a\": 1}").contains("no format that is known"));
    let missing = read(Path::new("/nonexistent/file"), &Options::default()).unwrap_err();
    assert!(
        missing
            .to_string()
            .starts_with("cannot import /nonexistent/file: No such file")
    );
    let forced = Options {
        format: Some(Format::Npy),
        ..Options::default()
    };
    let error = try_import("x", b"hello", &forced).unwrap_err();
    assert_eq!(error.to_string(), "cannot import x: not a .npy array");
}
