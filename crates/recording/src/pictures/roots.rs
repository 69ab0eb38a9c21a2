//! Where pointers are that hold blocks: the data of modules, stacks, threads' own data, registers.
//!
//! ```text
//!   area                                      what of it is a root
//!   ----------------------------------------  --------------------------------------------------
//!   writable data of a module, its bss        all, but for libc's lists of free memory
//!   stack of a thread, with its own data      from its stack pointer on
//!   the same of one that ended                nothing: glibc keeps it for the next thread
//!   [heap], areas in which blocks have lived  nothing: what is not a live block there is free
//!   mapping that the program made             nothing: it is a block
//!   the recorder's, the allocator's own data  nothing
//!   other anonymous memory                    all, where the allocator is libc's
//! ```

use super::memory::{Area, AreaKind, FrozenMemory};
use super::ranges;
use super::stop::Registers;
use super::table::Table;
use residue_reach::Memory;
use std::ops::Range;

/// A part of memory that holds what it points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootRange {
    pub range: Range<u64>,
    pub source: Source,
}

/// What a root is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Data of the module at this path.
    Module(String),
    /// A thread's stack and its own data.
    Thread(u32),
    /// Its registers.
    Registers(u32),
    /// Memory of which is not known whose it is.
    Unknown,
}

/// What is known of the process beside its areas.
pub struct Around<'a> {
    pub table: &'a Table,
    pub threads: &'a [Registers],
    /// The recorder's private mappings.
    pub own: &'a [Range<u64>],
    /// Whether a file is the recorder's, or its arena.
    pub is_own_file: &'a dyn Fn(&str) -> bool,
    /// The allocator's file, where it is not libc.
    pub allocator: Option<&'a str>,
    /// Where other threads could not be stopped it is not known where their stacks are.
    pub others_ran: bool,
}

/// What a function may use below its stack pointer.
const RED_ZONE_BYTES: u64 = 128;

/// The roots in memory.
pub fn ranges(areas: &[Area], memory: &FrozenMemory, around: &Around<'_>) -> Vec<RootRange> {
    let is_allocator = |path: &str| {
        let name = path.rsplit('/').next();
        around.allocator.is_some() && name == around.allocator
    };
    let mut found = Vec::new();
    let mut module: Option<&Area> = None;
    let mut before: Option<&Area> = None;
    for area in areas {
        let below = before.replace(area);
        let range = area.start..area.end;
        let is_bss = module.is_some_and(|before| before.end == area.start);
        let path = match &area.kind {
            AreaKind::File(path) => Some(path.as_str()),
            AreaKind::Anonymous if is_bss => module.and_then(file_of),
            _ => None,
        };
        if let AreaKind::File(_) = area.kind {
            module = Some(area);
        }
        if !area.is_writable {
            continue;
        }
        if let Some(source) = thread_in(area, around.threads) {
            let from = source.1.max(area.start);
            found.push(RootRange {
                range: from..area.end,
                source: Source::Thread(source.0),
            });
            continue;
        }
        match (&area.kind, path) {
            (AreaKind::Heap | AreaKind::Kernel, _) => {}
            (AreaKind::Anonymous, None) if is_of_ended_thread(area, below, memory) => {}
            (_, Some(path)) if (around.is_own_file)(path) || is_allocator(path) => {}
            (_, Some(path)) => {
                let source = Source::Module(path.to_string());
                let free_lists = match is_libc(path) {
                    true => free_lists(memory, &range),
                    false => None,
                };
                let parts = match free_lists {
                    Some(lists) => vec![range.start..lists.start, lists.end..range.end],
                    None => vec![range],
                };
                found.extend(parts.into_iter().map(|range| RootRange {
                    range,
                    source: source.clone(),
                }));
            }
            _ if around.table.has_heap(&range) => {}
            _ if around.allocator.is_some() && !around.others_ran => {}
            _ => found.push(RootRange {
                range,
                source: Source::Unknown,
            }),
        }
    }
    without(found, around)
}

fn file_of(area: &Area) -> Option<&str> {
    match &area.kind {
        AreaKind::File(path) => Some(path),
        _ => None,
    }
}

/// The thread whose stack or own data is in an area, and from where on it counts.
pub fn thread_in(area: &Area, threads: &[Registers]) -> Option<(u32, u64)> {
    let holds = |address: u64| (area.start..area.end).contains(&address);
    let stacks = threads.iter().filter(|it| holds(it.stack_pointer));
    let lowest = stacks.min_by_key(|it| it.stack_pointer);
    if let Some(thread) = lowest {
        return Some((
            thread.tid,
            thread.stack_pointer.saturating_sub(RED_ZONE_BYTES),
        ));
    }
    let own = threads.iter().find(|it| holds(it.thread_pointer));
    own.map(|thread| (thread.tid, area.start))
}

