//! Opens files in places that others may reach. No link is followed, so that nobody leads
//! elsewhere; and only regular files are opened, since reading a pipe may wait for ever.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = options
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_folders_and_devices_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let plain = directory.path().join("plain");
        std::fs::write(&plain, "text").unwrap();
        assert!(open(&plain, File::options().read(true)).is_ok());
        let link = directory.path().join("link");
        symlink(&plain, &link).unwrap();
        let refused = |path: &Path| open(path, File::options().read(true)).is_err();
        assert!(refused(&link));
        assert!(refused(directory.path()));
        assert!(refused(Path::new("/dev/zero")));
    }

    #[test]
    fn appending_does_not_follow_a_link_either() {
        let directory = tempfile::tempdir().unwrap();
        let (target, link) = (
            directory.path().join("target"),
            directory.path().join("link"),
        );
        symlink(&target, &link).unwrap();
        assert!(open(&link, File::options().append(true).create(true)).is_err());
        assert!(!target.exists());
    }
}
