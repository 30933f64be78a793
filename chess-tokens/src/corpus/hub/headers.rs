//! What headers of answers say: where a list goes on, how long to wait, which part of a file comes.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The address of the next page, of a header `Link: <…>; rel="next"` ([RFC 8288]).
///
/// [RFC 8288]: https://www.rfc-editor.org/rfc/rfc8288
#[must_use]
pub fn next_link(value: &str) -> Option<&str> {
    let mut rest = value;
    while let Some(start) = rest.find('<') {
        let (address, after) = rest[start + 1..].split_once('>')?;
        let (parameters, following) = split_unquoted(after, ',');
        if is_next(parameters) {
            return Some(address);
        }
        rest = following;
    }
    None
}

fn is_next(parameters: &str) -> bool {
    let mut rest = parameters;
    while !rest.is_empty() {
        let (parameter, following) = split_unquoted(rest, ';');
        rest = following;
        let Some((name, value)) = parameter.split_once('=') else {
            continue;
        };
        let mut relations = value.trim().trim_matches('"').split_ascii_whitespace();
        if name.trim().eq_ignore_ascii_case("rel")
            && relations.any(|relation| relation.eq_ignore_ascii_case("next"))
        {
            return true;
        }
    }
    false
}

/// What is before and after a character that is not between quotation marks.
fn split_unquoted(text: &str, at: char) -> (&str, &str) {
    let mut quoted = false;
    let found = text.find(|char| {
        quoted ^= char == '"';
        char == at && !quoted
    });
    match found {
        Some(index) => (&text[..index], &text[index + at.len_utf8()..]),
        None => (text, ""),
    }
}

/// How long a header `Retry-After` asks to wait: seconds, or a date ([RFC 9110, 10.2.3]).
///
/// [RFC 9110, 10.2.3]: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
#[must_use]
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    match digits(value) {
        Some(seconds) => Some(Duration::from_secs(seconds)),
        None => Some(http_date(value)?.duration_since(now).unwrap_or_default()),
    }
}

/// How long a header `RateLimit` asks to wait: until the last window ends in which nothing is left,
/// as in `"api";r=0;t=213`. `None` while something is left in each.
#[must_use]
pub fn rate_limit(value: &str) -> Option<Duration> {
    let windows = value.split(',').filter_map(|window| {
        let number = |name: &str| {
            let mut parameters = window.split(';');
            let value = parameters.find_map(|part| part.trim().strip_prefix(name));
            value.and_then(digits)
        };
        (number("r=")? == 0).then_some(number("t=")?)
    });
    windows.max().map(Duration::from_secs)
}

/// Where the part of a file that comes begins, and how long the whole is, of a header
/// `Content-Range: bytes 500-999/1000`.
#[must_use]
pub fn content_range(value: &str) -> Option<(u64, Option<u64>)> {
    let range = value.trim().strip_prefix("bytes ")?;
    let (range, whole) = range.split_once('/')?;
    let (start, end) = range.split_once('-')?;
    let (start, end) = (digits(start)?, digits(end)?);
    let whole = match whole {
        "*" => None,
        whole => Some(digits(whole)?),
    };
    let is_part = start <= end && whole.is_none_or(|whole| end < whole);
    is_part.then_some((start, whole))
}

/// What an `ETag` says, without its quotation marks.
#[must_use]
pub fn etag(value: &str) -> &str {
    let value = value.trim();
    value.strip_prefix("W/").unwrap_or(value).trim_matches('"')
}

