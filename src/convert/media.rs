//! Media of every format, read by the names of their members: the formats differ in how deep they keep them, and in little
//! else. Blocks of one format are met in messages of another, so this is one place for all.

use super::turn::Json;
use crate::json::{Kind, Value};
use std::borrow::Cow;

/// An image, a document, a sound.
#[derive(Debug, Clone)]
pub struct Media<'m> {
    /// What it is.
    pub kind: MediaKind,
    /// Its media type; always known of what is inlined.
    pub media_type: Option<String>,
    /// Where it is.
    pub source: MediaSource,
    /// Its file name, as a JSON string.
    pub name: Option<Json<'m>>,
}

/// What a medium is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A sound.
    Audio,
    /// Anything else.
    File,
}

/// Where a medium is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaSource {
    /// In the message, as base64.
    Inline(String),
    /// Elsewhere.
    Url(String),
}

/// Where in a conversation a medium stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// In what the user says.
    User,
    /// In what the model says.
    Model,
    /// In what a tool gave.
    Result,
}

/// Types of blocks that are media, in any format.
const TYPES: [&str; 15] = [
    "image",
    "image_url",
    "input_image",
    "input_file",
    "input_audio",
    "file",
    "document",
    "media",
    "audio",
    "video",
    "image-data",
    "file-data",
    "image-url",
    "file-url",
    "computer_screenshot",
];

/// Objects that hold the members of a medium, where the block itself does not.
const HOLDERS: [&str; 8] =
    ["source", "image_url", "input_audio", "file", "inlineData", "inline_data", "fileData", "file_data"];

const MEDIA_TYPES: [&str; 4] = ["media_type", "mediaType", "mimeType", "mime_type"];

const DATA: [&str; 10] =
    ["data", "base64", "url", "image_url", "image", "file_data", "file", "audio", "fileUri", "file_uri"];

const NAMES: [&str; 3] = ["filename", "displayName", "display_name"];

/// Members of media that a conversion carries over.
pub const MEMBERS: [&str; 24] = [
    "type",
    "source",
    "source_type",
    "image_url",
    "input_audio",
    "file",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "media_type",
    "mediaType",
    "mimeType",
    "mime_type",
    "format",
    "data",
    "base64",
    "url",
    "image",
    "audio",
    "fileUri",
    "file_uri",
    "file_url",
    "filename",
];

/// How base64 of a file begins whose media type nobody wrote down, by the marks that such files begin with.
const MARKS: [(&str, &str); 5] = [
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi0", "application/pdf"),
];

/// So much of a text is looked at to tell whether it is base64.
const LOOKED_AT: usize = 64;

/// Whether a block is one of media.
pub fn is_media(block: Value<'_>) -> bool {
    let typed = block.get("type").is_some_and(|kind| kind.is_any(&TYPES));
    typed || ["inlineData", "inline_data", "fileData", "file_data"].iter().any(|key| block.get(key).is_some())
}

/// The medium of a block; `None` where it is known by an id, or of a kind that only its own format has.
pub fn read<'m>(block: Value<'_>) -> Option<Media<'m>> {
    let holders = || HOLDERS.iter().filter_map(|key| block.get(key)).filter(|held| held.kind() == Kind::Object);
    let of = |keys: &[&str]| {
        std::iter::once(block).chain(holders()).find_map(|held| keys.iter().find_map(|key| held.get_str(key)))
    };
    // Text and blocks as the source of a document are no bytes.
    let texts = holders().any(|held| held.get("type").is_some_and(|kind| kind.is_any(&["text", "content"])));
    let data = of(&DATA).or_else(|| block.get_str("file_url")).filter(|_| !texts)?.text_lossy();
    let audio = || of(&["format"]).map(|format| Cow::Owned(format!("audio/{}", format.text_lossy())));
    let written = of(&MEDIA_TYPES).map(Value::text_lossy).or_else(audio);
    let (media_type, source) = located(&data, written.as_deref())?;
    let kind = kind(block, media_type.as_deref());
    let name = of(&NAMES).map(|name| Cow::Owned(String::from_utf8_lossy(name.raw()).into_owned()));
    Some(Media { kind, media_type, source, name })
}

/// Media type and place of what is written down as a data URL, an address or base64.
fn located(data: &str, written: Option<&str>) -> Option<(Option<String>, MediaSource)> {
    if let Some(rest) = data.strip_prefix("data:") {
        let (head, body) = rest.split_once(',')?;
        let own = head.strip_suffix(";base64")?.split(';').next().filter(|own| !own.is_empty());
        let media_type = own.or(written)?.to_string();
        return Some((Some(media_type), MediaSource::Inline(body.into())));
    }
    if data.split_once("://").is_some_and(|(scheme, _)| scheme.len() <= 5) {
        return Some((written.map(str::to_string), MediaSource::Url(data.into())));
    }
    // What is left of binary data, or of a file that the provider keeps, is no base64.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_\r\n".contains(&byte);
    if data.is_empty() || !data.bytes().take(LOOKED_AT).all(plain) {
        return None;
    }
    let guess = || MARKS.iter().find(|(mark, _)| data.starts_with(mark)).map(|(_, media_type)| *media_type);
    let media_type = written.filter(|written| written.contains('/') && !written.ends_with("/*")).or_else(guess)?;
    Some((Some(media_type.into()), MediaSource::Inline(data.into())))
}

fn kind(block: Value<'_>, media_type: Option<&str>) -> MediaKind {
    let is = |kinds: &[&str]| block.get("type").is_some_and(|kind| kind.is_any(kinds));
    let starts = |start: &str| media_type.is_some_and(|media_type| media_type.starts_with(start));
    if starts("image/") || is(&["image", "image_url", "input_image", "image-data", "image-url", "computer_screenshot"])
    {
        MediaKind::Image
    } else if starts("audio/") || is(&["audio", "input_audio"]) {
        MediaKind::Audio
    } else {
        MediaKind::File
    }
}

impl Media<'_> {
    /// The base64 text, if it is inlined.
    pub fn inline(&self) -> Option<&str> {
        match &self.source {
            MediaSource::Inline(data) => Some(data),
            MediaSource::Url(_) => None,
        }
    }

    /// Its address: a data URL, if it is inlined.
    pub fn url(&self) -> String {
        match &self.source {
            MediaSource::Inline(data) => format!("data:{};base64,{data}", self.type_or("")),
            MediaSource::Url(url) => url.clone(),
        }
    }

    /// What the source is as it stands: base64, or an address.
    pub fn raw(&self) -> &str {
        match &self.source {
            MediaSource::Inline(text) | MediaSource::Url(text) => text,
        }
    }

    /// The media type.
    pub fn type_or<'a>(&'a self, otherwise: &'a str) -> &'a str {
        self.media_type.as_deref().unwrap_or(otherwise)
    }

    /// Whether it is an image.
    pub fn is_image(&self) -> bool {
        self.kind == MediaKind::Image
    }

    /// Whether it is a PDF document.
    pub fn is_pdf(&self) -> bool {
        self.media_type.as_deref() == Some("application/pdf")
    }
}
