//! `mlockall`, where the user may lock little. The kernel compares the limit with all that is
//! mapped, the recorder's memory too, and would refuse what it grants an unrecorded program.
//! Then the program's own mappings are locked one by one, and the recorder's are left out:
//!
//! ```text
//!   program ▒▒▒▒▒▒▒ arena ░░░░ program ▒▒▒ private tables ░░░░ program ▒▒▒▒
//!           mlock              mlock                           mlock
//! ```

use super::real;
use crate::hot;
use crate::modules;
use crate::own_proc;
use crate::private;
use crate::setup;
use crate::sys;
use core::ffi::c_int;
use residue_residency::{ResidentKind, Smaps, Vma};

const MCL_CURRENT: usize = 1;
const MCL_FUTURE: usize = 2;
const MCL_ONFAULT: usize = 4;

/// The last half of all addresses is the kernel's; one page of it is listed all the same.
const KERNEL_START: usize = 1 << 63;

type LockAll = unsafe extern "C" fn(c_int) -> c_int;

pub unsafe fn mlockall(flags: c_int) -> c_int {
    match sys::lock_all(flags as usize) {
        Ok(_) => return 0,
        Err(sys::ENOMEM) if lock_without_recorder(flags as usize) => return 0,
        Err(_) => {}
    }
    // Fails again, and says so as libc does.
    match real::named(c"mlockall", &[]) {
        0 => -1,
        // SAFETY: libc's function of this name, and the program's own call.
        address => unsafe { core::mem::transmute::<usize, LockAll>(address)(flags) },
    }
}

/// Locks all that is the program's, if it may have that much; false where nothing was done.
fn lock_without_recorder(flags: usize) -> bool {
    if flags & MCL_CURRENT == 0 || hot::get().arena().is_none() {
        return false;
    }
    let mut own_bytes = 0;
    let is_listed = each_own_range(|start, end| own_bytes += (end - start) as u64);
    if !is_listed || own_bytes > sys::soft_limit(sys::RLIMIT_MEMLOCK) {
        return false;
    }
    // What was locked before is locked again below, save what is the recorder's; and what
    // is mapped later is not, unless that is asked for again.
    sys::unlock_all();
    if flags & MCL_FUTURE != 0 {
        private::keep_unlocked();
        let _ = sys::lock_all(flags & (MCL_FUTURE | MCL_ONFAULT));
    }
    let on_fault = flags & MCL_ONFAULT != 0;
    // As the kernel does it, which passes over what cannot be made present.
    each_own_range(|start, end| sys::lock(start, end - start, on_fault))
}

/// Calls with every range of addresses that is mapped and not the recorder's, in order; false
/// where they cannot be read.
fn each_own_range(mut act: impl FnMut(usize, usize)) -> bool {
    let Ok(file) = own_proc::open(b"maps") else {
        return false;
    };
    let recorder = recorder_module();
    let (arena_start, arena_end) = setup::arena_range();
    let arena = (arena_start as usize, arena_end as usize);
    let mut visit = |vma: &Vma| {
        let (mut at, end) = (vma.start as usize, vma.end as usize);
        while at < end && at < KERNEL_START {
            let fixed = [recorder, arena].into_iter();
            let in_the_way = fixed.chain(private::first_overlap(at, end));
            let next = in_the_way
                .filter(|&(start, stop)| start < end && at < stop)
                .min();
            let (start, stop) = next.unwrap_or((end, end));
            if at < start {
                act(at, start);
            }
            at = stop.max(at);
        }
        ResidentKind::Other
    };
    let mut parser = Smaps::new();
    let mut chunk = [0; 1024];
    while let Ok(bytes @ 1..) = sys::read(file, &mut chunk) {
        parser.feed(chunk.get(..bytes).unwrap_or(&[]), &mut visit);
    }
    sys::close(file);
    true
}

/// Where the recorder's own code and data lie.
fn recorder_module() -> (usize, usize) {
    modules::range_of(recorder_module as *const () as usize).unwrap_or((0, 0))
}
