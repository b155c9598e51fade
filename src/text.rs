//! Text and number printing as JavaScript does it.
//!
//! Belongs here: everything that treats a string as UTF-16 although it is held as WTF-8 bytes, and the
//! number formatting whose rounding differs between JavaScript and Rust. No knowledge of facts or messages.
//!
//! **WTF-8** is UTF-8 that may also hold lone surrogates, each as the three bytes that its number would
//! have in UTF-8 (U+D83D is `ED A0 BD`). Every JavaScript string has exactly one such form. Bytes that are
//! no WTF-8 never make these functions panic; what they answer then is unspecified.

use std::borrow::Cow;

/// The length of a text in UTF-16 units: JavaScript's `length`.
///
/// ```
/// use plica::text::utf16_len;
/// assert_eq!(utf16_len("日本 😀".as_bytes()), 5);
/// ```
pub fn utf16_len(text: &[u8]) -> usize {
    // Each character starts with one byte that is no continuation byte; a four-byte one is a surrogate pair.
    text.iter().map(|&byte| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0)).sum()
}

/// The code points of a text, lone surrogates included (`0xD800..=0xDFFF`).
///
/// ```
/// use plica::text::code_points;
/// let points: Vec<u32> = code_points(b"a\xED\xA0\xBD").collect();
/// assert_eq!(points, [0x61, 0xD83D]);
/// ```
pub fn code_points(text: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (point, width) = first_code_point(rest)?;
        rest = &rest[width..];
        Some(point)
    })
}

/// The UTF-16 units of a text, in order: what `charCodeAt` gives for each index.
///
/// ```
/// use plica::text::utf16_units;
/// let units: Vec<u16> = utf16_units("a😀".as_bytes()).collect();
/// assert_eq!(units, [0x61, 0xD83D, 0xDE00]);
/// ```
pub fn utf16_units(text: &[u8]) -> impl Iterator<Item = u16> + '_ {
    code_points(text).flat_map(|point| {
        let (first, second) = units_of(point);
        std::iter::once(first).chain(second)
    })
}

/// The first `count` UTF-16 units of a text: JavaScript's `slice(0, count)`.
///
/// A cut in the middle of a surrogate pair leaves its first half as a lone surrogate, as in JavaScript; that
/// is the only case that allocates.
///
/// ```
/// use plica::text::utf16_prefix;
/// assert_eq!(&*utf16_prefix("日本語".as_bytes(), 2), "日本".as_bytes());
/// assert_eq!(&*utf16_prefix("a😀".as_bytes(), 2), b"a\xED\xA0\xBD");
/// ```
pub fn utf16_prefix(text: &[u8], count: usize) -> Cow<'_, [u8]> {
    let mut taken = 0;
    let mut end = 0;
    while taken < count {
        let Some((point, width)) = first_code_point(&text[end..]) else {
            return Cow::Borrowed(text);
        };
        let (first, second) = units_of(point);
        if second.is_some() && taken + 1 == count {
            return Cow::Owned([&text[..end], &surrogate_bytes(first)].concat());
        }
        taken += 1 + usize::from(second.is_some());
        end += width;
    }
    Cow::Borrowed(&text[..end])
}

/// A text without the white space at its ends: JavaScript's `trim()`.
///
/// JavaScript strips its WhiteSpace and LineTerminator sets. Against Rust's `str::trim` that is U+FEFF more
/// and U+0085 less.
///
/// ```
/// use plica::text::js_trim;
/// assert_eq!(js_trim("\u{FEFF} a b\u{A0}\n".as_bytes()), b"a b");
/// assert_eq!(js_trim("\u{85}a".as_bytes()), "\u{85}a".as_bytes());
/// ```
pub fn js_trim(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let Some((point, width)) = first_code_point(text) {
        if !is_js_space(point) {
            break;
        }
        text = &text[width..];
    }
    while let Some((point, width)) = last_code_point(text) {
        if !is_js_space(point) {
            break;
        }
        text = &text[..text.len() - width];
    }
    text
}

