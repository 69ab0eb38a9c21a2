//! The timeline of a profile as text: how events were found, and a line for each
//! moment, stamp, number, account and snapshot. The changes of stacks have a line
//! for each moment that has any.

use std::io::{self, Write};

use residue_profile::timeline::*;

use super::dump_text::{Rows, section};
use super::units::{bytes, count, counted, duration};
use super::words::visible;

pub fn write(timeline: &Timeline, out: &mut dyn Write) -> io::Result<()> {
    let Timeline {
        about: how,
        names,
        moments,
        stamps,
        counts,
        totals,
        changes,
        accounts,
        snapshots,
        deferrals,
    } = timeline;
    let names = Names(names);
    writeln!(out)?;
    section(out, "timeline", about(how))?;
    let lines = moments.iter().enumerate();
    table(out, "moments", lines, |(id, it)| {
        format!("{id}  {}", moment(it, names))
    })?;
    table(out, "stamps", stamps, |it| stamp(it, names))?;
    table(out, "counts", counts, |it| {
        format!("event {}: {} {}", it.event, names.get(it.name), it.value)
    })?;
    table(out, "totals", totals, |it| {
        format!("moment {}: {} {}", it.moment, names.get(it.name), it.total)
    })?;
    writeln!(out, "[changes] {}", changes.len())?;
    for of_moment in changes.chunk_by(|a, b| a.moment == b.moment) {
        writeln!(out, "  {}", changes_of_moment(of_moment))?;
    }
    writeln!(out)?;
    table(out, "accounts", accounts, account)?;
    table(out, "snapshots", snapshots, |it| snapshot(it, names))?;
    table(out, "deferrals", deferrals, deferral)
}

#[derive(Clone, Copy)]
struct Names<'a>(&'a [String]);

impl Names<'_> {
    fn get(self, id: NameId) -> String {
        self.0
            .get(id as usize)
            .map_or("[lost name]".to_string(), |name| visible(name))
    }
}

fn table<T>(
    out: &mut dyn Write,
    name: &str,
    rows: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
    line: impl Fn(T) -> String,
) -> io::Result<()> {
    let rows = rows.into_iter();
    writeln!(out, "[{name}] {}", rows.len())?;
    for row in rows {
        writeln!(out, "  {}", line(row))?;
    }
    writeln!(out)
}

fn about(about: &About) -> Rows {
    let About {
        source,
        events,
        streams,
        stride,
        tick_ns,
        misuse,
    } = about;
    let Misuse {
        end_without_begin,
        begin_inside_event,
        end_of_another,
        scope_end_without_begin,
        no_room,
    } = misuse;
    let tick = match *tick_ns {
        0 => "none".to_string(),
        length => duration(length),
    };
    vec![
        ("events from", source_word(*source).to_string()),
        ("events", count(*events)),
        (
            "open at once",
            counted((*streams).into(), "event", "events"),
        ),
        (
            "kept at the end",
            format!("one event in {}", (*stride).max(1)),
        ),
        ("tick", tick),
        ("ends without begin", count(*end_without_begin)),
        ("begins in an event", count(*begin_inside_event)),
        ("ends of another", count(*end_of_another)),
        ("scope ends too many", count(*scope_end_without_begin)),
        ("without room", count(*no_room)),
    ]
}

fn source_word(source: Source) -> &'static str {
    match source {
        Source::Marks => "marks",
        Source::Function => "a function",
        Source::Lines => "lines of output",
        Source::Ticks => "the clock",
        Source::Imported => "another tool",
        Source::None => "nowhere",
    }
}

fn moment(moment: &Moment, names: Names<'_>) -> String {
    let Moment {
        kind,
        event,
        id,
        stream,
        name,
        time_ns,
        vm_bytes,
        rss_bytes,
        shared_bytes,
        live_bytes,
        mapped_bytes,
        recorder_bytes,
        threads,
        has_changes,
    } = moment;
    let what = match kind {
        MomentKind::Begin => "begin of",
        MomentKind::End => "end of",
        MomentKind::Tick => "tick,",
        MomentKind::Snapshot => "snapshot,",
        MomentKind::Exit => "exit,",
        MomentKind::Last => "last,",
    };
    let name = name.map_or(String::new(), |name| format!(" `{}`", names.get(name)));
    let changes = if *has_changes { "" } else { "; changes later" };
    let sizes = sizes(&[
        ("vm", *vm_bytes),
        ("rss", *rss_bytes),
        ("shared", *shared_bytes),
        ("live", *live_bytes),
        ("mapped", *mapped_bytes),
        ("recorder", Some(*recorder_bytes)),
    ]);
    format!(
        "{} ns  {what} event {event}{name} (id {id}, stream {stream}): {sizes}; {}{changes}",
        count(*time_ns),
        counted((*threads).into(), "thread", "threads")
    )
}

