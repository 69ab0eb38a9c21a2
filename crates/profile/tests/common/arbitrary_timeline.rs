//! Timelines of any content, sensible or not.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use residue_profile::Profile;
use residue_profile::timeline::*;

use super::arbitrary::{id, number, text};

/// Any bits but those of NaN, which equals nothing.
fn value() -> impl Strategy<Value = f64> {
    let wild = number().prop_map(f64::from_bits);
    let sensible = (-1000..1000i32).prop_map(f64::from);
    prop_oneof![wild, sensible].prop_map(|value| if value.is_nan() { -0.0 } else { value })
}

fn about() -> impl Strategy<Value = About> {
    let source = prop_oneof![
        Just(Source::None),
        Just(Source::Marks),
        Just(Source::Function),
        Just(Source::Lines),
        Just(Source::Ticks),
        Just(Source::Imported),
    ];
    let misuse = proptest::array::uniform5(number()).prop_map(|n| Misuse {
        end_without_begin: n[0],
        begin_inside_event: n[1],
        end_of_another: n[2],
        scope_end_without_begin: n[3],
        no_room: n[4],
    });
    let numbers = any::<(u32, u32, u32, u64)>();
    (source, number(), numbers, number(), misuse).prop_map(
        |(source, events, (streams, stride, birth_bin_events, tick_ns), late_lines, misuse)| {
            About {
                source,
                events,
                streams,
                stride,
                birth_bin_events,
                tick_ns,
                late_lines,
                misuse,
                search: EventSearch {
                    functions: vec!["Sim::step*".to_string()],
                    line: Some(format!("event {events}")),
                    functions_matched: (events != 0).then_some(events),
                    functions_hooked: late_lines,
                    jit_functions_matched: tick_ns,
                },
            }
        },
    )
}

prop_compose! {
    fn spent()(
        sizes in proptest::array::uniform4(option::of(number())),
        tid: u32,
    ) -> Spent {
        let [calls, total_bytes, thread_cpu_ns, process_cpu_ns] = sizes;
        let tid = thread_cpu_ns.map_or(0, |_| tid);
        Spent { calls, total_bytes, thread_cpu_ns, tid, process_cpu_ns }
    }
}

prop_compose! {
    fn allocated()(
        (moment, stack) in (id(), id()),
        (calls, bytes, temporaries) in (number(), number(), number()),
    ) -> Allocated {
        Allocated { moment, stack, calls, bytes, temporaries }
    }
}

prop_compose! {
    fn moment()(
        kind in prop_oneof![
            Just(MomentKind::Begin), Just(MomentKind::End), Just(MomentKind::Tick),
            Just(MomentKind::Snapshot), Just(MomentKind::Last),
        ],
        (event, stream, threads) in any::<(u32, u32, u32)>(),
        name in option::of(id()),
        (id, time_ns, recorder_bytes) in (number(), number(), number()),
        sizes in proptest::array::uniform5(option::of(number())),
        (has_changes, has_totals) in any::<(bool, bool)>(),
        spent in spent(),
    ) -> Moment {
        let [vm_bytes, rss_bytes, shared_bytes, live_bytes, mapped_bytes] = sizes;
        Moment {
            kind, event, id, stream, name, time_ns, vm_bytes, rss_bytes, shared_bytes,
            live_bytes, mapped_bytes, recorder_bytes, threads, has_changes, has_totals, spent,
        }
    }
}

prop_compose! {
    fn stamp()(
        name in id(),
        event: u32,
        time_ns in number(),
        sizes in proptest::array::uniform3(option::of(number())),
        spent in spent(),
    ) -> Stamp {
        let [vm_bytes, rss_bytes, live_bytes] = sizes;
        Stamp { name, event, time_ns, vm_bytes, rss_bytes, live_bytes, spent }
    }
}

prop_compose! {
    fn change()(
        (moment, stack) in (id(), id()),
        bytes in prop_oneof![-200..200i64, any::<i64>()],
        blocks in prop_oneof![-3..3i64, any::<i64>()],
    ) -> Change {
        Change { moment, stack, bytes, blocks }
    }
}