/// Whether glibc keeps an area for the next thread, as a thread left it that has ended. It lies above
/// a guard. Near its end is the thread's control block, whose first and third words are its own
/// address, with the thread's number, which the kernel makes zero when it ends, and `pthread_join`
/// then negative.
fn is_of_ended_thread(area: &Area, below: Option<&Area>, memory: &FrozenMemory) -> bool {
    const MOST_BYTES: u64 = 8192;
    const BLOCK_BYTES: u64 = 64;
    /// Since glibc 2.5.
    const NUMBER_AT: u64 = 0x2d0;
    let is_guard = |it: &Area| it.end == area.start && !it.is_writable;
    if !below.is_some_and(is_guard) {
        return false;
    }
    let start = area.start.max(area.end.saturating_sub(MOST_BYTES));
    let mut bytes = vec![0; (area.end - start) as usize];
    let length = memory.read(start, &mut bytes);
    let (words, _) = bytes[..length].as_chunks::<8>();
    let word = |at: u64| {
        let word = words.get(((at - start) / 8) as usize);
        word.map(|word| u64::from_le_bytes(*word))
    };
    let mut places = (start.next_multiple_of(BLOCK_BYTES)..area.end).step_by(BLOCK_BYTES as usize);
    places.any(|at| {
        let number = word(at + NUMBER_AT).map(|word| word as i32);
        word(at) == Some(at) && word(at + 16) == Some(at) && number.is_some_and(|it| it <= 0)
    })
}

pub fn is_libc(path: &str) -> bool {
    is_glibc(path) || file_name(path).starts_with("ld-musl")
}

/// `libc.so.6`, and `libc-2.31.so` before 2.34.
pub fn is_glibc(path: &str) -> bool {
    let name = file_name(path);
    ["libc.so", "libc-2"].iter().any(|it| name.starts_with(it))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// glibc's lists of free memory (`main_arena`), which lie in its data. They point to the heads of
/// free blocks, and a head begins where the block before it ends.
///
/// An empty list is two words that point to where a head would be whose links they are: sixteen
/// bytes before the first. There are 127 lists, most of them empty.
fn free_lists(memory: &FrozenMemory, range: &Range<u64>) -> Option<Range<u64>> {
    const HEAD_BYTES: u64 = 16;
    const LISTS: u64 = 127;
    const LIST_BYTES: u64 = 16;
    /// Ten lists of small blocks, the rest of the heap, the latest remainder, and flags.
    const BEFORE_BYTES: u64 = 14 * 8;
    const FEWEST_EMPTY: usize = 16;
    const MOST_BYTES: u64 = 1 << 20;
    let mut bytes = vec![0; (range.end - range.start).min(MOST_BYTES) as usize];
    let length = memory.read(range.start, &mut bytes);
    let (words, _) = bytes[..length].as_chunks::<8>();
    let word = |place: usize| u64::from_le_bytes(words[place]);
    let at = |place: usize| range.start + place as u64 * 8;
    let empty: Vec<u64> = (0..words.len().saturating_sub(1))
        .filter(|&place| {
            let head = at(place).wrapping_sub(HEAD_BYTES);
            word(place) == head && word(place + 1) == head
        })
        .map(at)
        .collect();
    let last = *empty.last()?;
    // All of one table: other rings of one element may lie around.
    let first = last.saturating_sub((LISTS - 1) * LIST_BYTES);
    let inside: Vec<u64> = empty.into_iter().filter(|&it| it >= first).collect();
    if inside.len() < FEWEST_EMPTY {
        return None;
    }
    let from = inside[0].min(first).saturating_sub(BEFORE_BYTES);
    Some(from.max(range.start)..(last + LIST_BYTES).min(range.end))
}

/// Takes what the recorder has, and what is a block, out of the ranges.
fn without(found: Vec<RootRange>, around: &Around<'_>) -> Vec<RootRange> {
    let is_stack = |range: &Range<u64>| {
        around
            .threads
            .iter()
            .any(|it| range.contains(&it.stack_pointer))
    };
    let large = around
        .table
        .blocks
        .iter()
        .filter(|block| block.bytes >= 4096);
    let blocks = large.map(|block| block.start..block.start.saturating_add(block.bytes));
    let blocks = blocks.filter(|range| !is_stack(range));
    let holes = ranges::joined(around.own.iter().cloned().chain(blocks).collect());
    let parts = found.into_iter().flat_map(|root| {
        let parts = ranges::without(root.range, &holes).into_iter();
        parts.map(move |range| RootRange {
            range,
            source: root.source.clone(),
        })
    });
    parts.collect()
}
