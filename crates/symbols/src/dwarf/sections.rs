//! The debug sections of one ELF file, unpacked where they are compressed.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use gimli::{EndianSlice, RunTimeEndian};
use object::read::elf::ElfFile64;
use object::{CompressedFileRange, CompressionFormat, Endianness, Object, ObjectSection};

use crate::error::Error;
use crate::mapping::Mapping;

pub(crate) type Slice<'data> = EndianSlice<'data, RunTimeEndian>;

/// More than any real section unpacks to; a guard against bad data that claims more
/// than there is memory.
const MOST_UNPACKED_BYTES: u64 = 16 << 30;

/// A mapped file, and where its debug sections are.
pub(crate) struct Sections {
    path: PathBuf,
    file: Mapping,
    endian: RunTimeEndian,
    /// By name, as if none were compressed.
    contents: Vec<(String, Contents)>,
}

enum Contents {
    InFile(Range<usize>),
    Unpacked(Vec<u8>),
}

impl Sections {
    /// Maps the file at `path`, which was found to be the right one.
    ///
    /// A section that cannot be unpacked is as good as missing.
    pub(crate) fn open(path: &Path) -> Result<Sections, Error> {
        let file = Mapping::open(path)?;
        let elf = ElfFile64::<Endianness>::parse(&*file).map_err(|error| Error::Malformed {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        let endian = match elf.endianness() {
            object::Endianness::Little => RunTimeEndian::Little,
            object::Endianness::Big => RunTimeEndian::Big,
        };
        let contents = elf.sections().filter_map(|section| {
            let name = plain_name(section.name().ok()?)?;
            let contents = load(&file, section.compressed_file_range().ok()?)?;
            Some((name, contents))
        });
        let contents = contents.collect();
        Ok(Sections {
            path: path.to_owned(),
            file,
            endian,
            contents,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn endian(&self) -> RunTimeEndian {
        self.endian
    }

    /// The bytes of a section; none if it is not there.
    pub(crate) fn bytes(&self, name: &str) -> &[u8] {
        let found = self.contents.iter().find(|(known, _)| known == name);
        match found {
            Some((_, Contents::InFile(range))) => self.file.get(range.clone()).unwrap_or_default(),
            Some((_, Contents::Unpacked(bytes))) => bytes,
            None => &[],
        }
    }

    pub(crate) fn slice(&self, name: &str) -> Slice<'_> {
        EndianSlice::new(self.bytes(name), self.endian)
    }
}

/// What is read of debug information; locations of variables and macros, for one, may
/// be as large and are not.
const WANTED: [&str; 13] = [
    ".debug_abbrev",
    ".debug_addr",
    ".debug_cu_index",
    ".debug_info",
    ".debug_line",
    ".debug_line_str",
    ".debug_ranges",
    ".debug_rnglists",
    ".debug_str",
    ".debug_str_offsets",
    ".debug_tu_index",
    ".debug_types",
    ".gnu_debugaltlink",
];

/// The name of a section that is wanted; before compression was standardised,
/// `.zdebug_info` stood for `.debug_info`. Of a package all are, because its index must
/// not point to nowhere.
fn plain_name(name: &str) -> Option<String> {
    let plain = match name.strip_prefix(".z") {
        Some(rest) => format!(".{rest}"),
        None => name.to_owned(),
    };
    let is_wanted = WANTED.contains(&plain.as_str()) || plain.ends_with(".dwo");
    is_wanted.then_some(plain)
}

fn load(file: &[u8], stored: CompressedFileRange) -> Option<Contents> {
    let start = usize::try_from(stored.offset).ok()?;
    let end = start.checked_add(usize::try_from(stored.compressed_size).ok()?)?;
    let packed = file.get(start..end)?;
    match stored.format {
        CompressionFormat::None => Some(Contents::InFile(start..end)),
        CompressionFormat::Zlib => {
            let reader = flate2::read::ZlibDecoder::new(packed);
            unpack(reader, stored.uncompressed_size)
        }
        CompressionFormat::Zstandard => {
            let reader = zstd::stream::read::Decoder::with_buffer(packed).ok()?;
            unpack(reader, stored.uncompressed_size)
        }
        _ => None,
    }
}

/// Unpacks exactly as many bytes as the file promises.
fn unpack(reader: impl Read, promised: u64) -> Option<Contents> {
    if promised > MOST_UNPACKED_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(promised as usize).ok()?;
    // One more, to see whether there is more.
    reader.take(promised + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == promised).then_some(Contents::Unpacked(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_of_compressed_sections_are_known() {
        assert_eq!(plain_name(".debug_info").as_deref(), Some(".debug_info"));
        assert_eq!(plain_name(".zdebug_line").as_deref(), Some(".debug_line"));
        let split = plain_name(".debug_loc.dwo");
        assert_eq!(split.as_deref(), Some(".debug_loc.dwo"));
        assert_eq!(plain_name(".debug_loclists"), None);
        assert_eq!(plain_name(".text"), None);
        assert_eq!(plain_name(".zeroes"), None);
    }

    #[test]
    fn a_section_must_unpack_to_what_it_promises() {
        let unpacked = |promised| match unpack(&b"hello"[..], promised) {
            Some(Contents::Unpacked(bytes)) => Some(bytes),
            _ => None,
        };
        assert_eq!(unpacked(5).as_deref(), Some(&b"hello"[..]));
        assert_eq!(unpacked(4), None);
        assert_eq!(unpacked(6), None);
        assert_eq!(unpacked(u64::MAX), None);
    }
}
