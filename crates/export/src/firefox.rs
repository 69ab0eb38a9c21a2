//! The processed format of the Firefox Profiler: tables of equal columns, and a thread
//! for each counter whose samples are the paths, weighted by their values.
//!
//! ```text
//!   thread.samples ──► stackTable ──► frameTable ──► funcTable ──► names, files, libraries
//!                        prefix         line
//! ```

use std::io::{self, Write};

use residue_calltree::{CallTree, Label, TREE_ROOT};
use residue_profile::Counter;
use residue_profile::units::Unit;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::{Value, json};

use crate::Source;

/// The first version whose tables are shared by all threads. The profiler reads all
/// versions up to its own.
const FORMAT_VERSION: u32 = 60;
/// Of the tables' own format, from before they are processed.
const GECKO_VERSION: u32 = 32;
const TYPE_LIBRARY: u32 = 1;

/// Wants a tree with the detail of lines.
pub fn write(source: &Source<'_>, out: &mut dyn Write) -> io::Result<()> {
    let tables = Tables::of(source.tree);
    write!(out, "{{\"meta\":")?;
    serde_json::to_writer(&mut *out, &meta(source))?;
    write!(out, ",\"libs\":[],\"shared\":")?;
    serde_json::to_writer(&mut *out, &tables)?;
    write!(out, ",\"threads\":[")?;
    for (index, &counter) in source.counters.iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        serde_json::to_writer(&mut *out, &Thread::of(source, counter, index))?;
    }
    out.write_all(b"]}\n")
}

