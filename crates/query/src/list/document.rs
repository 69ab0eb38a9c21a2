//! Functions line by line, for programs to read; the schema is docs/schemas/list.schema.json.

use residue_profile::Counter;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{Function, Numbers};

/// A source file as it is now.
pub struct Source {
    pub path: String,
    pub lines: Vec<String>,
    /// Its lines may have moved.
    pub is_newer: bool,
}

pub fn document<'a>(
    functions: &'a [Function],
    counters: &'a [Counter],
    source: impl Fn(&str) -> Option<Source>,
) -> Document<'a> {
    let entries = functions
        .iter()
        .map(|it| entry(it, counters, source(&it.file)));
    Document {
        format: "residue-list",
        version: 1,
        functions: entries.collect(),
    }
}

fn entry<'a>(
    function: &'a Function,
    counters: &'a [Counter],
    source: Option<Source>,
) -> FunctionEntry<'a> {
    let of = |numbers: &'a [Numbers], is_own: bool| ByCounter {
        counters,
        numbers,
        is_own,
    };
    let text = |line: u32| source.as_ref()?.lines.get(line as usize - 1).cloned();
    let lines = function.lines.iter().map(|(&line, numbers)| LineEntry {
        line,
        text: text(line),
        own: of(numbers, true),
        cumulative: of(numbers, false),
    });
    FunctionEntry {
        function: &function.name,
        libraries: function.libraries.iter().map(String::as_str).collect(),
        file: Some(&*function.file).filter(|file| !file.is_empty()),
        lines: lines.collect(),
        own: of(&function.numbers, true),
        cumulative: of(&function.numbers, false),
        changed_after_recording: source.as_ref().map(|source| source.is_newer),
        source: source.map(|source| source.path),
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document<'a> {
    format: &'static str,
    version: u32,
    /// Those that match, the largest first.
    functions: Vec<FunctionEntry<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FunctionEntry<'a> {
    /// Name as it is shown.
    function: &'a str,
    /// Executables and libraries that it is in.
    libraries: Vec<&'a str>,
    /// Source file, as the compiler was given it.
    file: Option<&'a str>,
    /// Where the source file was found.
    source: Option<String>,
    /// Whether the source file is newer than the recording, so that lines may have moved.
    changed_after_recording: Option<bool>,
    /// What it allocated itself, by counter.
    #[serde(rename = "self")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::schema::some_counters")
    )]
    own: ByCounter<'a>,
    /// What it and all that it called allocated, by counter.
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::schema::some_counters")
    )]
    cumulative: ByCounter<'a>,
    /// Lines that allocated.
    lines: Vec<LineEntry<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LineEntry<'a> {
    /// From 1.
    line: u32,
    /// Null where the source was not found.
    text: Option<String>,
    #[serde(rename = "self")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::schema::some_counters")
    )]
    own: ByCounter<'a>,
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::schema::some_counters")
    )]
    cumulative: ByCounter<'a>,
}

/// An object with a member for every counter.
struct ByCounter<'a> {
    counters: &'a [Counter],
    numbers: &'a [Numbers],
    is_own: bool,
}

impl Serialize for ByCounter<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(self.counters.len()))?;
        for (counter, numbers) in self.counters.iter().zip(self.numbers) {
            let value = if self.is_own {
                numbers.own
            } else {
                numbers.cumulative
            };
            members.serialize_entry(&counter.name().replace('-', "_"), &value)?;
        }
        members.end()
    }
}
