//! The first level of a flame graph by thread: one box a thread. What lies below is
//! asked for with the thread's number.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use residue_profile::{Counter, Thread, ThreadCounters};

use super::flame::Flame;
use crate::page::opened::Opened;
use crate::page::question::Question;
use crate::page::selection::{Selection, StackFilter};

/// Threads that are sent.
const MOST_THREADS: usize = 1000;

pub fn threads(opened: &Opened, question: &Question) -> Result<Flame> {
    let profile = &opened.profile;
    if profile.by_thread.items().is_empty() {
        bail!("threads were not recorded");
    }
    let mut notes = Vec::new();
    if question.text("events").is_some() {
        let note = "threads are known for the whole recording only";
        notes.push(note.to_string());
    }
    let asked = question.counter()?;
    let counter = match asked {
        Counter::Calls | Counter::Total | Counter::Frees | Counter::Cpu => asked,
        _ => {
            notes.push(format!(
                "`{}` is not known by thread: these are total bytes",
                asked.name()
            ));
            Counter::Total
        }
    };
    let of_part = |part: &ThreadCounters| match counter {
        Counter::Calls => part.calls,
        Counter::Frees => part.frees,
        Counter::Cpu => part.cpu_ns,
        _ => part.total_bytes,
    };
    let selection = Selection {
        opened,
        kind: question.kind()?.counting(counter),
        filter: StackFilter::of(question)?,
        counter,
        events: None,
        thread: None,
    };
    let admits = selection.admits();
    // Threads that had one number in turn are one, as they are where one is asked for.
    let mut sums: BTreeMap<u32, (Vec<&str>, u64)> = BTreeMap::new();
    for stack in (0..profile.stacks.len()).filter(|&stack| admits(stack)) {
        for part in profile.by_thread.row(stack) {
            let Some(Thread { tid, name, .. }) = profile.threads.get(part.thread as usize) else {
                continue;
            };
            let (names, sum) = sums.entry(*tid).or_default();
            *sum = sum.saturating_add(of_part(part));
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    let all = sums.values().map(|(_, sum)| *sum);
    let whole = all.fold(0_u64, u64::saturating_add);
    let mut flame = Flame {
        counter: counter.name(),
        unit: counter.unit(),
        whole,
        events: selection.event_count()?,
        libraries: vec![String::new()],
        notes,
        ..Flame::default()
    };
    let mut end = 0_u64;
    let mut push = |key: String, name: String, parent: i64, value: u64, own: u64| {
        flame.names.push(name);
        flame.key.push(key);
        flame.function.push(String::new());
        flame.parent.push(parent);
        flame.name.push(flame.names.len() - 1);
        flame.library.push(0);
        flame.value.push(value);
        flame.own.push(own);
        flame.weight.push(value);
        // Side by side; the first is what they are in.
        flame.start.push(end);
        end = if parent < 0 {
            0
        } else {
            end.saturating_add(value)
        };
        flame.framework.push(0);
        flame.matched.push(0);
    };
    push(String::new(), String::new(), -1, whole, 0);
    let mut threads: Vec<(u32, (Vec<&str>, u64))> = sums.into_iter().collect();
    threads.retain(|(_, (_, sum))| *sum > 0);
    threads.sort_by_key(|(tid, (_, sum))| (std::cmp::Reverse(*sum), *tid));
    let found = threads.len();
    for (tid, (names, sum)) in threads.into_iter().take(MOST_THREADS) {
        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        let name = match names.is_empty() {
            true => format!("thread {tid}"),
            false => format!("{} ({tid})", names.join(", ")),
        };
        push(format!("thread:{tid}"), name, 0, sum, sum);
    }
    flame.left_out = found.saturating_sub(MOST_THREADS) as u64;
    Ok(flame)
}
