//! Calls a hook at each entry of a function of the unmodified program.
//!
//! ```text
//!   function:  jmp ──────► trampoline (on a page nearby)
//!              (rest) ◄┐     push tag; call gate ──► gate: saves every register,
//!                      │     add rsp, 8         ◄──        calls the hook, restores
//!                      │     displaced instructions
//!                      └──── jmp back
//!
//!   install ──► mapping      what is mapped there, and how
//!           ──► move_code    is there room for the jump? (decode, opcodes)
//!           ──► trampoline   what stands in a place of the shelf; emit writes it
//!           ──► shelf        the pages and their places
//!           ──► patch        the five bytes
//! ```
//!
//! Functions of allocators have a gate of their own (`around`), which calls hooks before and
//! after them.
//!
//! No signal, no ptrace, no debug information. What is not certain to work is
//! refused with a reason; then nothing has been changed.
//!
//! **What the program notices.** The gate keeps all registers and flags, also those
//! that the calling convention lets a function destroy: a compiler that sees both
//! sides of a call knows which registers a function leaves alone and relies on it.
//! The hook gets the place of the function's return address and the caller's bp, the
//! same facts as the hooks of `malloc`, so a stack can be captured from there; the
//! gate has unwind information that steps directly to the function's caller. The
//! displaced instructions run in the trampoline, which has none: they call nothing
//! (a displaced call pushes its original return address), so a stack is only cut
//! there if a signal arrives in just that moment and its handler allocates.
//!
//! **What it cannot know.** A jump from another function, or through a table, into
//! the five bytes. A breakpoint that a debugger sets there later: at the entry itself it
//! does no harm, behind it it breaks the jump. A thread that stands between two of the displaced instructions at
//! the moment of patching: functions are to be patched before they are in use, at
//! the start of the program or when their module has just been loaded. Programs
//! under a hardware shadow stack, where a displaced call would fault on its return.

pub mod around;
#[cfg(test)]
mod around_tests;
mod clobbers;
#[cfg(test)]
mod compiled_tests;
pub mod decode;
#[cfg(test)]
mod decode_tests;
mod emit;
mod gate;
#[cfg(test)]
mod hook_for_tests;
mod mapping;
mod move_code;
#[cfg(test)]
mod move_code_tests;
mod opcodes;
mod patch;
#[cfg(test)]
mod register_tests;
mod registers;
mod shelf;
#[cfg(test)]
mod shelf_tests;
#[cfg(test)]
mod tests;
mod trampoline;

use crate::hot;
use around::Around;
use gate::Hook;
pub use gate::vectors_of;
use mapping::Mapping;

/// Why a function has no detour. The numbers are stable, to be written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Refusal {
    /// No private, readable and executable memory is mapped there.
    NotCode = 1,
    /// The function ends before five bytes, and no padding follows it.
    TooShort = 2,
    /// There is an instruction that the decoder does not know.
    Undecodable = 3,
    /// The function jumps, or a call returns, into the bytes to be replaced.
    BranchIntoEntry = 4,
    /// A loop of the function begins at its first instruction: its rounds could
    /// not be told from entries.
    EntryIsLoop = 5,
    /// An instruction at the entry means something else in any other place.
    Immovable = 6,
    /// What an instruction at the entry refers to is more than 2 GiB from the trampoline.
    OutOfReach = 7,
    /// No free place within reach of the function.
    NoRoomNearby = 8,
    /// The kernel does not let code be changed.
    NotAllowed = 9,
    /// It already has a detour, with another tag.
    AlreadyDetoured = 10,
    /// A symbol stands within the bytes to be replaced: they can be entered there.
    SecondEntry = 11,
    /// A debugger has put a breakpoint over them, and will put back what it knows.
    Breakpoint = 12,
    /// It is a sanitizer's, which judges and reports by who called it.
    Sanitizer = 13,
}

/// A function, as far as symbols tell about it.
pub struct Function {
    pub address: usize,
    /// In bytes; without it, or with zero, the function is taken to end where control
    /// cannot go on.
    pub size: Option<usize>,
    /// How many bytes further the next symbol stands.
    pub next_symbol: Option<usize>,
}

/// Sets what every detour calls; before the first one is installed.
pub fn set_hook(hook: Hook) {
    gate::set_hook(hook);
}

/// Without a size, no more of a function is looked at than this.
const MOST_UNSIZED_BYTES: usize = 1 << 16;

