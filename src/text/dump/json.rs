//! Everything in a profile as one JSON document; the schema is in
//! docs/COMMANDS.md.
//!
//! Written row by row, each on a line of its own, so that a profile of any length
//! needs no more memory than itself. Paths are lists of indices into `frames`:
//! written out, they would be hundreds of times longer than the profile.

use std::io::{self, Write};

use residue_profile::*;
use serde::Serialize;

use residue_names::{DemangleStyle, demangle};
use residue_query::visible::visible;

use super::timeline_json;

/// In a path: frames were left out here.
const LEFT_OUT: i64 = -1;

#[derive(Serialize)]
struct FunctionRow<'a> {
    symbol: &'a str,
    name: &'a str,
}

#[derive(Serialize)]
struct FrameRow {
    module: Option<u32>,
    address: String,
    function: Option<u32>,
}

#[derive(Serialize)]
struct StackRow<'a> {
    kind: &'static str,
    counters: &'a Counters,
    sizes_total: &'a [SizeBin],
    sizes_live: &'a [SizeBin],
    births: &'a [BirthBin],
    /// Leaf first; null for a frame that a damaged file does not hold any more.
    frames: Vec<Option<i64>>,
}

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"format\":\"residue-dump\",\"version\":1")?;
    member(out, "meta", &profile.meta)?;
    member(out, "heap", &profile.heap)?;
    member(out, "mappings", &profile.mappings)?;
    member(out, "recorder", &profile.recorder)?;
    array(out, "modules", profile.modules.iter(), |out, module| {
        json(out, module)
    })?;
    let functions = profile.functions.iter();
    array(out, "functions", functions, |out, symbol| {
        let name = &visible(&demangle(symbol, DemangleStyle::Full));
        json(out, &FunctionRow { symbol, name })
    })?;
    array(out, "frames", profile.frames.iter(), |out, frame| {
        json(out, &frame_row(frame))
    })?;
    let stacks = profile.stacks.iter().enumerate();
    array(out, "stacks", stacks, |out, (index, stack)| {
        json(out, &stack_row(profile, index, stack))
    })?;
    out.write_all(b",\n\"timeline\":{")?;
    timeline_json::write_members(&profile.timeline, out)?;
    out.write_all(b"}")?;
    out.write_all(b"}\n")
}

fn frame_row(frame: &Frame) -> FrameRow {
    let known = |id: u32| (id != NONE).then_some(id);
    FrameRow {
        module: known(frame.module),
        address: format!("{:#x}", frame.address),
        function: known(frame.function),
    }
}

fn stack_row<'a>(profile: &'a Profile, index: usize, stack: &'a Stack) -> StackRow<'a> {
    let in_path = |frame| match frame {
        CUT => Some(LEFT_OUT),
        NONE => None,
        frame => Some(i64::from(frame)),
    };
    StackRow {
        kind: stack.kind.name(),
        counters: &stack.counters,
        sizes_total: profile.sizes_total.row(index),
        sizes_live: profile.sizes_live.row(index),
        births: profile.births.row(index),
        frames: profile.frames_leaf_first(stack.node).map(in_path).collect(),
    }
}

pub fn json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    Ok(serde_json::to_writer(out, value)?)
}

fn member(out: &mut dyn Write, name: &str, value: &impl Serialize) -> io::Result<()> {
    write!(out, ",\n\"{name}\":")?;
    json(out, value)
}

/// One more member of an object: a list with a line for each row.
pub fn array<T>(
    out: &mut dyn Write,
    name: &str,
    rows: impl Iterator<Item = T>,
    mut write_row: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    write!(out, ",\n\"{name}\":[")?;
    for (index, row) in rows.enumerate() {
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        write_row(out, row)?;
    }
    out.write_all(b"]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::sample;
    use serde_json::{Value, json};

    fn dump(profile: &Profile) -> Value {
        let mut out = Vec::new();
        write(profile, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn tables_come_out_row_by_row() {
        let profile = sample::profile();
        let dump = dump(&profile);
        let parts: Vec<&String> = dump.as_object().unwrap().keys().collect();
        assert_eq!(
            parts,
            [
                "format",
                "frames",
                "functions",
                "heap",
                "mappings",
                "meta",
                "modules",
                "recorder",
                "stacks",
                "timeline",
                "version",
            ]
        );
        assert_eq!(dump["meta"], serde_json::to_value(&profile.meta).unwrap());
        assert_eq!(dump["modules"][0]["path"], "/opt/server");
        assert_eq!(
            dump["functions"][2],
            json!({"symbol": "_Znwm", "name": "operator new(unsigned long)"})
        );
        assert_eq!(
            dump["frames"][4],
            json!({"module": null, "address": "0x7f0012f0", "function": null})
        );
        assert_eq!(
            dump["frames"][1],
            json!({"module": 1, "address": "0x8000", "function": 1})
        );
    }

    #[test]
    fn stacks_hold_everything_and_point_to_frames() {
        let mut profile = sample::profile();
        let whole = dump(&profile);
        assert_eq!(whole["stacks"].as_array().unwrap().len(), 6);
        let first = &whole["stacks"][0];
        assert_eq!(
            first["counters"],
            serde_json::to_value(profile.stacks[0].counters).unwrap()
        );
        assert_eq!(first["births"].as_array().unwrap().len(), 3);
        assert_eq!(first["frames"], json!([2, 1, 0]));
        assert_eq!(whole["stacks"][2]["frames"], json!([6, 4, -1, 0]));
        assert_eq!(whole["stacks"][4]["kind"], "pooled");
        assert_eq!(whole["stacks"][4]["frames"], json!([]));
        profile.nodes[1].frame = NONE;
        assert_eq!(dump(&profile)["stacks"][0]["frames"], json!([2, 1, null]));
    }

    #[test]
    fn an_empty_profile_is_a_document_too() {
        assert_eq!(dump(&Profile::default())["stacks"], json!([]));
    }
}
