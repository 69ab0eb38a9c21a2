//! A recording of this very executable in the part of a program that counts what it
//! does.

use crate::target::{Spoil, Task, Told, Work};
use anyhow::{Context, Result, bail};
use residue_profile::Profile;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Found even when the file has been replaced since.
pub const THIS_EXECUTABLE: &str = "/proc/self/exe";
const TARGET_COMMAND: &str = "selftest-target";

/// Where recordings go, and what is wrong with them on purpose.
pub struct Laboratory {
    directory: tempfile::TempDir,
    spoil: Option<Spoil>,
}

impl Laboratory {
    pub fn new(spoil: Option<Spoil>) -> Result<Laboratory> {
        let directory = tempfile::Builder::new()
            .prefix("residue-selftest-")
            .tempdir()
            .context("no temporary directory")?;
        Ok(Laboratory { directory, spoil })
    }

    /// What the program told, and what was recorded of it by `residue run OPTIONS`.
    pub fn record(&self, work: Work, options: &[&str]) -> Result<(Told, Profile)> {
        let path: PathBuf = self.directory.path().join("selftest.residue");
        let mut command = Command::new(THIS_EXECUTABLE);
        command
            .args(["run", "--quiet", "--tick", "0"])
            .args(options)
            .arg("--output")
            .arg(&path)
            .args(["--", THIS_EXECUTABLE, TARGET_COMMAND])
            .arg(self.task(work)?);
        let told = listen(command)?;
        let profile = residue_profile::read(&path).context("no profile was written")?;
        std::fs::remove_file(&path).with_context(|| path.display().to_string())?;
        Ok((told, profile))
    }

    /// What the program tells when nobody records it.
    pub fn run_unrecorded(&self, work: Work) -> Result<Told> {
        let mut command = Command::new(THIS_EXECUTABLE);
        command.arg(TARGET_COMMAND).arg(self.task(work)?);
        listen(command)
    }

    fn task(&self, work: Work) -> Result<String> {
        let spoil = self.spoil;
        Ok(serde_json::to_string(&Task { work, spoil })?)
    }
}

/// Runs a command to its end and reads what it told.
fn listen(mut command: Command) -> Result<Told> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .context("cannot start a second copy of residue")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    let complaint = complaint.trim();
    if !output.status.success() {
        bail!(
            "the recorded program ended with {}: {complaint}",
            output.status
        );
    }
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("no output from the recorded program: {complaint}"))
}
