//! Moments: what is written at the boundary of an event, and which events are
//! kept.
//!
//! Looking at the process costs a few microseconds. It is not looked at again until
//! a multiple of that has passed, so that even the shortest events cost little;
//! moments between have no sizes of the process, only those of the heap. The
//! multiple grows to four hundred: a program of a few milliseconds is looked at too.

use crate::arena_map::{self, Arena};
use crate::hot::{self, Hot};
use crate::own_proc;
use crate::sys;
use core::sync::atomic::{AtomicU64, Ordering};
use residue_arena::moments::*;
use residue_arena::region::{self, Region};
use residue_arena::tables::thread as stat;
use residue_arena::{PAGE_BYTES, header};
use residue_residency::Statm;

/// How long the process must have run since it was last looked at, in multiples of
/// what that took: one more after so many looks, up to the most.
const LOOKS_PER_REST: u64 = 8;
const MOST_REST: u64 = 400;

/// Rows since the stride last doubled at which it doubles again.
const MOST_ROWS_PER_STRIDE: u64 = 1 << 18;

/// The same for changes: an eighth of what half of the log has left, so that a long run comes
/// ever nearer to that half; and a little more for ever, which would take a hundred doublings to
/// fill the log.
fn most_changes_per_stride(capacity: u64, logged: u64) -> u64 {
    let left = (capacity / 2).saturating_sub(logged);
    (left / 8).max(capacity / 256)
}

/// The process at the begin of an event. Its sizes are read if they were not just a
/// moment ago.
pub fn sample_at_begin(hot: &Hot, arena: Arena) -> MomentRow {
    sample_if_rested(hot, arena, &hot.statm_begin_ns, 1)
}

/// The process at the end of an event, four times as rarely. Begins cover whole turns, so
/// they have a rest of their own: an end that was looked at must not keep the begin right
/// after it from being so.
pub fn sample_at_end(hot: &Hot, arena: Arena) -> MomentRow {
    sample_if_rested(hot, arena, &hot.statm_end_ns, 4)
}

fn sample_if_rested(hot: &Hot, arena: Arena, looked_ns: &AtomicU64, times: u64) -> MomentRow {
    let now_ns = sys::monotonic_ns();
    let rested = now_ns.saturating_sub(looked_ns.load(Ordering::Relaxed));
    let cost_ns = hot.statm_cost_ns.load(Ordering::Relaxed);
    let looks = hot.statm_looks.load(Ordering::Relaxed);
    let rest = (looks / LOOKS_PER_REST).min(MOST_REST) * times;
    let mut row = sample_without_sizes(hot, arena, now_ns);
    if rested >= cost_ns * rest && read_sizes(arena, &mut row) {
        let after_ns = sys::monotonic_ns();
        hot.statm_looks.fetch_add(1, Ordering::Relaxed);
        looked_ns.store(after_ns, Ordering::Relaxed);
        // The least is what it takes; more was somebody else's time.
        let took_ns = (after_ns - now_ns).max(1);
        let least_ns = match cost_ns {
            0 => took_ns,
            known => known.min(took_ns),
        };
        hot.statm_cost_ns.store(least_ns, Ordering::Relaxed);
    }
    row
}

/// The process now, with its sizes, as the program asked for it.
pub fn whole_sample(hot: &Hot, arena: Arena) -> MomentRow {
    let mut row = sample_without_sizes(hot, arena, sys::monotonic_ns());
    read_sizes(arena, &mut row);
    row
}

fn sample_without_sizes(hot: &Hot, arena: Arena, now_ns: u64) -> MomentRow {
    let sums = ThreadSums::of(arena);
    MomentRow {
        time_ns: now_ns.saturating_sub(arena.get(header::STARTED_MONOTONIC_NS)),
        live_bytes: sums.live_bytes,
        made_blocks: sums.made_blocks,
        made_bytes: sums.made_bytes,
        thread_cpu_ns: sys::clock_ns(sys::CLOCK_THREAD_CPUTIME_ID),
        mapped_bytes: arena.get(header::MAPPED_BYTES),
        recorder_bytes: recorder_bytes(arena),
        threads: hot.threads_seen.load(Ordering::Relaxed),
        ..MomentRow::default()
    }
}

