//! What every reader of a made-up profile must find again.

use residue_profile::{Counter, MemoryKind, Profile};

/// Keys and values: `stacks`, `heap.live`, `mapping.calls`, ... Those of counters
/// are sums over the stacks of a kind, also of their own peaks, or the largest of them; what the whole
/// heap reached is `heap.highest`.
pub fn truth(profile: &Profile) -> Vec<(String, u64)> {
    let timeline = &profile.timeline;
    let mut truth: Vec<(String, u64)> = [
        ("stacks", profile.stacks.len() as u64),
        ("nodes", profile.nodes.len() as u64),
        ("frames", profile.frames.len() as u64),
        ("functions", profile.functions.len() as u64),
        ("modules", profile.modules.len() as u64),
        ("threads", profile.threads.len() as u64),
        ("events", timeline.about.events),
        ("moments", timeline.moments.len() as u64),
        ("changes", timeline.changes.len() as u64),
        ("heap.highest", profile.heap.peak_bytes),
        ("mapping.highest", profile.mappings.peak_bytes),
    ]
    .map(|(key, value)| (key.to_string(), value))
    .into();
    for kind in MemoryKind::ALL {
        for counter in Counter::ALL {
            let stacks = profile.stacks.iter().filter(|stack| kind.holds(stack.kind));
            let all = counter
                .merge()
                .all(stacks.map(|stack| counter.value(stack)));
            truth.push((format!("{}.{}", kind.name(), counter.name()), all));
        }
    }
    truth
}
