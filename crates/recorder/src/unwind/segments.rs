//! Pieces of stacks that a thread unwound lately, because programs come back to the same paths.
//!
//! ```text
//!    cached:   main  run  loop  drain  erase          the stack of the call before
//!    now:      main  run  loop  fill  insert  new     fill, insert and new were unwound once
//!                          ^ joint └── segment ──┘
//! ```
//!
//! Where a segment's leaf returns to the same address from the same place, its words are compared
//! from leaf to joint, and those of the cached frames from there to the root: the same proof as
//! that of a stack that did not change, and nothing is read that unwinding would not read. That
//! it is the *likely* one is all that the table says. A segment found true brings its nodes, its
//! stack and its record with it: no rule, no node and no record is looked for.
//!
//! Segments lie one behind the other in a ring, each as long as it needs to be; new ones take the
//! place of the oldest. A segment is made when its path is unwound for the second time, so paths
//! that never come again cost an entry of the table.

use super::cached::{CachedStack, Ending, Leaf};
use super::frames::Frames;
use super::proof::{Proof, unproven};
use super::rule::Cursor;
use crate::modules;
use crate::private::Block;

const WAYS: usize = 4;
const MOST_BUCKETS: usize = 1024;
const FEWEST_BUCKETS: usize = 64;

/// Positions in the ring count units, and never come again.
const UNIT_BYTES: usize = 64;
/// A program with many threads has many rings and tables: those of the first eight are of full size,
/// of the next eight half of it, and so on. What is not filled takes address space alone.
const LARGEST_RING_BYTES: usize = 4 << 20;
const LEAST_RING_BYTES: usize = 64 << 10;
const THREADS_WITH_ALIKE: usize = 8;

/// Segments with fewer frames are unwound as fast; longer ones would push out too many others.
const FEWEST_FRAMES: usize = 2;
const MOST_FRAMES: usize = 500;

/// One path that was unwound: the leaf's place and return address in a few bits, the path, and
/// where its segment begins; zero: none yet.
#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    tag: u32,
    node: u32,
    position: u64,
}

type Bucket = [Entry; WAYS];

/// What begins a segment. Its arrays follow, each with one entry for whatever is below the joint,
/// then one for the joint.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Head {
    generation: u64,
    /// Index of the joint in its stack, one higher; zero: the segment reaches the root.
    joint: u32,
    /// Entries of each array.
    entries: u32,
    /// The path up to the joint; where there is none, the scope.
    below: u32,
    /// bp is live in some frame; else it is not kept.
    has_bps: bool,
    ending: Ending,
    leaf: Leaf,
}

const _: () = assert!(size_of::<Head>() == UNIT_BYTES);

impl Head {
    /// Index in the stack of what the second entries of the arrays are about.
    #[inline(always)]
    fn from(&self) -> usize {
        (self.joint as usize).saturating_sub(1)
    }
}

fn segment_bytes(entries: usize, has_bps: bool) -> usize {
    let words = if has_bps { 4 } else { 3 };
    UNIT_BYTES + entries * words * 8
}

/// The arrays of the segment with this head. Those of bp may be missing: then no proof asks
/// for them.
#[inline(always)]
fn frames_of(head: *mut Head, entries: usize) -> Frames {
    let addresses = head.wrapping_add(1).cast::<usize>();
    let ips = addresses.wrapping_add(entries);
    let details = ips.wrapping_add(entries);
    Frames {
        addresses,
        ips,
        details: details.cast(),
        bps: details.wrapping_add(entries),
    }
}

/// What a thread has of them.
pub struct Segments {
    table: *mut Bucket,
    /// A power of two, as are the units of the ring.
    buckets: usize,
    ring: *mut u8,
    ring_units: u64,
    /// Units written so far.
    end: u64,
    /// Segments of other generations say nothing: the thread, its code or its nodes are others.
    generation: u64,
}

impl Segments {
    /// What they take of a block, where there are so many threads before.
    pub const fn bytes(threads: usize) -> usize {
        Block::bytes_of::<Bucket>(Segments::buckets(threads))
            + Block::bytes_of::<u8>(Segments::ring_bytes(threads))
    }

    const fn ring_bytes(threads: usize) -> usize {
        Segments::shared_among(threads, LARGEST_RING_BYTES, LEAST_RING_BYTES)
    }

    const fn buckets(threads: usize) -> usize {
        Segments::shared_among(threads, MOST_BUCKETS, FEWEST_BUCKETS)
    }

    const fn shared_among(threads: usize, most: usize, least: usize) -> usize {
        match most.checked_shr((threads / THREADS_WITH_ALIKE) as u32) {
            Some(share) if share > least => share,
            _ => least,
        }
    }

