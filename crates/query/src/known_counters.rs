//! The counters of a stack for programs: null where they were not recorded.

use residue_profile::{Counters, Measured, Profile};
use serde::{Serialize, Serializer};

pub struct KnownCounters<'a> {
    pub counters: &'a Counters,
    pub profile: &'a Profile,
    pub measured: Measured,
}

impl Serialize for KnownCounters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.measured.has_all(self.profile) {
            return self.counters.serialize(serializer);
        }
        let values = Counters::NAMES.iter().zip(self.counters.values());
        let known = values.map(|(name, value)| {
            let is_known = self.measured.has_field(self.profile, name);
            (name, is_known.then_some(value))
        });
        serializer.collect_map(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::counters::all_different;
    use serde_json::{Value, json};

    #[test]
    fn what_was_not_recorded_is_null() {
        let of = |has_largest: bool, measured| {
            let profile = Profile {
                has_largest,
                ..Profile::default()
            };
            let known = KnownCounters {
                counters: &all_different(),
                profile: &profile,
                measured,
            };
            serde_json::to_value(known).unwrap()
        };
        let whole = of(true, Measured::Everything);
        assert_eq!(whole, serde_json::to_value(all_different()).unwrap());
        assert_eq!(whole["largest_bytes"], json!(640));
        let older = of(false, Measured::Everything);
        assert_eq!(older["largest_bytes"], Value::Null);
        assert_eq!(older["peak_bytes"], json!(3200));
        let moments = of(true, Measured::WithTotals);
        assert_eq!(moments["largest_bytes"], Value::Null);
        assert_eq!(moments["calls"], json!(100));
    }
}
