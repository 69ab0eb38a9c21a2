//! `residue snapshot`: a named moment of a program that is being recorded, asked for
//! from outside.

use crate::flags::help::TEMPLATE;
use anyhow::Result;
use residue_profile::units;
use residue_recording::as_owner::AsOwner;
use residue_recording::attach;
use residue_recording::snapshots;
use residue_text::output;
use serde::Serialize;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue snapshot 4711
  residue snapshot 4711 after-loading",
    after_long_help = "\
The snapshot keeps the heap by stack and /proc/PID/maps, smaps and numa_maps. It becomes part of the \
profile, as FILE@NAME. The program is not stopped."
)]
pub struct Args {
    /// Process that `residue run` is recording now
    ///
    /// The program's own number, not that of `residue run`.
    pid: u32,
    /// Name of the snapshot [default: outside-1, outside-2, ...]
    ///
    /// No number, not `end` or `exit`, without `/`, `@` and `..`.
    #[arg(value_parser = name)]
    name: Option<String>,
    /// Print JSON (docs/schemas/snapshot.schema.json)
    #[arg(long)]
    json: bool,
}

/// A name that can stand behind FILE@.
fn name(text: &str) -> Result<String, String> {
    let is_taken = text == "end" || text == "exit" || text.parse::<u64>().is_ok();
    let is_part = text.contains(['/', '@']) || text.contains("..");
    match text.is_empty() || is_taken || is_part || text.chars().any(char::is_control) {
        true => Err(
            "a name is not empty, not a number, not `end` or `exit`, and has no `/`, `@` or `..`: \
             FILE@NAME must mean this snapshot"
                .to_string(),
        ),
        false => Ok(text.to_string()),
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document<'a> {
    format: &'static str,
    version: u32,
    /// The process.
    pid: u32,
    /// Name of the snapshot, for FILE@NAME.
    name: &'a str,
    /// Index among the moments of `residue dump`.
    moment: u32,
    /// The event or tick that began last; 0 before the first.
    event: u32,
    /// Live heap.
    live_bytes: u64,
    /// Resident size, with the recorder's own memory.
    rss_bytes: u64,
    /// Resident memory of the recorder.
    recorder_bytes: u64,
}

pub fn run(args: Args) -> Result<()> {
    let _owner = AsOwner::of_process(args.pid)?;
    let mut process = attach::process_of(args.pid, "snapshot")?;
    let (name, seen) = snapshots::take_now(&mut process, args.name)?;
    output::to_stdout(|out| {
        if args.json {
            let document = Document {
                format: "residue-snapshot",
                version: 1,
                pid: args.pid,
                name: &name,
                moment: seen.number,
                event: seen.event,
                live_bytes: seen.live_bytes,
                rss_bytes: seen.rss_bytes,
                recorder_bytes: seen.recorder_bytes,
            };
            serde_json::to_writer_pretty(&mut *out, &document)?;
            return Ok(writeln!(out)?);
        }
        Ok(writeln!(
            out,
            "snapshot {}: `{name}`, live heap {}, RSS {} (recorder {})",
            seen.number,
            units::exact_bytes(seen.live_bytes),
            units::exact_bytes(seen.rss_bytes),
            units::bytes(seen.recorder_bytes),
        )?)
    })
}
