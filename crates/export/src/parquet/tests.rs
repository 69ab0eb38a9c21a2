//! Tables, read back.

use super::{Table, Tables};
use crate::{Source, sample};
use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use residue_calltree::CallTree;
use residue_names::{NameStyle, Rules};
use residue_profile::{Counter, MemoryKind, Profile};

fn file(profile: &Profile, tree: &CallTree, table: Table) -> Vec<u8> {
    let source = Source {
        profile,
        tree,
        counters: &Counter::ALL,
    };
    let tables = Tables::of(source, &Rules::none(), NameStyle::Short);
    let mut out = Vec::new();
    tables.write(table, &mut out).unwrap();
    out
}

fn rows(profile: &Profile, kind: MemoryKind, table: Table) -> Vec<Row> {
    let tree = sample::tree(profile, kind);
    let bytes = Bytes::from(file(profile, &tree, table));
    let reader = SerializedFileReader::new(bytes).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(Result::unwrap).collect()
}

/// The cells of some columns, as text.
fn cells(rows: &[Row], columns: &[&str]) -> Vec<String> {
    rows.iter()
        .map(|row| {
            let cell = |wanted: &&str| {
                let mut cells = row.get_column_iter();
                let (_, field) = cells.find(|(name, _)| *name == wanted).unwrap();
                text(field)
            };
            columns.iter().map(cell).collect::<Vec<_>>().join(" | ")
        })
        .collect()
}

fn text(field: &Field) -> String {
    match field {
        Field::Str(text) => text.clone(),
        Field::Null => "-".to_string(),
        Field::ListInternal(list) => {
            let items = list.elements().iter().map(text);
            items.collect::<Vec<_>>().join(" ")
        }
        field => field.to_string(),
    }
}

#[test]
fn stacks_have_their_counters_and_paths() {
    let profile = sample::profile();
    let stacks = rows(&profile, MemoryKind::Heap, Table::Stacks);
    let columns = [
        "stack",
        "kind",
        "function",
        "live_bytes",
        "reallocs",
        "path",
    ];
    assert_eq!(
        cells(&stacks, &columns),
        [
            "0 | heap | operator new | 1920 | 3 | 2 3 4 5",
            "1 | heap | operator new | 0 | 0 | 2 8 9 5",
            "2 | heap | odd;name | 1000 | 0 | 2 0 7 10",
            "4 | pooled | [pooled: blocks outside the size limits] | 16 | 0 | ",
        ]
    );
    assert_eq!(rows(&profile, MemoryKind::All, Table::Stacks).len(), 5);
}

#[test]
fn every_counter_has_a_column_with_its_sum() {
    let profile = sample::profile();
    let stacks = rows(&profile, MemoryKind::All, Table::Stacks);
    let columns = [
        "calls",
        "total_bytes",
        "live_bytes",
        "live_blocks",
        "peak_bytes",
        "at_peak_bytes",
        "at_peak_blocks",
        "frees",
        "temporaries",
        "reallocs",
        "cpu_ns",
        "largest_bytes",
    ];
    for (column, counter) in columns.iter().zip(Counter::ALL) {
        let cells = cells(&stacks, &[column]);
        let values = cells.iter().map(|cell| cell.parse::<u64>().unwrap());
        let sum: u64 = values.sum();
        let expected: u64 = profile.stacks.iter().map(|it| counter.value(it)).sum();
        assert_eq!(sum, expected, "{column}");
    }
}

#[test]
fn numbers_beyond_the_signed_ones_are_kept() {
    let mut profile = sample::profile();
    profile.stacks[0].counters.total_bytes = u64::MAX;
    let stacks = rows(&profile, MemoryKind::Heap, Table::Stacks);
    assert_eq!(cells(&stacks, &["total_bytes"])[0], u64::MAX.to_string());
}

