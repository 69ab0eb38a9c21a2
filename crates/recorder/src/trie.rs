//! The stack trie: from (parent node, frame) to the child node.
//!
//! A node remembers the child taken last, so a path walked again costs one
//! compare a frame. Behind that stands a hash table of node numbers in private
//! memory, dense (a sparse one costs a TLB miss a frame) and growing; the nodes
//! themselves are in the arena.
//!
//! Threads race without locks. Two may make the same child at once, and a child
//! put into a table that is being replaced is lost to later searches: both only
//! make a second node for the same path, which the reader merges.

use crate::arena_map::{self, Arena};
use crate::hot::{self, Hot};
use crate::private::{self, Block};
use crate::sys;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use residue_arena::node;
use residue_arena::region::Region;

/// First words of a table's memory; slots follow. A slot holds the node number
/// and, above it, 32 bits of the hash, so that most strangers are passed over
/// without looking at their node.
#[repr(C)]
struct Table {
    mask: usize,
    used: AtomicUsize,
    padding: [usize; 6],
}

const FIRST_SLOTS: usize = 4096;

fn hash(parent: u32, key: u64) -> u64 {
    let mixed = key
        ^ u64::from(parent)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29);
    let product = u128::from(mixed) * 0xD6E8_FEB8_6659_FD93_u128;
    (product >> 64) as u64 ^ product as u64
}

/// The nodes in the arena. Numbers come from this module only, so their items are
/// there.
#[derive(Clone, Copy)]
pub struct Nodes {
    arena: Arena,
    first: *mut u8,
}

impl Nodes {
    #[inline(always)]
    pub fn new(arena: Arena) -> Nodes {
        Nodes {
            arena,
            first: arena.item(Region::Nodes, 0),
        }
    }

    #[inline(always)]
    fn item(self, number: u32) -> *mut u8 {
        self.first
            .wrapping_add(number as usize * node::NODE_BYTES as usize)
    }

    #[inline(always)]
    fn key(self, number: u32) -> &'static AtomicU64 {
        // SAFETY: see the type.
        unsafe { &*self.item(number).cast() }
    }

    #[inline(always)]
    fn field(self, number: u32, offset: usize) -> &'static AtomicU32 {
        // SAFETY: see the type.
        unsafe { arena_map::half(self.item(number), offset) }
    }

    #[inline(always)]
    fn is_child(self, candidate: u32, parent: u32, key: u64) -> bool {
        self.key(candidate).load(Ordering::Relaxed) == key
            && self.field(candidate, node::PARENT).load(Ordering::Relaxed) == parent
    }

    /// The child of `parent` for the frame `key`; `None` when there is no memory left.
    #[inline(always)]
    pub fn child(self, recent: &RecentChildren, parent: u32, key: u64) -> Option<u32> {
        let hint = self.field(parent, node::HINT);
        let hinted = hint.load(Ordering::Relaxed);
        if hinted != 0 && self.is_child(hinted, parent, key) {
            return Some(hinted);
        }
        let found = recent.child(self, parent, key)?;
        hint.store(found, Ordering::Relaxed);
        Some(found)
    }
}

/// The children that one thread found lately where the hint was wrong: paths part
/// at few nodes, again and again, and the table of all children is much larger than
/// the caches.
pub struct RecentChildren(*mut Recent);

#[derive(Clone, Copy)]
#[repr(C)]
struct Recent {
    key: u64,
    parent: u32,
    /// Zero in an unused entry: the root is nobody's child.
    child: u32,
}

const RECENT_CHILDREN: usize = 4096;

impl RecentChildren {
    /// What they take of a block.
    pub const BYTES: usize = Block::bytes_of::<Recent>(RECENT_CHILDREN);

    pub fn new(block: &mut Block) -> RecentChildren {
        RecentChildren(block.array(RECENT_CHILDREN))
    }

    pub fn forget(&mut self) {
        // SAFETY: the memory has this length; only the owning thread comes here.
        unsafe { self.0.write_bytes(0, RECENT_CHILDREN) };
    }

    #[inline(never)]
    fn child(&self, nodes: Nodes, parent: u32, key: u64) -> Option<u32> {
        let hash = hash(parent, key);
        // SAFETY: the index is below the length; only the owning thread comes here.
        let recent = unsafe { &mut *self.0.add((hash >> 32) as usize % RECENT_CHILDREN) };
        if recent.key == key && recent.parent == parent && recent.child != 0 {
            return Some(recent.child);
        }
        let child = search(nodes, hash, parent, key)?;
        *recent = Recent { key, parent, child };
        Some(child)
    }
}

fn search(nodes: Nodes, hash: u64, parent: u32, key: u64) -> Option<u32> {
    let tag = hash >> 32 << 32;
    let table = table()?;
    let mut index = hash as usize;
    loop {
        let slot = table.slot(index).load(Ordering::Acquire);
        if slot == 0 {
            break;
        }
        if slot >> 32 << 32 == tag && nodes.is_child(slot as u32, parent, key) {
            return Some(slot as u32);
        }
        index += 1;
    }
    let made = make(nodes, parent, key)?;
    table.put(hash, made);
    if table.is_crowded() {
        grow(nodes);
    }
    Some(made)
}

fn make(nodes: Nodes, parent: u32, key: u64) -> Option<u32> {
    let number = u32::try_from(nodes.arena.append(Region::Nodes)?).ok()?;
    nodes
        .field(number, node::PARENT)
        .store(parent, Ordering::Relaxed);
    nodes.key(number).store(key, Ordering::Release);
    Some(number)
}

