//! Code that a JIT compiler made and registered: `__register_frame` and its kin
//! hand unwind tables to libgcc; the recorder keeps their addresses too.
//!
//! Registering is rare and slow already, so a lock is taken. What is kept is the
//! place of each entry, not a copy: the JIT must keep its tables while they are
//! registered, for libgcc as well.

use super::cfi::{self, Entry, Record};
use super::reader::Reader;
use super::rules;
use crate::hot;
use crate::modules;
use crate::private;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

#[derive(Clone, Copy)]
#[repr(C)]
struct Range {
    start: usize,
    end: usize,
    /// Address of the entry's record.
    record: usize,
    /// Address the section was registered under.
    section: usize,
}

const MOST_RANGES: usize = 1 << 20;

/// These outlive a fork, unlike the rest: the child has the same code, and nobody
/// registers it again.
static RANGES: AtomicPtr<Range> = AtomicPtr::new(core::ptr::null_mut());
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Tables of a JIT come without a length; an entry is believed up to this size.
const SECTION_REACH: usize = 64 << 20;

fn ranges() -> &'static mut [Range] {
    let table = RANGES.load(Ordering::Acquire);
    if table.is_null() {
        return &mut [];
    }
    let count = COUNT.load(Ordering::Relaxed) as usize;
    // SAFETY: only called with the lock held; the table has room for `MOST_RANGES`.
    unsafe { core::slice::from_raw_parts_mut(table, count.min(MOST_RANGES)) }
}

/// The section that starts at `section`, up to its zero terminator.
///
/// # Safety
/// It must be a section that libgcc would accept.
unsafe fn reader(section: usize) -> Reader {
    // SAFETY: reading stops at the terminator, which lies in readable memory.
    unsafe { Reader::new(section, section.saturating_add(SECTION_REACH)) }
}

/// Keeps the entries of a section that a JIT registers.
///
/// # Safety
/// `section` must be what `__register_frame` accepts.
pub unsafe fn register(section: usize) {
    // SAFETY: handed on to the caller.
    unsafe { register_until(section, section.saturating_add(SECTION_REACH)) }
}

/// The same for a section whose end is known.
///
/// # Safety
/// All of it must be readable for ever.
pub unsafe fn register_until(section: usize, end: usize) {
    let hot = hot::get();
    {
        let _held = hot.jit_lock.lock();
        if RANGES.load(Ordering::Relaxed).is_null() {
            let Some(table) = private::map_array::<Range>(MOST_RANGES, 4096) else {
                return;
            };
            RANGES.store(table, Ordering::Release);
        }
        // SAFETY: handed on to the caller.
        let mut at = unsafe { Reader::new(section, end) };
        loop {
            let record = at.at();
            match cfi::parse(&mut at) {
                Some(Record::Entry(entry)) => {
                    let index = COUNT.load(Ordering::Relaxed) as usize;
                    if index >= MOST_RANGES {
                        break;
                    }
                    COUNT.store(index as u32 + 1, Ordering::Relaxed);
                    if let Some(place) = ranges().last_mut() {
                        *place = Range {
                            start: entry.start,
                            end: entry.end,
                            record,
                            section,
                        };
                    }
                    // Addresses there were without a rule until now.
                    rules::forget(entry.start, entry.end);
                }
                Some(Record::Common) => {}
                Some(Record::End) | None => break,
            }
        }
    }
    modules::code_changed();
}

/// Forgets a section again.
pub fn deregister(section: usize) {
    let hot = hot::get();
    {
        let _held = hot.jit_lock.lock();
        let mut kept = 0;
        let all = ranges();
        for index in 0..all.len() {
            let range = all[index];
            if range.section == section {
                rules::forget(range.start, range.end);
            } else {
                all[kept] = range;
                kept += 1;
            }
        }
        COUNT.store(kept as u32, Ordering::Relaxed);
    }
    modules::code_changed();
}

/// The entry that covers an address of registered code.
pub fn entry_for(address: usize) -> Option<Entry> {
    let hot = hot::get();
    if COUNT.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let _held = hot.jit_lock.lock();
    // The latest registration wins, as with libgcc.
    let range = ranges()
        .iter()
        .rev()
        .find(|range| (range.start..range.end).contains(&address))?;
    // SAFETY: the section is registered, so its records are readable.
    match cfi::parse(&mut unsafe { reader(range.record) })? {
        Record::Entry(entry) => Some(entry),
        Record::Common | Record::End => None,
    }
}