#[test]
fn frames_say_where_they_are() {
    let frames = rows(&sample::profile(), MemoryKind::Heap, Table::Frames);
    let columns = [
        "frame",
        "function",
        "linkage_name",
        "module",
        "file",
        "line",
        "address",
        "inlined",
    ];
    let foo = "_ZN5space5Thing3fooERKSsi";
    assert_eq!(
        cells(&frames, &columns)[..8],
        [
            "0 | [... frames left out ...] | - | - | - | - | - | false".to_string(),
            "1 | [lost frame] | - | - | - | - | - | false".to_string(),
            "2 | main | main | server | - | - | 4660 | false".to_string(),
            "3 | load | load | server | src/load.cpp | 20 | 32768 | false".to_string(),
            format!("4 | space::Thing::foo | {foo} | server | src/thing.hpp | 7 | 32768 | true"),
            "5 | operator new | _Znwm | libfoo.so | - | - | 36864 | false".to_string(),
            "6 | - | - | libfoo.so | - | - | 4848 | false".to_string(),
            "7 | - | - | - | - | - | 2130711280 | false".to_string(),
        ]
    );
}

#[test]
fn nodes_lead_to_the_root() {
    let profile = sample::profile();
    let nodes = rows(&profile, MemoryKind::Heap, Table::Nodes);
    let columns = ["node", "parent", "frame"];
    assert_eq!(
        cells(&nodes, &columns)[..5],
        [
            "0 | - | 2",
            "1 | 0 | 3",
            "2 | 1 | 4",
            "3 | 2 | 5",
            "4 | 0 | 8"
        ]
    );
    let stacks = rows(&profile, MemoryKind::Heap, Table::Stacks);
    assert_eq!(cells(&stacks, &["node"]), ["3", "6", "9", "-"]);
}

#[test]
fn events_have_their_counters_and_deltas_their_events() {
    let profile = sample::profile();
    let events = rows(&profile, MemoryKind::Heap, Table::Events);
    let columns = [
        "event",
        "id",
        "stream",
        "begin_ns",
        "end_ns",
        "rss_bytes",
        "mapped_bytes",
        "count_tracks",
    ];
    assert_eq!(
        cells(&events, &columns),
        [
            "1 | 101 | 0 | 1000 | 1500 | 4096 | - | -",
            "2 | 102 | 0 | 2000 | - | - | - | 17.5",
        ]
    );
    let deltas = rows(&profile, MemoryKind::Heap, Table::Deltas);
    let columns = [
        "moment", "at", "event", "time_ns", "stack", "bytes", "blocks",
    ];
    assert_eq!(
        cells(&deltas, &columns),
        [
            "1 | end | 1 | 1500 | 0 | 1920 | 1",
            "2 | begin | 2 | 2000 | 2 | 1000 | 1",
        ]
    );
}

#[test]
fn long_tables_are_written_in_groups() {
    let paths: Vec<Vec<&str>> = vec![vec!["f", "g"]; 132_000];
    let profile = sample::paths(&paths);
    let tree = sample::tree(&profile, MemoryKind::Heap);
    let bytes = Bytes::from(file(&profile, &tree, Table::Stacks));
    let reader = SerializedFileReader::new(bytes).unwrap();
    let meta = reader.metadata();
    let groups: Vec<i64> = meta.row_groups().iter().map(|it| it.num_rows()).collect();
    assert_eq!(groups, [131_072, 928]);
    let mut stack = 0;
    for row in reader.get_row_iter(None).unwrap() {
        let row = [row.unwrap()];
        assert_eq!(cells(&row, &["stack", "path"])[0], format!("{stack} | 2 3"));
        stack += 1;
    }
    assert_eq!(stack, 132_000);
}

#[test]
fn an_empty_profile_has_empty_tables() {
    let profile = Profile::default();
    for (table, expected) in Table::ALL.into_iter().zip([0, 2, 0, 0, 0]) {
        assert_eq!(
            rows(&profile, MemoryKind::All, table).len(),
            expected,
            "{table:?}"
        );
    }
}
