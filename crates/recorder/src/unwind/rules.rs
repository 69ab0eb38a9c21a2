//! The cache of unwind rules: from a code address to its rule, without a lock.
//!
//! Open addressing over entries of two words: the frame's key (address, exact
//! bit, generation, see the arena's nodes) and the rule. A key is claimed by
//! compare-and-swap, then the rule is stored; a reader that comes between sees
//! no rule and compiles it again, which is the same work with the same result.
//! When code goes away, the rules of its addresses are set to zero in place:
//! nobody can be executing there.

use super::rule::Rule;
use super::{cfi, code_ranges, compile, from_code, jit};
use crate::hot;
use crate::modules;
use crate::private;
use crate::sys;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use residue_arena::{header, node};

#[repr(C)]
struct Entry {
    key: AtomicU64,
    rule: AtomicU64,
}

const _: () = assert!(size_of::<Entry>() == 16);

/// First word block of a table's memory; entries follow.
#[repr(C)]
struct Table {
    mask: usize,
    used: AtomicUsize,
    padding: [usize; 6],
}

const FIRST_ENTRIES: usize = 2048;

/// A rule and the key under which the trie knows the frame.
#[derive(Clone, Copy)]
pub struct Found {
    pub rule: Rule,
    pub key: u64,
}

fn hash(address: u64) -> usize {
    (address.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) as usize
}

fn place_of(ip: usize, is_exact: bool) -> u64 {
    let address = ip as u64 & node::ADDRESS_MASK;
    if is_exact {
        address | node::EXACT_BIT
    } else {
        address
    }
}

/// The rule for a frame, from the cache or, where it is missing, from the unwind
/// tables; `misses` is raised then.
#[inline(always)]
pub fn find(ip: usize, is_exact: bool, misses: &mut u64) -> Found {
    let place = place_of(ip, is_exact);
    if let Some(table) = table() {
        let mut index = hash(place);
        loop {
            let entry = table.entry(index);
            let key = entry.key.load(Ordering::Acquire);
            if key & (node::EXACT_BIT | node::ADDRESS_MASK) == place && key != 0 {
                let rule = entry.rule.load(Ordering::Acquire);
                // Another load of the code may just have got its own key and rule here.
                let is_its = entry.key.load(Ordering::Relaxed) == key;
                if rule != 0 && is_its {
                    return Found {
                        rule: Rule::from_bits(rule),
                        key: modules::unmoved(key),
                    };
                }
                break;
            }
            if key == 0 {
                break;
            }
            index += 1;
        }
    }
    *misses += 1;
    miss(ip, is_exact, place)
}

#[cold]
fn miss(ip: usize, is_exact: bool, place: u64) -> Found {
    let (rule, generation) = compile_rule(ip, is_exact);
    let no_table = match rule == Rule::FRAME_POINTER {
        true => node::NO_TABLE_BIT,
        false => 0,
    };
    let found = Found {
        rule,
        key: place | no_table | u64::from(generation) << node::GENERATION_SHIFT,
    };
    if rule != Rule::NONE && !modules::are_being_listed() {
        insert(found);
    }
    Found {
        rule,
        key: modules::unmoved(found.key),
    }
}

/// Whether there is code at a return address.
pub fn is_code(ip: usize) -> bool {
    find(ip, false, &mut 0).rule != Rule::NONE
}

fn compile_rule(ip: usize, is_exact: bool) -> (Rule, u32) {
    // A return address may be the first byte after its function.
    let address = if is_exact { ip } else { ip.wrapping_sub(1) };
    if let Some(module) = modules::locate(address) {
        let rule =
            rule_in_module(&module, address, ip).or_else(|| from_code::rule_for(ip, is_exact));
        return (rule.unwrap_or(Rule::FRAME_POINTER), module.generation);
    }
    let generation = modules::generation_outside();
    let rule = jit::entry_for(address)
        .and_then(|entry| compile::rule_for(&entry, address, ip))
        .unwrap_or_else(|| match code_ranges::is_code(address) {
            true => Rule::FRAME_POINTER,
            false => Rule::NONE,
        });
    (rule, generation)
}

fn rule_in_module(module: &modules::Located, address: usize, ip: usize) -> Option<Rule> {
    if module.eh_frame_header == 0 {
        return compile::rule_for(&jit::entry_for(address)?, address, ip);
    }
    let (start, end) = module.tables;
    // SAFETY: the module is loaded, and its unwind tables are part of its memory.
    let entry = unsafe { cfi::find(module.eh_frame_header, start, end, address) };
    let Some(entry) = entry else {
        return returns_from_signal(ip).then_some(Rule::SIGNAL);
    };
    if entry.common.is_signal_frame && returns_from_signal(ip) {
        return Some(Rule::SIGNAL);
    }
    compile::rule_for(&entry, address, ip)
}

