//! A recorded process seen from outside: its sizes, its resident memory by kind,
//! and moments that are made here because the program makes none itself.

use super::users::{maps_path, writer};
use anyhow::{Context, Result};
use nix::time::{ClockId, clock_gettime};
use residue_arena::header;
use residue_arena::moments::{KEPT_PER_STRIDE, WHOLE_EVENTS, is_kept, most_totals_per_stride};
use residue_arena::region::{self, Region};
use residue_arena::tables::{self, thread as stat};
use residue_finish::ArenaFile;
use residue_finish::outside::{self, Seen};
use residue_finish::plain_file;
use residue_profile::timeline::{Account, MomentKind};
use residue_residency::{Name, ResidentKind, Smaps, Sorting, Statm, Vma};
use residue_window::Window;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// An account is taken when this part of the program's life has passed since the
/// last, and a hundred times what one takes.
const PART_OF_LIFE: u32 = 200;
const REST: u32 = 100;

pub struct Process {
    pub arena: PathBuf,
    pub window: Window,
    pid: Option<u32>,
    stride: u64,
    kept: u64,
    account_taken: Option<(Instant, Duration)>,
    /// What was counted in events that are not kept, since the last that is.
    skipped_counts: BTreeMap<String, f64>,
}

/// What a moment is about.
#[derive(Default)]
pub struct About {
    pub event: u32,
    pub id: u64,
    pub name: Option<String>,
    pub counts: BTreeMap<String, f64>,
    pub with_proc_maps: bool,
}

impl Process {
    /// `None` until its program records.
    pub fn open(arena: &Path) -> Option<Process> {
        let file = plain_file::open(arena, File::options().read(true).write(true));
        let window = Window::on(file.ok()?).ok()?;
        Some(Process {
            arena: arena.to_path_buf(),
            pid: writer(arena, window.get(header::PID) as u32),
            window,
            stride: 1,
            kept: 0,
            account_taken: None,
            skipped_counts: BTreeMap::new(),
        })
    }

    /// By the number that it has here; `None` where it had ended before it was seen.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Whether the process still is what wrote the arena: it has not ended, and has not
    /// become another program.
    pub fn is_running(&self) -> bool {
        self.window.is_whole() && self.pid.is_some_and(|pid| maps_path(pid, &self.arena))
    }

    /// The event or tick that began last; zero before the first.
    pub fn event(&self) -> u64 {
        let base = self.window.get(header::EVENT_BASE);
        self.window.get(header::BIRTH).saturating_sub(base)
    }

    /// Whether the event with this number is kept: all of the first thousands, ever
    /// fewer of the later ones.
    pub fn keep(&mut self, event: u64) -> bool {
        if !is_kept(event, WHOLE_EVENTS, self.stride) {
            return false;
        }
        self.kept += u64::from(event > WHOLE_EVENTS);
        if self.kept >= KEPT_PER_STRIDE {
            self.kept = 0;
            self.stride *= 2;
            let stride = self.window.word(header::STRIDE);
            stride.store(self.stride, Ordering::Relaxed);
        }
        true
    }

    /// Counts of an event that is not kept.
    pub fn skip_counts(&mut self, counts: &[(String, f64)]) {
        for (name, value) in counts {
            *self.skipped_counts.entry(name.clone()).or_default() += value;
        }
    }

