//! Where the symbols of a stripped file went.
//!
//! Distributions put them into separate files, which are found in two ways: by
//! the build-id below a fixed directory (or one that the user names), or by a name
//! that the stripped file carries in `.gnu_debuglink`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use object::ReadRef;

use crate::image::{Image, open_regular};
use crate::search::Finder;

/// What a debug file must show to be believed. A stale one would give names
/// that look right and are wrong.
enum Proof {
    BuildId(String),
    /// For files without a build-id: the checksum of the whole debug file.
    Checksum(u32),
}

/// A place where the debug file may be.
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    proof: Proof,
}

impl Candidate {
    /// Whether the file at this place, which has the given build-id, is the
    /// one that was split off.
    pub(crate) fn belongs(&self, build_id: Option<&str>) -> bool {
        match &self.proof {
            Proof::BuildId(expected) => {
                build_id.is_some_and(|found| found.eq_ignore_ascii_case(expected))
            }
            Proof::Checksum(expected) => crc32(&self.path).is_ok_and(|found| found == *expected),
        }
    }
}

/// The places to look for the debug file of `binary`, best first.
pub(crate) fn candidates<'data, R: ReadRef<'data>>(
    finder: &Finder<'_>,
    binary: &Path,
    image: &Image<'data, R>,
    build_id: Option<&str>,
) -> Vec<Candidate> {
    let link = debug_link(image);
    let checksum = link.as_ref().map_or(0, |&(_, checksum)| checksum);
    let mut paths = Vec::new();
    if let Some(id) = build_id {
        paths.extend(finder.by_build_id(id));
    }
    if let Some((name, _)) = &link {
        paths.extend(finder.beside(binary, name));
        if build_id.is_none() {
            paths.extend(finder.by_name(name));
        }
    }
    let candidate = |path| Candidate {
        path,
        proof: match build_id {
            Some(id) => Proof::BuildId(id.to_owned()),
            None => Proof::Checksum(checksum),
        },
    };
    paths.into_iter().map(candidate).collect()
}

/// The file name and the checksum in `.gnu_debuglink`: a terminated string,
/// padding to four bytes, and a number.
fn debug_link<'data, R: ReadRef<'data>>(image: &Image<'data, R>) -> Option<(PathBuf, u32)> {
    let section = image.section(".gnu_debuglink")?;
    let contents = image.contents(section).ok()?;
    let length = contents.iter().position(|&byte| byte == 0)?;
    let name = std::str::from_utf8(&contents[..length]).ok()?;
    let name = Path::new(name).file_name()?;
    let checksum = contents.get((length + 1).next_multiple_of(4)..)?;
    let checksum = *checksum.first_chunk::<4>()?;
    let checksum = match image.endian() {
        object::Endianness::Little => u32::from_le_bytes(checksum),
        object::Endianness::Big => u32::from_be_bytes(checksum),
    };
    Some((PathBuf::from(name), checksum))
}

/// The checksum that `.gnu_debuglink` uses, which is the one of zlib.
fn crc32(path: &Path) -> io::Result<u32> {
    let mut table = [0u32; 256];
    for (byte, entry) in (0u32..).zip(&mut table) {
        *entry = (0..8).fold(byte, |value, _| (value >> 1) ^ (0xedb8_8320 * (value & 1)));
    }
    let mut file = open_regular(path).map_err(io::Error::other)?;
    let mut buffer = vec![0; 1 << 16];
    let mut crc = !0u32;
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            return Ok(!crc);
        }
        for &byte in &buffer[..length] {
            crc = (crc >> 8) ^ table[((crc ^ u32::from(byte)) & 0xff) as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_is_the_standard_one() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"123456789").unwrap();
        assert_eq!(crc32(file.path()).unwrap(), 0xcbf4_3926);
    }
}