fn meta(source: &Source<'_>) -> Value {
    let meta = &source.profile.meta;
    let wanted = source
        .counters
        .iter()
        .position(|&it| it == Counter::default());
    json!({
        "interval": 1,
        "startTime": meta.started_unix_ns / 1_000_000,
        "processType": 0,
        "product": meta.program,
        "importedFrom": "Residue",
        "arguments": meta.command.join(" "),
        "stackwalk": 1,
        "debug": false,
        "version": GECKO_VERSION,
        "preprocessedProfileVersion": FORMAT_VERSION,
        "symbolicated": true,
        "symbolicationNotSupported": true,
        "usesOnlyOneStackType": true,
        "sourceCodeIsNotOnSearchfox": true,
        "keepProfileThreadOrder": true,
        "initialVisibleThreads": (0..source.counters.len()).collect::<Vec<_>>(),
        "initialSelectedThreads": [wanted.unwrap_or(0)],
        "markerSchema": [],
        "categories": [
            {"name": "Other", "color": "grey", "subcategories": ["Other"]},
            {"name": "Framework", "color": "lightblue", "subcategories": ["Other"]},
        ],
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Thread<'a> {
    process_type: &'a str,
    process_startup_time: u32,
    process_shutdown_time: Option<u32>,
    register_time: u32,
    unregister_time: Option<u32>,
    paused_ranges: [u32; 0],
    name: &'a str,
    process_name: &'a str,
    is_main_thread: bool,
    pid: String,
    tid: usize,
    samples: Samples,
    markers: Value,
}

impl<'a> Thread<'a> {
    fn of(source: &Source<'a>, counter: Counter, index: usize) -> Thread<'a> {
        let meta = &source.profile.meta;
        Thread {
            process_type: "default",
            process_startup_time: 0,
            process_shutdown_time: None,
            register_time: 0,
            unregister_time: None,
            paused_ranges: [],
            name: counter.name(),
            process_name: &meta.program,
            is_main_thread: index == 0,
            pid: meta.pid.to_string(),
            tid: index,
            samples: Samples::of(source, counter),
            markers: json!({
                "data": [], "name": [], "startTime": [], "endTime": [],
                "phase": [], "category": [], "length": 0,
            }),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Samples {
    stack: Vec<Option<u32>>,
    /// One after the other: a path has no time of its own.
    time: Vec<u32>,
    weight: Vec<u64>,
    weight_type: &'static str,
    length: usize,
}

impl Samples {
    fn of(source: &Source<'_>, counter: Counter) -> Samples {
        let own = source.own(counter);
        let valued = own.iter().enumerate().filter(|(_, value)| **value > 0);
        let (stack, weight): (Vec<Option<u32>>, Vec<u64>) = valued
            .map(|(node, &value)| (stack_number(node as u32), value))
            .unzip();
        Samples {
            time: (0..stack.len() as u32).collect(),
            length: stack.len(),
            stack,
            weight,
            weight_type: match counter.unit() {
                Unit::Bytes => "bytes",
                Unit::Ns => "tracing-ms",
                Unit::Count => "samples",
            },
        }
    }
}

/// The root of the tree is no stack.
fn stack_number(node: u32) -> Option<u32> {
    (node != TREE_ROOT).then(|| node - 1)
}

/// What all threads share.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tables<'a> {
    stack_table: StackTable,
    frame_table: FrameTable,
    func_table: FuncTable,
    resource_table: ResourceTable,
    native_symbols: Value,
    sources: Sources,
    string_array: Vec<&'a str>,
}

#[derive(Serialize)]
struct StackTable {
    frame: Vec<u32>,
    prefix: Vec<Option<u32>>,
    length: usize,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct FrameTable {
    address: Vec<i32>,
    inline_depth: Vec<u32>,
    category: Vec<u32>,
    subcategory: Vec<u32>,
    func: Vec<u32>,
    native_symbol: Vec<Option<u32>>,
    #[serde(rename = "innerWindowID")]
    inner_window_id: Vec<Option<u32>>,
    line: Vec<Option<u32>>,
    column: Vec<Option<u32>>,
    length: usize,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct FuncTable {
    name: Vec<u32>,
    #[serde(rename = "isJS")]
    is_js: Vec<bool>,
    #[serde(rename = "relevantForJS")]
    relevant_for_js: Vec<bool>,
    resource: Vec<i64>,
    source: Vec<Option<u32>>,
    line_number: Vec<Option<u32>>,
    column_number: Vec<Option<u32>>,
    length: usize,
}

#[derive(Default, Serialize)]
struct ResourceTable {
    lib: Vec<Option<u32>>,
    name: Vec<u32>,
    host: Vec<Option<u32>>,
    r#type: Vec<u32>,
    length: usize,
}

#[derive(Default, Serialize)]
struct Sources {
    uuid: Vec<Option<u32>>,
    filename: Vec<u32>,
    length: usize,
}

impl<'a> Tables<'a> {
    /// A frame for every label, a stack for every node.
    fn of(tree: &'a CallTree) -> Tables<'a> {
        let mut making = Making::default();
        for label in &tree.labels {
            making.add_frame(label);
        }
        let nodes = tree.nodes.iter().skip(1);
        Tables {
            stack_table: StackTable {
                frame: nodes.clone().map(|node| node.label).collect(),
                prefix: nodes.map(|node| stack_number(node.parent)).collect(),
                length: tree.nodes.len().saturating_sub(1),
            },
            frame_table: making.frames,
            func_table: making.funcs,
            resource_table: making.resources,
            native_symbols: json!({
                "libIndex": [], "address": [], "name": [], "functionSize": [], "length": 0,
            }),
            sources: making.sources,
            string_array: making.strings,
        }
    }
}

#[derive(Default)]
struct Making<'a> {
    frames: FrameTable,
    funcs: FuncTable,
    resources: ResourceTable,
    sources: Sources,
    strings: Vec<&'a str>,
    string_numbers: FxHashMap<&'a str, u32>,
    func_numbers: FxHashMap<(&'a str, &'a str, &'a str), u32>,
    resource_numbers: FxHashMap<&'a str, u32>,
    source_numbers: FxHashMap<&'a str, u32>,
}

impl<'a> Making<'a> {
    fn add_frame(&mut self, label: &'a Label) {
        let func = self.func(label);
        let frames = &mut self.frames;
        frames.address.push(-1);
        frames.inline_depth.push(0);
        frames.category.push(u32::from(label.is_framework));
        frames.subcategory.push(0);
        frames.func.push(func);
        frames.native_symbol.push(None);
        frames.inner_window_id.push(None);
        frames.line.push(Some(label.line).filter(|&line| line > 0));
        frames.column.push(None);
        frames.length += 1;
    }

    fn func(&mut self, label: &'a Label) -> u32 {
        let key = (&*label.name, &*label.module, &*label.file);
        if let Some(&number) = self.func_numbers.get(&key) {
            return number;
        }
        let name = self.string(&label.name);
        let resource = self.resource(&label.module).map_or(-1, i64::from);
        let source = self.source(&label.file);
        let funcs = &mut self.funcs;
        funcs.name.push(name);
        funcs.is_js.push(false);
        funcs.relevant_for_js.push(false);
        funcs.resource.push(resource);
        funcs.source.push(source);
        funcs.line_number.push(None);
        funcs.column_number.push(None);
        funcs.length += 1;
        let number = (funcs.length - 1) as u32;
        self.func_numbers.insert(key, number);
        number
    }

    fn resource(&mut self, module: &'a str) -> Option<u32> {
        if module.is_empty() {
            return None;
        }
        if let Some(&number) = self.resource_numbers.get(module) {
            return Some(number);
        }
        let name = self.string(module);
        let resources = &mut self.resources;
        resources.lib.push(None);
        resources.name.push(name);
        resources.host.push(None);
        resources.r#type.push(TYPE_LIBRARY);
        resources.length += 1;
        let number = (resources.length - 1) as u32;
        self.resource_numbers.insert(module, number);
        Some(number)
    }

    fn source(&mut self, file: &'a str) -> Option<u32> {
        if file.is_empty() {
            return None;
        }
        if let Some(&number) = self.source_numbers.get(file) {
            return Some(number);
        }
        let filename = self.string(file);
        self.sources.uuid.push(None);
        self.sources.filename.push(filename);
        self.sources.length += 1;
        let number = (self.sources.length - 1) as u32;
        self.source_numbers.insert(file, number);
        Some(number)
    }

    fn string(&mut self, text: &'a str) -> u32 {
        let strings = &mut self.strings;
        *self.string_numbers.entry(text).or_insert_with(|| {
            strings.push(text);
            (strings.len() - 1) as u32
        })
    }
}

#[cfg(test)]
mod tests;
