//! Points in time as stores write them, read the same way on every machine.

/// Milliseconds since 1970 of an ISO 8601 date or date-time (`T` or a blank between, seconds and fraction
/// optional, `Z` or an offset optional); NaN for anything else.
///
/// A time without offset is UTC. `Date.parse` takes it as local time, which would make the answer depend on
/// the machine; it also reads other spellings, each engine in its own way.
///
/// ```
/// use plica::time::parse_time;
/// assert_eq!(parse_time(b"1970-01-02"), 86_400_000.0);
/// assert_eq!(parse_time(b"1970-01-01T01:00:00.5+01:00"), 500.0);
/// assert!(parse_time(b"yesterday").is_nan());
/// ```
pub fn parse_time(text: &[u8]) -> f64 {
    read(text).unwrap_or(f64::NAN)
}

fn read(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let date = text.get(..10)?;
    let days = days(date)?;
    let rest = &text[10..];
    if rest.is_empty() {
        return Some(days * 86_400_000.0);
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let zone = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    Some(days * 86_400_000.0 + clock(&rest[..zone])? - offset(&rest[zone..])?)
}

/// Days since 1970 of `YYYY-MM-DD`, by the proleptic Gregorian calendar.
fn days(date: &str) -> Option<f64> {
    let bytes = date.as_bytes();
    if bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) = (digits(&date[..4])?, digits(&date[5..7])?, digits(&date[8..])?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *lengths.get((month as usize).checked_sub(1)?)?;
    if day < 1 || day > length {
        return None;
    }
    let before: i64 = lengths[..month as usize - 1].iter().sum();
    let past = year - 1;
    let years = past * 365 + past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400);
    Some((years + before + day - 1 - 719_162) as f64)
}

/// Milliseconds of `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff…`; digits past the third are cut off, as in JavaScript.
fn clock(text: &str) -> Option<f64> {
    let mut parts = text.split(':');
    let (hour, minute) = (digits(parts.next()?)?, digits(parts.next()?)?);
    let (second, fraction) = match parts.next() {
        None => (0, 0),
        Some(second) => match second.split_once('.') {
            None => (digits(second)?, 0),
            Some((second, fraction)) => (digits(second)?, millis(fraction)?),
        },
    };
    let in_range = hour <= 24 && minute < 60 && second < 60 && parts.next().is_none();
    let past_midnight = hour == 24 && (minute, second, fraction) != (0, 0, 0);
    (in_range && !past_midnight).then(|| (((hour * 60 + minute) * 60 + second) * 1000 + fraction) as f64)
}

fn millis(fraction: &str) -> Option<i64> {
    digits(fraction)?;
    let padded = format!("{fraction}00");
    digits(&padded[..3])
}

/// Milliseconds of `Z`, `+HH`, `+HHMM`, `+HH:MM` or nothing.
fn offset(text: &str) -> Option<f64> {
    if text.is_empty() || text.eq_ignore_ascii_case("z") {
        return Some(0.0);
    }
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let plain = text[1..].replace(':', "");
    let (hours, minutes) = match plain.len() {
        2 => (digits(&plain)?, 0),
        4 => (digits(&plain[..2])?, digits(&plain[2..])?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then(|| sign * ((hours * 60 + minutes) * 60_000) as f64)
}

fn digits(text: &str) -> Option<i64> {
    let plain = !text.is_empty() && text.len() <= 15 && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_javascript_where_that_does_not_depend_on_the_machine() {
        for (text, ms) in [
            ("2026-07-29T12:00:00.000Z", 1_785_326_400_000.0),
            ("2000-02-29", 951_782_400_000.0),
            ("1969-12-31T23:59:59.999Z", -1.0),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000.0),
            ("2026-07-01T24:00:00Z", 1_782_950_400_000.0),
            ("2026-07-01 00:00:00+00", 1_782_864_000_000.0),
            ("2026-07-01T00:00:00.1239999Z", 1_782_864_000_123.0),
            ("2026-07-01T05:30+05:30", 1_782_864_000_000.0),
        ] {
            assert_eq!(parse_time(text.as_bytes()), ms, "{text}");
        }
        for text in [
            "",
            "2026",
            "2026-13-01",
            "2026-02-30",
            "2026-07-01T25:00Z",
            "2026-07-01x",
            "2026-07-01T",
            "日本語日本語",
            "2026-07-01T10:00:00+9",
        ] {
            assert!(parse_time(text.as_bytes()).is_nan(), "{text}");
        }
    }
}