/// The time of a date in any of the three forms of [RFC 9110, 5.6.7]; `None` before 1970.
///
/// [RFC 9110, 5.6.7]: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
#[must_use]
pub fn http_date(value: &str) -> Option<SystemTime> {
    let words: Vec<&str> = value
        .split([' ', ',', '-'])
        .filter(|word| !word.is_empty())
        .take(7)
        .collect();
    let (year, month, day, time) = match *words.as_slice() {
        [_, day, month, year, time, "GMT"] => (year, month, day, time),
        [_, month, day, time, year] => (year, month, day, time),
        _ => return None,
    };
    let days = days_since_1970(full_year(year)?, month_number(month)?, digits(day)?)?;
    let seconds = days
        .checked_mul(86_400)?
        .checked_add(seconds_of_day(time)?)?;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// A year of two digits is one of 1970 to 2069.
fn full_year(text: &str) -> Option<u64> {
    match (text.len(), digits(text)?) {
        (2, year @ 70..) => Some(1900 + year),
        (2, year) => Some(2000 + year),
        (4, year) => Some(year),
        _ => None,
    }
}

fn month_number(name: &str) -> Option<u64> {
    const NAMES: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let index = NAMES.iter().position(|&month| month == name)?;
    Some(index as u64 + 1)
}

fn seconds_of_day(text: &str) -> Option<u64> {
    let mut numbers = text.split(':').map(digits);
    let (hour, minute, second) = (numbers.next()??, numbers.next()??, numbers.next()??);
    // A leap second is the 61st of its minute.
    let is_time = hour < 24 && minute < 60 && second <= 60 && numbers.next().is_none();
    is_time.then_some(hour * 3600 + minute * 60 + second)
}

/// Counted in years that begin with March, so that a leap day is the last one.
fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    const TO_1970: u64 = 719_468;
    if year < 1970 || !(1..=31).contains(&day) {
        return None;
    }
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    let of_year = (153 * month + 2) / 5 + day - 1;
    (year * 365 + leap_days + of_year).checked_sub(TO_1970)
}

/// A number without a sign.
fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn links() {
        let cases = [
            (
                "<https://a/b?c=1,2>; rel=\"next\"",
                Some("https://a/b?c=1,2"),
            ),
            ("</b>;rel=next", Some("/b")),
            (
                "<a>; rel=\"prev\", <b>; title=\"x, y; rel=next\"; REL=\"last next\"",
                Some("b"),
            ),
            ("<a>; rel=\"prev\", <b>; title=\"; rel=next\"", None),
            ("<a>; rel=\"nextish\"", None),
            ("<a", None),
            ("", None),
        ];
        for (value, next) in cases {
            assert_eq!(next_link(value), next, "{value}");
        }
    }

    #[test]
    fn waits() {
        let now = at(784_111_777 - 100);
        let seconds = |value| retry_after(value, now).map(|wait| wait.as_secs());
        assert_eq!(seconds(" 120 "), Some(120));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(100));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        for value in ["", "-1", "1.5", "soon", "99999999999999999999"] {
            assert_eq!(seconds(value), None, "{value}");
        }
    }

    #[test]
    fn dates_in_three_forms() {
        for value in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(http_date(value), Some(at(784_111_777)), "{value}");
        }
        // As `date -u -d … +%s` says.
        for (value, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Thu, 31 Dec 2026 23:59:59 GMT", 1_798_761_599),
            ("Friday, 01-Jan-27 00:00:00 GMT", 1_798_761_600),
        ] {
            assert_eq!(http_date(value), Some(at(seconds)), "{value}");
        }
        for value in [
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Wed, 31 Dec 1969 23:59:59 GMT",
            "Sun, 06 Nov 999999999999999999 08:49:37 GMT",
        ] {
            assert_eq!(http_date(value), None, "{value}");
        }
    }

    #[test]
    fn rate_limits() {
        let seconds = |value| rate_limit(value).map(|wait| wait.as_secs());
        assert_eq!(seconds("\"api\";r=0;t=213"), Some(213));
        assert_eq!(seconds("\"api\"; r=0; t=5, \"pages\"; r=0; t=7"), Some(7));
        assert_eq!(seconds("\"api\";r=3;t=213"), None);
        assert_eq!(seconds("\"api\";r=3;t=213, \"pages\";r=0;t=9"), Some(9));
        for value in ["", "\"api\";r=0", "t=5", "r=0;t=-5"] {
            assert_eq!(seconds(value), None, "{value}");
        }
    }

    #[test]
    fn parts_of_files_and_etags() {
        assert_eq!(content_range("bytes 5-9/10"), Some((5, Some(10))));
        assert_eq!(content_range("bytes 0-0/*"), Some((0, None)));
        for value in [
            "",
            "bytes */10",
            "bytes 5-4/10",
            "bytes 5-10/10",
            "bytes 5-/10",
            "items 5-9/10",
            "5-9/10",
        ] {
            assert_eq!(content_range(value), None, "{value}");
        }
        assert_eq!(
            (etag("\"abc\""), etag("W/\"abc\""), etag("abc")),
            ("abc", "abc", "abc")
        );
    }
}
