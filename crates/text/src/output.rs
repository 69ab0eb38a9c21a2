//! Where the text goes: standard output, or a file that is written whole or not
//! at all.

use std::cell::Cell;
use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, Result, bail};
use residue_profile::harmless::harmless_lines;

/// Fewer system calls for text of millions of lines.
const BUFFER_BYTES: usize = 256 << 10;

/// Writes to standard output. Whoever closed the other end has read enough, so
/// that is no error.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let is_broken = Cell::new(false);
    let written = quiet_if_closed(fill(io::stdout().lock(), &is_broken, write));
    named_if(&is_broken, written, || {
        "cannot write to standard output".to_string()
    })
}

/// What fails for another reason than the writing keeps its own words.
fn named_if(
    is_broken: &Cell<bool>,
    written: Result<()>,
    name: impl FnOnce() -> String,
) -> Result<()> {
    match is_broken.get() {
        true => written.with_context(name),
        false => written,
    }
}

/// Takes down whether writing failed.
struct Watched<'w, W> {
    out: W,
    is_broken: &'w Cell<bool>,
}

impl<W: Write> Write for Watched<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.watch(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.watch(flushed)
    }
}

impl<W> Watched<'_, W> {
    fn watch<T>(&self, result: io::Result<T>) -> io::Result<T> {
        let is_final = |error: &io::Error| error.kind() != io::ErrorKind::Interrupted;
        self.is_broken
            .set(self.is_broken.get() || result.as_ref().is_err_and(is_final));
        result
    }
}

/// Says something on standard error. Whether anybody can hear it must not decide what
/// becomes of a recording, so failures are ignored. What it says may quote a file or a
/// program, which must not speak to the terminal.
pub fn tell(line: impl fmt::Display) {
    let line = line.to_string();
    tell_plain(format_args!("residue: {}", harmless_lines(&line)));
}

/// The same without saying who speaks.
pub fn tell_plain(line: impl fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes a file made from `input`, which must be another one.
pub fn to_file(
    path: &Path,
    input: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    if is_same_file(path, input) {
        bail!(
            "{} is the input file; choose another output",
            path.display()
        );
    }
    // Through links, so that they are not themselves replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let is_broken = Cell::new(false);
    let written = match fs::metadata(&target) {
        // A pipe or a device must stay what it is.
        Ok(there) if !there.is_file() && !there.is_dir() => File::options()
            .write(true)
            .open(&target)
            .map_err(Into::into)
            .inspect_err(|_| is_broken.set(true))
            .and_then(|file| quiet_if_closed(fill(file, &is_broken, write))),
        _ => replace(&target, &is_broken, write),
    };
    named_if(&is_broken, written, || {
        format!("cannot write {}", path.display())
    })
}

fn fill(
    out: impl Write,
    is_broken: &Cell<bool>,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, Watched { out, is_broken });
    write(&mut out)?;
    Ok(out.flush()?)
}

fn replace(
    target: &Path,
    is_broken: &Cell<bool>,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let temporary = tempfile::Builder::new()
        .prefix(".residue-")
        // What the umask leaves of it, as for any new file.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)
        .inspect_err(|_| is_broken.set(true))?;
    fill(temporary.as_file(), is_broken, write)?;
    temporary
        .persist(target)
        .map_err(|failed| failed.error)
        .inspect_err(|_| is_broken.set(true))?;
    Ok(())
}

pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path| fs::metadata(path).map(|there| (there.dev(), there.ino()));
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

fn quiet_if_closed(result: Result<()>) -> Result<()> {
    result.or_else(|error| match error.downcast_ref::<io::Error>() {
        Some(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(out: &mut dyn Write) -> Result<()> {
        Ok(out.write_all(b"hello")?)
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_input_is_never_the_output() {
        let directory = tempfile::tempdir().unwrap();
        let (input, link) = (directory.path().join("in"), directory.path().join("link"));
        fs::write(&input, "profile").unwrap();
        fs::hard_link(&input, &link).unwrap();
        assert!(to_file(&input, &input, hello).is_err());
        assert!(to_file(&link, &input, hello).is_err());
        assert_eq!(fs::read(&input).unwrap(), b"profile");
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        fs::write(&path, "old").unwrap();
        let failed = to_file(&path, Path::new("in"), |out| {
            hello(out)?;
            bail!("it cannot be done")
        });
        assert_eq!(failed.unwrap_err().to_string(), "it cannot be done");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(directory.path()), ["out"]);
        to_file(&path, Path::new("in"), hello).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"hello");
        assert_eq!(names(directory.path()), ["out"]);
    }

    #[test]
    fn only_what_fails_in_writing_is_called_a_failure_to_write() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        let refused = to_file(&path, Path::new("in"), |_| bail!("sizes: not recorded"));
        assert_eq!(format!("{:#}", refused.unwrap_err()), "sizes: not recorded");
        let full = to_file(Path::new("/dev/full"), Path::new("in"), hello);
        let full = format!("{:#}", full.unwrap_err());
        assert!(full.starts_with("cannot write /dev/full: "), "{full}");
        let nowhere = directory.path().join("none/out");
        let nowhere = to_file(&nowhere, Path::new("in"), hello).unwrap_err();
        assert!(format!("{nowhere:#}").starts_with("cannot write /"));
    }

    #[test]
    fn devices_are_written_not_replaced() {
        to_file(Path::new("/dev/null"), Path::new("in"), hello).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert!(to_file(Path::new("/dev/full"), Path::new("in"), hello).is_err());
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        let closed = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(quiet_if_closed(Err(closed.into())).is_ok());
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert!(quiet_if_closed(Err(full.into())).is_err());
    }
}