/// Whether JavaScript's `toLowerCase()` of `text` is `word`, which must be lower-case ASCII.
///
/// Beside A–Z only two characters lower-case to something with an ASCII letter in it: U+212A (the Kelvin
/// sign) to `k`, and U+0130 to `i` plus U+0307, which no ASCII word holds. So no case table is needed.
///
/// ```
/// use plica::text::js_lowercase_eq_ascii;
/// assert!(js_lowercase_eq_ascii("\u{212A}IND".as_bytes(), "kind"));
/// assert!(!js_lowercase_eq_ascii("K\u{130}ND".as_bytes(), "kind"));
/// ```
pub fn js_lowercase_eq_ascii(text: &[u8], word: &str) -> bool {
    debug_assert!(word.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()));
    let lowered = code_points(text).map(|point| match point {
        0x41..=0x5A => point + 0x20,
        0x212A => 0x6B,
        other => other,
    });
    lowered.eq(word.bytes().map(u32::from))
}

/// A text as a Rust string; each lone surrogate becomes U+FFFD, as JavaScript's `toWellFormed()` does.
///
/// For sentences that people and models read, where half a character is of no use and breaks encoders.
///
/// ```
/// use plica::text::to_well_formed;
/// assert_eq!(to_well_formed(b"a\xED\xA0\xBD"), "a\u{FFFD}");
/// ```
pub fn to_well_formed(text: &[u8]) -> String {
    char::decode_utf16(utf16_units(text)).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The words of a text on one line: white space of any kind and length as one space, none at the ends.
pub(crate) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name as it is put into a sentence: well-formed, on one line, at most `max_units` UTF-16 units long.
///
/// Control characters and line separators become spaces, so that a stored name cannot start a line of its
/// own in a prompt; what was cut off is marked with `…`, which counts towards the limit.
///
/// ```
/// use plica::text::one_line;
/// assert_eq!(one_line("role:\nuser".as_bytes(), 40), "role: user");
/// assert_eq!(one_line(b"abcdef", 4), "abc…");
/// ```
pub fn one_line(text: &[u8], max_units: usize) -> String {
    if utf16_len(text) <= max_units {
        return to_well_formed(text).replace(breaks_line, " ");
    }
    let mut kept = to_well_formed(&utf16_prefix(text, max_units.saturating_sub(1)));
    if kept.ends_with(char::REPLACEMENT_CHARACTER) {
        // Most often the half that the cut left of a surrogate pair.
        kept.pop();
    }
    kept.push('…');
    kept.replace(breaks_line, " ")
}

/// A number with a fixed count of decimals: JavaScript's `x.toFixed(digits)` for `digits` 0 or 1.
///
/// JavaScript rounds the exact binary value and, between two equally near results, takes the larger
/// magnitude; Rust's formatting takes the even one. From 1e21 on the answer is JavaScript's exponential form.
/// `digits` above 1 count as 1: nothing here prints more.
///
/// ```
/// use plica::text::js_to_fixed;
/// assert_eq!(js_to_fixed(0.25, 1), "0.3");
/// assert_eq!(js_to_fixed(62.5, 0), "63");
/// assert_eq!(js_to_fixed(57.49999999999999, 0), "57");
/// assert_eq!(js_to_fixed(1e21, 0), "1e+21");
/// ```
pub fn js_to_fixed(x: f64, digits: u8) -> String {
    if x.is_nan() {
        return "NaN".to_owned();
    }
    // Not `is_sign_negative`: JavaScript prints no sign for -0.
    let sign = if x < 0.0 { "-" } else { "" };
    let magnitude = x.abs();
    if magnitude.is_infinite() {
        return format!("{sign}Infinity");
    }
    if magnitude >= 1e21 {
        return format!("{sign}{}", exponential(magnitude));
    }
    if digits == 0 {
        return format!("{sign}{}", scaled_half_up(magnitude, 1));
    }
    let tenths = scaled_half_up(magnitude, 10);
    format!("{sign}{}.{}", tenths / 10, tenths % 10)
}

/// `magnitude × scale`, exactly, rounded to the nearest integer with ties up. Needs `0 <= magnitude < 1e21`
/// and `scale <= 10`, so that everything fits 128 bits.
fn scaled_half_up(magnitude: f64, scale: u128) -> u128 {
    let bits = magnitude.to_bits();
    let field = (bits >> 52) as i32;
    let fraction = u128::from(bits & ((1 << 52) - 1));
    // A zero exponent field marks the subnormals: no hidden bit, and the exponent of field 1.
    let mantissa = if field == 0 { fraction } else { fraction | (1 << 52) };
    let exponent = field.max(1) - 1075;
    let scaled = mantissa * scale;
    if exponent >= 0 {
        return scaled << exponent;
    }
    let shift = exponent.unsigned_abs();
    if shift > 64 {
        // The mantissa times ten is below 2^57: what is left is far less than one half.
        return 0;
    }
    (scaled + (1 << (shift - 1))) >> shift
}

/// JavaScript's text for a finite number of 1e21 or more: the shortest digits that read back as the number.
fn exponential(magnitude: f64) -> String {
    format!("{magnitude:e}").replacen('e', "e+", 1)
}

/// Whether a character can end a line or move the cursor where a text is shown.
fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// JavaScript's WhiteSpace and LineTerminator productions together.
fn is_js_space(point: u32) -> bool {
    matches!(
        point,
        0x09..=0x0D
            | 0x20
            | 0xA0
            | 0x1680
            | 0x2000..=0x200A
            | 0x2028
            | 0x2029
            | 0x202F
            | 0x205F
            | 0x3000
            | 0xFEFF
    )
}

/// The first code point and its width in bytes; `None` at the end of the text.
fn first_code_point(text: &[u8]) -> Option<(u32, usize)> {
    let lead = *text.first()?;
    let (width, bits) = match lead {
        0x00..=0x7F => return Some((u32::from(lead), 1)),
        0xC0..=0xDF => (2, lead & 0x1F),
        0xE0..=0xEF => (3, lead & 0x0F),
        0xF0..=0xF7 => (4, lead & 0x07),
        _ => return Some((MALFORMED, 1)),
    };
    let Some(tail) = text.get(1..width) else {
        return Some((MALFORMED, 1));
    };
    let point = tail.iter().fold(u32::from(bits), |sum, &b| (sum << 6) | u32::from(b & 0x3F));
    Some((point.min(0x10_FFFF), width))
}

/// What a byte that starts nothing is read as.
const MALFORMED: u32 = 0xFFFD;

/// The last code point and its width in bytes; `None` for the empty text.
fn last_code_point(text: &[u8]) -> Option<(u32, usize)> {
    let mut start = text.len().checked_sub(1)?;
    let lowest = text.len().saturating_sub(4);
    while start > lowest && text[start] & 0xC0 == 0x80 {
        start -= 1;
    }
    let (point, width) = first_code_point(&text[start..])?;
    if start + width == text.len() {
        return Some((point, width));
    }
    Some((MALFORMED, 1))
}

/// A code point as one UTF-16 unit, or as two above U+FFFF.
fn units_of(point: u32) -> (u16, Option<u16>) {
    let Some(above) = point.checked_sub(0x1_0000) else {
        return (point as u16, None);
    };
    let high = 0xD800 | (above >> 10) as u16;
    let low = 0xDC00 | (above & 0x3FF) as u16;
    (high, Some(low))
}

/// The three bytes of a lone surrogate.
fn surrogate_bytes(unit: u16) -> [u8; 3] {
    [0xE0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3F) as u8, 0x80 | (unit & 0x3F) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// UTF-16 to WTF-8, written the long way round, to check the rest against.
    fn wtf8(units: &[u16]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for decoded in char::decode_utf16(units.iter().copied()) {
            match decoded {
                Ok(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                Err(lone) => bytes.extend_from_slice(&surrogate_bytes(lone.unpaired_surrogate())),
            }
        }
        bytes
    }

    fn every_char() -> impl Iterator<Item = char> {
        '\0'..=char::MAX
    }

    #[test]
    fn trim_set_is_unicode_white_space_less_nel_plus_bom() {
        for c in every_char() {
            let expected = (c.is_whitespace() && c != '\u{85}') || c == '\u{FEFF}';
            assert_eq!(is_js_space(c as u32), expected, "{c:?}");
            let wrapped = format!("{c}x{c}");
            let trimmed = js_trim(wrapped.as_bytes());
            let kept = if expected { "x" } else { wrapped.as_str() };
            assert_eq!(trimmed, kept.as_bytes(), "{c:?}");
        }
    }

    #[test]
    fn trim_edges() {
        assert_eq!(js_trim(b""), b"");
        assert_eq!(js_trim(" \u{3000}\u{FEFF}\t".as_bytes()), b"");
        assert_eq!(js_trim(b" \xED\xA0\xBD "), b"\xED\xA0\xBD");
        assert_eq!(js_trim("\u{200B}a".as_bytes()), "\u{200B}a".as_bytes(), "zero width space stays");
        assert_eq!(js_trim("\u{180E}a".as_bytes()), "\u{180E}a".as_bytes(), "no longer a space");
    }

    #[test]
    fn only_the_kelvin_sign_lowers_to_one_ascii_letter() {
        for c in every_char() {
            let lowered: String = c.to_lowercase().collect();
            if lowered.is_ascii() && lowered != c.to_string() {
                let text = c.to_string();
                assert!(js_lowercase_eq_ascii(text.as_bytes(), &lowered), "{c:?} lowers to {lowered}");
            }
        }
        assert!(!js_lowercase_eq_ascii("\u{130}".as_bytes(), "i"));
        assert!(!js_lowercase_eq_ascii("\u{17F}".as_bytes(), "s"), "long s is lower-case already");
        assert!(!js_lowercase_eq_ascii(b"ab", "abc"));
        assert!(!js_lowercase_eq_ascii(b"abc", "ab"));
        assert!(js_lowercase_eq_ascii(b"", ""));
    }

    #[test]
    fn names_in_sentences() {
        assert_eq!(one_line(b"", 5), "");
        assert_eq!(one_line("a\u{2028}\u{85}\0b".as_bytes(), 5), "a   b");
        assert_eq!(one_line("ab😀d".as_bytes(), 4), "ab…", "no half character");
        assert_eq!(one_line("ab😀".as_bytes(), 4), "ab😀");
        assert_eq!(one_line(b"abc", 0), "…");
    }

    #[test]
    fn to_fixed_edges() {
        let cases = [
            (0.0, "0", "0.0"),
            (-0.0, "0", "0.0"),
            (0.5, "1", "0.5"),
            (1.5, "2", "1.5"),
            (2.5, "3", "2.5"),
            (-2.5, "-3", "-2.5"),
            (-0.04, "-0", "-0.0"),
            (0.05, "0", "0.1"),
            (0.15, "0", "0.1"),
            (0.35, "0", "0.3"),
            (12.25, "12", "12.3"),
            (99.95, "100", "100.0"),
            (0.49999999999999994, "0", "0.5"),
            (5e-324, "0", "0.0"),
            (f64::MIN_POSITIVE, "0", "0.0"),
            (4503599627370495.5, "4503599627370496", "4503599627370495.5"),
            (9007199254740993.0, "9007199254740992", "9007199254740992.0"),
            (999999999999999868928.0, "999999999999999868928", "999999999999999868928.0"),
            (1e21, "1e+21", "1e+21"),
            (-1.5e300, "-1.5e+300", "-1.5e+300"),
            (f64::MAX, "1.7976931348623157e+308", "1.7976931348623157e+308"),
            (f64::NAN, "NaN", "NaN"),
            (f64::INFINITY, "Infinity", "Infinity"),
            (f64::NEG_INFINITY, "-Infinity", "-Infinity"),
        ];
        for (x, none, one) in cases {
            assert_eq!(js_to_fixed(x, 0), none, "{x:e}");
            assert_eq!(js_to_fixed(x, 1), one, "{x:e}");
        }
    }

    /// Rounds half up on the decimal digits. Rust prints as many digits as it is asked for, exactly, and
    /// 1,100 hold every finite number to its end.
    fn reference_to_fixed(x: f64, digits: usize) -> String {
        let exact = format!("{:.1100}", x.abs());
        let point = exact.find('.').unwrap();
        let mut kept: Vec<u8> = exact[..point].bytes().chain(exact[point + 1..][..digits].bytes()).collect();
        if exact.as_bytes()[point + 1 + digits] >= b'5' {
            carry_one(&mut kept);
        }
        let mut number = String::from_utf8(kept).unwrap();
        if digits > 0 {
            number.insert(number.len() - digits, '.');
        }
        if x < 0.0 {
            format!("-{number}")
        } else {
            number
        }
    }

    fn carry_one(decimal: &mut Vec<u8>) {
        for digit in decimal.iter_mut().rev() {
            if *digit != b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        decimal.insert(0, b'1');
    }

    /// Doubles of every size below 1e21, and many that sit on or beside a tie.
    fn below_1e21() -> impl Strategy<Value = f64> {
        let any_bits = any::<u64>().prop_map(f64::from_bits);
        let ties = (any::<i32>(), 1u32..2000).prop_map(|(n, d)| f64::from(n) / f64::from(d));
        let halves = (any::<i32>(), -2i64..3).prop_map(|(n, step)| {
            let tie = f64::from(n) / 20.0;
            f64::from_bits((tie.to_bits() as i64 + step) as u64)
        });
        let wide = (0.0f64..21.0).prop_map(|e| 10f64.powf(e));
        prop_oneof![any_bits, ties, halves, wide].prop_filter("finite, below 1e21", |x| x.abs() < 1e21)
    }

    proptest! {
        #[test]
        fn to_fixed_is_exact(x in below_1e21()) {
            prop_assert_eq!(js_to_fixed(x, 0), reference_to_fixed(x, 0));
            prop_assert_eq!(js_to_fixed(x, 1), reference_to_fixed(x, 1));
        }

        #[test]
        fn units_survive(units in prop::collection::vec(unit(), 0..20), cut in 0usize..24) {
            let text = wtf8(&units);
            prop_assert_eq!(utf16_len(&text), units.len());
            prop_assert_eq!(utf16_units(&text).collect::<Vec<_>>(), units.clone());
            let prefix = wtf8(&units[..cut.min(units.len())]);
            prop_assert_eq!(&*utf16_prefix(&text, cut), &prefix[..]);
            prop_assert_eq!(to_well_formed(&text), String::from_utf16_lossy(&units));
        }

        #[test]
        fn nothing_panics_on_bytes_that_are_no_text(bytes in prop::collection::vec(any::<u8>(), 0..16)) {
            let _ = (utf16_len(&bytes), js_trim(&bytes).len(), to_well_formed(&bytes));
            let _ = (utf16_prefix(&bytes, 3).len(), js_lowercase_eq_ascii(&bytes, "k"));
        }
    }

    /// A unit: plain, white space, or half of a surrogate pair.
    fn unit() -> impl Strategy<Value = u16> {
        prop_oneof![0x20u16..0x7F, any::<u16>(), 0xD800u16..0xDC00, 0xDC00u16..0xE000, Just(0xFEFF)]
    }
}
