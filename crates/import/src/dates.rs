//! Dates as logs write them: `15-Dec-2016 14:51:11.325`.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

/// Nanoseconds since 1970 of the first date in the line, as if it were in UTC: the
/// names of time zones are ambiguous, and only differences are used.
pub fn find(line: &str) -> Option<u64> {
    let mut words = line.split_whitespace();
    let date = words.find_map(date)?;
    let time = Time::strptime("%H:%M:%S%.f", words.next()?).ok()?;
    let moment = Offset::UTC.to_timestamp(DateTime::from_parts(date, time));
    moment.ok()?.as_nanosecond().try_into().ok()
}

fn date(word: &str) -> Option<Date> {
    // Nearly no word is a date, and most can be told at once.
    let may_be_date = word.starts_with(|first: char| first.is_ascii_digit());
    may_be_date.then(|| Date::strptime("%d-%b-%Y", word).ok())?
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
