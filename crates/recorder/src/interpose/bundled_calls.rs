//! Calls of an allocator that the program brings, as its detours see them. What differs from
//! one function to the next is where its arguments stand.

use crate::detour::around::{Around, Frame, KEPT_WORDS};
use crate::recorder::{self, Caller, Suspended};

const _: () = assert!(size_of::<Suspended>() <= KEPT_WORDS * size_of::<usize>());
const _: () = assert!(align_of::<Suspended>() <= align_of::<usize>());

fn made(block: usize, bytes: usize, return_slot: *const usize, bp: usize) {
    let caller = Caller { return_slot, bp };
    // SAFETY: the gate describes the call in progress.
    unsafe { recorder::made(block as *mut u8, bytes, caller) };
}

/// Makes hooks for functions that return a block, by how its size follows from the arguments.
macro_rules! makers {
    ($($name:ident => |$arguments:ident| $bytes:expr;)*) => {
        $(
            pub extern "C" fn $name(
                _: &'static Around,
                frame: &mut Frame,
                slot: *const usize,
                bp: usize,
                block: usize,
            ) {
                let $arguments = frame.arguments();
                made(block, $bytes, slot, bp);
            }
        )*
    };
}

makers! {
    made_of_first => |arguments| arguments[0];
    made_of_second => |arguments| arguments[1];
    made_of_product => |arguments| arguments[0].wrapping_mul(arguments[1]);
}

/// `posix_memalign`, which returns an error and writes the block to a place.
pub extern "C" fn placed(
    _: &'static Around,
    frame: &mut Frame,
    slot: *const usize,
    bp: usize,
    error: usize,
) {
    let [place, _, bytes] = frame.arguments();
    if error as i32 == 0 {
        // SAFETY: on success the program's place holds the block.
        let block = unsafe { (place as *const usize).read() };
        made(block, bytes, slot, bp);
    }
}

pub extern "C" fn freeing(_: &'static Around, frame: &mut Frame, slot: *const usize, bp: usize) {
    let [block, ..] = frame.arguments();
    let caller = Caller {
        return_slot: slot,
        bp,
    };
    // SAFETY: the gate describes the call in progress.
    unsafe { recorder::freeing(block as *mut u8, caller) };
}

/// Out of the table before the call: once the old block is given up, another thread may be
/// handed its address.
pub extern "C" fn reallocating(_: &'static Around, frame: &mut Frame, _: *const usize, _: usize) {
    let [old, ..] = frame.arguments();
    let suspended = recorder::reallocating(old as *mut u8);
    // SAFETY: there is room, of this alignment, until the call ends.
    unsafe { frame.kept.as_mut_ptr().cast::<Suspended>().write(suspended) };
}

pub extern "C" fn reallocated(
    _: &'static Around,
    frame: &mut Frame,
    slot: *const usize,
    bp: usize,
    new: usize,
) {
    let [_, bytes, _] = frame.arguments();
    reallocated_to(frame, bytes, slot, bp, new);
}

/// A size that overflows makes the function fail, and changes nothing.
pub extern "C" fn reallocated_to_product(
    _: &'static Around,
    frame: &mut Frame,
    slot: *const usize,
    bp: usize,
    new: usize,
) {
    let [_, count, each] = frame.arguments();
    let bytes = count.saturating_mul(each);
    reallocated_to(frame, bytes, slot, bp, new);
}

fn reallocated_to(frame: &mut Frame, bytes: usize, slot: *const usize, bp: usize, new: usize) {
    let [old, ..] = frame.arguments();
    if old == 0 {
        return made(new, bytes, slot, bp);
    }
    let caller = Caller {
        return_slot: slot,
        bp,
    };
    // SAFETY: `reallocating` wrote it before the call, which the gate describes.
    unsafe {
        let suspended = frame.kept.as_ptr().cast::<Suspended>().read();
        recorder::reallocated(old as *mut u8, suspended, new as *mut u8, bytes, caller);
    }
}
