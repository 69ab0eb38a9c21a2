//! The date of a recording.

const NS_PER_MINUTE: u64 = 60_000_000_000;
const MINUTES_PER_DAY: u64 = 24 * 60;

/// `2026-11-15 13:44 UTC`, from nanoseconds since 1970; `None` where that is not known.
pub fn utc(unix_ns: u64) -> Option<String> {
    if unix_ns == 0 {
        return None;
    }
    let minutes = unix_ns / NS_PER_MINUTE;
    let (year, month, day) = date(minutes / MINUTES_PER_DAY);
    let (hour, minute) = (minutes % MINUTES_PER_DAY / 60, minutes % 60);
    Some(format!(
        "{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC"
    ))
}

/// Year, month and day of a day since 1970.
fn date(days: u64) -> (u64, usize, u64) {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut year, mut left) = (1970, days);
    loop {
        let days_of_year = 365 + u64::from(is_leap(year));
        if left < days_of_year {
            break;
        }
        left -= days_of_year;
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while month < 11 && left >= months[month] {
        left -= months[month];
        month += 1;
    }
    (year, month + 1, left + 1)
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