/// What an entry leads to.
#[derive(Clone, Copy)]
pub enum Target {
    /// The hook, with this tag; then the function.
    Hook(usize),
    /// Hooks before and after the function.
    Around(&'static Around),
}

impl Target {
    /// What tells detours of a function apart. Tags of the hook are small numbers.
    fn tag(self) -> usize {
        match self {
            Target::Hook(tag) => tag,
            Target::Around(around) => core::ptr::from_ref(around) as usize,
        }
    }
}

/// From now on each entry of the function at `address` calls the hook with `tag`.
///
/// The hook runs on the thread and the stack of the function's caller. If it uses the
/// function itself, it is called from within itself.
pub fn install(address: usize, size: Option<usize>, tag: usize) -> Result<(), Refusal> {
    let function = Function {
        address,
        size,
        next_symbol: None,
    };
    install_in(&function, tag)
}

/// The same with all that is known of the function. Doing it again with the same tag changes
/// nothing, so that a forked child may do all its parent did.
pub fn install_in(function: &Function, tag: usize) -> Result<(), Refusal> {
    // In one go: nobody else looks at a place that is ready and to which nothing leads yet.
    let _held = hot::get().mappings_lock.lock();
    prepare_held(function, Target::Hook(tag))?.put_in_held()
}

/// A detour that lacks only the jump at the function's entry.
pub struct Prepared {
    entry: usize,
    /// Where the entry is to jump to; `None` where it does already.
    start: Option<usize>,
    protection: usize,
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if self.start.is_some() {
            shelf::no_longer_awaits_a_jump();
        }
    }
}

impl Prepared {
    pub fn put_in(&self) -> Result<(), Refusal> {
        // Two patches in one page would take the write permission from each other; and
        // a signal handler that calls a function half patched would wait for ever.
        let _held = hot::get().mappings_lock.lock();
        self.put_in_held()
    }

    /// The same with the lock held.
    fn put_in_held(&self) -> Result<(), Refusal> {
        match self.start {
            Some(start) => patch::jump(self.entry, start, self.protection),
            None => Ok(()),
        }
    }
}

/// Makes everything ready for a detour; the program's code is not changed yet.
pub fn prepare(function: &Function, target: Target) -> Result<Prepared, Refusal> {
    let _held = hot::get().mappings_lock.lock();
    prepare_held(function, target)
}

/// The same with the lock held.
fn prepare_held(function: &Function, target: Target) -> Result<Prepared, Refusal> {
    let &Function { address, size, .. } = function;
    let size = size.filter(|&size| size != 0);
    let mapping = Mapping::at(address).ok_or(Refusal::NotCode)?;
    if !mapping.is_private_code() || size.is_some_and(|size| size > mapping.end - address) {
        return Err(Refusal::NotCode);
    }
    let most = size.unwrap_or(MOST_UNSIZED_BYTES);
    let most = most.saturating_add(move_code::MOST_LOOKAHEAD_BYTES);
    let readable = most.min(mapping.end - address);
    // SAFETY: the mapping is readable up to its end, and is code, which stays as it is.
    let code = unsafe { core::slice::from_raw_parts(address as *const u8, readable) };

    let entry = move_code::find_entry(code, address)?;
    let mut prepared = Prepared {
        entry: entry.address,
        start: None,
        protection: mapping.protection,
    };
    if let Some(existing) = trampoline::tag_of_detour(&entry) {
        return match existing == target.tag() {
            true => Ok(prepared),
            false => Err(Refusal::AlreadyDetoured),
        };
    }
    let skipped = entry.address - address;
    let is_entered = |bytes: usize| bytes > skipped && bytes < skipped + emit::JUMP_BYTES;
    if function.next_symbol.is_some_and(is_entered) {
        return Err(Refusal::SecondEntry);
    }
    let displaced = move_code::displaced(code, &entry, size)?;
    let size = size.map_or(displaced.len(), |size| size.saturating_sub(skipped));
    if move_code::has_breakpoint(displaced, size) {
        return Err(Refusal::Breakpoint);
    }
    if let Target::Around(around) = target
        && clobbers::calls_unknown(entry.address, &mapping)
    {
        around.let_vectors_go();
    }
    prepared.start = Some(trampoline::make(&entry, displaced, target)?);
    shelf::awaits_a_jump();
    Ok(prepared)
}
