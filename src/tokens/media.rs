//! What images cost, by the size that their header says and the rule of the provider.
//!
//! Only the header is read, out of the base64 as it stands: a few dozen bytes, or of a JPEG a few segments. Nothing of a
//! picture is decoded, and what cannot be read costs the flat price.

use crate::json::Value;

/// Tokens of an image, document or sound whose size is not known: an address, a stored file, a PDF, binary data of the
/// host's. Providers bill 1 000 to 2 000 for a screenshot.
pub const FLAT: u64 = 1000;

/// The rule of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// Width × height / 750, scaled down to 1,568 pixels a side and about 1,600 tokens before ("Vision", "Calculate image
    /// costs", in Anthropic's documentation).
    Anthropic,
    /// 85, and 170 for each tile of 512 pixels a side, scaled down to 2,048 pixels and to 768 on the shorter side before; 85
    /// at low detail ("Images and vision", "Calculating costs", in OpenAI's documentation, for GPT-4o).
    OpenAi,
    /// 258 for each tile; one tile where both sides are at most 384 pixels. Else a tile is two thirds of the shorter side, from
    /// 256 to 768 pixels ("Understand and count tokens" and "Image understanding" in the documentation of the Gemini API).
    Gemini,
}

impl Images {
    /// Tokens of an image of so many pixels.
    ///
    /// ```
    /// use plica::tokens::media::Images;
    /// assert_eq!(Images::Anthropic.tokens(1000, 1000, false), 1334);
    /// assert_eq!(Images::OpenAi.tokens(1024, 1024, false), 765);
    /// assert_eq!(Images::Gemini.tokens(960, 540, false), 6 * 258);
    /// ```
    pub fn tokens(self, width: u32, height: u32, low_detail: bool) -> u64 {
        let (width, height) = (u64::from(width.max(1)), u64::from(height.max(1)));
        match self {
            Images::Anthropic => {
                let (width, height) = scaled(width, height, width.max(height), 1568);
                (width * height).div_ceil(750).min(1600)
            }
            Images::OpenAi if low_detail => 85,
            Images::OpenAi => {
                let (width, height) = scaled(width, height, width.max(height), 2048);
                let (width, height) = scaled(width, height, width.min(height), 768);
                85 + 170 * width.div_ceil(512) * height.div_ceil(512)
            }
            Images::Gemini if width <= 384 && height <= 384 => 258,
            Images::Gemini => {
                let tile = (width.min(height) * 2 / 3).clamp(256, 768);
                // A side is at most 3,072 pixels there: what is larger is scaled down.
                let (width, height) = scaled(width, height, width.max(height), 3072);
                258 * width.div_ceil(tile) * height.div_ceil(tile)
            }
        }
    }
}

/// Both sides, scaled down so that `side` is at most `most`.
fn scaled(width: u64, height: u64, side: u64, most: u64) -> (u64, u64) {
    if side <= most {
        return (width, height);
    }
    ((width * most / side).max(1), (height * most / side).max(1))
}

/// Tokens of a part with inlined data.
pub(super) fn tokens(rule: Images, data: Value<'_>, raw: Value<'_>) -> u64 {
    let Some(text) = data.text() else { return FLAT };
    let Some((width, height)) = size(&text) else { return FLAT };
    rule.tokens(width, height, is_low(raw))
}

fn is_low(raw: Value<'_>) -> bool {
    let detail = raw.get("detail").or_else(|| raw.get("image_url").and_then(|image| image.get("detail")));
    detail.is_some_and(|detail| detail.is_str("low"))
}

/// Width and height of an image in base64, with or without `data:…;base64,` in front; `None` if it is none that is known.
///
/// ```
/// let gif = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
/// assert_eq!(plica::tokens::media::size(gif.as_bytes()), Some((1, 1)));
/// ```
pub fn size(text: &[u8]) -> Option<(u32, u32)> {
    let bytes = Base64::of(text);
    let (width, height) =
        png(bytes).or_else(|| gif(bytes)).or_else(|| webp(bytes)).or_else(|| bmp(bytes)).or_else(|| jpeg(bytes))?;
    (width > 0 && height > 0).then_some((width, height))
}

