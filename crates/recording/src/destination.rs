//! Where profiles go.
//!
//! ```text
//!   job.residue                     the process worth looking at
//!   job.processes/                  the others, if there were any
//!     4712.sh.residue
//!     4713.1.python3.residue        replaced by its second image with `exec`
//!     4713.2.worker.residue
//! ```

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::output_name;
use residue_finish::Identity;
use serde::{Deserialize, Serialize};

pub const PROFILE_SUFFIX: &str = "residue";
pub const FOLDER_SUFFIX: &str = "processes";

/// As it was asked for. Not paths: those must be text to be written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Destination {
    /// May hold `%p` and `%%`, see [`output_name`].
    File(OsString),
    /// The file is named by program and process; an empty path is the working directory.
    Folder(OsString),
}

impl Default for Destination {
    fn default() -> Destination {
        Destination::Folder(OsString::new())
    }
}

impl Destination {
    /// The place asked for, or one that can be written, and then why: a long job must
    /// not lose its profile to a mistyped directory.
    pub fn usable(wanted: Option<&Path>) -> (Destination, Option<String>) {
        let destination = match wanted {
            None => Destination::default(),
            Some(wanted) => Destination::of(wanted),
        };
        let Err(problem) = can_write(&destination.folder()) else {
            return (destination, None);
        };
        let base = [PathBuf::from("."), std::env::temp_dir()]
            .into_iter()
            .find(|base| can_write(base).is_ok())
            .unwrap_or_default();
        let (path, fallback) = match &destination {
            Destination::File(file) => {
                let name = Path::new(file).file_name().unwrap_or_default();
                let path = Path::new(&output_name::literally(&base)).join(name);
                (base.join(name), Destination::File(path.into()))
            }
            Destination::Folder(_) => (base.clone(), Destination::Folder(base.into())),
        };
        let warning = format!(
            "cannot write {}: {problem}; the profile will go to {}",
            wanted.unwrap_or(&destination.folder()).display(),
            path.display()
        );
        (fallback, Some(warning))
    }

    fn of(wanted: &Path) -> Destination {
        let folder = output_name::of_process(wanted.as_os_str(), 0);
        // A directory that is asked for as one and is not there yet is made.
        let is_named_as_folder = wanted.as_os_str().as_encoded_bytes().ends_with(b"/");
        if is_named_as_folder {
            let _ = fs::create_dir(&folder);
        }
        match is_named_as_folder || folder.is_dir() {
            true => Destination::Folder(folder.into()),
            false => Destination::File(wanted.into()),
        }
    }

    /// The folder that holds the profile; the number of a process is in no folder's name.
    fn folder(&self) -> PathBuf {
        let folder = match self {
            Destination::File(file) => {
                let file = output_name::of_process(file, 0);
                file.parent().unwrap_or(Path::new("")).to_path_buf()
            }
            Destination::Folder(folder) => PathBuf::from(folder),
        };
        match folder.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => folder,
        }
    }

    /// The same for a process with another working directory; the working directory
    /// itself stays whatever it is there.
    pub fn absolute(&self) -> Destination {
        let absolute = |path: &OsString| {
            std::path::absolute(path).map_or_else(|_| path.clone(), PathBuf::into_os_string)
        };
        match self {
            Destination::File(file) => Destination::File(absolute(file)),
            Destination::Folder(folder) if folder.is_empty() => self.clone(),
            Destination::Folder(folder) => Destination::Folder(absolute(folder)),
        }
    }

    /// The file for the process worth looking at.
    pub fn profile(&self, process: &Identity) -> PathBuf {
        match self {
            Destination::File(file) => output_name::of_process(file, process.pid),
            Destination::Folder(folder) => {
                let (program, pid) = (process.program(), process.pid);
                Path::new(folder).join(format!("{program}.{pid}.{PROFILE_SUFFIX}"))
            }
        }
    }
}

