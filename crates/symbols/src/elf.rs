//! Function names of one ELF file, from wherever they can be had.

use std::path::Path;

use object::ReadRef;
use object::elf::{SHT_DYNSYM, SHT_SYMTAB};

use crate::error::Error;
use crate::image::{self, Image};
use crate::table::{Builder, Table};
use crate::{debug_file, mini_debug, plt};

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
        let data = image::open(path)?;
        let malformed = |error: object::Error| Error::Malformed {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        let image = Image::parse(&data).map_err(malformed)?;
        let build_id = image.build_id();
        check_build_id(path, expected_build_id, build_id.as_deref())?;

        let mut builder = Builder::default();
        image.add_code(&mut builder);
        let complete = image.add_functions(SHT_SYMTAB, &mut builder);
        if !complete.map_err(malformed)? {
            let dynamic = image.add_functions(SHT_DYNSYM, &mut builder);
            dynamic.map_err(malformed)?;
            add_split_off(path, &image, build_id.as_deref(), &mut builder);
        }
        plt::add_stubs(&image, &mut builder);

        let table = builder.build();
        if table.is_empty() {
            let path = path.to_owned();
            return Err(Error::NoSymbols { path });
        }
        Ok(SymbolTable { table })
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

fn check_build_id(path: &Path, expected: Option<&str>, found: Option<&str>) -> Result<(), Error> {
    match expected {
        Some(expected) if !found.is_some_and(|found| found.eq_ignore_ascii_case(expected)) => {
            Err(Error::BuildIdMismatch {
                path: path.to_owned(),
                expected: expected.to_owned(),
                found: found.unwrap_or("none").to_owned(),
            })
        }
        _ => Ok(()),
    }
}

/// Adds symbols that were split off when the file was stripped. None of this is
/// needed for an answer, so what cannot be read is passed over.
fn add_split_off<'data, R: ReadRef<'data>>(
    path: &Path,
    image: &Image<'data, R>,
    build_id: Option<&str>,
    builder: &mut Builder,
) {
    let found = debug_file::candidates(path, image, build_id)
        .into_iter()
        .any(|candidate| {
            let Ok(data) = image::open(&candidate.path) else {
                return false;
            };
            Image::parse(&data).is_ok_and(|debug| {
                candidate.belongs(debug.build_id().as_deref())
                    && debug.add_functions(SHT_SYMTAB, builder).unwrap_or(false)
            })
        });
    if !found && let Some(unpacked) = mini_debug::unpack(image) {
        // An error here means no names beyond those of the dynamic symbols.
        let _ = Image::parse(unpacked.as_slice())
            .and_then(|debug| debug.add_functions(SHT_SYMTAB, builder));
    }
}
