//! Functions of known linkage names, all in one pass over a file's own symbols.

use crate::error::Error;
use crate::image::{self, Image};
use object::elf::{self, SHT_SYMTAB};
use object::read::elf::Sym;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// A function by its place among the names asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedFunction {
    pub name: usize,
    /// The link-time address.
    pub address: u64,
    pub size: u64,
    /// How many bytes further the next symbol of the code stands.
    pub next_symbol: Option<u64>,
}

/// The functions of these names in the symbol table of the ELF file at `path`. Names that
/// stand for more than one function are left out.
pub fn find_named(path: &Path, names: &[&str]) -> Result<Vec<NamedFunction>, Error> {
    let data = image::open(path)?;
    let malformed = |error: object::Error| Error::Malformed {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    let image = Image::parse(&data).map_err(malformed)?;
    let endian = image.endian();
    let (symbols, strings) = image.symbols(SHT_SYMTAB).map_err(malformed)?;
    let code = image.code();
    let is_here = |address: &u64| code.iter().any(|range| range.contains(address));
    let wanted: HashMap<&[u8], usize> = (0..)
        .zip(names)
        .map(|(place, name)| (name.as_bytes(), place))
        .collect();
    let mut found: BTreeMap<usize, Option<NamedFunction>> = BTreeMap::new();
    for symbol in symbols.iter().filter(|s| s.st_type() == elf::STT_FUNC) {
        let name = strings.get(symbol.st_name(endian) as usize..);
        let name = name.and_then(|name| name.split(|&byte| byte == 0).next());
        let Some(&name) = name.and_then(|name| wanted.get(name)) else {
            continue;
        };
        let address = symbol.st_value(endian);
        if symbol.st_shndx(endian) == elf::SHN_UNDEF || !is_here(&address) {
            continue;
        }
        let function = NamedFunction {
            name,
            address,
            size: symbol.st_size(endian),
            next_symbol: None,
        };
        let place = found.entry(name).or_insert(Some(function));
        *place = place.filter(|known| known.address == address);
    }
    let mut found: Vec<NamedFunction> = found.into_values().flatten().collect();
    for symbol in symbols.iter() {
        let is_code = matches!(symbol.st_type(), elf::STT_FUNC | elf::STT_NOTYPE);
        if !is_code || symbol.st_shndx(endian) == elf::SHN_UNDEF {
            continue;
        }
        let address = symbol.st_value(endian);
        for function in &mut found {
            let Some(distance @ 1..) = address.checked_sub(function.address) else {
                continue;
            };
            let nearer = function.next_symbol.is_none_or(|next| distance < next);
            if nearer && distance < NEAR_BYTES {
                function.next_symbol = Some(distance);
            }
        }
    }
    Ok(found)
}

/// Nobody asks about symbols that are further away.
const NEAR_BYTES: u64 = 16;