    /// How long the program has been recorded.
    pub fn life(&self) -> Duration {
        // The recorder's clock: the time of day may be set meanwhile.
        let now = clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Duration::ZERO, Duration::from);
        let started = Duration::from_nanos(self.window.get(header::STARTED_MONOTONIC_NS));
        now.saturating_sub(started)
    }

    /// Ends the interval that runs and writes down what is seen.
    pub fn moment(&mut self, kind: MomentKind, about: About) -> Result<()> {
        let proc_maps = about.with_proc_maps.then(|| {
            ["maps", "smaps", "numa_maps"].map(|name| {
                let text = self.proc_file(name).unwrap_or_default();
                String::from_utf8_lossy(&text).into_owned()
            })
        });
        let arena = ArenaFile::open(&self.arena)?;
        let [live_bytes, made_blocks, made_bytes] = thread_sums(&arena)?;
        let statm = self.proc_file("statm").and_then(|text| Statm::parse(&text));
        let account = self.account_if_due(&arena, live_bytes);
        let has_totals = kind == MomentKind::Snapshot || self.keeps_totals(&arena, about.event);
        let number = self.end_interval(has_totals);
        let bytes =
            |pages: fn(&Statm) -> u64| statm.as_ref().map_or(0, pages) * residue_arena::PAGE_BYTES;
        let seen = Seen {
            kind,
            number: number as u32,
            event: about.event,
            id: about.id,
            time_ns: self.life().as_nanos() as u64,
            vm_bytes: bytes(|statm| statm.size_pages)
                .saturating_sub(arena.word(header::VIRTUAL_BYTES)),
            rss_bytes: bytes(|statm| statm.resident_pages),
            shared_bytes: bytes(|statm| statm.shared_pages),
            live_bytes,
            mapped_bytes: arena.word(header::MAPPED_BYTES),
            recorder_bytes: arena.committed_bytes() + arena.word(header::PRIVATE_BYTES),
            threads: self.pid.map_or(0, threads),
            has_totals,
            made_blocks: Some(made_blocks),
            made_bytes: Some(made_bytes),
            process_cpu_ns: self.pid.and_then(process_cpu_ns),
            name: about.name,
            counts: about.counts,
            skipped_counts: match kind {
                MomentKind::Begin => std::mem::take(&mut self.skipped_counts),
                _ => BTreeMap::new(),
            },
            account,
            proc_maps,
        };
        outside::append(&self.arena, &seen)
            .inspect_err(|_| {
                let lost = self.window.word(header::MOMENTS_LOST);
                lost.fetch_add(1, Ordering::Relaxed);
            })
            .with_context(|| outside::path_for(&self.arena).display().to_string())
    }

    /// Whether a moment that is kept keeps totals, too; fewer do once enough were logged. As in the
    /// recorder, which makes no moments where they are made here.
    fn keeps_totals(&self, arena: &ArenaFile, event: u32) -> bool {
        let [stride, before] = [header::TOTALS_STRIDE, header::TOTALS_LOGGED_AT_STRIDE]
            .map(|word| self.window.word(word));
        let logged = self.window.get(header::TOTALS_LOGGED);
        let was_logged = before.load(Ordering::Relaxed);
        let capacity = arena.word(Region::Changes.word(region::CAPACITY));
        if logged.saturating_sub(was_logged) >= most_totals_per_stride(capacity, was_logged) {
            before.store(logged, Ordering::Relaxed);
            let doubled = stride.load(Ordering::Relaxed).saturating_mul(2);
            stride.store(doubled, Ordering::Relaxed);
        }
        event == 1 || u64::from(event).is_multiple_of(stride.load(Ordering::Relaxed))
    }

    /// Ends the interval that runs, and returns the number of its end; the recorder does the same.
    fn end_interval(&self, has_totals: bool) -> u64 {
        let [interval, totals] =
            [header::INTERVAL, header::TOTALS].map(|word| self.window.word(word));
        if has_totals {
            // Before the interval ends: a record that is touched in the next one has to know.
            totals.fetch_max(interval.load(Ordering::Relaxed) + 1, Ordering::AcqRel);
        }
        let number = interval.fetch_add(1, Ordering::AcqRel) + 1;
        if has_totals {
            totals.fetch_max(number, Ordering::AcqRel);
        }
        number
    }

    fn proc_file(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(format!("/proc/{}/{name}", self.pid?)).ok()
    }

    fn account_if_due(&mut self, arena: &ArenaFile, live_bytes: u64) -> Option<Account> {
        let started = Instant::now();
        if let Some((taken, took)) = self.account_taken {
            let rest = (self.life() / PART_OF_LIFE).max(took * REST);
            if taken.elapsed() < rest {
                return None;
            }
        }
        let smaps = self.proc_file("smaps")?;
        let account = account(&smaps, &self.arena, arena, live_bytes)?;
        self.account_taken = Some((started, started.elapsed()));
        Some(account)
    }
}

