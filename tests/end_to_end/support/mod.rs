//! What all tests share: a scratch directory, a way to record a program in it,
//! and the program's truth to compare the profile with.

pub mod ledger;
pub mod process;
pub mod root;
pub mod truth;
pub mod workloads;

use ledger::Ledger;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;
use truth::Truths;

pub const PROFILE: &str = "profile.residue";

/// In the environment of any test: what the kernel lacks, by the names of `older_kernel --list`.
pub const OLDER_KERNEL: &str = "RESIDUE_TEST_OLDER_KERNEL";

/// A scratch directory of one test, and the commands that are run in it.
pub struct Lab {
    directory: TempDir,
}

impl Lab {
    pub fn new() -> Lab {
        let directory = tempfile::Builder::new()
            .prefix("residue-test-")
            .tempdir()
            .expect("a temporary directory can be made");
        Lab { directory }
    }

    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The path of a new directory in the lab.
    pub fn folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir(&path).expect("a directory can be made in the lab");
        path
    }

    /// `residue`, with nothing of the user's own settings; as on an older kernel where
    /// `OLDER_KERNEL` says what it lacks.
    pub fn residue(&self) -> Command {
        let residue = env!("CARGO_BIN_EXE_residue");
        let mut command = match std::env::var_os(OLDER_KERNEL) {
            Some(lacks) => {
                let mut older = Command::new(workloads::find("older_kernel"));
                older.arg(lacks).arg(residue);
                older
            }
            None => Command::new(residue),
        };
        self.prepare(&mut command);
        command
    }

    /// Settles where a command runs and where recorders are installed.
    pub fn prepare(&self, command: &mut Command) {
        command
            .current_dir(self.directory())
            .env("XDG_CACHE_HOME", workloads::folder().join("cache"))
            .stdin(Stdio::null());
    }

    /// `residue run OPTIONS -o profile.residue -- COMMAND`, not yet started. The
    /// command is a workload, named without its directory, or any other program.
    pub fn run(&self, options: &[&str], command: &[&str]) -> Command {
        let (program, arguments) = command.split_first().expect("there is a command");
        let mut residue = self.residue();
        residue
            .arg("run")
            .args(options)
            .args(["-o", PROFILE, "--"])
            .arg(workloads::find(program))
            .args(arguments);
        residue
    }

    pub fn record(&self, options: &[&str], command: &[&str]) -> Recorded {
        self.record_by(self.run(options, command))
    }

    /// Runs a prepared `residue run` to its end.
    pub fn record_by(&self, command: Command) -> Recorded {
        Recorded {
            output: process::finish(command),
            profile: self.path(PROFILE),
        }
    }

    /// Runs a workload or other program without `residue`.
    pub fn native(&self, command: &[&str]) -> Output {
        let (program, arguments) = command.split_first().expect("there is a command");
        let mut native = Command::new(workloads::find(program));
        native.args(arguments);
        self.prepare(&mut native);
        process::finish(native)
    }

    /// What lies in the lab, or in a folder of it, by name.
    pub fn names_in(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).expect("the folder can be listed");
        let mut names: Vec<String> = entries
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Every profile in the lab, with those of other processes, in the order of their names.
    pub fn profiles(&self) -> Vec<(PathBuf, Ledger)> {
        let of_folder = |folder: &str| {
            let names = self.names_in(folder).into_iter();
            let paths = names.map(move |name| self.path(folder).join(name));
            paths.collect::<Vec<PathBuf>>()
        };
        let folders = self.names_in(".").into_iter();
        let processes = folders.filter(|name| name.ends_with(".processes"));
        let mut paths: Vec<PathBuf> = processes
            .chain([".".to_string()])
            .flat_map(|folder| of_folder(&folder))
            .filter(|path| path.extension().is_some_and(|name| name == "residue"))
            .map(|path| path.components().collect())
            .collect();
        paths.sort();
        paths
            .into_iter()
            .map(|path| {
                let ledger = Ledger::read(&path);
                (path, ledger)
            })
            .collect()
    }
}

/// A program that was recorded to its end.
pub struct Recorded {
    pub output: Output,
    pub profile: PathBuf,
}

impl Recorded {
    pub fn ledger(&self) -> Ledger {
        assert!(
            self.profile.is_file(),
            "there is no profile; {}",
            self.describe()
        );
        Ledger::read(&self.profile)
    }

    pub fn truths(&self) -> Truths {
        Truths::parse(&self.stdout())
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    pub fn describe(&self) -> String {
        describe(&self.output)
    }

    /// The program succeeded, and every truth it told is what was recorded.
    pub fn expect_exact(&self) -> (Ledger, Truths) {
        assert!(self.output.status.success(), "{}", self.describe());
        let (ledger, truths) = (self.ledger(), self.truths());
        ledger.expect_truths(&truths);
        ledger.expect_nothing_lost();
        (ledger, truths)
    }
}

/// A finished process, for messages.
pub fn describe(output: &Output) -> String {
    format!(
        "{}\n--- stdout ---\n{}\n--- stderr ---\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
