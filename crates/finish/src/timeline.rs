//! The timeline: rows, changes, accounts and snapshots, brought into the order of
//! time and tied to the stacks.

use crate::arena_file::{ArenaFile, Error, to_words};
use crate::outside::{self, Seen};
use crate::stacks::Ledger;
use crate::tree::{ABSENT, FastMap, Tree};
use residue_arena::moments::*;
use residue_arena::region::Region;
use residue_arena::{header, node};
use residue_profile::timeline::*;
use residue_profile::{Profile, StackKind};
use std::collections::BTreeMap;

/// A row as it stands in the arena.
struct Row {
    kind: u64,
    number: u32,
    name: Option<u32>,
    words: Vec<u64>,
}

pub fn fill(
    profile: &mut Profile,
    arena: &ArenaFile,
    ledger: &Ledger,
    tree: &Tree,
) -> Result<(), Error> {
    let mut timeline = Timeline {
        about: about(arena),
        names: names(arena)?,
        ..Timeline::default()
    };
    let rows = rows(arena)?;
    let mut seen = outside::read(arena.path());
    name_by_the_end(&mut seen);
    timeline.about.late_lines = seen.iter().filter(|seen| seen.is_late).count() as u64;
    let numbers = fill_moments(&mut timeline, &rows, &seen, profile);
    fill_stamps_and_counts(&mut timeline, &rows, &numbers);
    count_seen(&mut timeline, &seen, &numbers);
    timeline.changes = changes(arena, ledger, profile, &numbers)?;
    fill_accounts(&mut timeline, arena, &seen, &numbers)?;
    fill_snapshots(&mut timeline, arena, &seen, &numbers)?;
    timeline.deferrals = deferrals(ledger, tree);
    profile.timeline = timeline;
    Ok(())
}

fn about(arena: &ArenaFile) -> About {
    let word = |word: header::Word| arena.word(word);
    About {
        source: match word(header::SOURCE) {
            header::SOURCE_TICKS => Source::Ticks,
            header::SOURCE_MARKS => Source::Marks,
            header::SOURCE_FUNCTION => Source::Function,
            header::SOURCE_LINES => Source::Lines,
            _ => Source::None,
        },
        events: match word(header::SOURCE) {
            header::SOURCE_TICKS => word(header::BIRTH),
            _ => word(header::EVENTS),
        },
        streams: word(header::STREAMS) as u32,
        stride: word(header::STRIDE) as u32,
        birth_bin_events: 1,
        late_lines: 0,
        tick_ns: word(header::TICK_NS),
        misuse: Misuse {
            end_without_begin: word(header::END_WITHOUT_BEGIN),
            begin_inside_event: word(header::BEGIN_INSIDE_EVENT),
            end_of_another: word(header::END_OF_ANOTHER),
            scope_end_without_begin: word(header::SCOPE_END_WITHOUT_BEGIN),
            no_room: word(header::NO_ROOM),
        },
    }
}

fn names(arena: &ArenaFile) -> Result<Vec<String>, Error> {
    let references = arena.keys(Region::Names, arena.used(Region::Names))?;
    references
        .into_iter()
        .map(|reference| arena.text(reference))
        .collect()
}

/// A line that carries numbers speaks of the event that it ends. So an event has the
/// id, like the numbers, of the line after the one that began it.
fn name_by_the_end(seen: &mut [Seen]) {
    if seen.iter().all(|seen| seen.counts.is_empty()) {
        return;
    }
    let mut next_id = None;
    for seen in seen.iter_mut().rev() {
        if seen.kind == MomentKind::Begin {
            let own_id = seen.id;
            // The last event was not over when the recording ended.
            seen.id = next_id.unwrap_or(u64::from(seen.event));
            next_id = Some(own_id);
        }
    }
}

/// All whole rows, kept ones and those of the ring, in the order of time.
fn rows(arena: &ArenaFile) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for region in [Region::Moments, Region::LatestMoments] {
        arena.each_chunk(region, arena.used(region), |_, bytes| {
            for item in bytes.chunks_exact(ROW_BYTES as usize) {
                let words = to_words(item);
                let (kind, number, name) = row_of_head(words[ROW_HEAD]);
                if kind != 0 {
                    rows.push(Row {
                        kind,
                        number,
                        name,
                        words,
                    });
                }
            }
        })?;
    }
    rows.sort_by_key(|row| {
        let event = row.words[ROW_EVENT_AND_STREAM] as u32;
        (row.words[ROW_TIME_NS], event, row.number)
    });
    Ok(rows)
}

