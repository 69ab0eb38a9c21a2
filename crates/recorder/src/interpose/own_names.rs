//! Allocators that the program calls by names of their own: mimalloc or jemalloc as Rust's
//! global allocator, Redis' jemalloc, TBB's. Their functions get detours, as those of a `malloc`
//! in the executable do.
//!
//! Names that libraries export are looked up here. Of names in the executable's symbol table,
//! which is not loaded, the command tells, for the program that it starts:
//!
//! ```text
//!   own=DEVICE,FILE,MODIFIED,NUMBER:ADDRESS:BYTES:NEXT,...      hexadecimal
//! ```
//!
//! A function of such a name may be a wrapper around `malloc`, which the hooks see: then it is
//! left alone. The first call tells.

use super::bundled_calls::{
    freeing, made_of_first, made_of_product, made_of_second, placed, reallocated,
    reallocated_to_product, reallocating,
};
use super::bundled_detours::Detours;
use super::real;
use crate::account::{MALLCTL, MALLINFO, MALLINFO2, TCMALLOC_PROPERTY};
use crate::detour::Refusal;
use crate::detour::around::{After, Around, Before, Frame};
use crate::dynamic::{self, Definition};
use crate::modules;
use crate::setup;
use crate::sys;
use crate::thread;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};
use residue_arena::header;
use residue_arena::own_names::{COUNT, FAMILIES, Family, Shape, families, functions};

static AROUNDS: [Around; COUNT] = [const { Around::new(None, None) }; COUNT];

fn hooks_of(shape: Shape) -> (Option<Before>, Option<After>) {
    match shape {
        Shape::MakesFirst => (None, Some(made_of_first)),
        Shape::MakesSecond => (None, Some(made_of_second)),
        Shape::MakesProduct => (None, Some(made_of_product)),
        Shape::Places => (None, Some(placed)),
        Shape::Reallocates => (Some(reallocating), Some(reallocated)),
        Shape::ReallocatesProduct => (Some(reallocating), Some(reallocated_to_product)),
        Shape::Frees => (Some(freeing), None),
    }
}

/// Where a family is among the dynamic symbols of what was there at the start: not in the
/// library that answers `malloc`, whose functions may be called by the hooks.
fn loaded(family: &Family) -> Option<Definition> {
    let [(malloc, _), (free, _), ..] = family.functions else {
        return None;
    };
    let found = dynamic::elsewhere(malloc)?;
    dynamic::defined_beside(found.address, free)?;
    let answers = modules::range_of(real::next_malloc());
    (modules::range_of(found.address) != answers).then_some(found)
}

/// Whether one is there.
pub fn are_loaded() -> bool {
    FAMILIES.iter().any(|family| loaded(family).is_some())
}

/// Puts the detours in, family by family: what cannot have one is left as it is.
pub fn record() {
    for (numbers, family) in families() {
        let _ = record_family(family, numbers);
    }
}

fn record_family(family: &Family, numbers: Range<usize>) -> Result<(), Refusal> {
    let mut detours = Detours::default();
    let library = loaded(family);
    let told = Told::of_this_program()
        .filter(|_| library.is_none_or(|library| dynamic::is_program(library.address)));
    for ((name, shape), number) in family.functions.iter().zip(numbers.clone()) {
        let Some(around) = AROUNDS.get(number) else {
            continue;
        };
        match hooks_of(*shape) {
            (None, Some(_)) => around.set(Some(trying), Some(tried)),
            (before, after) => around.set(before, after),
        }
        let symbol = told.as_ref().and_then(|told| told.find(number));
        let exported = library.and_then(|library| dynamic::defined_beside(library.address, name));
        if let Some([address, bytes, next]) = symbol {
            let next = (next != 0).then_some(next);
            detours.add(address, bytes, next, around)?;
        } else if let Some(found) = exported {
            detours.add(found.address, found.bytes, None, around)?;
        }
    }
    detours.put_in()?;
    for around in AROUNDS.get(numbers).unwrap_or(&[]) {
        around.switch(true);
    }
    Ok(())
}

/// What the command tells of the executable's symbols.
struct Told {
    functions: &'static [u8],
    bias: usize,
}

impl Told {
    /// `None` where this is not the program that was searched, or no longer.
    fn of_this_program() -> Option<Told> {
        let own = setup::config().text("own").filter(|own| !own.is_empty())?;
        let mut fields = own.splitn(4, |&byte| byte == b',');
        let status = sys::status(b"/proc/self/exe\0").ok()?;
        for expected in [status.device, status.file, status.modified_ns] {
            (hexadecimal(fields.next()?)? as u64 == expected).then_some(())?;
        }
        Some(Told {
            functions: fields.next()?,
            bias: dynamic::program_bias(),
        })
    }

    /// Address, size and distance of the next symbol.
    fn find(&self, number: usize) -> Option<[usize; 3]> {
        self.functions
            .split(|&byte| byte == b',')
            .find_map(|function| {
                let mut fields = function.split(|&byte| byte == b':');
                let mut field = || hexadecimal(fields.next()?);
                (field()? == number).then_some(())?;
                let address = self.bias.wrapping_add(field()?);
                dynamic::is_program(address).then_some([address, field()?, field()?])
            })
    }
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    usize::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()
}

extern "C" fn trying(_: &'static Around, frame: &mut Frame, _: *const usize, _: usize) {
    frame.kept[0] = thread::last_block();
}

/// The first call of a function that makes blocks.
extern "C" fn tried(
    around: &'static Around,
    frame: &mut Frame,
    slot: *const usize,
    bp: usize,
    result: usize,
) {
    /// What a wrapper puts in front of a block.
    const MOST_HEADER_BYTES: usize = 4096;
    let mut known = functions().zip(&AROUNDS);
    let Some(((number, &(_, shape)), _)) = known.find(|(_, known)| core::ptr::eq(*known, around))
    else {
        return;
    };
    let [place, ..] = frame.arguments();
    let block = match shape {
        Shape::Places if result as i32 != 0 => 0,
        // SAFETY: on success the program's place holds the block.
        Shape::Places => unsafe { (place as *const usize).read() },
        _ => result,
    };
    if block == 0 {
        return;
    }
    let last = thread::last_block();
    let is_wrapper =
        last != 0 && last != frame.kept[0] && block.wrapping_sub(last) <= MOST_HEADER_BYTES;
    settle(number, !is_wrapper);
    if let (false, (_, Some(after))) = (is_wrapper, hooks_of(shape)) {
        after(around, frame, slot, bp, result);
    }
}

/// Records the family of this function from now on, or leaves it alone.
fn settle(number: usize, is_recorded: bool) {
    static SETTLED: AtomicU32 = AtomicU32::new(0);
    for (index, (numbers, family)) in families().enumerate() {
        let bit = 1 << index;
        if !numbers.contains(&number) || SETTLED.fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            continue;
        }
        let arounds = AROUNDS.get(numbers).unwrap_or(&[]);
        for (around, (_, shape)) in arounds.iter().zip(family.functions) {
            let (before, after) = hooks_of(*shape);
            around.set(before, after);
            around.switch(is_recorded);
        }
        if is_recorded {
            setup::note(header::records_own_names(index));
            // What one of two allocators says of itself is not of the whole heap.
            for function in [&MALLINFO2, &MALLINFO, &MALLCTL, &TCMALLOC_PROPERTY] {
                function.store(0, Ordering::Relaxed);
            }
        }
    }
}
