//! Values on the command line: times, sizes, rates, events.

use std::time::Duration;

use nix::sys::signal::Signal;
use residue_query::check_time::TimeLimit;
use residue_recording::pausing::WantedEvents;
use residue_recording::settings::Injection;

/// `1s`, `250ms`, `2min`; plain numbers are seconds.
pub fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let value: f64 = number
        .parse()
        .map_err(|_| format!("`{text}` is not a time; try 1s or 250ms"))?;
    let seconds = match unit {
        "" | "s" => value,
        "ms" => value / 1e3,
        "us" | "µs" => value / 1e6,
        "ns" => value / 1e9,
        "min" => value * 60.0,
        "h" => value * 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time; try s, ms or min")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|error| format!("`{text}`: {error}"))
}

/// `100`, `4KiB`, `10MB`, `2GiB`: decimal and binary units.
pub fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let value: f64 = number
        .parse()
        .map_err(|_| format!("`{text}` is not a size; try 100, 4KiB or 10MB"))?;
    let factor = match unit {
        "" | "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "k" | "K" | "KiB" => 1024.0,
        "M" | "MiB" => 1024.0 * 1024.0,
        "G" | "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => {
            return Err(format!(
                "`{unit}` is not a unit of size; try KiB, MB or GiB"
            ));
        }
    };
    let bytes = (value * factor).round();
    match (0.0..1e18).contains(&bytes) {
        true => Ok(bytes as u64),
        false => Err(format!("`{text}` is not a size that memory can have")),
    }
}

/// A size for every event or tick: `1KiB/event`; `/event` may be left out.
pub fn rate(text: &str) -> Result<u64, String> {
    let size_text = match text.split_once('/') {
        None => text,
        Some((size, "event" | "tick")) => size,
        Some((_, other)) => return Err(format!("`{other}`: a rate is per event or per tick")),
    };
    size(size_text)
}

/// A time for every event, in nanoseconds: `3ms/event`; `/event` may be left out.
pub fn time_per_event(text: &str) -> Result<f64, String> {
    let time_text = match text.split_once('/') {
        None => text,
        Some((time, "event")) => time,
        Some((_, other)) => return Err(format!("`{other}`: this time is per event")),
    };
    time(time_text).map(|time| time.as_secs_f64() * 1e9)
}

/// How much longer each event may take than the one before: `1us/event`, or `5%` over the run.
pub fn time_growth(text: &str) -> Result<TimeLimit, String> {
    let Some(percent) = text.strip_suffix('%') else {
        return time_per_event(text).map(TimeLimit::NsPerEvent);
    };
    let percent: f64 = percent.trim().parse().map_err(|_| {
        format!("`{text}` is neither a time per event nor a percentage; try 1us/event or 5%")
    })?;
    match (0.0..1e6).contains(&percent) {
        true => Ok(TimeLimit::OverRun(percent / 100.0)),
        false => Err(format!("`{text}`: a limit is not below zero")),
    }
}

/// A deliberate leak: `10MB/event`, `10MB/event,untouched`.
pub fn injection(text: &str) -> Result<Injection, String> {
    let (rate_text, is_untouched) = match text.split_once(',') {
        None => (text, false),
        Some((rate, "untouched")) => (rate, true),
        Some((rate, "touched")) => (rate, false),
        Some((_, other)) => return Err(format!("`{other}`: say touched or untouched")),
    };
    Ok(Injection {
        bytes: rate(rate_text)?,
        is_untouched,
    })
}

/// An event by its number, or the end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Number(u64),
    End,
}

pub fn event(text: &str) -> Result<Event, String> {
    match text {
        "end" => Ok(Event::End),
        "0" => Err("events are numbered from 1".to_string()),
        _ => text
            .parse()
            .map(Event::Number)
            .map_err(|_| format!("`{text}` is neither the number of an event nor `end`")),
    }
}

/// The first event to record.
pub fn first_event(text: &str) -> Result<WantedEvents, String> {
    match event(text)? {
        Event::Number(from) => Ok(WantedEvents { from, to: 0 }),
        Event::End => Err("the end is no event; give a number".to_string()),
    }
}

/// The events to record, as in FILE@A..B: `100..200`, `100..end`, `..200`.
pub fn wanted_events(text: &str) -> Result<WantedEvents, String> {
    let Some((from, to)) = text.split_once("..") else {
        return Err(match text.parse::<u64>() {
            Ok(number @ 1..) => format!(
                "two ends are needed: {number}..{} for this event alone, {number}..end from it on",
                number.saturating_add(1)
            ),
            _ => "give two events: 100..200, 100..end or ..200".to_string(),
        });
    };
    let by_id = || {
        "events are chosen by number here: what the program calls them is not known before they \
         begin"
            .to_string()
    };
    let end_of = |text: &str| match text {
        "" => Ok(0),
        _ if text.starts_with("id:") => Err(by_id()),
        _ => event(text).map(|event| match event {
            Event::Number(number) => number,
            Event::End => 0,
        }),
    };
    if from == "end" {
        return Err("nothing comes after the end".to_string());
    }
    match (end_of(from)?, end_of(to)?) {
        (0, 0) => Err("this means all events; leave --events out".to_string()),
        (from, to) if to != 0 && from >= to => Err(format!(
            "no event begins at {from} or later and before {to}"
        )),
        (from, to) => Ok(WantedEvents { from, to }),
    }
}