    pub const TOUCHED_BYTES: usize = Block::bytes_of::<Bucket>(FEWEST_BUCKETS);

    pub fn new(block: &mut Block, threads: usize) -> Segments {
        let ring_bytes = Segments::ring_bytes(threads);
        let buckets = Segments::buckets(threads);
        Segments {
            table: block.array(buckets),
            buckets,
            ring: block.array(ring_bytes),
            ring_units: (ring_bytes / UNIT_BYTES) as u64,
            // No segment begins at zero.
            end: 1,
            generation: 1,
        }
    }

    pub fn forget(&mut self) {
        self.generation += 1;
    }

    #[inline(always)]
    fn bucket(&self, before: u32, address: usize, ip: usize) -> (*mut Bucket, u32) {
        let mixed = (address as u64 ^ u64::from(before) << 40)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(32)
            ^ ip as u64;
        let hash = mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let bucket = (hash >> 32) as usize & (self.buckets - 1);
        (self.table.wrapping_add(bucket), (hash >> 16) as u32)
    }

    #[inline(always)]
    fn at(&self, position: u64) -> Option<*mut Head> {
        let is_there = position != 0 && self.end - position <= self.ring_units;
        is_there.then(|| self.head_at(position))
    }

    #[inline(always)]
    fn head_at(&self, position: u64) -> *mut Head {
        let unit = (position & (self.ring_units - 1)) as usize;
        self.ring.wrapping_add(unit * UNIT_BYTES).cast()
    }

    /// Room for a segment; its position is known to nobody yet.
    fn make_room(&mut self, bytes: usize) -> u64 {
        let units = bytes.div_ceil(UNIT_BYTES) as u64;
        let left = self.ring_units - (self.end & (self.ring_units - 1));
        if units > left {
            self.end += left;
        }
        let position = self.end;
        self.end += units;
        position
    }
}

impl CachedStack {
    /// Makes the stack whose leaf is at the cursor the cached one, if it is one that was unwound
    /// after this one lately. True when the stack and record of the cached stack are those of the leaf.
    ///
    /// # Safety
    /// `leaf` must be a live frame of this thread, all of whose callers are live.
    #[inline(never)]
    pub(super) unsafe fn recall(&mut self, leaf: &Cursor, scope: u32) -> bool {
        let before = self.path();
        let (bucket, tag) = self.segments.bucket(before, leaf.sp - 8, leaf.ip);
        for way in 0..WAYS {
            // SAFETY: the bucket is one of the table's, which only this thread uses.
            let entry = unsafe { (*bucket)[way] };
            if entry.tag != tag {
                continue;
            }
            let Some(head) = self.segments.at(entry.position) else {
                continue;
            };
            // SAFETY: a position is known when its segment is whole; the rest is handed on.
            unsafe {
                let frames = frames_of(head, (*head).entries as usize);
                if self.fits(&*head, frames, scope) && self.is_proven(&*head, frames, leaf) {
                    self.put_on(&*head, frames);
                    return true;
                }
            }
        }
        false
    }

    /// The path of the cached stack, if it is known.
    #[inline(always)]
    pub(super) fn path(&self) -> u32 {
        match self.length {
            0 => 0,
            length => self.detail(length - 1).node,
        }
    }

    /// Whether what is below the segment is what was there when it was made.
    #[inline(always)]
    fn fits(&self, head: &Head, frames: Frames, scope: u32) -> bool {
        if head.generation != self.segments.generation || self.missing != 0 {
            return false;
        }
        if head.joint == 0 {
            return head.below == scope;
        }
        let joint = head.from();
        if joint >= self.noded {
            return false;
        }
        let detail = self.detail(joint);
        // A frame pointer leads to below the joint.
        let has_same_bp = || {
            let is_at_same_place = joint == 0 || self.address(joint - 1) == frames.address(0);
            is_at_same_place && self.frames.bp(joint) == frames.bp(1)
        };
        detail.node == head.below
            && self.address(joint) == frames.address(1)
            && self.ip(joint) == frames.ip(1)
            && (!detail.bp_is_live() || has_same_bp())
    }

    /// Whether the segment's words, and those of the cached frames below it, are in memory.
    ///
    /// # Safety
    /// As for `recall`.
    #[inline(always)]
    unsafe fn is_proven(&mut self, head: &Head, frames: Frames, leaf: &Cursor) -> bool {
        let last = head.entries as usize - 1;
        let is_leaf = frames.address(last) == leaf.sp - 8
            && frames.ip(last) == leaf.ip
            && (!frames.detail(last).bp_is_live() || frames.bp(last) == leaf.bp);
        // SAFETY: the leaf is live; the proofs of a segment end at the second entry.
        is_leaf
            && unsafe {
                unproven(&frames, last) == 1 && (head.joint == 0 || self.verify(head.from()) == 0)
            }
    }

