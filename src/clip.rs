//! Long text cut down to its head and tail, with the cut marked and never inside a character; and which tool results of
//! a tail to cut down so that it fits.

use crate::edit::{Draft, Paths, Set, Step};
use crate::error::{Error, ErrorCode, Result};
use crate::formats::Format;
use crate::json::{write_string, Kind, Tape, Value};
use crate::message::Part;
use crate::order::sort_by_key;
use crate::outline::{object, LinkKind, Outline};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// At most `limit` bytes of `text` beside the mark: three fifths from the head, the rest from the tail.
///
/// ```
/// let clipped = plica::clip::clip("0123456789", 5);
/// assert_eq!(clipped, "012 […5 bytes cut…] 89");
/// ```
pub fn clip(text: &str, limit: usize) -> Cow<'_, str> {
    clip_by(text, limit, char::len_utf8)
}

/// The same, with a price for each character.
fn clip_by(text: &str, limit: usize, price: impl Fn(char) -> usize) -> Cow<'_, str> {
    let within = |chars: &mut dyn Iterator<Item = char>, most: usize| {
        let mut spent = 0;
        let affordable = chars.take_while(|c| {
            spent += price(*c);
            spent <= most
        });
        affordable.map(char::len_utf8).sum::<usize>()
    };
    if within(&mut text.chars(), limit) == text.len() {
        return Cow::Borrowed(text);
    }
    let head = within(&mut text.chars(), limit * 3 / 5);
    let tail = text.len() - within(&mut text[head..].chars().rev(), limit - limit * 3 / 5);
    Cow::Owned(format!("{} […{} bytes cut…] {}", &text[..head], tail - head, &text[tail..]))
}

/// Bytes that a character takes in JSON.
fn json_price(c: char) -> usize {
    match c {
        '"' | '\\' | '\u{8}' | '\t' | '\n' | '\u{c}' | '\r' => 2,
        '\0'..='\u{1f}' => 6,
        _ => c.len_utf8(),
    }
}

/// A tool result to clip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct ClipOffer {
    /// Index of the message.
    pub index: u32,
    /// Index of the part in it, as its format reports them.
    pub part: u32,
    /// Id of the call that it answers.
    pub id: String,
    /// Size of its texts as the estimate counts them, in UTF-8 bytes: as JSON, or as text.
    pub bytes: u32,
    /// Bytes of its texts to keep, head and tail, counted the same way, so that the tail fits.
    pub keep: u32,
}

/// A result is not cut down to less: head and tail of that size still say what it was.
const LEAST: u32 = 600;

/// Room for the mark of the cut.
pub(crate) const MARK: u32 = 64;

/// The results from message `first` on whose clipping brings `tokens` down to the budget, the largest first; as many as it
/// takes, or all that are worth it where that is not enough. None when nothing is over.
pub fn offers(outline: &Outline, first: usize, tokens: u64, budget: f64) -> Vec<ClipOffer> {
    // Three bytes are a token of the estimate that sizes are known by.
    let mut excess = ((tokens as f64 - budget).clamp(0.0, 1e15) * 3.0).ceil() as u64;
    let from = outline.links.partition_point(|link| (link.message as usize) < first);
    let large = |link: &&crate::outline::Link| link.kind == LinkKind::Result && link.bytes > LEAST + MARK;
    let mut results: Vec<&crate::outline::Link> = outline.links[from..].iter().filter(large).collect();
    sort_by_key(&mut results, |link| std::cmp::Reverse(link.bytes));
    let mut offers = Vec::new();
    for link in results {
        if excess == 0 {
            break;
        }
        let most = u64::from(link.bytes - LEAST - MARK);
        let cut = excess.saturating_add(3).min(most);
        excess = excess.saturating_sub(cut);
        offers.push(ClipOffer {
            index: link.message,
            part: link.part,
            id: outline.ids[link.id as usize].clone(),
            bytes: link.bytes,
            keep: link.bytes - MARK - cut as u32,
        });
    }
    offers
}