/// Exact, as differences between lines are what one looks for.
fn sizes(sizes: &[(&str, Option<u64>)]) -> String {
    let known = sizes
        .iter()
        .filter_map(|(what, size)| Some(format!("{what} {}", count((*size)?))));
    let list = known.collect::<Vec<_>>().join(", ");
    match list.as_str() {
        "" => "no sizes".to_string(),
        _ => format!("{list} B"),
    }
}

fn stamp(stamp: &Stamp, names: Names<'_>) -> String {
    let Stamp {
        name,
        event,
        time_ns,
        vm_bytes,
        rss_bytes,
        live_bytes,
    } = stamp;
    let sizes = sizes(&[
        ("vm", *vm_bytes),
        ("rss", *rss_bytes),
        ("live", *live_bytes),
    ]);
    format!(
        "{} ns  {} in event {event}: {sizes}",
        count(*time_ns),
        names.get(*name)
    )
}

fn changes_of_moment(changes: &[Change]) -> String {
    let moment = changes.first().map_or(0, |change| change.moment);
    let parts: Vec<String> = changes
        .iter()
        .map(|change| {
            let Change {
                moment: _,
                stack,
                bytes,
                blocks,
            } = change;
            format!(
                "stack {stack} {} B in {} blocks",
                signed(*bytes),
                signed(*blocks)
            )
        })
        .collect();
    format!("moment {moment}: {}", parts.join("; "))
}

fn signed(number: i64) -> String {
    let sign = if number < 0 { '-' } else { '+' };
    format!("{sign}{}", count(number.unsigned_abs()))
}

fn account(account: &Account) -> String {
    let Account {
        moment,
        heap_bytes,
        mapped_bytes,
        stacks_bytes,
        files_bytes,
        recorder_bytes,
        other_bytes,
        pss_bytes,
        live_bytes,
        live_blocks,
        allocator,
    } = account;
    let resident = sizes(&[
        ("heap", Some(*heap_bytes)),
        ("mapped", Some(*mapped_bytes)),
        ("stacks", Some(*stacks_bytes)),
        ("files", Some(*files_bytes)),
        ("recorder", Some(*recorder_bytes)),
        ("other", Some(*other_bytes)),
        ("proportional", Some(*pss_bytes)),
    ]);
    let allocator = allocator.map_or(String::new(), |state| {
        let AllocatorState {
            in_use_bytes,
            free_bytes,
            system_bytes,
        } = state;
        let own = sizes(&[
            ("in use", Some(in_use_bytes)),
            ("free", Some(free_bytes)),
            ("system", Some(system_bytes)),
        ]);
        format!("; allocator: {own}")
    });
    let live = count(*live_bytes);
    let blocks = counted(*live_blocks, "block", "blocks");
    format!("moment {moment}: resident {resident}; live {live} B in {blocks}{allocator}")
}

fn snapshot(snapshot: &Snapshot, names: Names<'_>) -> String {
    let Snapshot {
        name,
        moment,
        maps,
        smaps,
        numa_maps,
    } = snapshot;
    let length = |paper: &[u8]| bytes(paper.len() as u64);
    format!(
        "{} at moment {moment}: maps {}, smaps {}, numa_maps {}",
        names.get(*name),
        length(maps),
        length(smaps),
        length(numa_maps)
    )
}