    /// Makes the segment's frames the cached ones above the joint.
    #[inline(always)]
    fn put_on(&mut self, head: &Head, frames: Frames) {
        let entries = head.entries as usize;
        let from = head.from();
        // What is below the joint may be proven otherwise than when the segment was made.
        let below = from.checked_sub(1).map(|below| self.detail(below).proof);
        let mut first = 1;
        if head.joint != 0 {
            let (joint, now) = (frames.detail(1), self.frames.detail_mut(from));
            now.proof = joint.proof.standing_on(1, below);
            now.bp_words_below = joint.bp_words_below;
            first = 2;
        }
        // Most segments have few frames: one loop over all arrays is faster than a copy of each.
        for entry in first..entries {
            let index = from + entry - 1;
            let address = frames.address(entry);
            let mut detail = frames.detail(entry);
            detail.proof = detail.proof.standing_on(entry, below);
            // SAFETY: the segment's frames had these places when it was made.
            unsafe {
                *self.frames.addresses.add(index) = address;
                *self.frames.ips.add(index) = frames.ip(entry);
                *self.frames.details.add(index) = detail;
                if head.has_bps {
                    *self.frames.bps.add(index) = frames.bp(entry);
                }
            }
            self.note_place(address, index);
        }
        self.length = from + entries - 1;
        self.noded = self.length;
        self.cut.noded = 0;
        self.fresh_length = 0;
        if head.joint == 0 {
            self.ending = head.ending;
        }
        self.leaf = Some(head.leaf);
    }

    /// Keeps the frames that were just unwound, if the path was unwound before. The stack is whole, and
    /// its leaf is known.
    #[inline(never)]
    pub fn remember(&mut self, scope: u32) {
        let count = self.fresh_length;
        let is_whole = self.missing == 0 && self.noded == self.length && self.cut.noded == 0;
        let (Some(leaf), true) = (self.leaf, is_whole && count >= FEWEST_FRAMES) else {
            return;
        };
        // What could not be known just now may be known next time.
        let is_early = count == self.length && self.ending == Ending::Early;
        if is_early || modules::are_being_listed() {
            return;
        }
        let last = self.length - 1;
        let (address, ip, node) = (self.address(last), self.ip(last), self.path());
        let (bucket, tag) = self.segments.bucket(self.path_before, address, ip);
        // SAFETY: the bucket is one of the table's, which only this thread uses.
        let bucket = unsafe { &mut *bucket };
        let known = bucket
            .iter_mut()
            .find(|entry| entry.node == node && entry.tag == tag);
        let Some(entry) = known else {
            bucket.copy_within(..WAYS - 1, 1);
            bucket[0] = Entry {
                tag,
                node,
                position: 0,
            };
            return;
        };
        if count <= MOST_FRAMES
            && let Some(position) = self.keep_segment(leaf, scope)
        {
            entry.position = position;
        }
    }

    /// `None` where a step of it would have to be taken again.
    fn keep_segment(&mut self, leaf: Leaf, scope: u32) -> Option<u64> {
        let kept = self.length - self.fresh_length;
        let from = kept.saturating_sub(1);
        let is_simple = |index: usize| self.detail(index).proof != Proof::STEP_AGAIN;
        if !(from..self.length - 1).all(is_simple) {
            return None;
        }
        let has_bps = (from..self.length).any(|index| self.detail(index).bp_is_live());
        let entries = self.length - from + 1;
        let position = self.segments.make_room(segment_bytes(entries, has_bps));
        let below = match kept {
            0 => scope,
            _ => self.detail(from).node,
        };
        let head = self.segments.head_at(position);
        let mut frames = frames_of(head, entries);
        // SAFETY: there is room for so many entries in each array, and the frames are cached.
        unsafe {
            *head = Head {
                generation: self.segments.generation,
                joint: kept as u32,
                entries: entries as u32,
                below,
                has_bps,
                ending: self.ending,
                leaf,
            };
            let cached = self.frames.from(from);
            frames.from(1).copy_from(cached, entries - 1, has_bps);
            *frames.addresses = match from.checked_sub(1) {
                Some(below_joint) => self.address(below_joint),
                None => 0,
            };
        }
        frames.detail_mut(0).proof = Proof::STEP_AGAIN;
        for entry in 1..entries {
            // That of the leaf is nothing yet, and nobody asks for it.
            let proof = &mut frames.detail_mut(entry).proof;
            *proof = proof.of_at_most(entry);
        }
        Some(position)
    }
}
