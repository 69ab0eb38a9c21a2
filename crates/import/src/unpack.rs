//! A file's content, unpacked while it is read: gzip and zstd are known by their first
//! bytes.

use std::io::{self, BufRead, BufReader, Read};

use crate::error::Wrong;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const BUFFER_BYTES: usize = 256 << 10;

/// Recordings of one loop shrink to a ten-thousandth. What unpacks to more than that
/// was made to do harm.
const MOST_RATIO: u64 = 20_000;
/// What is kept in memory shrinks far less, because it does not repeat.
const KEPT_RATIO: u64 = 100;
/// Small files may unpack to this much whatever the ratio.
const SMALL_BYTES: u64 = 64 << 20;

pub(crate) struct Input<'a> {
    pub reader: Box<dyn BufRead + 'a>,
    /// How much of the content a reader may keep.
    pub kept_bytes: u64,
}

impl<'a> Input<'a> {
    /// `packed_bytes` is the length of `file`.
    pub fn open(file: impl Read + 'a, packed_bytes: u64) -> io::Result<Input<'a>> {
        let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
        let start = file.fill_buf()?;
        let unpacked: Box<dyn Read + 'a> = if start.starts_with(GZIP) {
            Box::new(flate2::bufread::MultiGzDecoder::new(file))
        } else if start.starts_with(ZSTD) {
            Box::new(zstd::Decoder::with_buffer(file)?)
        } else {
            return Ok(Input {
                reader: Box::new(file),
                kept_bytes: packed_bytes.max(SMALL_BYTES),
            });
        };
        let bounded = Bounded {
            inner: unpacked,
            left_bytes: bound(packed_bytes, MOST_RATIO),
        };
        Ok(Input {
            reader: Box::new(BufReader::with_capacity(BUFFER_BYTES, bounded)),
            kept_bytes: bound(packed_bytes, KEPT_RATIO),
        })
    }

    /// Content that is unpacked already.
    pub fn plain(bytes: &'a [u8]) -> Input<'a> {
        Input {
            reader: Box::new(bytes),
            kept_bytes: (bytes.len() as u64).max(SMALL_BYTES),
        }
    }

    /// Everything at once.
    pub fn read_whole(self) -> Result<Vec<u8>, Wrong> {
        let mut bytes = Vec::new();
        let mut limited = self.reader.take(self.kept_bytes + 1);
        let read = limited.read_to_end(&mut bytes);
        let read = read.and_then(|read| match read as u64 > self.kept_bytes {
            true => Err(too_much()),
            false => Ok(()),
        });
        match read {
            Ok(()) => Ok(bytes),
            Err(error) => {
                let reason = format!("it cannot be read further: {error}");
                Err(Wrong::at_byte(bytes.len(), reason))
            }
        }
    }
}

fn bound(packed_bytes: u64, ratio: u64) -> u64 {
    packed_bytes.saturating_mul(ratio).max(SMALL_BYTES)
}

fn too_much() -> io::Error {
    io::Error::other("it unpacks to far more than its size allows")
}

struct Bounded<'a> {
    inner: Box<dyn Read + 'a>,
    left_bytes: u64,
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left_bytes = self
            .left_bytes
            .checked_sub(read as u64)
            .ok_or_else(too_much)?;
        Ok(read)
    }
}

/// Tells how much of a file was read.
pub(crate) struct Watched<'a, R> {
    pub inner: R,
    pub done_bytes: u64,
    pub watch: &'a mut dyn FnMut(u64),
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.done_bytes += read as u64;
        (self.watch)(self.done_bytes);
        Ok(read)
    }
}
