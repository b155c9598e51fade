//! The conservative estimate: a third of the UTF-8 bytes, rounded up.
//!
//! It overcounts English by half and undercounts base64, hex and minified JSON by up to half: a
//! mode to be compatible with, not the best there can be.

use crate::formats::MessageFormat;
use crate::json::Value;
use crate::message::Part;

/// Tokens for the envelope of a message, whatever is in it. The drop-in value.
pub const PER_MESSAGE: u64 = 8;

/// Tokens for an image, document or sound, whatever its size. Its base64 is never counted as text.
pub const MEDIA: u64 = super::media::FLAT;

/// Tokens of `bytes` bytes of UTF-8 text.
///
/// ```
/// assert_eq!(plica::tokens::conservative::of_bytes("日本語".len()), 3);
/// ```
pub fn of_bytes(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(3)
}

/// Tokens of a JSON string's text.
pub fn of_text(text: Value<'_>) -> u64 {
    of_bytes(text.text().map_or(0, |text| text.len()))
}

/// Tokens of `value`'s compact JSON, less the inlined data of the media that `parts` reports, plus
/// the flat price of each.
pub fn json_without_media<'d>(value: Value<'d>, parts: impl FnOnce(&mut dyn FnMut(Part<'d>))) -> u64 {
    let (mut data_bytes, mut media) = (0, 0);
    parts(&mut |part| {
        if let Part::Media { data, .. } = part {
            media += 1;
            data_bytes += data.map_or(0, |data| data.compact_len() - 2);
        }
    });
    of_bytes(value.compact_len().saturating_sub(data_bytes)) + media * MEDIA
}

/// The conservative estimate of a whole message by its JSON.
pub fn json_message<F: MessageFormat + ?Sized>(format: &F, message: Value<'_>) -> u64 {
    PER_MESSAGE + json_without_media(message, |visit| format.parts(message, visit))
}
