//! From arenas to profiles: reading, naming, writing, with progress.

use super::arenas::Arena;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use residue_finish::{Ending, Step};
use residue_profile::Profile;
use residue_symbols::Search;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Work shorter than this shows no bar.
const SILENT: Duration = Duration::from_secs(1);

/// Reads an arena into a profile.
pub fn read(arena: &Path, ending: &Ending, search: &Search, bar: &LateBar) -> Result<Profile> {
    let mut profile = residue_finish::finish(arena, ending, search, &|step, done, of| {
        bar.show(step, done, of);
    })?;
    profile.meta.host = nix::unistd::gethostname()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    profile.meta.kernel = nix::sys::utsname::uname()
        .map(|names| names.release().to_string_lossy().into_owned())
        .unwrap_or_default();
    Ok(profile)
}

/// Finishes one arena into the file at `output` and deletes it. On failure the
/// arena stays, and the error says where.
pub fn finish(arena: &Arena, ending: &Ending, search: &Search, output: &Path) -> Result<Profile> {
    let kept = || {
        format!(
            "the recording is kept in {}; write it with `residue recover {} -o FILE`",
            arena.path.display(),
            arena.path.display()
        )
    };
    let profile = match arena.is_finished {
        true => finished_before(arena, ending).with_context(kept)?,
        false => read(&arena.path, ending, search, &LateBar::start()).with_context(kept)?,
    };
    residue_profile::write_to(output, &profile).with_context(kept)?;
    arena.delete();
    Ok(profile)
}

/// The profile of a process that was finished while the run went on. What became of it was
/// not known then.
fn finished_before(arena: &Arena, ending: &Ending) -> Result<Profile> {
    let mut profile = residue_profile::read(&arena.path)?;
    profile.meta.end = ending.end.clone();
    Ok(profile)
}

/// A progress bar on the terminal that appears only when work takes long.
pub struct LateBar {
    /// `None` where it is never to be seen.
    started: Option<Instant>,
    bar: Mutex<Option<ProgressBar>>,
}

impl LateBar {
    pub fn start() -> LateBar {
        LateBar {
            started: Some(Instant::now()),
            bar: Mutex::new(None),
        }
    }

    /// The terminal is the program's.
    pub fn hidden() -> LateBar {
        LateBar {
            started: None,
            bar: Mutex::new(None),
        }
    }

    pub fn show(&self, step: Step, done: u64, of: u64) {
        if self
            .started
            .is_none_or(|started| started.elapsed() < SILENT)
        {
            return;
        }
        let Ok(mut shown) = self.bar.lock() else {
            return;
        };
        let bar = shown.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("residue: {msg} [{bar:30}] {percent}%");
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        bar.set_message(match step {
            Step::Stacks => "reading stacks",
            Step::LiveBlocks => "reading live blocks",
            Step::Symbols => "naming functions",
        });
        bar.set_length(of);
        bar.set_position(done);
    }
}

impl Drop for LateBar {
    fn drop(&mut self) {
        if let Ok(shown) = self.bar.lock()
            && let Some(bar) = shown.as_ref()
        {
            bar.finish_and_clear();
        }
    }
}