/// The sizes of the process, as the kernel tells them; false where it does not.
fn read_sizes(arena: Arena, row: &mut MomentRow) -> bool {
    let Some(statm) = read_statm() else {
        return false;
    };
    let own = arena.get(header::VIRTUAL_BYTES);
    row.vm_bytes = (statm.size_pages * PAGE_BYTES).saturating_sub(own);
    row.rss_bytes = statm.resident_pages * PAGE_BYTES;
    row.shared_bytes = statm.shared_pages * PAGE_BYTES;
    // The kernel adds up all threads for it, so it is not asked at every mark.
    row.process_cpu_ns = sys::clock_ns(sys::CLOCK_PROCESS_CPUTIME_ID);
    true
}

fn read_statm() -> Option<Statm> {
    // Where the first thread has ended the process has no memory under its own name.
    let flags = sys::O_RDONLY | sys::O_CLOEXEC;
    let by_process = sys::open(b"/proc/self/statm\0", flags, 0);
    read_statm_of(by_process)
        .filter(|statm| statm.resident_pages != 0)
        .or_else(|| read_statm_of(own_proc::open(b"statm")))
}

fn read_statm_of(opened: Result<usize, sys::Errno>) -> Option<Statm> {
    // Opened each time: programs close descriptors they do not know.
    let file = opened.ok()?;
    let mut text = [0_u8; 128];
    let length = sys::read(file, &mut text).unwrap_or(0);
    sys::close(file);
    Statm::parse(text.get(..length)?)
}

/// What all threads did to the heap so far.
pub struct ThreadSums {
    /// Those published, and those the threads hold back.
    pub live_bytes: u64,
    made_blocks: u64,
    made_bytes: u64,
}

impl ThreadSums {
    pub fn of(arena: Arena) -> ThreadSums {
        let mut sums = ThreadSums {
            live_bytes: arena.get(header::LIVE_BYTES),
            made_blocks: 0,
            made_bytes: 0,
        };
        for index in 0..arena.get(Region::Threads.word(region::USED)) {
            let item = arena.item(Region::Threads, index);
            // SAFETY: the item was appended, and stays.
            let words = unsafe { arena_map::words::<{ stat::WORDS }>(item) };
            let add = |sum: &mut u64, word: usize| {
                *sum = sum.wrapping_add(words[word].load(Ordering::Relaxed));
            };
            add(&mut sums.live_bytes, stat::PENDING_BYTES);
            add(&mut sums.made_blocks, stat::MADE_BLOCKS);
            add(&mut sums.made_bytes, stat::MADE_BYTES);
        }
        sums
    }
}

/// What the recorder itself takes.
pub fn recorder_bytes(arena: Arena) -> u64 {
    let header_bytes = (header::WORDS * 8) as u64;
    let arena_bytes = region::ALL.iter().fold(header_bytes, |sum, region| {
        sum + arena.get(region.word(region::COMMITTED)) * region.item_bytes()
    });
    arena_bytes + arena.get(header::PRIVATE_BYTES)
}

pub fn names_used(arena: Arena) -> usize {
    arena.get(Region::Names.word(region::USED)) as usize
}

/// Ends the interval that runs: the row becomes a moment.
pub fn end_interval(arena: Arena, row: &mut MomentRow) {
    let interval = arena.word(header::INTERVAL);
    let totals = arena.word(header::TOTALS);
    if row.has_totals {
        // Before the interval ends: a record that is touched in the next one has to know.
        totals.fetch_max(interval.load(Ordering::Relaxed) + 1, Ordering::AcqRel);
    }
    let number = interval.fetch_add(1, Ordering::AcqRel) + 1;
    row.number = number as u32;
    if row.has_totals {
        // The command may have made a moment meanwhile.
        totals.fetch_max(number, Ordering::AcqRel);
    }
}

/// Writes a row, for good or into the ring of the latest.
pub fn write(arena: Arena, row: &MomentRow, is_kept: bool) {
    let Some(item) = place(arena, is_kept) else {
        return;
    };
    // SAFETY: the item is one of the two regions of rows.
    let [head, others @ ..]: &[AtomicU64; ROW_WORDS] = unsafe { arena_map::words(item) };
    let [head_word, other_words @ ..] = row.to_words();
    // A reader must not take the new words for the old row's.
    head.store(0, Ordering::Release);
    for (place, word) in others.iter().zip(other_words) {
        place.store(word, Ordering::Relaxed);
    }
    head.store(head_word, Ordering::Release);
}

