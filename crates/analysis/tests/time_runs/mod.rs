//! Runs of a simulated program with known causes, sampled as `residue run --cpu` samples.

use residue_profile::timeline::{
    Count, CpuTime, Moment, MomentId, MomentKind, Source, Spent, Stamp,
};
use residue_profile::{NodeId, Profile, StackKind};
use residue_testkit::builder::Builder;
use residue_testkit::random::Random;
use std::collections::BTreeMap;

/// Where a usual event spends its time, in parts of it: functions that call functions, as in a
/// simulation of a detector.
const LEAVES: [(&str, f64); 18] = [
    ("main;event;read;parse", 0.06),
    ("main;event;read;decompress", 0.05),
    ("main;event;read", 0.01),
    ("main;event;generate;decay", 0.04),
    ("main;event;generate", 0.02),
    ("main;event;track;step;field", 0.16),
    ("main;event;track;step;navigate;locate", 0.11),
    ("main;event;track;step;navigate", 0.05),
    ("main;event;track;step;physics;cross_section", 0.10),
    ("main;event;track;step;physics;sample", 0.07),
    ("main;event;track;step", 0.04),
    ("main;event;track;stack", 0.03),
    ("main;event;digitise;noise", 0.08),
    ("main;event;digitise;threshold", 0.04),
    ("main;event;digitise", 0.03),
    ("main;event;write;compress", 0.07),
    ("main;event;write;checksum", 0.02),
    ("main;event", 0.02),
];
/// Where the planted causes are.
pub const SLOW_PATH: &str = "main;event;digitise;rehash;grow";
pub const SLOWING_PATH: &str = "main;event;track;lookup";

/// 99 a second.
const PERIOD_NS: u64 = 10_101_010;
/// The kernel looks at timers so often.
const TICK_NS: f64 = 4e6;

#[derive(Clone, Copy)]
pub struct Plan {
    pub events: u32,
    pub event_ns: f64,
    /// Spread of whole events, and of each function in them: of the logarithm.
    pub event_noise: f64,
    pub leaf_noise: f64,
    /// Events that are so many times as long, in everything they do, one in so many.
    pub long: Option<(u64, f64)>,
    /// Every so many events `SLOW_PATH` takes this much.
    pub slow: Option<(u32, f64)>,
    /// `SLOWING_PATH` takes this at first, and this part of the event more at the end.
    pub slowing_base: f64,
    pub slowing: f64,
    /// Whether events have hits, which their time is proportional to.
    pub has_hits: bool,
    /// Every so many events the program waits for this long in its third stage.
    pub waits: Option<(u32, f64)>,
}

impl Plan {
    pub const USUAL: Plan = Plan {
        events: 2000,
        event_ns: 20e6,
        event_noise: 0.08,
        leaf_noise: 0.2,
        long: None,
        slow: None,
        slowing_base: 0.02,
        slowing: 0.0,
        has_hits: false,
        waits: None,
    };
}

/// The functions of a node, root first.
pub fn path_of(profile: &Profile, node: NodeId) -> String {
    let mut names = Vec::new();
    let mut at = node;
    while at != residue_profile::ROOT {
        let node = &profile.nodes[at as usize];
        let frame = &profile.frames[node.frame as usize];
        names.push(profile.functions[frame.function as usize].clone());
        at = node.parent;
    }
    names.reverse();
    names.join(";")
}

pub fn run(plan: &Plan, random: &mut Random) -> Profile {
    let mut builder = Builder::new();
    let mut paths: Vec<(&str, f64)> = LEAVES.to_vec();
    paths.extend([(SLOW_PATH, 0.0), (SLOWING_PATH, plan.slowing_base)]);
    let stacks: Vec<u32> = paths
        .iter()
        .map(|(path, _)| builder.stack(path, Default::default()))
        .collect();
    let mut profile = builder.profile;
    for stack in &mut profile.stacks {
        stack.kind = StackKind::Cpu;
    }
    profile.meta.options.cpu_period_ns = PERIOD_NS;
    let timeline = &mut profile.timeline;
    timeline.about.source = Source::Marks;
    timeline.about.streams = 1;
    timeline.about.events = u64::from(plan.events);
    timeline.names = ["read", "track", "hits"].map(String::from).to_vec();
    let (mut cpu, mut wall, mut calls) = (1e6, 1e9, 1000_u64);
    let mut next_sample = random.uniform() * PERIOD_NS as f64;
    let mut owed = next_sample + random.uniform() * TICK_NS;
    for event in 1..=plan.events {
        let mark = |cpu: f64, calls: u64| Spent {
            calls: Some(calls),
            total_bytes: Some(100 * calls),
            thread_cpu_ns: Some(cpu as u64),
            tid: 7,
            process_cpu_ns: None,
        };
        let moment = |kind, cpu: f64, wall: f64, calls| Moment {
            id: u64::from(event),
            spent: mark(cpu, calls),
            ..Moment::unread(kind, event, wall as u64)
        };
        timeline
            .moments
            .push(moment(MomentKind::Begin, cpu, wall, calls));
        let hits = if plan.has_hits {
            (200.0 * random.exponential()).floor()
        } else {
            100.0
        };
        let mut scale = (plan.event_noise * random.normal()).exp();
        if let Some((one_in, times)) = plan.long
            && random.one_in(one_in)
        {
            scale *= times * (0.8 + 0.4 * random.uniform());
        }
        let size = plan.event_ns
            * scale
            * if plan.has_hits {
                0.3 + 0.7 * hits / 200.0
            } else {
                1.0
            };
        let mut samples: BTreeMap<u32, u64> = BTreeMap::new();
        for (place, (path, share)) in paths.iter().enumerate() {
            let done = f64::from(event) / f64::from(plan.events);
            let part = match *path {
                SLOWING_PATH => plan.slowing_base + plan.slowing * done,
                _ => *share,
            };
            let mut spent = size * part * (plan.leaf_noise * random.normal()).exp();
            if let (SLOW_PATH, Some((every, ns))) = (*path, plan.slow)
                && event.is_multiple_of(every)
            {
                spent = ns * (0.8 + 0.4 * random.uniform());
            }
            // Preempted now and then.
            let waited = if random.one_in(40) {
                5e4 * random.exponential()
            } else {
                0.0
            };
            wall += waited;
            let until = cpu + spent;
            while owed < until {
                *samples.entry(stacks[place]).or_default() += PERIOD_NS;
                next_sample += PERIOD_NS as f64;
                owed = next_sample + random.uniform() * TICK_NS;
            }
            cpu = until;
            wall += spent;
            let stamp = match *path {
                "main;event;read" => Some(0),
                "main;event;track;stack" => Some(1),
                _ => None,
            };
            if let (Some(1), Some((every, ns))) = (stamp, plan.waits)
                && event.is_multiple_of(every)
            {
                wall += ns * (0.8 + 0.4 * random.uniform());
            }
            timeline.stamps.extend(stamp.map(|name| Stamp {
                name,
                event,
                time_ns: wall as u64,
                vm_bytes: None,
                rss_bytes: None,
                live_bytes: None,
                spent: mark(cpu, calls),
            }));
        }
        calls += 100 + random.below(20);
        timeline.counts.push(Count {
            event,
            name: 2,
            value: hits,
        });
        let end = timeline.moments.len() as MomentId;
        timeline
            .moments
            .push(moment(MomentKind::End, cpu, wall, calls));
        let rows = samples.into_iter();
        timeline.cpu.extend(rows.map(|(stack, ns)| CpuTime {
            moment: end,
            stack,
            ns,
        }));
        cpu += 1e4;
        wall += 2e4;
    }
    profile
}