fn deferral(deferral: &Deferral) -> String {
    let Deferral {
        stack,
        frees,
        events,
        longest_events,
        freed_at,
    } = deferral;
    let place = freed_at.map_or(String::new(), |node| {
        format!(", one of them at node {node}")
    });
    format!(
        "stack {stack}: {} in a later event, {} later in all, {longest_events} at most{place}",
        counted(*frees, "free", "frees"),
        counted(*events, "event", "events")
    )
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// One of everything.
    pub fn timeline() -> Timeline {
        let begin = Moment {
            kind: MomentKind::Begin,
            event: 1,
            id: 700,
            stream: 2,
            name: None,
            time_ns: 1_500_000,
            vm_bytes: Some(8_000_000),
            rss_bytes: Some(4_000_000),
            shared_bytes: Some(2_000_000),
            live_bytes: Some(5000),
            mapped_bytes: Some(0),
            recorder_bytes: 300_000,
            threads: 1,
            has_changes: true,
        };
        let end = Moment {
            kind: MomentKind::End,
            time_ns: 2_500_000,
            vm_bytes: None,
            rss_bytes: None,
            shared_bytes: None,
            has_changes: false,
            ..begin
        };
        let snapshot = Moment {
            kind: MomentKind::Snapshot,
            name: Some(1),
            time_ns: 3_500_000,
            threads: 2,
            ..begin
        };
        Timeline {
            about: About {
                source: Source::Marks,
                events: 1200,
                streams: 3,
                stride: 2,
                tick_ns: 1_000_000_000,
                misuse: Misuse {
                    end_without_begin: 1,
                    begin_inside_event: 2,
                    end_of_another: 3,
                    scope_end_without_begin: 4,
                    no_room: 5,
                },
            },
            names: vec!["hits".into(), "ha\nlf".into()],
            moments: vec![begin, end, snapshot],
            stamps: vec![Stamp {
                name: 9,
                event: 1,
                time_ns: 1_600_000,
                vm_bytes: None,
                rss_bytes: Some(4096),
                live_bytes: Some(10),
            }],
            counts: vec![Count {
                event: 1,
                name: 0,
                value: 3.5,
            }],
            totals: vec![CounterTotal {
                moment: 1,
                name: 0,
                total: 3.5,
            }],
            changes: [(0, 3, 1000, 1), (0, 4, -64, -2), (2, 3, -1000, -1)]
                .map(|(moment, stack, bytes, blocks)| Change {
                    moment,
                    stack,
                    bytes,
                    blocks,
                })
                .to_vec(),
            accounts: vec![Account {
                moment: 1,
                heap_bytes: 1,
                mapped_bytes: 2,
                stacks_bytes: 3,
                files_bytes: 4,
                recorder_bytes: 5,
                other_bytes: 6,
                pss_bytes: 7,
                live_bytes: 8,
                live_blocks: 9,
                allocator: Some(AllocatorState {
                    in_use_bytes: 10,
                    free_bytes: 11,
                    system_bytes: 12,
                }),
            }],
            snapshots: vec![Snapshot {
                name: 1,
                moment: 2,
                maps: b"maps".to_vec(),
                smaps: b"smaps text".to_vec(),
                numa_maps: Vec::new(),
            }],
            deferrals: vec![Deferral {
                stack: 3,
                frees: 10,
                events: 20,
                longest_events: 3,
                freed_at: Some(7),
            }],
        }
    }

    #[test]
    fn one_of_everything() {
        let mut out = Vec::new();
        write(&timeline(), &mut out).unwrap();
        let expected = r#"
[timeline]
  events from          marks
  events               1 200
  open at once         3 events
  kept at the end      one event in 2
  tick                 1.00 s
  ends without begin   1
  begins in an event   2
  ends of another      3
  scope ends too many  4
  without room         5

[moments] 3
  0  1 500 000 ns  begin of event 1 (id 700, stream 2): vm 8 000 000, rss 4 000 000, shared 2 000 000, live 5 000, mapped 0, recorder 300 000 B; 1 thread
  1  2 500 000 ns  end of event 1 (id 700, stream 2): live 5 000, mapped 0, recorder 300 000 B; 1 thread; changes later
  2  3 500 000 ns  snapshot, event 1 `ha\nlf` (id 700, stream 2): vm 8 000 000, rss 4 000 000, shared 2 000 000, live 5 000, mapped 0, recorder 300 000 B; 2 threads

[stamps] 1
  1 600 000 ns  [lost name] in event 1: rss 4 096, live 10 B

[counts] 1
  event 1: hits 3.5

[totals] 1
  moment 1: hits 3.5

[changes] 3
  moment 0: stack 3 +1 000 B in +1 blocks; stack 4 -64 B in -2 blocks
  moment 2: stack 3 -1 000 B in -1 blocks

[accounts] 1
  moment 1: resident heap 1, mapped 2, stacks 3, files 4, recorder 5, other 6, proportional 7 B; live 8 B in 9 blocks; allocator: in use 10, free 11, system 12 B

[snapshots] 1
  ha\nlf at moment 2: maps 4 B, smaps 10 B, numa_maps 0 B

[deferrals] 1
  stack 3: 10 frees in a later event, 20 events later in all, 3 at most, one of them at node 7

"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
