//! Files as memory, without reading them.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

use crate::error::Error;
use crate::image;

/// A whole file, of which only the pages that are looked at are ever read.
pub(crate) struct Mapping {
    map: Mmap,
}

impl Mapping {
    pub(crate) fn open(path: &Path) -> Result<Mapping, Error> {
        let file = image::open_regular(path)?;
        let map = map(&file).map_err(|reason| Error::Read {
            path: path.to_owned(),
            reason,
        })?;
        Ok(Mapping { map })
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // Installers and linkers put a new file in the place of an old one rather than writing
    // into it; who cuts a mapped file short nevertheless ends the process with a signal,
    // and the recording stays where it is.
    // SAFETY: the mapping is only read, as plain bytes of which any value is valid and
    // which are checked wherever they are used.
    unsafe { Mmap::map(file) }
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}
