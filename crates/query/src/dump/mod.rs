//! Everything in a profile, once for programs and once for people.
//!
//! ```text
//!   facts: meta, heap, mappings, recorder     lists: modules, functions, frames, stacks
//!   timeline: about, moments, stamps, counts, totals, changes, accounts, ...
//!                                  │
//!                     a form of them: JSON here, text elsewhere
//! ```
//!
//! Written row by row, so that a profile of any length needs no more memory than itself.
//! Paths are lists of indices into `frames`: written out, they would be hundreds of times
//! longer than the profile. The schema is docs/schemas/dump.schema.json.

mod timeline;

use std::io::{self, Write};

use residue_analysis::history::EventRange;
use residue_names::{DemangleStyle, demangle};
use residue_profile::*;
use serde::Serialize;

pub use timeline::write as write_timeline;

use crate::known_counters::KnownCounters;
use crate::visible::visible;

/// What a dump is written as.
pub trait DumpForm {
    /// Something that there is one of.
    fn facts(&mut self, name: &str, facts: &impl Serialize) -> io::Result<()>;
    /// A list of any length.
    fn rows(&mut self, name: &str, rows: impl Iterator<Item = impl Serialize>) -> io::Result<()>;
}

/// What there is one of, and the modules.
pub fn write_facts(profile: &Profile, form: &mut impl DumpForm) -> io::Result<()> {
    form.facts("meta", &profile.meta)?;
    form.facts("heap", &profile.heap)?;
    form.facts("mappings", &profile.mappings)?;
    form.facts("recorder", &profile.recorder)?;
    form.rows("modules", profile.modules.iter())
}

/// In a path: frames were left out here.
const LEFT_OUT: i64 = -1;

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FunctionRow<'a> {
    /// Linkage name.
    symbol: &'a str,
    /// Demangled, with parameters.
    name: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FrameRow {
    /// Index into `modules`.
    module: Option<u32>,
    /// Hexadecimal; in the module where there is one.
    address: String,
    /// Index into `functions`.
    function: Option<u32>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct StackRow<'a> {
    /// Kind of memory: `heap`, `mapping` or `reported`.
    kind: &'static str,
    /// Null where they were not recorded.
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::schema::known_counters")
    )]
    counters: KnownCounters<'a>,
    sizes_total: &'a [SizeBin],
    sizes_live: &'a [SizeBin],
    births: &'a [BirthBin],
    /// Leaf first; null for a frame that a damaged file does not hold any more.
    frames: Vec<Option<i64>>,
}

/// What is written, member by member.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is made")]
pub struct Whole<'a> {
    format: &'static str,
    version: u32,
    meta: Meta,
    heap: Totals,
    mappings: Totals,
    recorder: RecorderStats,
    modules: Vec<Module>,
    functions: Vec<FunctionRow<'a>>,
    frames: Vec<FrameRow>,
    stacks: Vec<StackRow<'a>>,
    timeline: timeline::Whole<'a>,
}

/// One JSON document, a line for each row. Of the timeline only some events.
pub fn write_json(profile: &Profile, events: EventRange, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"format\":\"residue-dump\",\"version\":1")?;
    let mut form = Json {
        out,
        is_first: false,
    };
    write_facts(profile, &mut form)?;
    let functions = profile.functions.iter().map(|symbol| FunctionRow {
        symbol,
        name: visible(&demangle(symbol, DemangleStyle::Full)),
    });
    form.rows("functions", functions)?;
    form.rows("frames", profile.frames.iter().map(frame_row))?;
    let stacks = profile.stacks.iter().enumerate();
    let stacks = stacks.map(|(index, stack)| stack_row(profile, index, stack));
    form.rows("stacks", stacks)?;
    form.out.write_all(b",\n\"timeline\":{")?;
    form.is_first = true;
    write_timeline(&profile.timeline, events, &mut form)?;
    form.out.write_all(b"}}\n")
}

/// Members of an object.
struct Json<'a> {
    out: &'a mut dyn Write,
    is_first: bool,
}

impl Json<'_> {
    fn member(&mut self, name: &str) -> io::Result<()> {
        let before = if self.is_first { "" } else { ",\n" };
        self.is_first = false;
        write!(self.out, "{before}\"{name}\":")
    }
}

impl DumpForm for Json<'_> {
    fn facts(&mut self, name: &str, facts: &impl Serialize) -> io::Result<()> {
        self.member(name)?;
        Ok(serde_json::to_writer(&mut *self.out, facts)?)
    }

    fn rows(&mut self, name: &str, rows: impl Iterator<Item = impl Serialize>) -> io::Result<()> {
        self.member(name)?;
        self.out.write_all(b"[")?;
        for (index, row) in rows.enumerate() {
            self.out
                .write_all(if index == 0 { b"\n" } else { b",\n" })?;
            serde_json::to_writer(&mut *self.out, &row)?;
        }
        self.out.write_all(b"]")
    }
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
        counters: KnownCounters {
            counters: &stack.counters,
            profile,
            measured: Measured::Everything,
        },
        sizes_total: profile.sizes_total.row(index),
        sizes_live: profile.sizes_live.row(index),
        births: profile.births.row(index),
        frames: profile.frames_leaf_first(stack.node).map(in_path).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::sample;
    use serde_json::{Value, json};

    fn dump(profile: &Profile) -> Value {
        let mut out = Vec::new();
        write_json(profile, EventRange::ALL, &mut out).unwrap();
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
