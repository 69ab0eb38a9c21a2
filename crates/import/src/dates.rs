//! Dates as logs write them: `15-Dec-2016 14:51:11.325`.

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Nanoseconds since 1970 of the first date in the line, as if it were in UTC: the
/// names of time zones are ambiguous, and only differences are used.
pub fn find(line: &str) -> Option<u64> {
    let mut words = line.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if let Some(days) = day_number(word) {
            let day_ns = words.peek().and_then(|word| nanoseconds_of_day(word))?;
            return days.checked_mul(86_400_000_000_000)?.checked_add(day_ns);
        }
    }
    None
}

/// Days since 1970 of `15-Dec-2016`.
fn day_number(word: &str) -> Option<u64> {
    let mut parts = word.split('-');
    let day: u64 = parts.next()?.parse().ok()?;
    let month = parts.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? as u64;
    let year: u64 = parts.next()?.parse().ok()?;
    if parts.next().is_some() || !(1..=31).contains(&day) || !(1970..=9999).contains(&year) {
        return None;
    }
    // Years that begin in March have their leap day at the end.
    let year = if month < 2 { year - 1 } else { year };
    let month_from_march = (month + 10) % 12;
    let leap_days = year / 4 - year / 100 + year / 400;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    // Day 0 is the first of March of year 0.
    (365 * year + leap_days + day_of_year).checked_sub(719_468)
}

fn nanoseconds_of_day(word: &str) -> Option<u64> {
    let mut parts = word.split(':');
    let hours: u64 = parts.next()?.parse().ok()?;
    let minutes: u64 = parts.next()?.parse().ok()?;
    let seconds: f64 = parts.next()?.parse().ok()?;
    let plausible = hours < 24 && minutes < 60 && (0.0..61.0).contains(&seconds);
    let whole_ns = (hours * 3600 + minutes * 60) * 1_000_000_000;
    (plausible && parts.next().is_none()).then(|| whole_ns + (seconds * 1e9).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_found_in_lines() {
        let seconds = |line| find(line).map(|ns| ns / 1_000_000_000);
        assert_eq!(seconds("at 01-Jan-1970 00:00:00 UTC"), Some(0));
        assert_eq!(
            seconds("%MSG 15-Dec-2016 14:51:11 CET Run: 1"),
            Some(1_481_813_471)
        );
        assert_eq!(seconds("29-Feb-2024 23:59:59.9"), Some(1_709_251_199));
        assert_eq!(seconds("01-Mar-2000 00:00:00"), Some(951_868_800));
        assert_eq!(find("01-Jan-1970 00:00:00.325"), Some(325_000_000));
        for wrong in [
            "",
            "15-Dec-2016",
            "15-Dec-2016 25:00:00",
            "40-Dec-2016 01:00:00",
            "1-2-3 4:5:6",
        ] {
            assert_eq!(find(wrong), None, "{wrong}");
        }
    }
}
