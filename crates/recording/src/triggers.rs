//! Snapshots that somebody asks for while the program runs: by a file that appears, as IgProf
//! has it, or by a signal to `residue run`.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often a signal asked. Shared by whoever hears it and whoever takes the snapshot.
#[derive(Debug, Clone, Default)]
pub struct Requests(Arc<AtomicU64>);

impl Requests {
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Release);
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// What asks for snapshots.
#[derive(Debug, Default)]
pub struct Triggers {
    file: Option<TriggerFile>,
    requests: Requests,
    served: u64,
}

/// What is asked for now; given back when it is done.
pub struct Asked {
    file: Option<Touched>,
    requests: u64,
}

impl Triggers {
    /// A file that is there already asks for nothing until it is touched.
    pub fn new(file: Option<&Path>, requests: Requests) -> Triggers {
        Triggers {
            file: file.map(TriggerFile::new),
            requests,
            served: 0,
        }
    }

    /// `None` where nothing is.
    pub fn asked(&self) -> Option<Asked> {
        let asked = Asked {
            file: self.file.as_ref().and_then(TriggerFile::touched),
            requests: self.requests.count(),
        };
        (asked.file.is_some() || asked.requests > self.served).then_some(asked)
    }

    /// Snapshots were taken: the file goes away, which tells whoever made it. Fails where it
    /// cannot, and is heard again when it is touched.
    pub fn done(&mut self, asked: Asked) -> Result<(), String> {
        self.served = asked.requests;
        match (&mut self.file, asked.file) {
            (Some(file), Some(touched)) => file.take_away(touched),
            _ => Ok(()),
        }
    }
}

#[derive(Debug)]
struct TriggerFile {
    path: PathBuf,
    /// A state in which it asks for nothing.
    known: Option<Touched>,
}

/// Tells a file from another in its place, and from itself before it was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Touched {
    inode: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl TriggerFile {
    fn new(path: &Path) -> TriggerFile {
        TriggerFile {
            path: path.to_path_buf(),
            known: last_touch(path),
        }
    }

    fn touched(&self) -> Option<Touched> {
        last_touch(&self.path).filter(|touched| Some(*touched) != self.known)
    }

    fn take_away(&mut self, touched: Touched) -> Result<(), String> {
        // Touched while the snapshot was taken: that is another request.
        if last_touch(&self.path) != Some(touched) {
            return Ok(());
        }
        fs::remove_file(&self.path).map_err(|error| {
            self.known = Some(touched);
            format!(
                "--snapshot-file {}: cannot remove it: {error}; touch it for another snapshot",
                self.path.display()
            )
        })
    }
}

fn last_touch(path: &Path) -> Option<Touched> {
    let status = fs::symlink_metadata(path).ok()?;
    Some(Touched {
        inode: status.ino(),
        seconds: status.mtime(),
        nanoseconds: status.mtime_nsec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_asks_when_it_appears_or_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ask");
        fs::write(&path, "").unwrap();
        let mut triggers = Triggers::new(Some(&path), Requests::default());
        assert!(triggers.asked().is_none(), "it was there before");
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        let asked = triggers.asked().expect("it was touched");
        assert_eq!(triggers.done(asked), Ok(()));
        assert!(!path.exists() && triggers.asked().is_none());
        fs::write(&path, "").unwrap();
        let asked = triggers.asked().expect("it has come again");
        file_touched_meanwhile(&path);
        assert_eq!(triggers.done(asked), Ok(()));
        assert!(path.exists() && triggers.asked().is_some());
    }

    fn file_touched_meanwhile(path: &Path) {
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_removed_asks_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ask");
        let mut triggers = Triggers::new(Some(&path), Requests::default());
        fs::create_dir(&path).unwrap();
        let asked = triggers.asked().expect("something appeared");
        let told = triggers.done(asked).unwrap_err();
        assert!(told.contains("cannot remove it"), "{told}");
        assert!(triggers.asked().is_none());
    }

    #[test]
    fn signals_that_come_together_are_one_request() {
        let requests = Requests::default();
        let mut triggers = Triggers::new(None, requests.clone());
        assert!(triggers.asked().is_none());
        requests.add();
        requests.add();
        let asked = triggers.asked().expect("a signal came");
        requests.add();
        assert_eq!(triggers.done(asked), Ok(()));
        let asked = triggers.asked().expect("another came meanwhile");
        assert_eq!(triggers.done(asked), Ok(()));
        assert!(triggers.asked().is_none());
    }
}