/// Whether there is a root to begin at: an arena may have no room for it.
#[inline(always)]
pub fn is_there(hot: &Hot) -> bool {
    !hot.trie_table.load(Ordering::Relaxed).is_null()
}

/// The child of `parent` for a key that is no frame's: a scope, or a report.
pub fn child(arena: Arena, recent: &RecentChildren, parent: u32, key: u64) -> Option<u32> {
    if !is_there(hot::get()) {
        return None;
    }
    Nodes::new(arena).child(recent, parent, key)
}

/// Which of a node's two stack ids.
#[derive(Clone, Copy)]
pub enum Purpose {
    Heap,
    Mapping,
}

/// The stack id of a node, given out at its first use.
#[inline]
pub fn stack_of(arena: Arena, number: u32, purpose: Purpose) -> u32 {
    let offset = match purpose {
        Purpose::Heap => node::HEAP_STACK,
        Purpose::Mapping => node::MAP_STACK,
    };
    let place = Nodes::new(arena).field(number, offset);
    let stack = place.load(Ordering::Relaxed);
    if stack != 0 {
        return stack;
    }
    let next = arena.word(residue_arena::header::STACKS);
    let fresh = next.fetch_add(1, Ordering::Relaxed);
    if fresh >= u64::from(node::STACK_LIMIT) {
        // Stay at the limit instead of wrapping round one day.
        next.store(u64::from(node::STACK_LIMIT), Ordering::Relaxed);
        return node::OVERFLOW_STACK;
    }
    match place.compare_exchange(0, fresh as u32, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => fresh as u32,
        Err(theirs) => theirs,
    }
}

#[derive(Clone, Copy)]
struct TableRef(*mut Table);

fn table() -> Option<TableRef> {
    let table = hot::get().trie_table.load(Ordering::Acquire);
    (!table.is_null()).then_some(TableRef(table.cast()))
}

impl TableRef {
    fn head(&self) -> &Table {
        // SAFETY: tables are never unmapped.
        unsafe { &*self.0 }
    }

    #[inline(always)]
    fn slot(&self, index: usize) -> &AtomicU64 {
        let mask = self.head().mask;
        // SAFETY: the mask keeps the index inside the table, which follows its head.
        unsafe { &*self.0.add(1).cast::<AtomicU64>().add(index & mask) }
    }

    fn is_crowded(&self) -> bool {
        let head = self.head();
        head.used.load(Ordering::Relaxed) > head.mask / 10 * 7
    }

    fn is_full(&self) -> bool {
        let head = self.head();
        head.used.load(Ordering::Relaxed) > head.mask / 8 * 7
    }

    fn put(&self, hash: u64, number: u32) {
        if self.is_full() {
            return;
        }
        let value = hash >> 32 << 32 | u64::from(number);
        let mut index = hash as usize;
        while self
            .slot(index)
            .compare_exchange(0, value, Ordering::AcqRel, Ordering::Relaxed)
            .is_err()
        {
            index += 1;
        }
        self.head().used.fetch_add(1, Ordering::Relaxed);
    }
}

fn new_table(slots: usize) -> Option<TableRef> {
    let bytes = size_of::<Table>() + slots * size_of::<AtomicU64>();
    let memory = private::map_array::<u8>(bytes, bytes)?;
    // SAFETY: fresh memory, large enough, aligned to a page.
    unsafe { (*memory.cast::<Table>()).mask = slots - 1 };
    Some(TableRef(memory.cast()))
}

/// Makes the root node and the first table. Without them no path has a node.
pub fn set_up(arena: Arena) {
    arena.set(
        residue_arena::header::STACKS,
        u64::from(node::FIRST_FREE_STACK),
    );
    if make(Nodes::new(arena), node::ROOT, 0) != Some(node::ROOT) {
        return;
    }
    if let Some(first) = new_table(FIRST_SLOTS) {
        let table = first.0.cast();
        hot::get().trie_table.store(table, Ordering::Release);
    }
}

/// Doubles the table, by one thread while the others go on with the old one.
#[cold]
fn grow(nodes: Nodes) {
    let hot = hot::get();
    let Some(_held) = hot.trie_growth_lock.try_lock() else {
        return;
    };
    let Some(old) = table().filter(TableRef::is_crowded) else {
        return;
    };
    let slots = (old.head().mask + 1) * 2;
    let Some(new) = new_table(slots) else {
        return;
    };
    for index in 0..=old.head().mask {
        let number = old.slot(index).load(Ordering::Acquire) as u32;
        if number == 0 {
            continue;
        }
        let parent = nodes.field(number, node::PARENT).load(Ordering::Relaxed);
        let key = nodes.key(number).load(Ordering::Relaxed);
        new.put(hash(parent, key), number);
    }
    hot.trie_table.store(new.0.cast(), Ordering::Release);
    // Threads that still search the old table find nothing there and make a
    // second node, which the reader merges.
    let start = (old.0 as usize + size_of::<Table>()).next_multiple_of(4096);
    let end = old.0 as usize + size_of::<Table>() + slots / 2 * 8;
    if start < end {
        // SAFETY: the range is the old table's; its contents no longer matter.
        let _ = unsafe { sys::advise(start as *mut u8, end - start, sys::MADV_DONTNEED) };
        private::account(-((end - start) as i64));
    }
}