/// Whether the code at `ip` is the kernel's way back from a signal handler:
/// `mov $15, %rax; syscall`.
fn returns_from_signal(ip: usize) -> bool {
    const RETURN: [u8; 9] = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];
    // A module may have holes, and a word that is no return address may point into one.
    let is_there = sys::is_readable(ip) && sys::is_readable(ip + RETURN.len() - 1);
    // SAFETY: the bytes are there.
    is_there && unsafe { (ip as *const [u8; 9]).read_unaligned() == RETURN }
}

#[derive(Clone, Copy)]
struct TableRef(*mut Table);

fn table() -> Option<TableRef> {
    let table = hot::get().rule_table.load(Ordering::Acquire);
    (!table.is_null()).then_some(TableRef(table.cast()))
}

impl TableRef {
    fn head(&self) -> &Table {
        // SAFETY: tables are never unmapped.
        unsafe { &*self.0 }
    }

    #[inline(always)]
    fn entry(&self, index: usize) -> &Entry {
        let mask = self.head().mask;
        // SAFETY: the mask keeps the index inside the table, which follows its head.
        unsafe { &*self.0.add(1).cast::<Entry>().add(index & mask) }
    }

    fn bytes(&self) -> usize {
        size_of::<Table>() + (self.head().mask + 1) * size_of::<Entry>()
    }

    /// Claims a place for the key; false when the table has no room left.
    fn put(&self, found: Found) -> bool {
        let place = found.key & (node::EXACT_BIT | node::ADDRESS_MASK);
        let head = self.head();
        if head.used.load(Ordering::Relaxed) > head.mask / 2 {
            return false;
        }
        let mut index = hash(place);
        loop {
            let entry = self.entry(index);
            let key = entry.key.load(Ordering::Acquire);
            if key == 0 {
                let claimed =
                    entry
                        .key
                        .compare_exchange(0, found.key, Ordering::AcqRel, Ordering::Acquire);
                if claimed.is_ok() {
                    head.used.fetch_add(1, Ordering::Relaxed);
                    entry.rule.store(found.rule.bits(), Ordering::Release);
                    return true;
                }
                continue;
            }
            if key & (node::EXACT_BIT | node::ADDRESS_MASK) == place {
                // The address came back with other code: new generation, new rule.
                entry.key.store(found.key, Ordering::Release);
                entry.rule.store(found.rule.bits(), Ordering::Release);
                return true;
            }
            index += 1;
        }
    }
}

fn new_table(entries: usize) -> Option<TableRef> {
    let bytes = size_of::<Table>() + entries * size_of::<Entry>();
    let memory = private::map_array::<u8>(bytes, bytes)?;
    // SAFETY: fresh memory, large enough, aligned to a page.
    unsafe { (*memory.cast::<Table>()).mask = entries - 1 };
    Some(TableRef(memory.cast()))
}

fn insert(found: Found) {
    if table().is_some_and(|table| table.put(found)) {
        if let Some(arena) = hot::get().arena() {
            arena.word(header::RULES).fetch_add(1, Ordering::Relaxed);
        }
        return;
    }
    grow();
    if let Some(table) = table() {
        table.put(found);
    }
}

/// Doubles the table. Rules that other threads put into the old one meanwhile
/// are compiled again when they are next wanted.
#[cold]
fn grow() {
    let hot = hot::get();
    let Some(_held) = hot.rules_growth_lock.try_lock() else {
        return;
    };
    let old = table();
    let entries = old.map_or(FIRST_ENTRIES, |old| (old.head().mask + 1) * 2);
    let Some(new) = new_table(entries) else {
        return;
    };
    if let Some(old) = old {
        for index in 0..=old.head().mask {
            let entry = old.entry(index);
            let (key, rule) = (
                entry.key.load(Ordering::Acquire),
                entry.rule.load(Ordering::Acquire),
            );
            if key != 0 && rule != 0 {
                new.put(Found {
                    rule: Rule::from_bits(rule),
                    key,
                });
            }
        }
    }
    publish(&hot.rule_table, new);
    if let Some(old) = old {
        // Late readers find zeroed entries, that is a miss.
        let start = old.0.wrapping_add(1).cast::<u8>() as usize;
        let (from, to) = (start.next_multiple_of(4096), old.0 as usize + old.bytes());
        if from < to {
            // SAFETY: the range is the old table's; its contents no longer matter.
            let _ = unsafe { sys::advise(from as *mut u8, to - from, sys::MADV_DONTNEED) };
            private::account(-((to - from) as i64));
        }
    }
}

fn publish(place: &AtomicPtr<u8>, table: TableRef) {
    place.store(table.0.cast(), Ordering::Release);
}

/// Forgets the rules of a range of addresses, because its code changed.
pub fn forget(start: usize, end: usize) {
    // A table that is just being copied would bring the rules back.
    let _held = hot::get().rules_growth_lock.lock();
    let Some(table) = table() else {
        return;
    };
    for index in 0..=table.head().mask {
        let entry = table.entry(index);
        let address = (entry.key.load(Ordering::Relaxed) & node::ADDRESS_MASK) as usize;
        // One further: a return address may stand just behind its function.
        if (start..=end).contains(&address) {
            entry.rule.store(0, Ordering::Release);
        }
    }
}
