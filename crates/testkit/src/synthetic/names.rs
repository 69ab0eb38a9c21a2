//! Linkage names of C++ functions.

use crate::long_names::long_name;
use crate::random::{Random, hash};

const NAMESPACES: [&str; 6] = ["reco", "geometry", "io", "detail", "math", "server"];
const CLASSES: [&str; 8] = [
    "TrackFitter",
    "HitCluster",
    "EventStore",
    "Matrix",
    "MessageQueue",
    "JsonValue",
    "BlockCache",
    "Session",
];

/// Another one for every index; with `is_long` of kilobytes, as templates make them.
pub fn function(index: usize, seed: u64, is_long: bool) -> String {
    let seed = hash(seed, index as u64);
    if is_long {
        return long_name(seed);
    }
    let mut random = Random::new(seed);
    let namespace = random.pick(&NAMESPACES);
    let class = random.pick(&CLASSES);
    let method = format!("method{index}");
    let [a, b, c] = [namespace, class, &method].map(str::len);
    format!("_ZN{a}{namespace}{b}{class}{c}{method}Ei")
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_names::{DemangleStyle, demangle};
    use std::collections::HashSet;

    #[test]
    fn names_can_be_read_and_are_all_different() {
        let short = function(17, 1, false);
        let readable = demangle(&short, DemangleStyle::Full);
        assert!(readable.ends_with("::method17(int)"), "{readable}");
        for is_long in [false, true] {
            let names: HashSet<String> = (0..1000).map(|i| function(i, 1, is_long)).collect();
            assert_eq!(names.len(), 1000);
        }
        assert_eq!(function(3, 9, true), function(3, 9, true));
        assert_ne!(function(3, 9, true), function(3, 8, true));
    }
}
