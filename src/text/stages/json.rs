//! The stage matrix for programs to read; the schema is in docs/COMMANDS.md.

use std::io::{self, Write};

use residue_analysis::stages::{Stages, Value};
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    /// Of every value: `bytes` or `nanoseconds`.
    unit: &'static str,
    /// What a mean is per.
    per: &'a str,
    stages: &'a Stages,
}

pub fn write(stages: &Stages, per: &str, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        format: "residue-stages",
        version: 1,
        unit: match stages.value {
            Value::Rss | Value::Vm | Value::Live => "bytes",
            Value::Time => "nanoseconds",
        },
        per,
        stages,
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
