//! Debug information that compilers leave beside the objects: a `.dwo` file for each
//! unit, or one `.dwp` package of all of them.
//!
//! What stays in the binary names the file, and an identity by which it is believed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use gimli::{Dwarf, DwarfPackage, DwoId, SectionId, Unit, UnitHeader, UnitRef};

use super::sections::{Sections, Slice};

/// A package of split units.
pub(crate) struct Package<'data> {
    package: DwarfPackage<Slice<'data>>,
}

impl<'data> Package<'data> {
    pub(super) fn read(sections: &'data Sections) -> Option<Self> {
        let load = |id: SectionId| Ok::<_, gimli::Error>(split_section(sections, id));
        let empty = Slice::new(&[], sections.endian());
        let package = DwarfPackage::load(load, empty).ok()?;
        Some(Package { package })
    }

    pub(super) fn find(
        &self,
        id: DwoId,
        parent: &Dwarf<Slice<'data>>,
    ) -> Option<Dwarf<Slice<'data>>> {
        self.package.find_cu(id, parent).ok()?
    }
}

/// Reads a `.dwo` file that belongs to a unit of `parent`.
pub(super) fn load<'data>(
    sections: &'data Sections,
    parent: &Dwarf<Slice<'data>>,
) -> Option<Dwarf<Slice<'data>>> {
    let load = |id: SectionId| Ok::<_, gimli::Error>(split_section(sections, id));
    let mut dwarf = Dwarf::load(load).ok()?;
    dwarf.make_dwo(parent);
    Some(dwarf)
}

fn split_section<'data>(sections: &'data Sections, id: SectionId) -> Slice<'data> {
    let name = id.dwo_name().unwrap_or(id.name());
    sections.slice(name)
}

/// The split unit that belongs to `skeleton`, with its header.
pub(super) fn unit<'data>(
    dwarf: &Dwarf<Slice<'data>>,
    skeleton: &Unit<Slice<'data>>,
) -> Option<(UnitHeader<Slice<'data>>, Unit<Slice<'data>>)> {
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(mut unit) = dwarf.unit(header) else {
            continue;
        };
        if unit.dwo_id.is_some() && unit.dwo_id == skeleton.dwo_id {
            unit.copy_relocated_attributes(skeleton);
            return Some((header, unit));
        }
    }
    None
}

/// The path of the `.dwo` file, as the compiler was given it: the directory of
/// compilation, and what may be relative to it.
pub(super) fn path(skeleton: UnitRef<'_, Slice<'_>>) -> Option<PathBuf> {
    let name = skeleton.dwo_name().ok()??;
    let name = skeleton.attr_string(name).ok()?;
    let directory = skeleton
        .comp_dir
        .map_or(&[][..], |directory| directory.slice());
    let directory = PathBuf::from(OsStr::from_bytes(directory));
    Some(directory.join(OsStr::from_bytes(name.slice())))
}