/// From numbers of moments to their places, ascending.
struct Numbers(Vec<(u32, MomentId)>);

impl Numbers {
    /// The moment that ended an interval.
    fn end_of(&self, interval: u64) -> Option<MomentId> {
        let at = self
            .0
            .partition_point(|&(number, _)| u64::from(number) <= interval);
        self.0.get(at).map(|&(_, moment)| moment)
    }

    /// The moment with this number, or the next.
    fn at(&self, number: u64) -> Option<MomentId> {
        self.end_of(number.saturating_sub(1))
    }
}

fn read_size(word: u64) -> Option<u64> {
    (word != 0).then_some(word)
}

fn fill_moments(
    timeline: &mut Timeline,
    rows: &[Row],
    seen: &[Seen],
    profile: &Profile,
) -> Numbers {
    let mut moments: Vec<(u32, Moment)> = Vec::new();
    for row in rows {
        let kind = match row.kind {
            KIND_BEGIN => MomentKind::Begin,
            KIND_END => MomentKind::End,
            KIND_SNAPSHOT => MomentKind::Snapshot,
            _ => continue,
        };
        let words = &row.words;
        let moment = Moment {
            kind,
            event: words[ROW_EVENT_AND_STREAM] as u32,
            id: words[ROW_ID],
            stream: (words[ROW_EVENT_AND_STREAM] >> 32) as u32,
            name: row.name,
            time_ns: words[ROW_TIME_NS],
            vm_bytes: read_size(words[ROW_VM]),
            rss_bytes: read_size(words[ROW_RSS]),
            shared_bytes: read_size(words[ROW_SHARED]),
            live_bytes: Some(words[ROW_LIVE]),
            mapped_bytes: Some(words[ROW_MAPPED]),
            recorder_bytes: words[ROW_RECORDER],
            threads: words[ROW_THREADS] as u32,
            has_changes: row.number != 0,
        };
        moments.push((row.number, moment));
    }
    for seen in seen {
        let name = seen.name.as_ref().map(|name| intern(timeline, name));
        let moment = Moment {
            kind: seen.kind,
            event: seen.event,
            id: seen.id,
            stream: 0,
            name,
            time_ns: seen.time_ns,
            vm_bytes: read_size(seen.vm_bytes),
            rss_bytes: read_size(seen.rss_bytes),
            shared_bytes: read_size(seen.shared_bytes),
            live_bytes: Some(seen.live_bytes),
            mapped_bytes: Some(seen.mapped_bytes),
            recorder_bytes: seen.recorder_bytes,
            threads: seen.threads,
            has_changes: true,
        };
        moments.push((seen.number, moment));
    }
    // An event that ends where the next begins stands before it, also where only one
    // of them has a number.
    moments.sort_by_key(|(number, moment)| (moment.time_ns, moment.event, *number));
    let last_number = moments.iter().map(|(number, _)| *number).max().unwrap_or(0);
    moments.push((last_number + 1, last_moment(profile, &moments)));
    let mut numbers: Vec<(u32, MomentId)> = moments
        .iter()
        .enumerate()
        .filter(|(_, (number, _))| *number != 0)
        .map(|(place, (number, _))| (*number, place as MomentId))
        .collect();
    numbers.sort_unstable();
    timeline.moments = moments.into_iter().map(|(_, moment)| moment).collect();
    Numbers(numbers)
}

/// The end of the recording.
fn last_moment(profile: &Profile, moments: &[(u32, Moment)]) -> Moment {
    let before = moments.last().map(|(_, moment)| moment);
    let live = |is_meant: fn(StackKind) -> bool| {
        let stacks = profile.stacks.iter();
        stacks
            .filter(|stack| is_meant(stack.kind))
            .map(|stack| stack.counters.live_bytes)
            .sum()
    };
    Moment {
        kind: MomentKind::Last,
        event: before.map_or(0, |moment| moment.event),
        id: before.map_or(0, |moment| moment.id),
        stream: 0,
        name: None,
        time_ns: profile
            .meta
            .duration_ns
            .max(before.map_or(0, |moment| moment.time_ns)),
        vm_bytes: None,
        rss_bytes: None,
        shared_bytes: None,
        live_bytes: Some(live(StackKind::is_heap)),
        mapped_bytes: Some(live(|kind| kind == StackKind::Mapping)),
        recorder_bytes: before.map_or(0, |moment| moment.recorder_bytes),
        threads: 0,
        has_changes: true,
    }
}