/// The folder for the other processes of the run whose profile is at `profile`.
pub fn processes_folder(profile: &Path) -> PathBuf {
    let is_profile = profile
        .extension()
        .is_some_and(|suffix| suffix == PROFILE_SUFFIX);
    let mut name = match is_profile {
        true => profile.file_stem(),
        false => profile.file_name(),
    }
    .unwrap_or_default()
    .to_owned();
    name.push(".");
    name.push(FOLDER_SUFFIX);
    profile.with_file_name(name)
}

/// The name of another process's file in that folder. Images that were replaced by
/// `exec` are numbered in their order.
pub fn process_file_name(process: &Identity, image: Option<usize>) -> String {
    let (program, pid) = (process.program(), process.pid);
    match image {
        Some(image) => format!("{pid}.{image}.{program}.{PROFILE_SUFFIX}"),
        None => format!("{pid}.{program}.{PROFILE_SUFFIX}"),
    }
}

/// Removes what an earlier run with the same output left in the folder: its processes
/// must not be taken for those of this run.
pub fn clear_processes(folder: &Path) {
    let is_ours = |name: &str| {
        let begins_with_pid = name.starts_with(|first: char| first.is_ascii_digit());
        begins_with_pid && name.ends_with(&format!(".{PROFILE_SUFFIX}"))
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_ours) {
            let _ = fs::remove_file(entry.path());
        }
    }
    // Fails, as it should, where somebody put something else there.
    let _ = fs::remove_dir(folder);
}

fn can_write(folder: &Path) -> io::Result<()> {
    // Without a name: it leaves nothing behind, whatever comes between.
    tempfile::tempfile_in(folder).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, executable: &str) -> Identity {
        Identity {
            pid,
            executable: executable.to_string(),
            ..Identity::default()
        }
    }

    #[test]
    fn a_folder_gets_a_file_named_by_program_and_process() {
        let directory = tempfile::tempdir().unwrap();
        let (destination, warning) = Destination::usable(Some(directory.path()));
        assert_eq!(warning, None);
        assert_eq!(
            destination.profile(&process(7, "/bin/job")),
            directory.path().join("job.7.residue")
        );
        let (here, _) = Destination::usable(None);
        assert_eq!(
            here.profile(&process(7, "/bin/job")),
            Path::new("job.7.residue")
        );
        assert_eq!(here.absolute(), here);
    }

    #[test]
    fn a_folder_may_have_a_percent_sign() {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("50%");
        fs::create_dir(&folder).unwrap();
        for (wanted, file) in [
            (folder.clone(), "50%/job.7.residue"),
            (folder.join("%p.residue"), "50%/7.residue"),
            (directory.path().join("new%").join(""), "new%/job.7.residue"),
        ] {
            // What is typed has every percent sign doubled but that of %p.
            let typed = output_name::literally(&wanted).into_string().unwrap();
            let typed = typed.replace("%%p.residue", "%p.residue");
            let (destination, warning) = Destination::usable(Some(Path::new(&typed)));
            assert_eq!(warning, None);
            let profile = destination.profile(&process(7, "/bin/job"));
            assert_eq!(profile, directory.path().join(file));
        }
    }

    #[test]
    fn the_other_processes_lie_beside_the_profile() {
        for (profile, folder) in [
            ("out/job.residue", "out/job.processes"),
            ("job.1.residue", "job.1.processes"),
            ("job.prof", "job.prof.processes"),
            ("job", "job.processes"),
        ] {
            assert_eq!(processes_folder(Path::new(profile)), Path::new(folder));
        }
        let shell = process(12, "/bin/sh");
        assert_eq!(process_file_name(&shell, None), "12.sh.residue");
        assert_eq!(process_file_name(&shell, Some(2)), "12.2.sh.residue");
    }

    #[test]
    fn only_processes_of_an_earlier_run_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("job.processes");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("12.sh.residue"), "").unwrap();
        fs::write(folder.join("notes.txt"), "").unwrap();
        clear_processes(&folder);
        let left: Vec<_> = fs::read_dir(&folder).unwrap().flatten().collect();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].file_name(), "notes.txt");
        fs::remove_file(folder.join("notes.txt")).unwrap();
        clear_processes(&folder);
        assert!(!folder.exists());
    }
}
