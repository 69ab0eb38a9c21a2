//! Names of intervals, as short as they can be.

use crate::page::SMALL_PX;
use crate::words::{cut_middle, width_px};

/// Between the names of two stamps.
pub const ARROW: &str = " → ";

/// What all names begin with, up to and with a character that ends a word.
pub fn common_prefix(names: &[String]) -> &str {
    let Some((first, others)) = names.split_first().filter(|(_, others)| !others.is_empty()) else {
        return "";
    };
    let is_shared = |length: usize| others.iter().all(|name| name.starts_with(&first[..length]));
    let ends = first
        .char_indices()
        .filter(|(_, letter)| matches!(letter, '_' | ':' | '/' | '.' | ' '));
    let longest = ends
        .map(|(at, _)| at + 1)
        .take_while(|&length| is_shared(length))
        .last();
    let prefix = &first[..longest.unwrap_or(0)];
    // A name must be left of each.
    match names.iter().any(|name| name.len() == prefix.len()) {
        true => "",
        false => prefix,
    }
}

/// Both names of an interval, each cut where both together are too long.
pub fn cut_names(interval: &str, room_px: f64) -> String {
    let Some((from, to)) = interval.split_once(ARROW) else {
        return cut_middle(interval, SMALL_PX, room_px);
    };
    let left_px = room_px - width_px(ARROW, SMALL_PX, false);
    let (from_px, to_px) = (
        width_px(from, SMALL_PX, false),
        width_px(to, SMALL_PX, false),
    );
    let half_px = left_px / 2.0;
    let from = cut_middle(from, SMALL_PX, half_px.max(left_px - to_px));
    let to = cut_middle(to, SMALL_PX, half_px.max(left_px - from_px));
    format!("{from}{ARROW}{to}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_names_begin_with_is_left_out() {
        let prefix = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            common_prefix(&names).to_string()
        };
        assert_eq!(
            prefix(&["QSim__simulate_HEAD", "QSim__simulate_TAIL"]),
            "QSim__simulate_"
        );
        assert_eq!(
            prefix(&["QSim__simulate_HEAD", "QSim__reset_HEAD"]),
            "QSim__"
        );
        assert_eq!(prefix(&["begin", "beginning"]), "");
        assert_eq!(prefix(&["größe_a", "größe_b"]), "größe_");
        assert_eq!(prefix(&["a_", "a_b"]), "");
        assert_eq!(prefix(&["a_b"]), "");
        assert_eq!(prefix(&[]), "");
    }

    #[test]
    fn of_two_long_names_both_are_cut() {
        assert_eq!(cut_names("a → b", 200.0), "a → b");
        let cut = cut_names(&format!("{} → b", "x".repeat(50)), 120.0);
        assert!(
            cut.starts_with("xx") && cut.ends_with("x → b") && cut.contains('…'),
            "{cut}"
        );
        let cut = cut_names(&format!("{} → {}", "x".repeat(50), "y".repeat(50)), 120.0);
        assert!(
            cut.contains("x → y") && cut.matches('…').count() == 2,
            "{cut}"
        );
        assert!(width_px(&cut, SMALL_PX, false) <= 120.0);
    }
}