fn intern(timeline: &mut Timeline, name: &str) -> NameId {
    match timeline.names.iter().position(|known| known == name) {
        Some(place) => place as NameId,
        None => {
            timeline.names.push(name.to_string());
            (timeline.names.len() - 1) as NameId
        }
    }
}

fn fill_stamps_and_counts(timeline: &mut Timeline, rows: &[Row], numbers: &Numbers) {
    let mut counts: BTreeMap<(EventNumber, NameId), f64> = BTreeMap::new();
    for row in rows {
        let words = &row.words;
        let event = words[ROW_EVENT_AND_STREAM] as u32;
        let Some(name) = row.name else {
            continue;
        };
        match row.kind {
            KIND_STAMP => timeline.stamps.push(Stamp {
                name,
                event,
                time_ns: words[ROW_TIME_NS],
                vm_bytes: read_size(words[ROW_VM]),
                rss_bytes: read_size(words[ROW_RSS]),
                live_bytes: Some(words[ROW_LIVE]),
            }),
            KIND_COUNT => {
                *counts.entry((event, name)).or_default() += f64::from_bits(words[ROW_ID])
            }
            KIND_TOTAL => {
                if let Some(moment) = numbers.at(u64::from(row.number)) {
                    timeline.totals.push(CounterTotal {
                        moment,
                        name,
                        total: f64::from_bits(words[ROW_ID]),
                    });
                }
            }
            _ => {}
        }
    }
    timeline.counts = counts
        .into_iter()
        .map(|((event, name), value)| Count { event, name, value })
        .collect();
}

/// The numbers that lines of output carried, of the events that they ended.
fn count_seen(timeline: &mut Timeline, seen: &[Seen], numbers: &Numbers) {
    let mut totals: BTreeMap<NameId, f64> = BTreeMap::new();
    for seen in seen {
        let moment = numbers.at(u64::from(seen.number));
        for (name, &value) in &seen.counts {
            let name = intern(timeline, name);
            timeline.counts.push(Count {
                event: seen.event.saturating_sub(1),
                name,
                value,
            });
            let total = totals.entry(name).or_default();
            *total += value;
            if let Some(moment) = moment {
                timeline.totals.push(CounterTotal {
                    moment,
                    name,
                    total: *total,
                });
            }
        }
    }
}

/// The log, what the records had not logged yet, and what neither knew because the
/// program was killed or still runs; together they give what is live.
fn changes(
    arena: &ArenaFile,
    ledger: &Ledger,
    profile: &Profile,
    numbers: &Numbers,
) -> Result<Vec<Change>, Error> {
    let mut sums: FastMap<(MomentId, StackId), (i64, i64)> = FastMap::default();
    let mut known = vec![(0_i64, 0_i64); profile.stacks.len()];
    let mut add = |row: u32, interval: u64, bytes: i64, blocks: i64| {
        let stack = ledger.stack_of_row.get(row as usize).copied();
        let Some(stack) = stack.filter(|&stack| stack != ABSENT) else {
            return;
        };
        if let (Some(moment), Some(known)) =
            (numbers.end_of(interval), known.get_mut(stack as usize))
        {
            let sum = sums.entry((moment, stack)).or_default();
            sum.0 += bytes;
            sum.1 += blocks;
            known.0 += bytes;
            known.1 += blocks;
        }
    };
    arena.each_chunk(Region::Changes, arena.used(Region::Changes), |_, bytes| {
        for item in bytes.chunks_exact(CHANGE_BYTES as usize) {
            let words = to_words(item);
            let head = words[CHANGE_STACK_AND_INTERVAL];
            let stack = head & u64::from(node::STACK_LIMIT - 1);
            if let Some(row) = ledger.row_of(stack as u32) {
                let (bytes, blocks) = unpack_change(words[CHANGE_AMOUNTS]);
                add(row as u32, head >> node::STACK_BITS, bytes, blocks);
            }
        }
    })?;
    for pending in &ledger.pending {
        add(pending.row, pending.interval, pending.bytes, pending.blocks);
    }
    let last = numbers.0.last().map(|&(_, moment)| moment);
    for (stack, known) in known.into_iter().enumerate() {
        let counters = &profile.stacks[stack].counters;
        let bytes = counters.live_bytes as i64 - known.0;
        let blocks = counters.live_blocks as i64 - known.1;
        if let Some(last) = last.filter(|_| bytes != 0 || blocks != 0) {
            let sum = sums.entry((last, stack as StackId)).or_default();
            sum.0 += bytes;
            sum.1 += blocks;
        }
    }
    let mut changes: Vec<Change> = sums
        .into_iter()
        .filter(|(_, (bytes, blocks))| *bytes != 0 || *blocks != 0)
        .map(|((moment, stack), (bytes, blocks))| Change {
            moment,
            stack,
            bytes,
            blocks,
        })
        .collect();
    changes.sort_unstable_by_key(|change| (change.moment, change.stack));
    Ok(changes)
}

