//! Recordings on disk. A reader sees the old file or the new one, never half of one.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
use nix::unistd::linkat;

use crate::decode::{decode, decode_needed};
use crate::encode::encode_into;
use crate::error::{Damage, Error};
use crate::layout::FILE_HEADER_BYTES;
use crate::model::Profile;
use crate::needs::Needs;
use crate::scan::check_file_header;

/// Writes the file, or leaves what was there before as it was.
pub fn write_to(path: &Path, profile: &Profile) -> Result<(), Error> {
    replace(path, |out| encode_into(profile, out)).map_err(|reason| Error::Write {
        path: path.to_owned(),
        reason,
    })
}

/// Reads a file that must be whole.
pub fn read(path: &Path) -> Result<Profile, Error> {
    decode(&load(path)?).map_err(|damage| damaged(path, damage))
}

/// Reads what is left of a file, and says what is missing.
pub fn read_lossy(path: &Path) -> Result<(Profile, Vec<Damage>), Error> {
    read_needed(path, Needs::ALL)
}

/// The same without what is not needed, which takes less time and memory.
pub fn read_needed(path: &Path, needs: Needs) -> Result<(Profile, Vec<Damage>), Error> {
    decode_needed(&load(path)?, needs).map_err(|damage| damaged(path, damage))
}

pub(crate) fn damaged(path: &Path, damage: Damage) -> Error {
    Error::Damaged {
        path: path.to_owned(),
        damage,
    }
}

fn load(path: &Path) -> Result<Vec<u8>, Error> {
    let unreadable = |reason| Error::Read {
        path: path.to_owned(),
        reason,
    };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // The header first: a wrong file is known by it, however long it goes on.
    Read::by_ref(&mut file)
        .take(FILE_HEADER_BYTES as u64)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    check_file_header(&bytes).map_err(|damage| damaged(path, damage))?;
    let file_bytes = file.metadata().map_or(0, |about| about.len());
    bytes.reserve_exact(usize::try_from(file_bytes).unwrap_or(0));
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

type Out = BufWriter<File>;

pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut Out) -> io::Result<()>,
) -> io::Result<()> {
    // Through links, so that they are not themselves replaced by a file.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        // A pipe or a device must stay what it is; there is nothing to keep in it.
        Ok(there) if !there.is_file() && !there.is_dir() => {
            let mut out = BufWriter::new(File::options().write(true).open(&target)?);
            write(&mut out)?;
            out.flush()
        }
        _ => replace_file(&target, write),
    }
}

fn replace_file(path: &Path, write: impl FnOnce(&mut Out) -> io::Result<()>) -> io::Result<()> {
    let temporary = temporary_beside(path)?;
    // Left by a dead process that had our number.
    let _ = fs::remove_file(&temporary);
    let replace_by_temporary = || fs::rename(&temporary, path);
    let written = match nameless_beside(path) {
        Some(file) => fill(&file, write).and_then(|()| {
            give_name(&file, path).or_else(|_| {
                give_name(&file, &temporary)
                    // Not every file system lets a file have a name later.
                    .or_else(|_| fs::copy(own_path(&file), &temporary).map(drop))
                    .and_then(|()| replace_by_temporary())
            })
        }),
        None => File::create_new(&temporary)
            .and_then(|file| fill(&file, write))
            .and_then(|()| replace_by_temporary()),
    };
    if written.is_err() {
        // The first error says more than one from cleaning up.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    sync_directory(path);
    Ok(())
}

fn fill(file: &File, write: impl FnOnce(&mut Out) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(file.try_clone()?);
    write(&mut out)?;
    out.into_inner()?.sync_all()
}

/// A file without a name, of which nothing stays if this process is killed; `None` where there
/// are none, or where it could not be given one.
fn nameless_beside(path: &Path) -> Option<File> {
    let file = File::options()
        .write(true)
        .custom_flags(OFlag::O_TMPFILE.bits())
        .open(directory_of(path))
        .ok()?;
    fs::metadata(own_path(&file)).is_ok().then_some(file)
}

/// Fails where a file of this name is there already.
fn give_name(file: &File, path: &Path) -> io::Result<()> {
    let from = own_path(file);
    Ok(linkat(
        AT_FDCWD,
        &from,
        AT_FDCWD,
        path,
        AtFlags::AT_SYMLINK_FOLLOW,
    )?)
}

fn own_path(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

fn temporary_beside(path: &Path) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file name"))?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(temporary))
}

/// Makes the new name last through a power cut, where the file system lets us.
fn sync_directory(path: &Path) {
    let _ = File::open(directory_of(path)).and_then(|directory| directory.sync_all());
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_full_disk_keeps_the_old_file_and_leaves_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.residue");
        fs::write(&path, "old").unwrap();
        let error = replace(&path, |out| {
            out.write_all(&[0; 100_000])?;
            // Whoever is killed now leaves nothing else behind.
            assert_eq!(names(directory.path()), ["a.residue"]);
            Err(io::ErrorKind::StorageFull.into())
        })
        .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(directory.path()), ["a.residue"]);
    }

    #[test]
    fn a_new_file_has_no_name_before_it_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.residue");
        replace(&path, |out| {
            assert!(names(directory.path()).is_empty());
            out.write_all(b"new")
        })
        .unwrap();
        assert_eq!(names(directory.path()), ["a.residue"]);
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn the_temporary_file_is_hidden_beside_its_target() {
        let temporary = temporary_beside(Path::new("/x/a.residue")).unwrap();
        let name = format!("/x/.a.residue.{}.tmp", std::process::id());
        assert_eq!(temporary, Path::new(&name));
    }
}
