//! Long text cut down to its head and tail, with the cut marked and never inside a character.

use std::borrow::Cow;

/// At most `limit` bytes of `text` beside the mark: three fifths from the head, the rest from the tail.
///
/// ```
/// let clipped = plica::clip::clip("0123456789", 5);
/// assert_eq!(clipped, "012 […5 bytes cut…] 89");
/// ```
pub fn clip(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let head = floor_boundary(text, limit * 3 / 5);
    let tail = ceil_boundary(text, text.len() - (limit - limit * 3 / 5));
    Cow::Owned(format!("{} […{} bytes cut…] {}", &text[..head], tail - head, &text[tail..]))
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
