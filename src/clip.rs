//! Long text cut down to its head and tail, with the cut marked and never inside a character; and which tool results of
//! a tail to cut down so that it fits.

use crate::edit::{Draft, Paths, Set, Step};
use crate::error::{Error, ErrorCode, Result};
use crate::formats::{Format, MessageFormat};
use crate::json::{write_string, Kind, Tape, Value};
use crate::message::Part;
use crate::order::sort_by_key;
use crate::outline::{object, Link, LinkKind, Outline};
use crate::tokens::{text_starts, Estimator};
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
    /// Tokens that its texts may cost, by the balanced estimate: `keep` is about as much, and this is what counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub tokens: Option<u32>,
}

/// What could be cut down of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clippable {
    /// Size of its long texts as the conservative estimate counts them, in UTF-8 bytes.
    pub bytes: u32,
    /// Tokens of them by the balanced estimate, where messages are read by it.
    pub tokens: Option<u32>,
}

/// A result is not cut down to less: head and tail of that size still say what it was.
const LEAST: u32 = 600;

/// Room for the mark of the cut.
pub(crate) const MARK: u32 = 64;

/// The same in tokens, mark and all.
const LEAST_TOKENS: u32 = 220;

/// The results from message `first` on whose clipping brings `tokens` down to the budget, the largest first; as many as it
/// takes, or all that are worth it where that is not enough. None when nothing is over.
pub fn offers(outline: &Outline, first: usize, tokens: u64, budget: f64) -> Vec<ClipOffer> {
    let excess = (tokens as f64 - budget).clamp(0.0, 1e15);
    if excess == 0.0 {
        return Vec::new();
    }
    let links = outline.links_in(first..outline.len());
    let results = || links.iter().filter(|link| link.kind == LinkKind::Result);
    if links.iter().any(|link| link.long.tokens.is_some()) {
        let large: Vec<&Link> = results().filter(|link| link.long.tokens > Some(LEAST_TOKENS)).collect();
        return offers_by_tokens(outline, large, excess.ceil() as u64);
    }
    let large: Vec<&Link> = results().filter(|link| link.long.bytes > LEAST + MARK).collect();
    // Three bytes are a token of the conservative estimate.
    offers_by_bytes(outline, large, (excess * 3.0).ceil() as u64)
}

fn offers_by_bytes(outline: &Outline, mut results: Vec<&Link>, mut excess: u64) -> Vec<ClipOffer> {
    sort_by_key(&mut results, |link| std::cmp::Reverse(link.long.bytes));
    let mut offers = Vec::new();
    for link in results {
        if excess == 0 {
            break;
        }
        let bytes = link.long.bytes;
        let cut = excess.saturating_add(3).min(u64::from(bytes - LEAST - MARK));
        excess = excess.saturating_sub(cut);
        offers.push(offer(outline, link, bytes - MARK - cut as u32, None));
    }
    offers
}

fn offers_by_tokens(outline: &Outline, mut results: Vec<&Link>, mut excess: u64) -> Vec<ClipOffer> {
    let cost = |link: &Link| link.long.tokens.unwrap_or(0);
    sort_by_key(&mut results, |link| std::cmp::Reverse(cost(link)));
    let mut offers = Vec::new();
    for link in results {
        if excess == 0 {
            break;
        }
        let cut = excess.min(u64::from(cost(link) - LEAST_TOKENS));
        excess -= cut;
        let left = cost(link) - cut as u32;
        let keep = u64::from(link.long.bytes) * u64::from(left) / u64::from(cost(link));
        offers.push(offer(outline, link, keep as u32, Some(left)));
    }
    offers
}

