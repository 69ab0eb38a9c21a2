//! Whether a path is out of other users' reach. What a command writes must not land where
//! somebody else leads it: `sudo` may keep the `HOME` of who called it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const STICKY: u32 = 0o1000;
const WRITABLE_BY_ALL: u32 = 0o002;

/// Whether nobody but this user and root can put something else in place of this directory,
/// or of one that it lies in. Those that are not there yet will be this user's.
pub fn is_out_of_reach(directory: &Path) -> bool {
    let mut ancestors = directory.ancestors();
    let there = ancestors.find_map(|path| fs::canonicalize(path).ok());
    // In a namespace of users root may have another number.
    let root = fs::metadata("/").map_or(0, |status| status.uid());
    let trusted = [0, root, nix::unistd::geteuid().as_raw()];
    there.is_some_and(|there| there.ancestors().all(|path| is_of(path, &trusted)))
}

fn is_of(directory: &Path, users: &[u32]) -> bool {
    fs::symlink_metadata(directory).is_ok_and(|status| {
        // In `/tmp` nobody can replace what is another's.
        let is_shared = status.mode() & WRITABLE_BY_ALL != 0 && status.mode() & STICKY == 0;
        users.contains(&status.uid()) && !is_shared
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_all_may_write_to_is_within_reach_and_so_is_what_lies_there() {
        let home = tempfile::tempdir().unwrap();
        let (shared, own) = (home.path().join("shared"), home.path().join("shared/own"));
        fs::create_dir_all(&own).unwrap();
        assert!(is_out_of_reach(&own));
        assert!(is_out_of_reach(&own.join("not/there")));
        set_mode(&shared, 0o777);
        assert!(!is_out_of_reach(&shared));
        assert!(!is_out_of_reach(&own));
        assert!(!is_out_of_reach(&own.join("not/there")));
        set_mode(&shared, 0o1777);
        assert!(is_out_of_reach(&own));
    }

    #[test]
    fn a_link_is_as_good_as_where_it_leads() {
        let home = tempfile::tempdir().unwrap();
        let (shared, link) = (home.path().join("shared"), home.path().join("link"));
        fs::create_dir(&shared).unwrap();
        symlink(&shared, &link).unwrap();
        assert!(is_out_of_reach(&link));
        set_mode(&shared, 0o777);
        assert!(!is_out_of_reach(&link));
    }

    #[test]
    fn another_users_directory_is_within_reach_of_that_user() {
        let home = tempfile::tempdir().unwrap();
        // Only root can give a directory away.
        if chown(home.path(), Some(65534), None).is_ok() {
            assert!(!is_out_of_reach(home.path()));
            assert!(!is_out_of_reach(&home.path().join(".cache")));
        }
    }
}
