//! Advice in words, the same on every surface.

use residue_profile::units::{bytes, count, counted, exact_bytes, fractional_count};

use super::Advice;

/// What was seen, and what doing otherwise would save.
pub fn sentence(advice: &Advice, unit: &str) -> String {
    let (seen, doing) = match advice.block_bytes {
        Some(block_bytes) => (
            format!(
                "one block of {} at a time was allocated",
                bytes(block_bytes)
            ),
            "reusing it".to_string(),
        ),
        None => (containers(advice), reserving(advice)),
    };
    let times = counted(advice.allocations, "time", "times");
    let per_event = match advice.allocations_per_event {
        Some(number) if number > 0.0 => format!(" ({}/{unit})", fractional_count(number)),
        _ => String::new(),
    };
    let saved = counted(advice.saved_allocations, "allocation", "allocations");
    format!(
        "{seen} {times}{per_event}; {doing} would save {saved} and {}",
        saved_bytes(advice)
    )
}

fn containers(advice: &Advice) -> String {
    let [one, many] = match advice.evidence {
        "hash-table" => ["hash table", "hash tables"],
        _ => ["container", "containers"],
    };
    match advice.containers {
        Some(1) | None => format!("a {one} grew"),
        Some(number) => format!("{} {many} grew", count(number)),
    }
}

fn reserving(advice: &Advice) -> String {
    let elements = match (advice.elements_low, advice.elements_high) {
        (Some(1), Some(1)) => "1 element".to_string(),
        (Some(low), Some(high)) if low == high => format!("{} elements", count(low)),
        (Some(low), Some(high)) => format!("{} to {} elements", count(low), count(high)),
        _ => match advice.containers {
            Some(1) | None => "its number of elements".to_string(),
            Some(_) => "their numbers of elements".to_string(),
        },
    };
    format!("reserving {elements}")
}

fn saved_bytes(advice: &Advice) -> String {
    let (low, high) = (advice.saved_bytes_low, advice.saved_bytes_high);
    match advice.evidence {
        _ if low == high => exact_bytes(low),
        // How much a reallocated block grew at last is not known.
        "reallocation" => format!("at least {}", bytes(low)),
        _ => format!("{} to {}", bytes(low), bytes(high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(evidence: &'static str, saved: [u64; 2]) -> Advice {
        Advice {
            words: String::new(),
            stack: 0,
            action: "reserve",
            evidence,
            allocations: 13,
            bytes_allocated: 786_336,
            allocations_per_event: None,
            containers: Some(1),
            elements_low: None,
            elements_high: None,
            final_bytes_low: Some(393_216),
            final_bytes_high: Some(393_216),
            block_bytes: None,
            saved_allocations: 12,
            saved_bytes_low: saved[0],
            saved_bytes_high: saved[1],
        }
    }

    #[test]
    fn what_is_known_within_limits_is_a_range() {
        let doubled = advice("doubling", [393_120, 589_727]);
        assert_eq!(
            sentence(&doubled, "event"),
            "a container grew 13 times; reserving its number of elements would save \
             12 allocations and 384 KiB to 576 KiB"
        );
        let mut table = advice("hash-table", [158_816, 235_936]);
        table.containers = Some(2);
        (table.elements_low, table.elements_high) = (Some(20_548), Some(41_506));
        table.allocations_per_event = Some(6.5);
        assert_eq!(
            sentence(&table, "tick"),
            "2 hash tables grew 13 times (6.50/tick); reserving 20 548 to 41 506 elements would \
             save 12 allocations and 155 KiB to 230 KiB"
        );
        let mut unknown = advice("reallocation", [100_000, 786_336]);
        unknown.containers = None;
        assert_eq!(
            sentence(&unknown, "event"),
            "a container grew 13 times; reserving its number of elements would save \
             12 allocations and at least 97.7 KiB"
        );
    }

    #[test]
    fn what_is_known_exactly_is_said_to_the_byte() {
        let mut block = advice("one-size", [4096, 4096]);
        (block.action, block.block_bytes) = ("reuse", Some(4096));
        (block.allocations, block.saved_allocations) = (2, 1);
        assert_eq!(
            sentence(&block, "event"),
            "one block of 4.00 KiB at a time was allocated 2 times; reusing it would save \
             1 allocation and 4.00 KiB (4 096 bytes)"
        );
    }
}
