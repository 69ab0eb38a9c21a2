//! Sizes and births of a stack's blocks, each in one line.

use residue_profile::{BirthBin, SizeBin};

use residue_profile::timeline::WHOLE_BIRTH_EVENTS;
use residue_profile::units::{count, counted, share};
use residue_query::size_bins::size_range;
use residue_query::visible::visible;

/// Size bins named in the short line.
const NAMED_SIZES: usize = 3;

/// Births that are further apart than this may stand for a few events each.
const MOST_APART: u64 = 4 * WHOLE_BIRTH_EVENTS as u64;

/// The most frequent sizes first; `None` where nothing was counted.
pub fn sizes_line(bins: &[SizeBin]) -> Option<String> {
    let mut bins: Vec<&SizeBin> = bins.iter().filter(|bin| bin.blocks > 0).collect();
    bins.sort_by_key(|bin| std::cmp::Reverse(bin.blocks));
    let all = bins
        .iter()
        .fold(0_u64, |sum, bin| sum.saturating_add(bin.blocks));
    if let [only] = bins[..] {
        return Some(format!("all {}", size_range(only.bits)));
    }
    let mut parts: Vec<String> = bins
        .iter()
        .take(NAMED_SIZES)
        .map(|bin| format!("{} {}", size_range(bin.bits), share(bin.blocks, all)))
        .collect();
    if bins.len() > NAMED_SIZES {
        let others = (bins.len() - NAMED_SIZES) as u64;
        parts.push(counted(others, "other range", "other ranges"));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// When the live blocks were made: `0..12 s, 36 180 blocks, every second`. Event 0
/// is none, but what came before the first.
pub fn births_line(births: &[BirthBin], unit: &str) -> Option<String> {
    let unit = match unit {
        "" => "moment",
        unit => &visible(unit),
    };
    match births {
        [early, events @ ..] if unit == "event" && early.birth == 0 => {
            let before = format!("before the first event, {}", blocks_in(&[*early]));
            let later = span_line(events, unit);
            Some(later.map_or(before.clone(), |later| format!("{later}; {before}")))
        }
        births => span_line(births, unit),
    }
}

fn span_line(births: &[BirthBin], unit: &str) -> Option<String> {
    let (first, last) = (births.first()?.birth, births.last()?.birth);
    let blocks = blocks_in(births);
    let when = match unit {
        "second" if first == last => format!("at {first} s"),
        "second" => format!("{first}..{last} s"),
        unit if first == last => format!("{unit} {first}"),
        unit => format!("{unit}s {first}..{last}"),
    };
    if first == last {
        return Some(format!("{when}, {blocks}"));
    }
    let moments = births.chunk_by(|a, b| a.birth == b.birth).count() as u64;
    let span = u64::from(last.abs_diff(first)) + 1;
    let at_least = if span > MOST_APART { "at least " } else { "" };
    let how_often = if moments == span {
        format!("every {unit}")
    } else {
        format!("in {at_least}{} of {} {unit}s", count(moments), count(span))
    };
    Some(format!("{when}, {blocks}, {how_often}"))
}

fn blocks_in(births: &[BirthBin]) -> String {
    let blocks = births
        .iter()
        .fold(0_u64, |sum, bin| sum.saturating_add(bin.blocks));
    counted(blocks, "block", "blocks")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(bins: &[(u8, u64)]) -> Option<String> {
        let bins: Vec<SizeBin> = bins
            .iter()
            .map(|&(bits, blocks)| SizeBin { bits, blocks })
            .collect();
        sizes_line(&bins)
    }

    #[test]
    fn frequent_sizes_come_first() {
        assert_eq!(sizes(&[]), None);
        assert_eq!(sizes(&[(3, 0)]), None);
        assert_eq!(sizes(&[(3, 0), (7, 12)]).unwrap(), "all 64..127 B");
        assert_eq!(
            sizes(&[(5, 10), (7, 80), (11, 10)]).unwrap(),
            "64..127 B 80.0 %, 16..31 B 10.0 %, 1..2 KiB 10.0 %"
        );
        assert_eq!(
            sizes(&[(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]).unwrap(),
            "16..31 B 33.3 %, 8..15 B 26.7 %, 4..7 B 20.0 %, 2 other ranges"
        );
    }

    fn births(births: &[u32], unit: &str) -> Option<String> {
        let bins: Vec<BirthBin> = births
            .iter()
            .map(|&birth| BirthBin {
                birth,
                blocks: 1000,
                bytes: 64_000,
            })
            .collect();
        births_line(&bins, unit)
    }

    #[test]
    fn births_say_when_and_how_often() {
        assert_eq!(births(&[], "second"), None);
        assert_eq!(births(&[5], "second").unwrap(), "at 5 s, 1 000 blocks");
        assert_eq!(births(&[5], "event").unwrap(), "event 5, 1 000 blocks");
        assert_eq!(
            births(&[0, 1, 2], "second").unwrap(),
            "0..2 s, 3 000 blocks, every second"
        );
        assert_eq!(
            births(&[3, 3, 9], "event").unwrap(),
            "events 3..9, 3 000 blocks, in 2 of 7 events"
        );
    }
    #[test]
    fn births_by_event_and_by_tick() {
        assert_eq!(
            births(&[0], "event").unwrap(),
            "before the first event, 1 000 blocks"
        );
        assert_eq!(
            births(&[0, 1, 2], "event").unwrap(),
            "events 1..2, 2 000 blocks, every event; before the first event, 1 000 blocks"
        );
        assert_eq!(
            births(&[0, 1, 3], "tick").unwrap(),
            "ticks 0..3, 3 000 blocks, in 3 of 4 ticks"
        );
        assert_eq!(
            births(&[1, 20_000], "event").unwrap(),
            "events 1..20000, 2 000 blocks, in at least 2 of 20 000 events"
        );
    }
}
