//! Names for the stubs through which a module calls into others.
//!
//! No symbol covers these stubs, so without help an address in one would have
//! no name. Each is a jump through a pointer, and the relocation that fills the
//! pointer says which function it leads to; it is shown as `function@plt`.

use std::collections::HashMap;

use object::ReadRef;
use object::elf::{R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, SHT_DYNSYM};
use object::read::elf::{Rela, SectionHeader, Sym};

use crate::image::{Image, Section};
use crate::table::{Builder, Rank};

/// Adds a symbol for every stub of an x86-64 file whose target is known. Stubs
/// are a nicety, so what cannot be read is passed over.
pub(crate) fn add_stubs<'data, R: ReadRef<'data>>(
    image: &Image<'data, R>,
    builder: &mut Builder,
) -> Option<()> {
    let stubs = [".plt", ".plt.sec", ".plt.got"].map(|name| image.section(name));
    if !image.is_x86_64() || stubs.iter().all(Option::is_none) {
        return None;
    }
    let (symbols, strings) = image.symbols(SHT_DYNSYM).ok()?;
    let targets = pointer_targets(image);
    for section in stubs.into_iter().flatten() {
        for (address, size, pointer) in stubs_in(image, section) {
            let symbol = targets.get(&pointer).and_then(|&index| symbols.get(index));
            let offset = symbol.map_or(0, |symbol| symbol.st_name(image.endian()));
            let name = strings.get(offset as usize..).unwrap_or_default();
            let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
            if !name.is_empty() {
                let name = builder.add_names(&[name, b"@plt"].concat())?;
                builder.add(address, size, name, Rank::Local);
            }
        }
    }
    Some(())
}

/// The index of the dynamic symbol that the loader stores at each address.
fn pointer_targets<'data, R: ReadRef<'data>>(image: &Image<'data, R>) -> HashMap<u64, usize> {
    let endian = image.endian();
    image
        .sections()
        .flat_map(|section| image.relocations(section))
        .filter(|r| {
            matches!(
                r.r_type(endian, false),
                R_X86_64_JUMP_SLOT | R_X86_64_GLOB_DAT
            )
        })
        .map(|r| (r.r_offset(endian), r.r_sym(endian, false) as usize))
        .collect()
}

/// The address and size of every stub, and the pointer through which it jumps:
/// `jmp *displacement(%rip)` is `ff 25` and four bytes.
fn stubs_in<'data, R: ReadRef<'data>>(
    image: &Image<'data, R>,
    section: &Section,
) -> impl Iterator<Item = (u64, u64, u64)> + 'data {
    let start = section.sh_addr(image.endian());
    let size = match section.sh_entsize(image.endian()) {
        size @ 8..=64 => size,
        _ => 16,
    };
    let contents = image.contents(section).unwrap_or_default();
    let stubs = (0u64..).zip(contents.chunks_exact(size as usize));
    stubs.filter_map(move |(index, stub)| {
        let address = start.wrapping_add(index * size);
        let jump = stub
            .windows(6)
            .position(|code| code.starts_with(&[0xff, 0x25]))?;
        let displacement = i32::from_le_bytes(*stub.get(jump + 2..)?.first_chunk()?);
        let next = address.wrapping_add(jump as u64 + 6);
        Some((address, size, next.wrapping_add_signed(displacement.into())))
    })
}
