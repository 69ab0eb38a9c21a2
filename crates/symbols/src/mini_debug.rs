//! Symbols that a stripped file carries in itself, compressed.
//!
//! Fedora and its relatives strip their binaries, but leave the symbols that
//! the dynamic table lacks in `.gnu_debugdata`, as an xz-packed ELF file. That
//! is just enough for backtraces, which is just what is needed here.

use std::io::{self, Write};

use object::ReadRef;

use crate::image::Image;

/// More symbols than any real file has; a guard against bad data that unpacks
/// to more than there is memory.
const MOST_UNPACKED: usize = 256 << 20;

/// The unpacked inner ELF file, if there is one.
pub(crate) fn unpack<'data, R: ReadRef<'data>>(image: &Image<'data, R>) -> Option<Vec<u8>> {
    let section = image.section(".gnu_debugdata")?;
    let mut packed = image.contents(section).ok()?;
    let mut unpacked = Limited(Vec::new());
    lzma_rs::xz_decompress(&mut packed, &mut unpacked).ok()?;
    Some(unpacked.0)
}

struct Limited(Vec<u8>);

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_UNPACKED {
            return Err(io::Error::other("unpacks to too much"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
