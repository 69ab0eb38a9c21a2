//! `residue pause` and `residue resume`: the recording of a running program, from outside.

use crate::flags::help::TEMPLATE;
use anyhow::Result;
use residue_profile::units;
use residue_recording::as_owner::AsOwner;
use residue_recording::attach;
use residue_recording::pausing;
use residue_text::output;
use serde::Serialize;

pub const PAUSE_EXAMPLES: &str = "\
Examples:
  residue pause 4711
  residue run --start paused -- ./simulate          # later: residue resume 4711";

pub const RESUME_EXAMPLES: &str = "\
Examples:
  residue resume 4711
  residue run --start paused -- ./simulate          # later: residue resume 4711";

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    after_long_help = "\
While recording is paused, events go on and are numbered, and what is freed counts; allocations are \
counted and not recorded. All threads of the process are meant, not the processes that it started. \
Marks of the program (residue_pause_all, residue_resume_all) change the same state: the last one \
holds. The program is not stopped."
)]
pub struct Args {
    /// Process that `residue run` is recording now
    ///
    /// The program's own number, not that of `residue run`.
    pid: u32,
    /// Print JSON (docs/schemas/pause.schema.json, resume.schema.json)
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum State {
    Recording,
    /// Allocations are counted, and not recorded.
    Paused,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document {
    format: &'static str,
    version: u32,
    /// The process.
    pid: u32,
    /// The state that it is in now.
    state: State,
    /// The state that it was in before.
    was: State,
    /// The event or tick that began last; 0 before the first.
    event: u64,
    /// Allocations that were made while recording was paused, up to now.
    paused_calls: u64,
}

pub fn pause(args: Args) -> Result<()> {
    bring(&args, "pause", State::Paused)
}

pub fn resume(args: Args) -> Result<()> {
    bring(&args, "resume", State::Recording)
}

fn bring(args: &Args, command: &str, state: State) -> Result<()> {
    let _owner = AsOwner::of_process(args.pid)?;
    let process = attach::process_of(args.pid, command)?;
    let was_paused = pausing::set_paused(&process, state == State::Paused);
    let document = Document {
        format: match state {
            State::Paused => "residue-pause",
            State::Recording => "residue-resume",
        },
        version: 1,
        pid: args.pid,
        state,
        was: match was_paused {
            true => State::Paused,
            false => State::Recording,
        },
        event: process.event(),
        paused_calls: pausing::paused_calls(&process)?,
    };
    output::to_stdout(|out| {
        if args.json {
            serde_json::to_writer_pretty(&mut *out, &document)?;
            return Ok(writeln!(out)?);
        }
        Ok(writeln!(out, "{}", document.sentence())?)
    })
}

impl Document {
    fn sentence(&self) -> String {
        let Document { pid, event, .. } = self;
        let change = match (self.was, self.state) {
            (State::Recording, State::Paused) => "paused",
            (State::Paused, State::Recording) => "resumed",
            (State::Paused, State::Paused) => "already paused",
            (State::Recording, State::Recording) => "already recording",
        };
        let missed = units::counted(self.paused_calls, "allocation", "allocations");
        format!("process {pid}: {change}, at event {event}; {missed} not recorded so far")
    }
}