fn fill_accounts(
    timeline: &mut Timeline,
    arena: &ArenaFile,
    seen: &[Seen],
    numbers: &Numbers,
) -> Result<(), Error> {
    let accounts = &mut timeline.accounts;
    arena.each_chunk(
        Region::Accounts,
        arena.used(Region::Accounts),
        |_, bytes| {
            for item in bytes.chunks_exact(ACCOUNT_BYTES as usize) {
                let words = to_words(item);
                let Some(moment) = numbers.at(words[ACCOUNT_MOMENT]) else {
                    continue;
                };
                if words[ACCOUNT_TIME_NS] == 0 {
                    continue;
                }
                let allocator = (words[ACCOUNT_SYSTEM] != 0).then_some(AllocatorState {
                    in_use_bytes: words[ACCOUNT_IN_USE],
                    free_bytes: words[ACCOUNT_FREE],
                    system_bytes: words[ACCOUNT_SYSTEM],
                });
                accounts.push(Account {
                    moment,
                    heap_bytes: words[ACCOUNT_HEAP],
                    mapped_bytes: words[ACCOUNT_MAPPED],
                    stacks_bytes: words[ACCOUNT_STACKS],
                    files_bytes: words[ACCOUNT_FILES],
                    recorder_bytes: words[ACCOUNT_RECORDER],
                    other_bytes: words[ACCOUNT_OTHER],
                    pss_bytes: words[ACCOUNT_PSS],
                    live_bytes: words[ACCOUNT_LIVE],
                    allocator,
                });
            }
        },
    )?;
    accounts.extend(seen.iter().filter_map(|seen| {
        let moment = numbers.at(u64::from(seen.number))?;
        let account = seen.account?;
        Some(Account { moment, ..account })
    }));
    accounts.sort_by_key(|account| account.moment);
    Ok(())
}

fn fill_snapshots(
    timeline: &mut Timeline,
    arena: &ArenaFile,
    seen: &[Seen],
    numbers: &Numbers,
) -> Result<(), Error> {
    let mut items = Vec::new();
    arena.each_chunk(
        Region::Snapshots,
        arena.used(Region::Snapshots),
        |_, bytes| {
            items.extend(bytes.chunks_exact(SNAPSHOT_BYTES as usize).map(to_words));
        },
    )?;
    for words in items {
        let Some(moment) = numbers.at(words[SNAPSHOT_MOMENT]) else {
            continue;
        };
        if words[SNAPSHOT_MOMENT] == 0 {
            continue;
        }
        let paper = |index: usize| {
            let place = SNAPSHOT_PAPERS + 2 * index;
            arena.bytes(Region::Papers, words[place], words[place + 1])
        };
        timeline.snapshots.push(Snapshot {
            name: words[SNAPSHOT_NAME] as NameId,
            moment,
            maps: paper(0)?,
            smaps: paper(1)?,
            numa_maps: paper(2)?,
        });
    }
    for seen in seen {
        let moment = numbers.at(u64::from(seen.number));
        if let (Some(moment), Some(name), Some([maps, smaps, numa_maps])) =
            (moment, &seen.name, &seen.papers)
        {
            let name = intern(timeline, name);
            timeline.snapshots.push(Snapshot {
                name,
                moment,
                maps: maps.clone().into_bytes(),
                smaps: smaps.clone().into_bytes(),
                numa_maps: numa_maps.clone().into_bytes(),
            });
        }
    }
    Ok(())
}

fn deferrals(ledger: &Ledger, tree: &Tree) -> Vec<Deferral> {
    let stacks = ledger.stack_of_row.iter();
    ledger
        .rows
        .iter()
        .zip(stacks)
        .filter(|(row, stack)| row.late.frees != 0 && **stack != ABSENT)
        .map(|(row, &stack)| Deferral {
            stack,
            frees: row.late.frees,
            events: row.late.events,
            longest_events: row.late.longest_events,
            freed_at: tree
                .kept
                .get(row.late.freed_at as usize)
                .copied()
                .filter(|&node| node != residue_arena::node::ROOT),
        })
        .collect()
}
