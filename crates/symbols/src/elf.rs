//! Function names of one ELF file on this machine.

use std::path::Path;

use crate::directory::Index;
use crate::error::Error;
use crate::image::{self, Image};
use crate::module::{Module, Subject};
use crate::search::{Finder, Search};
use crate::table::Table;

/// The functions of one ELF file, ready to be looked up by address.
#[derive(Debug)]
pub struct SymbolTable {
    table: Table,
}

impl SymbolTable {
    /// Reads the function symbols of the file at `path`.
    ///
    /// With an `expected_build_id` (hex digits), a file that has another one,
    /// or none, is refused.
    ///
    /// The full symbol table is preferred. Where it was stripped, the dynamic
    /// one is joined by what a separate debug file or the compressed symbols
    /// inside the file still know.
    pub fn open(path: &Path, expected_build_id: Option<&str>) -> Result<SymbolTable, Error> {
        let (search, index) = (Search::default(), Index::default());
        let finder = Finder::new(&search, &index);
        let module = Module::open(path, expected_build_id, &finder, Subject::Functions)?;
        Ok(SymbolTable {
            table: module.table,
        })
    }

    /// The linkage name of the function at a link-time address.
    ///
    /// For a frame that is not the innermost, pass an address inside of the
    /// call (return address minus one): the return address itself may already
    /// belong to the next function.
    pub fn lookup(&self, address: u64) -> Option<&str> {
        self.table.lookup(address)
    }
}

/// The build-id of the ELF file at `path` as lower-case hex digits, or `None`
/// if the file has none.
pub fn build_id(path: &Path) -> Result<Option<String>, Error> {
    let data = image::open(path)?;
    match Image::parse(&data) {
        Ok(image) => Ok(image.build_id()),
        Err(error) => Err(Error::Malformed {
            path: path.to_owned(),
            reason: error.to_string(),
        }),
    }
}
