//! What pages add up to: by stack, by size, by birth.

use crate::area::{Area, PAGE_BYTES};
use crate::map::Map;
use crate::page::{Page, Part};
use residue_profile::pins::{ClassPins, MOST_STACKS, Pins, ResidentHeap, StackPins};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// While pages are added.
pub(crate) struct Sums<'a> {
    map: Map<'a>,
    heap: ResidentHeap,
    stacks: FxHashMap<u32, StackPins>,
    sizes: FxHashMap<u32, ClassPins>,
    births: FxHashMap<u32, ClassPins>,
}

impl<'a> Sums<'a> {
    pub fn of(areas: &'a [Area]) -> Sums<'a> {
        let pages: u64 = areas.iter().map(Area::resident_pages).sum();
        let heap = ResidentHeap {
            resident_bytes: pages * PAGE_BYTES,
            ..ResidentHeap::default()
        };
        Sums {
            map: Map::of(areas),
            heap,
            stacks: FxHashMap::default(),
            sizes: FxHashMap::default(),
            births: FxHashMap::default(),
        }
    }

    /// Adds a page and empties it.
    pub fn add(&mut self, page: &mut Page) {
        self.map.add(page);
        let parts = &mut page.parts;
        let used: u64 = parts.iter().map(|part| part.bytes).sum();
        let free = match parts.is_empty() {
            true => return,
            false => PAGE_BYTES.saturating_sub(used),
        };
        self.heap.used_bytes += used;
        self.heap.free_bytes += free;
        share(
            parts,
            free,
            |part| part.stack,
            |group| {
                let first = group.parts[0];
                let of = self.stacks.entry(first.stack).or_insert(StackPins {
                    stack: first.stack,
                    smallest: first.smallest,
                    largest: first.largest,
                    first_birth: first.birth,
                    last_birth: first.birth,
                    ..StackPins::default()
                });
                of.used_bytes += group.used_bytes;
                of.free_bytes += group.free_bytes;
                of.pages += 1;
                if group.is_alone {
                    of.alone_pages += 1;
                    of.alone_free_bytes += group.free_bytes;
                }
                for part in group.parts {
                    of.blocks += part.blocks;
                    of.smallest = of.smallest.min(part.smallest);
                    of.largest = of.largest.max(part.largest);
                    of.first_birth = of.first_birth.min(part.birth);
                    of.last_birth = of.last_birth.max(part.birth);
                }
            },
        );
        by_class(&mut self.sizes, parts, free, |part| u32::from(part.class));
        by_class(&mut self.births, parts, free, |part| part.birth);
        parts.clear();
    }

    pub fn pins(self) -> Pins {
        let ResidentHeap {
            resident_bytes,
            used_bytes,
            free_bytes,
            ..
        } = self.heap;
        let mut stacks: Vec<StackPins> = self.stacks.into_values().collect();
        stacks.sort_unstable_by_key(|of| (Reverse(of.free_bytes), of.stack));
        let others = stacks.split_off(stacks.len().min(MOST_STACKS));
        Pins {
            heap: ResidentHeap {
                free_page_bytes: resident_bytes.saturating_sub(used_bytes + free_bytes),
                ..self.heap
            },
            stacks,
            other_stacks: others.len() as u64,
            other_used_bytes: others.iter().map(|of| of.used_bytes).sum(),
            other_free_bytes: others.iter().map(|of| of.free_bytes).sum(),
            sizes: ascending(self.sizes),
            births: ascending(self.births),
            map: self.map.finish(),
            ..Pins::default()
        }
    }
}

fn ascending(sums: FxHashMap<u32, ClassPins>) -> Vec<ClassPins> {
    let mut sorted: Vec<ClassPins> = sums.into_values().collect();
    sorted.sort_unstable_by_key(|of| of.class);
    sorted
}

fn by_class(
    sums: &mut FxHashMap<u32, ClassPins>,
    parts: &mut [Part],
    free: u64,
    class_of: fn(&Part) -> u32,
) {
    share(parts, free, class_of, |group| {
        let class = class_of(&group.parts[0]);
        let of = sums.entry(class).or_default();
        of.class = class;
        of.used_bytes += group.used_bytes;
        of.free_bytes += group.free_bytes;
    });
}

/// Parts of a page that belong together.
struct Group<'a> {
    parts: &'a [Part],
    used_bytes: u64,
    free_bytes: u64,
    /// There is no other on the page.
    is_alone: bool,
}

/// Divides what is free on a page evenly among the groups of its parts; the first have what is
/// left over.
fn share(parts: &mut [Part], free: u64, key: fn(&Part) -> u32, mut with: impl FnMut(Group<'_>)) {
    parts.sort_unstable_by_key(key);
    let groups = || parts.chunk_by(|a, b| key(a) == key(b));
    let count = groups().count() as u64;
    for (place, parts) in (0..).zip(groups()) {
        with(Group {
            parts,
            used_bytes: parts.iter().map(|part| part.bytes).sum(),
            free_bytes: free / count + u64::from(place < free % count),
            is_alone: count == 1,
        });
    }
}
