//! A timeline with one of everything, for all that show timelines.

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
            birth_bin_events: 1,
            late_lines: 3,
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
  births by            1 event
  tick                 1.00 s
  lines read late      3
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
  moment 1: resident heap 1, mapped 2, stacks 3, files 4, recorder 5, other 6, proportional 7 B; live 8 B; allocator: in use 10, free 11, system 12 B

[snapshots] 1
  ha\nlf at moment 2: maps 4 B, smaps 10 B, numa_maps 0 B

[deferrals] 1
  stack 3: 10 frees in a later event, 20 events later in all, 3 at most, one of them at node 7

"#;
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}
