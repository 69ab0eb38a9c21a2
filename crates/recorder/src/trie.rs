//! The stack trie: from (parent node, frame) to the child node.
//!
//! Behind a node stands the child that was made with it, so a path walked again costs one
//! compare a frame. For other children there is a hash table of node numbers in private
//! memory, dense (a sparse one costs a TLB miss) and growing: it has an entry for each place where
//! paths part, not for each node. The nodes themselves are in the arena.
//!
//! Threads race without locks. Two may make the same child at once, and a child
//! put into a table that is being replaced is lost to later searches: both only
//! make a second node for the same path, which the reader merges.

use crate::arena_map::Arena;
use crate::hot::{self, Hot};
use crate::private::{self, Block};
use crate::sys;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use residue_arena::node::{self, Cell};
use residue_arena::region::Region;

/// First words of a table's memory; slots follow. A slot holds the node number
/// and, above it, four bits of the hash, so that most strangers are passed over
/// without looking at their node. Larger slots would be as much memory as the nodes.
#[repr(C)]
struct Table {
    mask: usize,
    used: AtomicUsize,
    padding: [usize; 6],
}

const FIRST_SLOTS: usize = 4096;

const TAG_SHIFT: u32 = 28;
const _: () = assert!(Region::Nodes.full_capacity() <= 1 << TAG_SHIFT);

fn tagged(hash: u64, number: u32) -> u32 {
    (hash >> 60 << TAG_SHIFT) as u32 | number
}

fn number_in(slot: u32) -> u32 {
    slot & ((1 << TAG_SHIFT) - 1)
}

fn hash(parent: u32, key: u64) -> u64 {
    let mixed = key
        ^ u64::from(parent)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29);
    let product = u128::from(mixed) * 0xD6E8_FEB8_6659_FD93_u128;
    (product >> 64) as u64 ^ product as u64
}

/// The nodes in the arena. Numbers come from this module only, so their cells are
/// there, and the cells behind them.
#[derive(Clone, Copy)]
pub struct Nodes {
    arena: Arena,
    first: *mut AtomicU64,
}

impl Nodes {
    #[inline(always)]
    pub fn new(arena: Arena) -> Nodes {
        Nodes {
            arena,
            first: arena.item(Region::Nodes, 0).cast(),
        }
    }

    #[inline(always)]
    fn cell(self, number: u32) -> &'static AtomicU64 {
        // SAFETY: see the type.
        unsafe { &*self.first.add(number as usize) }
    }

    /// The key of a child that a link leads to, and its parent.
    #[inline(always)]
    fn parted(self, child: u32) -> (u32, u64) {
        let parent = self.cell(child - 1).load(Ordering::Relaxed) as u32;
        let key = self.cell(child).load(Ordering::Relaxed);
        match Cell::of(key) {
            Cell::HeapStack(_) | Cell::MapStack(_) => (parent, key >> 32 << 32),
            _ => (parent, key),
        }
    }

    /// The child of `parent` for the frame `key`, if it was made.
    #[inline(always)]
    pub fn child(self, recent: &RecentChildren, parent: u32, key: u64) -> Option<u32> {
        if self.cell(parent + 1).load(Ordering::Relaxed) == key {
            return Some(parent + 1);
        }
        recent.child(self, parent, key)
    }

    /// Makes the children of children of `parent` with the keys of `0..count`, which are not there,
    /// and returns the first; the others stand behind it. `None` when there is no memory left.
    #[inline(always)]
    pub fn make(
        self,
        recent: &RecentChildren,
        parent: u32,
        count: usize,
        key: impl Fn(usize) -> u64,
    ) -> Option<Made> {
        let own = self.make_run(parent, count, key)?;
        let first = enter(self, own);
        recent.note(self, first);
        Some(Made {
            first,
            is_own: first == own,
        })
    }

    #[inline(always)]
    fn make_run(self, parent: u32, count: usize, key: impl Fn(usize) -> u64) -> Option<u32> {
        let cells = self.arena.append_run(Region::Nodes, count as u64 + 2)?;
        // Numbers are of 32 bits, and there is no room for more cells.
        let first = cells as u32 + 1;
        let link = node::LINK | u64::from(parent);
        self.cell(first - 1).store(link, Ordering::Relaxed);
        for index in 0..count {
            let cell = self.cell(first + index as u32);
            cell.store(key(index), Ordering::Relaxed);
        }
        let behind = self.cell(first + count as u32);
        behind.store(node::STACK, Ordering::Release);
        Some(first)
    }

    /// A stack id for `parent`, which has no room for it behind it; `given` is one that was given
    /// out already.
    fn make_stack(
        self,
        recent: &RecentChildren,
        parent: u32,
        purpose: Purpose,
        given: Option<u32>,
    ) -> Option<u32> {
        let cells = self.arena.append_run(Region::Nodes, 2)?;
        let stack = given.or_else(|| next_stack(self.arena))?;
        let made = cells as u32 + 1;
        let link = node::LINK | u64::from(parent);
        self.cell(made - 1).store(link, Ordering::Relaxed);
        let id = purpose.key() | u64::from(stack);
        self.cell(made).store(id, Ordering::Release);
        let first = enter(self, made);
        recent.note(self, first);
        Some(self.cell(first).load(Ordering::Relaxed) as u32)
    }
}

