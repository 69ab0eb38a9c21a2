//! A profile with a picture of the program's memory, or a running program of which one is taken.

use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use residue_profile::Profile;
use residue_profile::holders::Picture;
use residue_recording::as_owner::AsOwner;
use residue_recording::attach;
use residue_recording::pictures::{self, Patience, Shown};

use crate::flags::address::Address;
use crate::input;

/// A day.
const MOST_WAIT_SECONDS: u64 = 86_400;

#[derive(Debug, clap::Args)]
pub struct Pictured {
    /// Profile to read, of `residue run --holders`
    #[arg(required_unless_present = "pid")]
    pub file: Option<Address>,
    /// Take a picture now of a program that `residue run` is recording
    ///
    /// The run needs no --holders. The picture is taken where the program allocates next or ends an
    /// event, and becomes part of its profile.
    #[arg(long, conflicts_with = "file", value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Option<u32>,
    /// Seconds to wait for the program to allocate or to end an event, with --pid
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10,
        requires = "pid",
        value_parser = clap::value_parser!(u64).range(..=MOST_WAIT_SECONDS)
    )]
    pub wait: u64,
}

/// What was read, and what to call it in errors.
pub struct Loaded {
    source: Address,
    pub profile: Profile,
}

impl Pictured {
    pub fn load(&self, command: &str) -> Result<Loaded> {
        let (source, profile) = match (&self.file, self.pid) {
            (Some(file), _) => (file.clone(), input::load(file)?),
            (None, pid) => {
                let pid = pid.unwrap_or_default();
                self.take(pid, command)?;
                let source = Address::of(format!("process {pid}"));
                (source, attach::profile_of(pid)?)
            }
        };
        Ok(Loaded { source, profile })
    }

    fn take(&self, pid: u32, command: &str) -> Result<()> {
        let _owner = AsOwner::of_process(pid)?;
        let process = attach::process_of(pid, &format!("{command} --pid"))?;
        let patience = Patience {
            program: Duration::from_secs(self.wait),
        };
        let mut progress = Progress::start();
        pictures::ask(&process, pid, patience, &mut |shown| progress.show(shown))
    }
}

impl Loaded {
    pub fn picture(&self) -> Result<&Picture> {
        input::picture(&self.source, &self.profile)
    }

    /// For errors.
    pub fn name(&self) -> String {
        self.source.path.display().to_string()
    }
}

/// On the terminal, when it takes long.
struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
}

const SILENT: Duration = Duration::from_secs(1);

impl Progress {
    fn start() -> Progress {
        Progress {
            started: Instant::now(),
            bar: None,
        }
    }

    fn show(&mut self, shown: Shown) {
        if self.started.elapsed() < SILENT {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("residue: {msg}");
            if let Ok(style) = style {
                bar.set_style(style);
            }
            bar
        });
        bar.set_message(match shown {
            Shown::Program => "waiting for the program to allocate or to end an event".to_string(),
            Shown::Read { of: 0, .. } => "reading the picture".to_string(),
            Shown::Read { bytes, of } => {
                format!("reading the picture: {} %", bytes.min(of) * 100 / of)
            }
        });
        bar.tick();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