/// Live bytes, blocks made and their bytes: what is published, and what the threads know.
pub fn thread_sums(arena: &ArenaFile) -> Result<[u64; 3]> {
    let words = [stat::PENDING_BYTES, stat::MADE_BLOCKS, stat::MADE_BYTES];
    let mut sums = [arena.word(header::LIVE_BYTES), 0, 0];
    for record in arena.thread_records()? {
        for (sum, word) in sums.iter_mut().zip(words) {
            *sum = sum.wrapping_add(record[word]);
        }
    }
    Ok(sums)
}

/// The clock of a process's CPU time.
fn process_cpu_ns(pid: u32) -> Option<u64> {
    // As the kernel numbers these clocks.
    const SCHEDULED: i32 = 2;
    let clock = !i32::try_from(pid).ok()? << 3 | SCHEDULED;
    let time = clock_gettime(ClockId::from_raw(clock)).ok()?;
    u64::try_from(Duration::from(time).as_nanos()).ok()
}

fn threads(pid: u32) -> u32 {
    fs::read_dir(format!("/proc/{pid}/task")).map_or(0, |tasks| tasks.count() as u32)
}

/// What is resident, by kind. The allocator cannot be asked from outside.
fn account(text: &[u8], path: &Path, arena: &ArenaFile, live_bytes: u64) -> Option<Account> {
    let mapped = mapped_ranges(arena).ok()?;
    let arena_path = path.as_os_str().as_encoded_bytes();
    let mut sorting = Sorting::default();
    let mut classify = |vma: &Vma| {
        let is_recorder = matches!(vma.name, Name::Path(path) if path == arena_path);
        sorting.kind(vma, is_recorder, || {
            let overlaps = mapped
                .iter()
                .map(|&(start, end)| end.min(vma.end).saturating_sub(start.max(vma.start)));
            overlaps.sum()
        })
    };
    let mut smaps = Smaps::new();
    smaps.feed(text, &mut classify);
    let sums = smaps.sums();
    let heap = sums.resident_bytes(ResidentKind::Heap);
    let private = arena.word(header::PRIVATE_BYTES).min(heap);
    Some(Account {
        moment: 0,
        heap_bytes: heap - private,
        mapped_bytes: sums.resident_bytes(ResidentKind::Mapped),
        stacks_bytes: sums.resident_bytes(ResidentKind::Stacks),
        files_bytes: sums.resident_bytes(ResidentKind::Files),
        recorder_bytes: sums.resident_bytes(ResidentKind::Recorder) + private,
        other_bytes: sums.resident_bytes(ResidentKind::Other),
        pss_bytes: sums.total_proportional_bytes(),
        live_bytes,
        allocator: None,
    })
}

/// The program's own mappings that are live.
fn mapped_ranges(arena: &ArenaFile) -> Result<Vec<(u64, u64)>> {
    let mut ranges = Vec::new();
    arena.each_chunk(
        Region::Mappings,
        arena.used(Region::Mappings),
        |_, bytes| {
            for item in bytes.chunks_exact(tables::MAPPING_BYTES as usize) {
                let word = |index: usize| {
                    let (words, _) = item.as_chunks::<8>();
                    u64::from_le_bytes(words[index])
                };
                let (start, length) = (word(tables::MAPPING_START), word(tables::MAPPING_LENGTH));
                if length != 0 {
                    ranges.push((start, start + length));
                }
            }
        },
    )?;
    Ok(ranges)
}
