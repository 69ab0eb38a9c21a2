//! The date of a recording.

use jiff::Timestamp;

/// `2026-11-15 13:44 UTC`, from nanoseconds since 1970; `None` where that is not known.
pub fn utc(unix_ns: u64) -> Option<String> {
    if unix_ns == 0 {
        return None;
    }
    let moment = Timestamp::from_nanosecond(unix_ns.into()).ok()?;
    Some(moment.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let of_seconds = |seconds: u64| utc(seconds * 1_000_000_000);
        assert_eq!(utc(0), None);
        assert_eq!(of_seconds(1).as_deref(), Some("1970-01-01 00:00 UTC"));
        assert_eq!(
            of_seconds(951_782_400).as_deref(),
            Some("2000-02-29 00:00 UTC")
        );
        assert_eq!(
            of_seconds(1_735_689_599).as_deref(),
            Some("2024-12-31 23:59 UTC")
        );
        assert_eq!(
            of_seconds(1_794_750_267).as_deref(),
            Some("2026-11-15 13:44 UTC")
        );
        assert_eq!(utc(u64::MAX).as_deref(), Some("2554-07-21 23:34 UTC"));
    }
}