/// The first of the nodes that were made for a path. Another thread may have made it meanwhile:
/// then those behind it may be of another path.
pub struct Made {
    pub first: u32,
    pub is_own: bool,
}

/// The children that one thread found lately that do not stand behind their parents: paths part
/// at few nodes, again and again, and the table of all such children is much larger than
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

    #[inline(always)]
    fn place(&self, hash: u64) -> *mut Recent {
        self.0.wrapping_add((hash >> 32) as usize % RECENT_CHILDREN)
    }

    #[inline(never)]
    fn child(&self, nodes: Nodes, parent: u32, key: u64) -> Option<u32> {
        let hash = hash(parent, key);
        // SAFETY: the place is one of the table's; only the owning thread comes here.
        let recent = unsafe { &mut *self.place(hash) };
        if recent.key == key && recent.parent == parent && recent.child != 0 {
            return Some(recent.child);
        }
        let child = search(nodes, hash, parent, key)?;
        *recent = Recent { key, parent, child };
        Some(child)
    }

    fn note(&self, nodes: Nodes, child: u32) {
        let (parent, key) = nodes.parted(child);
        // SAFETY: as for `child`.
        unsafe { *self.place(hash(parent, key)) = Recent { key, parent, child } };
    }
}

fn search(nodes: Nodes, hash: u64, parent: u32, key: u64) -> Option<u32> {
    let tag = tagged(hash, 0) >> TAG_SHIFT;
    let table = table()?;
    let mut index = hash as usize;
    loop {
        let slot = table.slot(index).load(Ordering::Acquire);
        if slot == 0 {
            return None;
        }
        let number = number_in(slot);
        if slot >> TAG_SHIFT == tag && nodes.parted(number) == (parent, key) {
            return Some(number);
        }
        index += 1;
    }
}

/// Lets a child that a link leads to be found. Returns it, or the one that another thread entered
/// just before.
#[cold]
fn enter(nodes: Nodes, child: u32) -> u32 {
    let (parent, key) = nodes.parted(child);
    let Some(table) = table() else {
        return child;
    };
    let entered = table.put(nodes, hash(parent, key), child);
    if table.is_crowded() {
        grow(nodes);
    }
    entered
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
    let nodes = Nodes::new(arena);
    let child = nodes.child(recent, parent, key);
    child.or_else(|| Some(nodes.make(recent, parent, 1, |_| key)?.first))
}

/// Which of a node's two stack ids.
#[derive(Clone, Copy)]
pub enum Purpose {
    Heap,
    Mapping,
}

impl Purpose {
    /// The upper half of the cell with the id; a key of its own.
    fn key(self) -> u64 {
        match self {
            Purpose::Heap => node::STACK | node::IS_HEAP,
            Purpose::Mapping => node::STACK | node::IS_MAPPING,
        }
    }
}

