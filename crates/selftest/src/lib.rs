//! What `residue selftest` is made of: recordings of a program that knows what it
//! did, and checks that compare.

pub mod calls;
pub mod check;
pub mod costs;
pub mod event_function;
pub mod leak;
pub mod recorded;
pub mod stacks;
pub mod target;

use anyhow::{Context, Result, bail};
use check::Check;
use leak::Leak;
use recorded::Laboratory;
use residue_profile::units;

/// One check, to be run in the laboratory.
pub type Checking = Box<dyn Fn(&Laboratory) -> Check>;

/// Everything that is checked, each with a deliberate leak of so many bytes an event.
pub fn all_checks(leak_bytes: u64, events: u64) -> Vec<Checking> {
    let leak = |bytes_per_event: u64, is_touched: bool| -> Checking {
        let leak = Leak {
            bytes_per_event,
            events,
            is_touched,
        };
        Box::new(move |laboratory| leak.named_check(laboratory))
    };
    vec![
        Box::new(calls::named_check),
        Box::new(stacks::named_check),
        leak(leak_bytes, true),
        leak(leak_bytes, false),
        leak(0, true),
        Box::new(move |laboratory| event_function::named_check(laboratory, events)),
    ]
}

/// The leak is real: it must fit into memory.
pub fn expect_room(leak_bytes: u64) -> Result<()> {
    let text = std::fs::read_to_string("/proc/meminfo").context("/proc/meminfo")?;
    let available = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok())
        .map(|kibibytes| kibibytes * 1024);
    match available {
        Some(available) if leak_bytes > available / 2 => bail!(
            "the leak would take {} in total, but only {} of memory is available: use a smaller \
             --leak or fewer --events",
            units::bytes(leak_bytes),
            units::bytes(available)
        ),
        _ => Ok(()),
    }
}
