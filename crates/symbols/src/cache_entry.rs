//! One entry of the cache as bytes.
//!
//! ```text
//!   file = magic (8 bytes), xxh3 of the rest, length of what follows, zstd of:
//!     version, key                              (strings)
//!     files: path, present, size, times         (the witnesses)
//!     names, source files                       (strings)
//!     addresses, functions, ends, places        (numbers)
//! ```
//!
//! All numbers are 8 bytes, little-endian, and a list begins with its length. Whoever
//! reads it believes nothing: a file that is not exactly right is no entry.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use crate::answer::{Answer, NONE, ResolvedPlace};
use crate::resolve_module::Known;
use crate::witness::Stamp;

const MAGIC: &[u8; 8] = b"RSDUsym1";

/// Answers of other versions may follow other rules. To be raised with every change of
/// what is answered.
const RULES: &str = concat!(env!("CARGO_PKG_VERSION"), "/1");

/// More than the answers for any module; a guard against bad data.
const MOST_UNPACKED_BYTES: usize = 1 << 30;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Under which circumstances it was made.
    pub(crate) key: String,
    /// The files it depends on; `None` for those that were not there.
    pub(crate) witnesses: BTreeMap<PathBuf, Option<Stamp>>,
    pub(crate) known: Known,
}

/// `None` if it is too large to be worth it.
pub(crate) fn encode(entry: &Entry) -> Option<Vec<u8>> {
    let mut out = Writer(Vec::new());
    out.bytes(RULES.as_bytes());
    out.bytes(entry.key.as_bytes());
    out.number(entry.witnesses.len() as u64);
    for (path, stamp) in &entry.witnesses {
        out.bytes(path.as_os_str().as_bytes());
        out.list(stamp.iter().flat_map(Stamp::words));
    }
    let Known { addresses, answer } = &entry.known;
    for strings in [&answer.names, &answer.files] {
        out.number(strings.len() as u64);
        strings.iter().for_each(|text| out.bytes(text.as_bytes()));
    }
    out.list(addresses.iter().copied());
    out.list(answer.functions.iter().map(|&function| function.into()));
    out.list(answer.ends.iter().map(|&end| end.into()));
    let places = answer.places.iter();
    let numbers = |place: &ResolvedPlace| [place.function, place.file, place.line].map(u64::from);
    out.list(places.flat_map(numbers));
    if out.0.len() > MOST_UNPACKED_BYTES {
        return None;
    }
    let mut rest = (out.0.len() as u64).to_le_bytes().to_vec();
    rest.extend(zstd::bulk::compress(&out.0, 1).ok()?);
    Some([&MAGIC[..], &xxh3_64(&rest).to_le_bytes(), &rest].concat())
}

pub(crate) fn decode(file: &[u8]) -> Option<Entry> {
    let (magic, rest) = file.split_first_chunk::<8>()?;
    let (checksum, rest) = rest.split_first_chunk::<8>()?;
    if magic != MAGIC || xxh3_64(rest) != u64::from_le_bytes(*checksum) {
        return None;
    }
    let (length, packed) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    if length > MOST_UNPACKED_BYTES {
        return None;
    }
    let unpacked = zstd::bulk::decompress(packed, length).ok()?;
    let mut input = Reader(&unpacked);
    if input.bytes()? != RULES.as_bytes() {
        return None;
    }
    let key = input.text()?;
    let mut witnesses = BTreeMap::new();
    for _ in 0..input.number()? {
        let path = PathBuf::from(OsStr::from_bytes(input.bytes()?));
        let stamp = match input.list()?.as_slice() {
            [] => None,
            words => Some(Stamp::from_words(words)?),
        };
        witnesses.insert(path, stamp);
    }
    let names = input.texts()?;
    let files = input.texts()?;
    let addresses = input.list()?;
    let functions = input.small_list()?;
    let ends = input.small_list()?;
    let places = input.small_list()?;
    let places = places.chunks_exact(3).map(|numbers| ResolvedPlace {
        function: numbers[0],
        file: numbers[1],
        line: numbers[2],
    });
    let answer = Answer {
        names,
        files,
        functions,
        ends,
        places: places.collect(),
    };
    let known = Known { addresses, answer };
    let entry = Entry {
        key,
        witnesses,
        known,
    };
    (input.0.is_empty() && is_consistent(&entry.known)).then_some(entry)
}

fn is_consistent(Known { addresses, answer }: &Known) -> bool {
    let names = |number: u32| number == NONE || (number as usize) < answer.names.len();
    let files = |number: u32| number == NONE || (number as usize) < answer.files.len();
    let last_end = answer.ends.last().map_or(0, |&end| end as usize);
    addresses.is_sorted_by(|one, next| one < next)
        && answer.functions.len() == addresses.len()
        && answer.ends.len() == addresses.len()
        && answer.ends.is_sorted()
        && last_end == answer.places.len()
        && answer.functions.iter().all(|&number| names(number))
        && answer
            .places
            .iter()
            .all(|place| names(place.function) && files(place.file))
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn list(&mut self, numbers: impl Iterator<Item = u64>) {
        let start = self.0.len();
        self.number(0);
        let mut count = 0u64;
        for number in numbers {
            self.number(number);
            count += 1;
        }
        self.0[start..start + 8].copy_from_slice(&count.to_le_bytes());
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn texts(&mut self) -> Option<Vec<String>> {
        let count = self.number()?;
        (0..count).map(|_| self.text()).collect()
    }

    fn list(&mut self) -> Option<Vec<u64>> {
        let length = usize::try_from(self.number()?).ok()?.checked_mul(8)?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        let numbers = bytes.as_chunks::<8>().0.iter();
        Some(numbers.map(|bytes| u64::from_le_bytes(*bytes)).collect())
    }

    fn small_list(&mut self) -> Option<Vec<u32>> {
        let numbers = self.list()?.into_iter();
        numbers.map(|number| number.try_into().ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        let there = Stamp::of(std::path::Path::new("/"));
        assert!(there.is_some());
        let place = |function, file, line| ResolvedPlace {
            function,
            file,
            line,
        };
        Entry {
            key: "here".to_owned(),
            witnesses: BTreeMap::from([("/".into(), there), ("/nonexistent".into(), None)]),
            known: Known {
                addresses: vec![1, 5, u64::MAX],
                answer: Answer {
                    names: vec!["inner".to_owned(), "outer".to_owned()],
                    files: vec!["file".to_owned()],
                    functions: vec![1, NONE, 0],
                    ends: vec![2, 2, 3],
                    places: vec![place(0, 0, 3), place(1, NONE, 0), place(0, 0, u32::MAX)],
                },
            },
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let entry = entry();
        assert_eq!(decode(&encode(&entry).unwrap()), Some(entry));
        let empty = Entry::default();
        assert_eq!(decode(&encode(&empty).unwrap()), Some(empty));
    }

    #[test]
    fn what_does_not_fit_together_is_not_believed() {
        type Change = fn(&mut Known);
        let changes: [Change; 6] = [
            |known| known.addresses.swap(0, 1),
            |known| known.answer.ends[1] = 4,
            |known| known.answer.ends[2] = 2,
            |known| known.answer.functions[0] = 2,
            |known| known.answer.places[0].file = 1,
            |known| known.answer.functions.truncate(2),
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let mut entry = entry();
            change(&mut entry.known);
            let read = decode(&encode(&entry).unwrap());
            assert_eq!(read, None, "change {index}");
        }
    }
}