/// The stack id of a node, given out at its first use.
#[inline]
pub fn stack_of(arena: Arena, recent: &RecentChildren, number: u32, purpose: Purpose) -> u32 {
    let nodes = Nodes::new(arena);
    let key = purpose.key();
    let behind = nodes.cell(number + 1);
    let word = behind.load(Ordering::Relaxed);
    if word >> 32 << 32 == key {
        return word as u32;
    }
    if word != node::STACK
        && let Some(known) = recent.child(nodes, number, key)
    {
        return nodes.cell(known).load(Ordering::Relaxed) as u32;
    }
    let mut given = None;
    if word == node::STACK {
        let Some(stack) = next_stack(arena) else {
            return node::OVERFLOW_STACK;
        };
        let id = key | u64::from(stack);
        match behind.compare_exchange(word, id, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return stack,
            Err(theirs) if theirs >> 32 << 32 == key => return theirs as u32,
            Err(_) => given = Some(stack),
        }
    }
    let made = nodes.make_stack(recent, number, purpose, given);
    made.unwrap_or(node::OVERFLOW_STACK)
}

/// A stack id; `None` when all are given out.
fn next_stack(arena: Arena) -> Option<u32> {
    let next = arena.word(residue_arena::header::STACKS);
    let fresh = next.fetch_add(1, Ordering::Relaxed);
    if fresh >= u64::from(node::STACK_LIMIT) {
        // Stay at the limit instead of wrapping round one day.
        next.store(u64::from(node::STACK_LIMIT), Ordering::Relaxed);
        return None;
    }
    Some(fresh as u32)
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
    fn slot(&self, index: usize) -> &AtomicU32 {
        let mask = self.head().mask;
        // SAFETY: the mask keeps the index inside the table, which follows its head.
        unsafe { &*self.0.add(1).cast::<AtomicU32>().add(index & mask) }
    }

    fn is_crowded(&self) -> bool {
        let head = self.head();
        head.used.load(Ordering::Relaxed) > head.mask / 10 * 7
    }

    fn is_full(&self) -> bool {
        let head = self.head();
        head.used.load(Ordering::Relaxed) > head.mask / 8 * 7
    }

    /// Returns the child, or that of the same path which is there already.
    fn put(&self, nodes: Nodes, hash: u64, number: u32) -> u32 {
        if self.is_full() {
            return number;
        }
        let value = tagged(hash, number);
        let mut index = hash as usize;
        while let Err(theirs) =
            self.slot(index)
                .compare_exchange(0, value, Ordering::AcqRel, Ordering::Acquire)
        {
            let is_alike = theirs >> TAG_SHIFT == value >> TAG_SHIFT;
            if is_alike && nodes.parted(number_in(theirs)) == nodes.parted(number) {
                return number_in(theirs);
            }
            index += 1;
        }
        self.head().used.fetch_add(1, Ordering::Relaxed);
        number
    }
}

fn new_table(slots: usize) -> Option<TableRef> {
    let bytes = size_of::<Table>() + slots * size_of::<AtomicU32>();
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
    // The root, and the cell behind it.
    let nodes = Nodes::new(arena);
    if arena.append_run(Region::Nodes, 2) != Some(u64::from(node::ROOT)) {
        return;
    }
    nodes.cell(node::ROOT).store(node::LINK, Ordering::Relaxed);
    nodes
        .cell(node::ROOT + 1)
        .store(node::STACK, Ordering::Relaxed);
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
        let number = number_in(old.slot(index).load(Ordering::Acquire));
        if number == 0 {
            continue;
        }
        let (parent, key) = nodes.parted(number);
        new.put(nodes, hash(parent, key), number);
    }
    hot.trie_table.store(new.0.cast(), Ordering::Release);
    // Threads that still search the old table find nothing there and make a
    // second node, which the reader merges.
    let start = (old.0 as usize + size_of::<Table>()).next_multiple_of(4096);
    let end = old.0 as usize + size_of::<Table>() + slots / 2 * size_of::<AtomicU32>();
    if start < end {
        // SAFETY: the range is the old table's; its contents no longer matter.
        let _ = unsafe { sys::advise(start as *mut u8, end - start, sys::MADV_DONTNEED) };
        private::account(-((end - start) as i64));
    }
}
