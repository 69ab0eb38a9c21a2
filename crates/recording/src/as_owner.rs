//! Another user's process is looked at with that user's rights. The paths of its files are of
//! its choosing: with more rights than it has, they could lead anywhere.

use std::fs;

use anyhow::{Context, Result};
use nix::unistd::{Gid, Uid, getegid, geteuid, setfsgid, setfsuid};

/// While it lives, this thread opens files as the owner of a process would.
pub struct AsOwner {
    is_another: bool,
}

impl AsOwner {
    pub fn of_process(pid: u32) -> Result<AsOwner> {
        let path = format!("/proc/{pid}/status");
        let status = fs::read_to_string(&path).with_context(|| format!("no process {pid}"))?;
        let (uid, gid) = user_and_group(&status).with_context(|| format!("{path}: no user"))?;
        let is_another = uid != geteuid() || gid != getegid();
        if is_another {
            // The group first: the right to change it goes with the user.
            setfsgid(gid);
            setfsuid(uid);
        }
        Ok(AsOwner { is_another })
    }

    /// Whether the process belongs to somebody else.
    pub fn is_another(&self) -> bool {
        self.is_another
    }
}

impl Drop for AsOwner {
    fn drop(&mut self) {
        if self.is_another {
            setfsuid(geteuid());
            setfsgid(getegid());
        }
    }
}

/// The real ones: who started the process, whatever it has become.
fn user_and_group(status: &str) -> Option<(Uid, Gid)> {
    let first_of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    Some((
        Uid::from_raw(first_of("Uid:")?),
        Gid::from_raw(first_of("Gid:")?),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_real_user_counts() {
        let status = "Name:\tjob\nUid:\t1000\t0\t0\t0\nGid:\t100\t100\t100\t100\n";
        let expected = (Uid::from_raw(1000), Gid::from_raw(100));
        assert_eq!(user_and_group(status), Some(expected));
        assert_eq!(user_and_group("Name:\tjob\n"), None);
    }

    #[test]
    fn ones_own_process_needs_no_change() {
        let own = AsOwner::of_process(std::process::id()).unwrap();
        assert!(!own.is_another());
        assert!(AsOwner::of_process(u32::MAX).is_err());
    }
}
