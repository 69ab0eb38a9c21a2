//! The file, walked as the profiler walks it.

use super::*;
use crate::sample;
use residue_calltree::Detail;
use residue_profile::MemoryKind;

fn written() -> Value {
    let profile = sample::profile();
    let tree = sample::tree_with(&profile, MemoryKind::Heap, Detail::Line);
    let source = Source {
        profile: &profile,
        tree: &tree,
        counters: &Counter::SUMS,
    };
    let mut out = Vec::new();
    write(&source, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// A path as the profiler walks it: names, files and lines, innermost first.
fn path(shared: &Value, stack: &Value) -> Vec<String> {
    let string = |index: &Value| &shared["stringArray"][index.as_u64().unwrap() as usize];
    let mut path = Vec::new();
    let mut at = stack.clone();
    while let Some(stack) = at.as_u64() {
        let stacks = &shared["stackTable"];
        let frame = stacks["frame"][stack as usize].as_u64().unwrap() as usize;
        let func = &shared["frameTable"]["func"][frame];
        let func = func.as_u64().unwrap() as usize;
        let funcs = &shared["funcTable"];
        let file = match funcs["source"][func].as_u64() {
            Some(source) => string(&shared["sources"]["filename"][source as usize]),
            None => &Value::Null,
        };
        let library = match funcs["resource"][func].as_u64() {
            Some(resource) => string(&shared["resourceTable"]["name"][resource as usize]),
            None => &Value::Null,
        };
        let name = string(&funcs["name"][func]);
        let line = &shared["frameTable"]["line"][frame];
        path.push(format!("{name} {library} {file} {line}"));
        at = stacks["prefix"][stack as usize].clone();
    }
    path
}

#[test]
fn samples_lead_to_names_files_and_lines() {
    let file = written();
    let live = &file["threads"][2];
    assert_eq!(live["name"], "live");
    let samples = &live["samples"];
    assert_eq!(samples["weight"], json!([1920, 1000, 16]));
    assert_eq!(samples["weightType"], "bytes");
    assert_eq!(samples["time"], json!([0, 1, 2]));
    assert_eq!(
        path(&file["shared"], &samples["stack"][0]),
        [
            r#""operator new" "libfoo.so" null null"#,
            r#""space::Thing::foo" "server" "src/thing.hpp" 7"#,
            r#""load" "server" "src/load.cpp" 20"#,
            r#""main" "server" null null"#,
        ]
    );
}

#[test]
fn there_is_a_thread_for_every_counter() {
    let file = written();
    let threads = file["threads"].as_array().unwrap();
    assert_eq!(threads.len(), 11);
    let stacks = sample::profile().stacks;
    for (thread, counter) in threads.iter().zip(Counter::SUMS) {
        let weights = thread["samples"]["weight"].as_array().unwrap();
        let sum: u64 = weights.iter().map(|weight| weight.as_u64().unwrap()).sum();
        let heap = stacks.iter().filter(|stack| stack.kind.is_heap());
        let expected: u64 = heap.map(|stack| counter.value(stack)).sum();
        assert_eq!(sum, expected, "{}", counter.name());
    }
}

#[test]
fn all_columns_of_a_table_are_as_long_as_it_says() {
    let file = written();
    let mut tables: Vec<&Value> = file["shared"].as_object().unwrap().values().collect();
    for thread in file["threads"].as_array().unwrap() {
        tables.extend([&thread["samples"], &thread["markers"]]);
    }
    let mut columns = 0;
    for table in tables.into_iter().filter_map(Value::as_object) {
        for (name, column) in table {
            if let Some(column) = column.as_array() {
                assert_eq!(table["length"], column.len(), "{name}");
                columns += 1;
            }
        }
    }
    assert_eq!(columns, 28 + 11 * (3 + 6));
}
