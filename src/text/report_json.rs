//! The report for programs to read; the schema is in docs/COMMANDS.md.

use std::io::{self, Write};

use residue_profile::*;
use serde::Serialize;

use super::names::{NameStyle, Names};
use super::select::Selection;
use super::{paths, summary, words};
use crate::commands::report::Options as Chosen;

#[derive(Serialize)]
struct Report<'a> {
    format: &'static str,
    version: u32,
    meta: &'a Meta,
    heap: &'a Totals,
    mappings: &'a Totals,
    recorder: &'a RecorderStats,
    warnings: Vec<String>,
    stacks: usize,
    selection: Ranking,
    top: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Ranking {
    kind: &'static str,
    counter: &'static str,
    unit: &'static str,
    stacks: usize,
    whole: u64,
}

#[derive(Serialize)]
struct Entry<'a> {
    rank: usize,
    stack: usize,
    kind: &'static str,
    value: u64,
    share: f64,
    counters: &'a Counters,
    sizes_total: &'a [SizeBin],
    sizes_live: &'a [SizeBin],
    births: &'a [BirthBin],
    /// Instead of frames, where the path is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_path: Option<&'static str>,
    frames: Vec<Place<'a>>,
}

/// One frame; without an address where frames were left out.
#[derive(Serialize)]
struct Place<'a> {
    function: String,
    symbol: Option<&'a str>,
    module: Option<&'a str>,
    address: Option<String>,
}

pub fn write(
    profile: &Profile,
    options: &Chosen,
    selection: &Selection,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let style = if options.full_names {
        NameStyle::Full
    } else {
        NameStyle::NoParams
    };
    let mut names = Names::new(profile, style);
    let entry = |(rank, &index): (usize, &usize)| {
        let stack = &profile.stacks[index];
        let value = options.counter.value(stack);
        Entry {
            rank: rank + 1,
            stack: index,
            kind: words::kind(stack.kind),
            value,
            share: value as f64 / selection.whole.max(1) as f64,
            counters: &stack.counters,
            sizes_total: profile.sizes_total.row(index),
            sizes_live: profile.sizes_live.row(index),
            births: profile.births.row(index),
            no_path: paths::placeholder(stack),
            frames: profile
                .frames_leaf_first(stack.node)
                .map(|frame| place(profile, &mut names, frame))
                .collect(),
        }
    };
    let report = Report {
        format: "residue-report",
        version: 1,
        meta: &profile.meta,
        heap: &profile.heap,
        mappings: &profile.mappings,
        recorder: &profile.recorder,
        warnings: summary::warnings(profile),
        stacks: profile.stacks.len(),
        selection: Ranking {
            kind: options.kind.name(),
            counter: options.counter.name(),
            unit: match options.counter.is_bytes() {
                true => "bytes",
                false => "count",
            },
            stacks: selection.stacks,
            whole: selection.whole,
        },
        top: selection.top.iter().enumerate().map(entry).collect(),
    };
    serde_json::to_writer(&mut *out, &report).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}

fn place<'a>(profile: &'a Profile, names: &mut Names<'_>, id: FrameId) -> Place<'a> {
    let frame = profile.frames.get(id as usize);
    let symbol = frame.and_then(|frame| profile.functions.get(frame.function as usize));
    let module = frame.and_then(|frame| profile.modules.get(frame.module as usize));
    Place {
        function: names.frame(id),
        symbol: symbol.map(String::as_str),
        module: module.map(|module| module.path.as_str()),
        address: frame.map(|frame| format!("{:#x}", frame.address)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::report::print;
    use crate::text::sample;
    use serde_json::{Value, json};

    fn report(options: Chosen) -> Value {
        let mut out = Vec::new();
        let options = Chosen {
            json: true,
            ..options
        };
        print(&sample::profile(), &options, &mut out).unwrap();
        assert!(out.ends_with(b"}\n"));
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn the_document_has_the_documented_parts() {
        let report = report(Chosen::default());
        assert_eq!(report["format"], "residue-report");
        assert_eq!(report["version"], 1);
        assert_eq!(
            report["meta"]["end"],
            json!({"kind": "killed", "signal": 9})
        );
        assert_eq!(report["heap"]["calls"], 5_001_622);
        assert_eq!(report["mappings"]["live_bytes"], 8192);
        assert_eq!(report["recorder"]["threads"], 3);
        assert_eq!(report["warnings"], json!([]));
        assert_eq!(report["stacks"], 6);
        assert_eq!(
            report["selection"],
            json!({"kind": "heap", "counter": "live", "unit": "bytes", "stacks": 3, "whole": 2936})
        );
        assert_eq!(report["top"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn stacks_have_all_their_numbers_and_frames() {
        let report = report(Chosen {
            max_frames: 1,
            ..Chosen::default()
        });
        let first = &report["top"][0];
        assert_eq!(first["rank"], 1);
        assert_eq!(first["stack"], 0);
        assert_eq!(first["kind"], "heap");
        assert_eq!(first["value"], 1920);
        assert_eq!(first["share"], 1920.0 / 2936.0);
        assert_eq!(first["counters"]["temporaries"], 5);
        assert_eq!(first["sizes_total"], json!([{"bits": 7, "blocks": 100}]));
        assert_eq!(first["sizes_live"], json!([{"bits": 7, "blocks": 30}]));
        assert_eq!(
            first["births"][2],
            json!({"birth": 2, "blocks": 10, "bytes": 640})
        );
        assert_eq!(
            first["frames"][1],
            json!({
                "function": "space::Thing::foo",
                "symbol": "_ZN5space5Thing3fooERKSsi",
                "module": "/lib/libfoo.so",
                "address": "0x8000",
            })
        );
        assert_eq!(first["frames"].as_array().unwrap().len(), 3);
        assert_eq!(
            report["top"][1]["frames"][2],
            json!({
                "function": "[... frames left out ...]",
                "symbol": null,
                "module": null,
                "address": null,
            })
        );
        let pooled = &report["top"][2];
        assert_eq!(pooled["frames"], json!([]));
        assert_eq!(
            pooled["no_path"],
            "[pooled: blocks outside the size limits]"
        );
    }
}