fn place(arena: Arena, is_kept: bool) -> Option<*mut u8> {
    if is_kept && let Some(index) = arena.append(Region::Moments) {
        return Some(arena.item(Region::Moments, index));
    }
    let ring = Region::LatestMoments;
    let capacity = arena.get(ring.word(region::CAPACITY));
    let index = match arena.get(ring.word(region::USED)) < capacity {
        true => arena.append(ring)?,
        false => arena.word(header::LATEST).fetch_add(1, Ordering::Relaxed) % capacity,
    };
    Some(arena.item(ring, index))
}

/// Whether an event is kept for good.
pub fn is_kept(hot: &Hot, arena: Arena, event: u32) -> bool {
    let whole_until = hot.thinning.whole_until.load(Ordering::Relaxed);
    residue_arena::moments::is_kept(u64::from(event), whole_until, arena.get(header::STRIDE))
}

/// Decides about an event that begins, and thins further when enough were kept.
/// The lock for events is held.
pub fn keep(hot: &Hot, arena: Arena, event: u32) -> bool {
    let thinning = &hot.thinning;
    if !is_kept(hot, arena, event) {
        return false;
    }
    let rows = arena.get(Region::Moments.word(region::USED));
    let changes = arena.get(Region::Changes.word(region::USED));
    let logged = thinning.changes.load(Ordering::Relaxed);
    let most_changes =
        most_changes_per_stride(arena.get(Region::Changes.word(region::CAPACITY)), logged);
    let whole_until = thinning.whole_until.load(Ordering::Relaxed);
    let is_late = u64::from(event) > whole_until;
    let kept = thinning.kept.load(Ordering::Relaxed) + u64::from(is_late);
    thinning.kept.store(kept, Ordering::Relaxed);
    let is_enough = kept >= KEPT_PER_STRIDE
        || rows - thinning.rows.load(Ordering::Relaxed) >= MOST_ROWS_PER_STRIDE
        || changes - logged >= most_changes;
    if is_enough {
        if !is_late {
            thinning
                .whole_until
                .store(u64::from(event), Ordering::Relaxed);
        }
        thinning.kept.store(0, Ordering::Relaxed);
        thinning.rows.store(rows, Ordering::Relaxed);
        thinning.changes.store(changes, Ordering::Relaxed);
        arena.set(header::STRIDE, arena.get(header::STRIDE) * 2);
    }
    true
}

/// Whether a kept event keeps totals, too; fewer do once enough were logged. The lock for events
/// is held.
pub fn keeps_totals(arena: Arena, event: u32) -> bool {
    let logged = arena.get(header::TOTALS_LOGGED);
    let before = arena.get(header::TOTALS_LOGGED_AT_STRIDE);
    let capacity = arena.get(Region::Changes.word(region::CAPACITY));
    if logged.saturating_sub(before) >= most_totals_per_stride(capacity, before) {
        arena.set(header::TOTALS_LOGGED_AT_STRIDE, logged);
        arena.set(
            header::TOTALS_STRIDE,
            arena.get(header::TOTALS_STRIDE).saturating_mul(2),
        );
    }
    event == 1 || u64::from(event).is_multiple_of(arena.get(header::TOTALS_STRIDE))
}

/// Makes thinning ready: at first everything is kept.
pub fn set_up(arena: Arena) {
    arena.set(header::STRIDE, 1);
    arena.set(header::TOTALS_STRIDE, 1);
    hot::get()
        .thinning
        .whole_until
        .store(WHOLE_EVENTS, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_of_changes_lasts_for_more_events_than_there_can_be() {
        let capacity = 1 << 24;
        let after = |strides: u32| {
            (0..strides).fold(0, |logged, _| {
                logged + most_changes_per_stride(capacity, logged)
            })
        };
        assert!(after(64) < capacity * 3 / 4);
        // A run that is twice as long needs little more.
        assert!(after(21) - after(20) < after(20) / 64);
    }
}