fn offer(outline: &Outline, link: &Link, keep: u32, tokens: Option<u32>) -> ClipOffer {
    let id = outline.ids.text(link.id);
    ClipOffer { index: link.message, part: link.part, id, bytes: link.long.bytes, keep, tokens }
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
        drafts[offer.index as usize].sets.extend(clipped(message, content, format, offer));
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

/// The texts of a content that are to be cut, so that what the offer says is left of them. Media are not text.
fn clipped(message: Value<'_>, content: Value<'_>, format: Format, offer: &ClipOffer) -> Vec<Set> {
    let texts = Texts::of(message, content, format);
    let keep = match offer.tokens {
        Some(tokens) => texts.keep_within(tokens),
        None => offer.keep as usize,
    };
    let set = |(text, short): (&Long, String)| {
        let mut value = Vec::new();
        write_string(short.as_bytes(), &mut value);
        Set { path: text.path.clone(), value: Some(String::from_utf8_lossy(&value).into_owned()) }
    };
    texts.cut(keep).map(set).collect()
}

/// A text that can be cut.
struct Long {
    /// Its bytes, as the conservative estimate counts them.
    price: usize,
    path: Vec<Step>,
    text: String,
    /// The balanced estimate counts it as text, and not as JSON.
    is_text: bool,
}

impl Long {
    fn tokens(&self, text: &str) -> u64 {
        if self.is_text {
            return Estimator::Balanced.text(text.as_bytes());
        }
        let mut json = Vec::new();
        write_string(text.as_bytes(), &mut json);
        Estimator::Balanced.text(&json) + JSON_SLACK
    }
}

/// A string inside JSON may cost so much more than on its own, by what stands around it.
const JSON_SLACK: u64 = 3;

/// The long texts of a result, the shortest first.
struct Texts {
    long: Vec<Long>,
    char_price: fn(char) -> usize,
}

impl Texts {
    fn of(message: Value<'_>, content: Value<'_>, format: Format) -> Texts {
        let reader = format.reader();
        let counts_text = reader.counts_text() && content.kind() == Kind::String;
        let char_price: fn(char) -> usize = if counts_text { char::len_utf8 } else { json_price };
        let starts = text_starts(reader, content);
        let mut paths = Paths::default();
        let long = |value: Value<'_>| {
            let text = value.text_lossy().into_owned();
            let is_text = starts.binary_search(&value.span().start).is_ok();
            Long { price: text.chars().map(char_price).sum(), path: paths.to(0, message, value), text, is_text }
        };
        let mut long: Vec<Long> = texts_of(content).map(long).collect();
        sort_by_key(&mut long, |text| text.price);
        Texts { long, char_price }
    }

    /// The texts that `keep` bytes of all of them cut, and what is left: the long ones share what the short ones leave.
    fn cut(&self, keep: usize) -> impl Iterator<Item = (&Long, String)> {
        let (mut left, mut count) = (keep, self.long.len());
        self.long.iter().filter_map(move |long| {
            let share = left / count.max(1);
            count -= 1;
            left -= share.min(long.price);
            match clip_by(&long.text, share.max(LEAST_TEXT), self.char_price) {
                Cow::Owned(short) => Some((long, short)),
                Cow::Borrowed(_) => None,
            }
        })
    }

    /// The most bytes to keep that cost no more tokens; 0 where none do.
    fn keep_within(&self, tokens: u32) -> usize {
        let costs: Vec<u64> = self.long.iter().map(|long| long.tokens(&long.text)).collect();
        let whole: u64 = costs.iter().sum();
        let fits = |keep: usize| {
            let mut cost = whole;
            let mut changed = self.cut(keep).peekable();
            // Texts and their costs are in the same order.
            for (long, old) in self.long.iter().zip(&costs) {
                if let Some((_, short)) = changed.next_if(|(of, _)| std::ptr::eq(*of, long)) {
                    cost = cost - old + long.tokens(&short);
                }
            }
            cost <= u64::from(tokens)
        };
        let (mut low, mut high) = (0, self.long.iter().map(|long| long.price).sum::<usize>() + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if fits(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
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

/// What of a result's content can be cut down.
/// `known` are its tokens where it is a string that was counted already.
pub(crate) fn clippable(
    content: Value<'_>,
    reader: &dyn MessageFormat,
    estimator: Estimator,
    known: Option<u64>,
) -> Clippable {
    let price = |text: Value<'_>| match text.text() {
        Some(plain) if reader.counts_text() && content.kind() == Kind::String => plain.len(),
        _ => text.compact_len(),
    };
    let bytes = texts_of(content).map(price).sum::<usize>().min(u32::MAX as usize) as u32;
    let tokens = (estimator == Estimator::Balanced).then(|| {
        if let Some(known) = known.filter(|_| bytes > 0) {
            return known.min(u64::from(u32::MAX)) as u32;
        }
        let starts = if bytes == 0 { Vec::new() } else { text_starts(reader, content) };
        let cost = |value: Value<'_>| match value.text() {
            Some(text) if starts.binary_search(&value.span().start).is_ok() => Estimator::Balanced.text(&text),
            _ => Estimator::Balanced.text(value.raw()),
        };
        texts_of(content).map(cost).sum::<u64>().min(u64::from(u32::MAX)) as u32
    });
    Clippable { bytes, tokens }
}
