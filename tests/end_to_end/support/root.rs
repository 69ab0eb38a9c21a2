//! What only root may do, by root or through sudo.

use super::describe;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a command as root.
pub fn do_as_root(arguments: &[&OsStr]) {
    let output = if nix::unistd::geteuid().is_root() {
        Command::new(arguments[0]).args(&arguments[1..]).output()
    } else {
        Command::new("sudo").arg("-n").args(arguments).output()
    };
    let output = output.expect("the command, or sudo, can be started");
    assert!(
        output.status.success(),
        "this test needs root, or sudo without a password: {arguments:?}: {}",
        describe(&output)
    );
}

/// A file system in memory with little room, for as long as this lives.
pub struct SmallDisk {
    pub path: PathBuf,
}

impl SmallDisk {
    pub fn mount(path: PathBuf, kibibytes: u64) -> SmallDisk {
        let options = format!("size={kibibytes}k,mode=1777");
        do_as_root(&[
            "mount".as_ref(),
            "-t".as_ref(),
            "tmpfs".as_ref(),
            "-o".as_ref(),
            options.as_ref(),
            "residue-test".as_ref(),
            path.as_os_str(),
        ]);
        SmallDisk { path }
    }

    /// Leaves no room at all.
    pub fn fill(&self) {
        let filler = self.path.join("filler");
        let error = std::fs::write(&filler, vec![1; 64 << 20]).expect_err("the disk is small");
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        do_as_root(&["umount".as_ref(), "-l".as_ref(), self.path.as_os_str()]);
    }
}

/// Puts a copy of a file somewhere. By another process: an executable that this one
/// had open for writing could not be started while any other test forks.
pub fn install(from: &Path, to: &Path, mode: &str) {
    let output = Command::new("install")
        .args(["-m", mode])
        .arg(from)
        .arg(to)
        .output()
        .expect("install can be started");
    assert!(output.status.success(), "{}", describe(&output));
}