/// A signal that may ask for a snapshot: `SIGUSR1`, or `USR1` for short.
pub fn snapshot_signal(text: &str) -> Result<Signal, String> {
    let name = text.to_ascii_uppercase();
    match name.strip_prefix("SIG").unwrap_or(&name) {
        "USR1" => Ok(Signal::SIGUSR1),
        "USR2" => Ok(Signal::SIGUSR2),
        "HUP" => Ok(Signal::SIGHUP),
        _ => Err(
            "use SIGUSR1, SIGUSR2 or SIGHUP; others end programs, or do not reach residue"
                .to_string(),
        ),
    }
}

/// A program's name, with wildcards, as the recorder is told it.
pub fn program_pattern(text: &str) -> Result<String, String> {
    match text {
        "" => Err("the name is empty; leave -t out to record all programs".to_string()),
        _ if text.contains([';', '/']) => {
            Err("a program's name has no `/` and no `;`: try -t 'job*'".to_string())
        }
        _ => Ok(text.to_string()),
    }
}

/// A pattern. An empty one would match everything, which nobody asks for.
pub fn pattern(text: &str) -> Result<String, String> {
    match text.is_empty() {
        true => Err("the pattern is empty and would match everything".to_string()),
        false => Ok(text.to_string()),
    }
}

/// A number and the unit behind it.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|char: char| !char.is_ascii_digit() && char != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(time("1s"), Ok(Duration::from_secs(1)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(time("0"), Ok(Duration::ZERO));
        assert_eq!(time("2 min"), Ok(Duration::from_secs(120)));
        assert!(time("1 fortnight").is_err());
        assert!(time("soon").is_err());
    }

    #[test]
    fn sizes_are_decimal_or_binary() {
        assert_eq!(size("100"), Ok(100));
        assert_eq!(size("10MB"), Ok(10_000_000));
        assert_eq!(size("10MiB"), Ok(10 << 20));
        assert_eq!(size("1.5 KiB"), Ok(1536));
        assert!(size("-1").is_err());
        assert!(size("10MX").is_err());
        assert_eq!(rate("1KiB/event"), Ok(1024));
        assert!(rate("1KiB/hour").is_err());
    }

    #[test]
    fn limits_of_time_are_per_event_or_over_the_run() {
        assert_eq!(time_growth("1us/event"), Ok(TimeLimit::NsPerEvent(1000.0)));
        assert_eq!(time_growth("0"), Ok(TimeLimit::NsPerEvent(0.0)));
        assert_eq!(time_growth("5 %"), Ok(TimeLimit::OverRun(0.05)));
        assert!(time_growth("-5%").is_err());
        assert!(time_growth("fast").is_err());
        assert_eq!(time_per_event("3ms/event"), Ok(3e6));
        assert!(time_per_event("3ms/second").is_err());
    }

    #[test]
    fn a_leak_is_touched_unless_said_otherwise() {
        let leak = |bytes, is_untouched| {
            Ok(Injection {
                bytes,
                is_untouched,
            })
        };
        assert_eq!(injection("10MB/event"), leak(10_000_000, false));
        assert_eq!(injection("4KiB,untouched"), leak(4096, true));
        assert!(injection("4KiB,twice").is_err());
    }

    #[test]
    fn events_are_numbers_or_the_end() {
        assert_eq!(event("51"), Ok(Event::Number(51)));
        assert_eq!(event("end"), Ok(Event::End));
        assert!(event("last").is_err());
    }

    #[test]
    fn events_to_record_lie_between_two() {
        let wanted = |from, to| Ok(WantedEvents { from, to });
        assert_eq!(wanted_events("100..200"), wanted(100, 200));
        assert_eq!(wanted_events("100..end"), wanted(100, 0));
        assert_eq!(wanted_events("100.."), wanted(100, 0));
        assert_eq!(wanted_events("..200"), wanted(0, 200));
        assert_eq!(first_event("51"), wanted(51, 0));
        for wrong in [
            "",
            "..",
            "5",
            "0..3",
            "7..7",
            "7..3",
            "end..",
            "id:3..id:5",
            "a..b",
        ] {
            assert!(wanted_events(wrong).is_err(), "{wrong}");
        }
        assert!(wanted_events("5").unwrap_err().contains("5..6"));
        assert!(first_event("0").is_err() && first_event("end").is_err());
    }

    #[test]
    fn signals_for_snapshots_by_name() {
        assert_eq!(snapshot_signal("SIGUSR1"), Ok(Signal::SIGUSR1));
        assert_eq!(snapshot_signal("usr2"), Ok(Signal::SIGUSR2));
        assert_eq!(snapshot_signal("HUP"), Ok(Signal::SIGHUP));
        assert!(snapshot_signal("SIGTERM").is_err());
        assert!(snapshot_signal("10").is_err());
    }
}