/// Bytes by their place, out of base64.
#[derive(Clone, Copy)]
struct Base64<'t>(&'t [u8]);

/// A `data:` address says no more than this before its data.
const LONGEST_PREAMBLE: usize = 256;

impl<'t> Base64<'t> {
    fn of(text: &'t [u8]) -> Self {
        if !text.starts_with(b"data:") {
            return Base64(text);
        }
        let head = &text[..text.len().min(LONGEST_PREAMBLE)];
        Base64(memchr::memchr(b',', head).map_or(&[], |comma| &text[comma + 1..]))
    }

    fn byte(self, at: usize) -> Option<u8> {
        let (group, place) = (at / 3 * 4, at % 3);
        let digit = |i: usize| value(*self.0.get(group + i)?);
        let (high, low) = (digit(place)?, digit(place + 1)?);
        Some((high << (2 + 2 * place) | low >> (4 - 2 * place)) as u8)
    }

    fn is(self, at: usize, expected: &[u8]) -> bool {
        expected.iter().enumerate().all(|(i, byte)| self.byte(at + i) == Some(*byte))
    }

    /// A number of `count` bytes, the first the highest.
    fn big(self, at: usize, count: usize) -> Option<u32> {
        (at..at + count).try_fold(0, |sum, at| Some(sum << 8 | u32::from(self.byte(at)?)))
    }

    /// The same, the first the lowest.
    fn little(self, at: usize, count: usize) -> Option<u32> {
        (at..at + count).rev().try_fold(0, |sum, at| Some(sum << 8 | u32::from(self.byte(at)?)))
    }
}

fn value(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

type Size = Option<(u32, u32)>;

fn png(bytes: Base64<'_>) -> Size {
    let is = bytes.is(0, b"\x89PNG\r\n\x1a\n") && bytes.is(12, b"IHDR");
    is.then_some((bytes.big(16, 4)?, bytes.big(20, 4)?))
}

fn gif(bytes: Base64<'_>) -> Size {
    let is = bytes.is(0, b"GIF87a") || bytes.is(0, b"GIF89a");
    is.then_some((bytes.little(6, 2)?, bytes.little(8, 2)?))
}

fn webp(bytes: Base64<'_>) -> Size {
    if !(bytes.is(0, b"RIFF") && bytes.is(8, b"WEBPVP8")) {
        return None;
    }
    match bytes.byte(15)? {
        b' ' => Some((bytes.little(26, 2)? & 0x3fff, bytes.little(28, 2)? & 0x3fff)),
        b'L' => {
            let bits = bytes.little(21, 4)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b'X' => Some((bytes.little(24, 3)? + 1, bytes.little(27, 3)? + 1)),
        _ => None,
    }
}

fn bmp(bytes: Base64<'_>) -> Size {
    // Headers of 40 bytes and more; a height below zero counts from the top.
    let is = bytes.is(0, b"BM") && bytes.little(14, 4)? >= 40;
    is.then_some((bytes.little(18, 4)?, (bytes.little(22, 4)? as i32).unsigned_abs()))
}

/// Segments of a JPEG that are looked at before its size must have come.
const MOST_SEGMENTS: usize = 64;

fn jpeg(bytes: Base64<'_>) -> Size {
    if !bytes.is(0, b"\xff\xd8") {
        return None;
    }
    let mut at = 2;
    for _ in 0..MOST_SEGMENTS {
        if bytes.byte(at)? != 0xff {
            return None;
        }
        match bytes.byte(at + 1)? {
            // Padding, and markers without a segment.
            0xff => at += 1,
            0x01 | 0xd0..=0xd7 => at += 2,
            // Frames, but not the tables between their numbers.
            0xc0..=0xcf if !matches!(bytes.byte(at + 1)?, 0xc4 | 0xc8 | 0xcc) => {
                return Some((bytes.big(at + 7, 2)?, bytes.big(at + 5, 2)?));
            }
            // The picture begins, or ends.
            0xd9 | 0xda => return None,
            _ => at += 2 + bytes.big(at + 2, 2)?.max(2) as usize,
        }
    }
    None
}