/// Clips results, each as its offer says; everything else stays as it is.
///
/// # Errors
/// [`ErrorCode::BadMessage`]; [`ErrorCode::BadPlan`] for an offer that names no result.
pub fn results<T: AsRef<[u8]>>(messages: &[T], format: Format, offers: &[ClipOffer]) -> Result<Vec<Draft>> {
    let mut drafts: Vec<Draft> = (0..messages.len() as u32).map(Draft::original).collect();
    let mut tape = Tape::new();
    for offer in offers {
        let bad =
            || Error::new(ErrorCode::BadPlan, format!("message {} has no result at part {}", offer.index, offer.part));
        let text = messages.get(offer.index as usize).ok_or_else(bad)?;
        let message = object(&mut tape, text.as_ref(), offer.index as usize)?;
        let (id, content) = result_at(message, format, offer.part).ok_or_else(bad)?;
        let content = content.ok_or_else(bad)?;
        let other = id.filter(|id| !offer.id.is_empty() && *id != offer.id);
        if let Some(id) = other {
            let message = format!(
                "part {} of message {} is the result of {id:?}, not of {:?}",
                offer.part, offer.index, offer.id
            );
            return Err(Error::new(ErrorCode::BadPlan, message));
        }
        drafts[offer.index as usize].sets.extend(clipped(message, content, format, offer.keep));
    }
    Ok(drafts)
}

/// The id and the content of the result at a part.
fn result_at(message: Value<'_>, format: Format, part: u32) -> Option<ResultAt<'_>> {
    let (mut place, mut found) = (0, None);
    format.reader().parts(message, &mut |of| {
        if let (true, Part::Result { id, content, .. }) = (place == part, of) {
            found = Some((id.map(Value::text_lossy).filter(|id| !id.is_empty()), content));
        }
        place += 1;
    });
    found
}

type ResultAt<'d> = (Option<Cow<'d, str>>, Option<Value<'d>>);

/// The texts of a content that are to be cut, so that `keep` bytes of all of them are left: the long ones share what the
/// short ones leave. Media are not text.
fn clipped(message: Value<'_>, content: Value<'_>, format: Format, keep: u32) -> Vec<Set> {
    let counts_text = format.reader().counts_text() && content.kind() == Kind::String;
    let char_price = if counts_text { char::len_utf8 } else { json_price };
    let price = |text: &str| text.chars().map(char_price).sum::<usize>();
    let mut paths = Paths::default();
    let priced = |text: Value<'_>| {
        let (path, text) = (paths.to(0, message, text), text.text_lossy().into_owned());
        (price(&text), path, text)
    };
    let mut texts: Vec<(usize, Vec<Step>, String)> = texts_of(content).map(priced).collect();
    sort_by_key(&mut texts, |(price, ..)| *price);
    let (mut left, mut count) = (keep as usize, texts.len());
    let mut sets = Vec::new();
    for (price, path, text) in texts {
        let share = left / count.max(1);
        count -= 1;
        left -= share.min(price);
        if let Cow::Owned(short) = clip_by(&text, share.max(LEAST_TEXT), char_price) {
            let mut value = Vec::new();
            write_string(short.as_bytes(), &mut value);
            sets.push(Set { path, value: Some(String::from_utf8_lossy(&value).into_owned()) });
        }
    }
    sets
}

/// A text is not cut down to less, and a shorter one is left alone: what has a meaning of its own (types, ids) is short.
const LEAST_TEXT: usize = 200;

/// Members whose strings are no text: what they name would be lost, or a picture torn.
const NO_TEXT: [&str; 12] = [
    "type",
    "id",
    "url",
    "image_url",
    "uri",
    "data",
    "file_data",
    "base64",
    "image",
    "mimeType",
    "media_type",
    "encrypted_content",
];

/// The strings in a result's content that can be cut down, long ones alone.
pub(crate) fn texts_of(content: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let mut open = vec![content];
    std::iter::from_fn(move || {
        while let Some(next) = open.pop() {
            open.extend(next.items());
            open.extend(next.entries().filter(|(key, _)| !key.is_any(&NO_TEXT)).map(|(_, value)| value));
            let data = || next.raw().starts_with(b"\"data:");
            if next.kind() == Kind::String && next.raw().len() > LEAST_TEXT + MARK as usize && !data() {
                return Some(next);
            }
        }
        None
    })
}

/// Bytes of a result's content that can be cut down, counted as its estimate counts them.
pub(crate) fn clippable(content: Value<'_>, counts_text: bool) -> u32 {
    let price = |text: Value<'_>| match text.text() {
        Some(plain) if counts_text && content.kind() == Kind::String => plain.len(),
        _ => text.compact_len(),
    };
    texts_of(content).map(price).sum::<usize>().min(u32::MAX as usize) as u32
}
