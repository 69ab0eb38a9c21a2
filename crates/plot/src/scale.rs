//! From numbers to places, and the numbers that stand at an axis.

use residue_profile::units::count;

/// A linear map from values to pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    pub from: f64,
    pub to: f64,
    start_px: f64,
    end_px: f64,
}

impl Scale {
    /// Values that are no range are given some room, so that each has a place.
    pub fn new((from, to): (f64, f64), (start_px, end_px): (f64, f64)) -> Scale {
        let is_usable = from.is_finite() && to.is_finite() && (to - from).is_finite();
        let (from, to) = match is_usable {
            false => (0.0, 1.0),
            true if to > from => (from, to),
            true => {
                let room = (from.abs() * 0.01).max(1.0);
                (from - room, from + room)
            }
        };
        Scale {
            from,
            to,
            start_px,
            end_px,
        }
    }

    pub fn at(&self, value: f64) -> f64 {
        let share = (value - self.from) / (self.to - self.from);
        self.start_px + share * (self.end_px - self.start_px)
    }
}

/// The range of an axis of sizes that shows values from `low` to `high`: from zero
/// unless that would hide how they move.
pub fn size_range(low: f64, high: f64) -> (f64, f64) {
    /// Least part of the axis that the values take up.
    const LEAST_SHARE: f64 = 0.6;
    const ROOM: f64 = 0.06;
    let span = high - low;
    if span.is_nan() || span <= 0.0 {
        return (low, high);
    }
    let from_zero = low >= 0.0 && span >= high * LEAST_SHARE;
    match from_zero {
        true => (0.0, high + high * ROOM),
        false => (low - span * ROOM, high + span * ROOM),
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    pub value: f64,
    pub label: String,
}

const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
/// More decimals than this are a smaller unit.
const MOST_DECIMALS: usize = 3;

/// Round sizes between two others, at most `most` or one more, all in one binary unit.
pub fn byte_ticks(scale: &Scale, most: usize) -> Vec<Tick> {
    let largest = scale.from.abs().max(scale.to.abs());
    let mut unit = (1..UNITS.len())
        .take_while(|&unit| largest >= unit_bytes(unit))
        .count();
    let step = loop {
        let step = nice_step((scale.to - scale.from) / unit_bytes(unit), most);
        if unit == 0 {
            break step.max(1.0);
        }
        if decimals(step) <= MOST_DECIMALS {
            break step;
        }
        unit -= 1;
    };
    let digits = decimals(step);
    multiples(scale, step * unit_bytes(unit))
        .map(|(count, value)| Tick {
            value,
            label: match count {
                0 => "0".to_string(),
                _ => format!("{:.digits$} {}", count as f64 * step, UNITS[unit]),
            },
        })
        .collect()
}

/// Round numbers of events between two others.
pub fn event_ticks(scale: &Scale, most: usize) -> Vec<Tick> {
    let step = nice_step(scale.to - scale.from, most).max(1.0);
    multiples(scale, step)
        .filter(|&(_, value)| value >= 0.0)
        .map(|(_, value)| Tick {
            value,
            label: count(value as u64),
        })
        .collect()
}

fn unit_bytes(unit: usize) -> f64 {
    1024.0_f64.powi(unit as i32)
}

/// 1, 2 or 5 times a power of ten, of which `most` cover the span.
fn nice_step(span: f64, most: usize) -> f64 {
    let rough = span / most.max(1) as f64;
    if !rough.is_finite() || rough <= 0.0 {
        return 1.0;
    }
    let power = 10.0_f64.powi(rough.log10().floor() as i32);
    [1.0, 2.0, 5.0]
        .map(|factor| factor * power)
        .into_iter()
        // What is a hair too small by rounding is meant.
        .find(|step| *step >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

/// Decimals that a multiple of a nice step has.
fn decimals(step: f64) -> usize {
    (-(step.log10() + 1e-9).floor()).clamp(0.0, 300.0) as usize
}

/// The multiples of a step on an axis, and the how-manieth each is.
fn multiples(scale: &Scale, step: f64) -> impl Iterator<Item = (i64, f64)> {
    const MOST: i64 = 100;
    let first = (scale.from / step).ceil() as i64;
    let last = (scale.to / step).floor() as i64;
    let last = last.min(first.saturating_add(MOST));
    (first..=last).map(move |count| (count, count as f64 * step))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: Vec<Tick>) -> Vec<String> {
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    fn scale(from: f64, to: f64) -> Scale {
        Scale::new((from, to), (0.0, 100.0))
    }

    #[test]
    fn places_are_linear_and_exact_at_the_ends() {
        let scale = Scale::new((10.0, 20.0), (300.0, 100.0));
        assert_eq!(
            [10.0, 12.5, 20.0].map(|value| scale.at(value)),
            [300.0, 250.0, 100.0]
        );
    }

    #[test]
    fn a_range_of_one_value_or_of_none_has_room() {
        assert_eq!(scale(5.0, 5.0).at(5.0), 50.0);
        assert_eq!(scale(1e12, 1e12).at(1e12), 50.0);
        for (from, to) in [(f64::NAN, 1.0), (0.0, f64::INFINITY), (-f64::MAX, f64::MAX)] {
            assert_eq!((scale(from, to).from, scale(from, to).to), (0.0, 1.0));
        }
    }

    #[test]
    fn sizes_have_round_ticks_in_one_binary_unit() {
        const MIB: f64 = 1048576.0;
        let ticks = byte_ticks(&scale(0.0, 4.2 * MIB), 5);
        assert_eq!(
            ticks[1],
            Tick {
                value: MIB,
                label: "1 MiB".to_string()
            }
        );
        assert_eq!(labels(ticks), ["0", "1 MiB", "2 MiB", "3 MiB", "4 MiB"]);
        assert_eq!(
            labels(byte_ticks(&scale(10.0 * MIB, 10.45 * MIB), 5)),
            ["10.0 MiB", "10.1 MiB", "10.2 MiB", "10.3 MiB", "10.4 MiB"]
        );
        assert_eq!(
            labels(byte_ticks(&scale(0.0, 1000.0), 4)),
            ["0", "500 B", "1000 B"]
        );
        assert_eq!(
            labels(byte_ticks(&scale(0.0, 3.0), 8)),
            ["0", "1 B", "2 B", "3 B"]
        );
        assert_eq!(
            labels(byte_ticks(&scale(-2048.0, 2048.0), 4)),
            ["-2 KiB", "-1 KiB", "0", "1 KiB", "2 KiB"]
        );
    }

    #[test]
    fn where_little_moves_on_much_the_unit_is_smaller() {
        const GIB: f64 = 1073741824.0;
        let ticks = labels(byte_ticks(&scale(GIB, GIB + 300.0), 4));
        assert_eq!(ticks, ["1048576.0 KiB", "1048576.1 KiB", "1048576.2 KiB"]);
    }

    #[test]
    fn ticks_of_events_are_whole() {
        assert_eq!(labels(event_ticks(&scale(0.5, 3.5), 8)), ["1", "2", "3"]);
        assert_eq!(
            labels(event_ticks(&scale(0.5, 20_000.5), 5)),
            ["0", "5 000", "10 000", "15 000", "20 000"][1..]
        );
    }

    #[test]
    fn ticks_are_few_whatever_the_range() {
        for (from, to) in [(0.0, 1e300), (-1e18, 1e18), (1e18, 1e18), (0.0, 1e-300)] {
            let scale = scale(from, to);
            assert!(byte_ticks(&scale, 5).len() <= 7, "{from} {to}");
            assert!(event_ticks(&scale, 5).len() <= 7, "{from} {to}");
        }
    }

    #[test]
    fn an_axis_begins_at_zero_unless_that_hides_the_values() {
        assert_eq!(size_range(10.0, 100.0), (0.0, 106.0));
        assert_eq!(size_range(900.0, 1000.0), (894.0, 1006.0));
        assert_eq!(size_range(7.0, 7.0), (7.0, 7.0));
    }
}