prop_compose! {
    fn account()(
        moment in id(),
        n in proptest::array::uniform8(number()),
        allocator in option::of(proptest::array::uniform3(number())),
    ) -> Account {
        let [heap_bytes, mapped_bytes, stacks_bytes, files_bytes, recorder_bytes, other_bytes,
            pss_bytes, live_bytes] = n;
        let allocator = allocator.map(|[in_use_bytes, free_bytes, system_bytes]| AllocatorState {
            in_use_bytes, free_bytes, system_bytes,
        });
        Account {
            moment, heap_bytes, mapped_bytes, stacks_bytes, files_bytes, recorder_bytes,
            other_bytes, pss_bytes, live_bytes, allocator,
        }
    }
}

prop_compose! {
    fn snapshot()(
        (name, moment) in (id(), id()),
        proc_maps in proptest::array::uniform3(vec(any::<u8>(), 0..40)),
    ) -> Snapshot {
        let [maps, smaps, numa_maps] = proc_maps;
        Snapshot { name, moment, maps, smaps, numa_maps }
    }
}

prop_compose! {
    fn deferral()(
        stack in id(),
        (frees, events, longest_events) in (number(), number(), any::<u32>()),
        freed_at in option::of(id()),
    ) -> Deferral {
        Deferral { stack, frees, events, longest_events, freed_at }
    }
}

/// Anything the types allow, save that changes are in order: a file knows no
/// other.
pub fn wild() -> impl Strategy<Value = Timeline> {
    let count = (any::<u32>(), id(), value());
    let count = count.prop_map(|(event, name, value)| Count { event, name, value });
    let total = (id(), id(), value()).prop_map(|(moment, name, total)| CounterTotal {
        moment,
        name,
        total,
    });
    let first = (about(), vec(text(), 0..4), vec(moment(), 0..30));
    let second = (vec(stamp(), 0..8), vec(count, 0..8), vec(total, 0..8));
    let third = (
        vec(change(), 0..60),
        vec(account(), 0..3),
        vec(allocated(), 0..30),
    );
    let fourth = (vec(snapshot(), 0..4), vec(deferral(), 0..8));
    (first, second, third, fourth).prop_map(|(first, second, mut third, fourth)| {
        third.0.sort_by_key(|change| (change.moment, change.stack));
        third.2.sort_by_key(|row| (row.moment, row.stack));
        Timeline {
            about: first.0,
            names: first.1,
            moments: first.2,
            stamps: second.0,
            counts: second.1,
            totals: second.2,
            changes: third.0,
            accounts: third.1,
            allocated: third.2,
            snapshots: fourth.0,
            deferrals: fourth.1,
            cpu: Vec::new(),
        }
    })
}

/// Points every id of the timeline into its table.
pub fn tame(profile: &mut Profile) {
    let Profile {
        timeline,
        stacks,
        nodes,
        ..
    } = profile;
    let into = |id: &mut u32, table: usize| match table {
        0 => false,
        _ => {
            *id %= table as u32;
            true
        }
    };
    let (names, moments) = (timeline.names.len(), timeline.moments.len());
    let (stacks, nodes) = (stacks.len(), nodes.len());
    for moment in &mut timeline.moments {
        moment.name = moment.name.take_if(|name| into(name, names));
    }
    timeline.stamps.retain_mut(|row| into(&mut row.name, names));
    timeline.counts.retain_mut(|row| into(&mut row.name, names));
    timeline
        .totals
        .retain_mut(|row| into(&mut row.name, names) && into(&mut row.moment, moments));
    timeline
        .changes
        .retain_mut(|row| into(&mut row.stack, stacks) && into(&mut row.moment, moments));
    timeline
        .changes
        .sort_by_key(|change| (change.moment, change.stack));
    timeline
        .allocated
        .retain_mut(|row| into(&mut row.stack, stacks) && into(&mut row.moment, moments));
    timeline
        .allocated
        .sort_by_key(|row| (row.moment, row.stack));
    timeline
        .accounts
        .retain_mut(|row| into(&mut row.moment, moments));
    timeline
        .snapshots
        .retain_mut(|row| into(&mut row.name, names) && into(&mut row.moment, moments));
    timeline
        .deferrals
        .retain_mut(|row| into(&mut row.stack, stacks));
    for deferral in &mut timeline.deferrals {
        deferral.freed_at = deferral.freed_at.take_if(|node| into(node, nodes));
    }
}
