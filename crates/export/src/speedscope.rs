//! The file format of speedscope, <https://www.speedscope.app/file-format-schema.json>:
//! one profile a counter, one sample a path, its weight the value.

use std::io::{self, Write};

use residue_calltree::{CallNodeId, CallTree};
use residue_profile::Counter;
use residue_profile::units::Unit;
use serde::Serialize;

use crate::Source;
use crate::bounds::PathSizes;
use crate::walk::{PathText, Placed, depth_first};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

#[derive(Serialize)]
struct Frame<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// Wants a tree with the detail of lines.
pub fn write(source: &Source<'_>, out: &mut dyn Write) -> io::Result<()> {
    let frames = Frames::of(source.tree);
    PathSizes::of(source.tree, |label| frames.numbers[label].len()).expect_few()?;
    let order: Vec<Placed> = depth_first(&source.tree.children(), |_| {}).collect();
    let exporter = concat!("residue@", env!("CARGO_PKG_VERSION"));
    write!(
        out,
        "{{\"$schema\":\"{SCHEMA}\",\"exporter\":\"{exporter}\""
    )?;
    write!(out, ",\"name\":")?;
    serde_json::to_writer(&mut *out, &source.profile.meta.program)?;
    write!(out, ",\"activeProfileIndex\":{}", most_wanted(source))?;
    write!(out, ",\"shared\":{{\"frames\":")?;
    serde_json::to_writer(&mut *out, &frames.list)?;
    write!(out, "}},\"profiles\":[")?;
    for (index, &counter) in source.counters.iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        write_profile(source, counter, &frames, &order, out)?;
    }
    out.write_all(b"]}\n")
}

/// The profile that is shown first: live bytes where they are among them.
fn most_wanted(source: &Source<'_>) -> usize {
    let mut counters = source.counters.iter();
    counters
        .position(|&counter| counter == Counter::default())
        .unwrap_or(0)
}

fn write_profile(
    source: &Source<'_>,
    counter: Counter,
    frames: &Frames<'_>,
    order: &[Placed],
    out: &mut dyn Write,
) -> io::Result<()> {
    let own = source.own(counter);
    let sum = own.whole();
    let unit = match counter.unit() {
        Unit::Bytes => "bytes",
        Unit::Ns => "nanoseconds",
        Unit::Count => "none",
    };
    let name = counter.name();
    write!(
        out,
        "{{\"type\":\"sampled\",\"name\":\"{name}\",\"unit\":\"{unit}\",\
         \"startValue\":0,\"endValue\":{sum},\"samples\":["
    )?;
    let mut weights: Vec<u64> = Vec::new();
    let mut path = PathText::default();
    for &Placed { node, depth } in order {
        let path = path.go_to(depth, frames.number(source.tree, node), ',');
        let weight = own[node as usize];
        if weight > 0 {
            out.write_all(if weights.is_empty() { b"[" } else { b",[" })?;
            out.write_all(path.as_bytes())?;
            out.write_all(b"]")?;
            weights.push(weight);
        }
    }
    write!(out, "],\"weights\":")?;
    serde_json::to_writer(&mut *out, &weights)?;
    out.write_all(b"}")
}

/// The labels that nodes have, numbered.
struct Frames<'a> {
    list: Vec<Frame<'a>>,
    /// Per label, its number in digits.
    numbers: Vec<String>,
}

impl<'a> Frames<'a> {
    fn of(tree: &'a CallTree) -> Frames<'a> {
        let mut frames = Frames {
            list: Vec::new(),
            numbers: vec![String::new(); tree.labels.len()],
        };
        for node in tree.nodes.iter().skip(1) {
            let number = &mut frames.numbers[node.label as usize];
            if number.is_empty() {
                *number = frames.list.len().to_string();
                let label = &tree.labels[node.label as usize];
                frames.list.push(Frame {
                    name: &label.name,
                    file: match &*label.file {
                        "" => &label.module,
                        file => file,
                    },
                    line: Some(label.line).filter(|&line| line > 0),
                });
            }
        }
        frames
    }

    fn number(&self, tree: &CallTree, node: CallNodeId) -> &str {
        &self.numbers[tree.nodes[node as usize].label as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use residue_calltree::Detail;
    use residue_profile::MemoryKind;
    use serde_json::{Value, json};

    fn written(counters: &[Counter]) -> Value {
        let profile = sample::profile();
        let tree = sample::tree_with(&profile, MemoryKind::Heap, Detail::Line);
        let source = Source {
            profile: &profile,
            tree: &tree,
            counters,
        };
        let mut out = Vec::new();
        write(&source, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn a_profile_has_its_paths_and_values() {
        let file = written(&[Counter::Live]);
        assert_eq!(file["$schema"], SCHEMA);
        assert_eq!(file["name"], "server");
        let frames = file["shared"]["frames"].as_array().unwrap();
        let name = |frame: &Value| frames[frame.as_u64().unwrap() as usize].clone();
        let profile = &file["profiles"][0];
        let paths: Vec<Vec<Value>> = profile["samples"]
            .as_array()
            .unwrap()
            .iter()
            .map(|path| path.as_array().unwrap().iter().map(name).collect())
            .collect();
        let main = json!({"name": "main", "file": "server"});
        let operator_new = json!({"name": "operator new", "file": "libfoo.so"});
        let expected = vec![
            vec![
                main.clone(),
                json!({"name": "load", "file": "src/load.cpp", "line": 20}),
                json!({"name": "space::Thing::foo", "file": "src/thing.hpp", "line": 7}),
                operator_new,
            ],
            vec![
                main,
                json!({"name": "[... frames left out ...]"}),
                json!({"name": "[jit] 0x7f0012f0"}),
                json!({"name": "odd;name", "file": "libfoo.so"}),
            ],
            vec![json!({"name": "[pooled: blocks outside the size limits]"})],
        ];
        assert_eq!(paths, expected);
        assert_eq!(profile["weights"], json!([1920, 1000, 16]));
        assert_eq!(profile["endValue"], 2936);
        assert_eq!(profile["unit"], "bytes");
        assert_eq!(profile["name"], "live");
    }

    #[test]
    fn there_is_a_profile_for_every_counter() {
        let file = written(&Counter::SUMS);
        let profiles = file["profiles"].as_array().unwrap();
        assert_eq!(profiles.len(), 11);
        assert_eq!(file["activeProfileIndex"], 2);
        for (profile, counter) in profiles.iter().zip(Counter::SUMS) {
            let weights = profile["weights"].as_array().unwrap();
            let sum: u64 = weights.iter().map(|weight| weight.as_u64().unwrap()).sum();
            let stacks = sample::profile().stacks;
            let heap = stacks.iter().filter(|stack| stack.kind.is_heap());
            let expected: u64 = heap.map(|stack| counter.value(stack)).sum();
            assert_eq!(sum, expected, "{}", counter.name());
            assert_eq!(profile["endValue"], expected);
            assert_eq!(profile["samples"].as_array().unwrap().len(), weights.len());
            assert_eq!(profile["name"], counter.name());
        }
    }

    #[test]
    fn an_empty_profile_is_a_whole_file() {
        let profile = residue_profile::Profile::default();
        let tree = sample::tree(&profile, MemoryKind::All);
        let source = Source {
            profile: &profile,
            tree: &tree,
            counters: &[Counter::Live],
        };
        let mut out = Vec::new();
        write(&source, &mut out).unwrap();
        let file: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(file["profiles"][0]["samples"], json!([]));
        assert_eq!(file["profiles"][0]["weights"], json!([]));
    }
}
