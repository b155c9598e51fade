//! Messages as the rules see them: their parts by kind, and where each stands.

use crate::error::Result;
use crate::formats::Format;
use crate::json::{Kind, Tape, Value};
use crate::message::{Approval, Part, Role};
use crate::outline::{object, Outline, Reading, Shape};
use crate::pairing::Pairing;
use crate::profile::Profile;
use crate::text::js_trim;
use std::ops::Range;

/// A place: a message, or an element of its list of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct At {
    /// Index of the message.
    pub message: u32,
    /// Index into its list; `None` for the message itself.
    pub item: Option<u32>,
}

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementKind {
    /// Text, and how much it says.
    Text(Saying),
    /// Reasoning; `refused` when it lacks its signature.
    Reasoning {
        /// Without signature or data.
        refused: bool,
    },
    /// A call, be it run by the provider or not.
    Call,
    /// A result.
    Result,
    /// A request for leave, or the use of one.
    Request,
    /// An answer to such a request.
    Answer,
    /// What the provider wrote in the place of messages.
    Summary,
    /// Anything else.
    Other,
}

/// How much a text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Saying {
    /// It has no length.
    Nothing,
    /// White space.
    Blank,
    /// Something.
    Words,
}

/// A part of a message.
#[derive(Debug, Clone, Copy)]
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// Index into the message's list of parts, where it is in there.
    pub item: Option<u32>,
    /// Index into [`Outline::links`].
    pub link: Option<u32>,
    /// It has an id that is a text of some length.
    pub has_id: bool,
    /// It is a call or result that has an id by design.
    pub wants_id: bool,
    /// It is a call whose result stands in the model's own message.
    pub inside: bool,
    /// How many seams between steps its message has in front of it.
    pub step: u32,
}

/// A message.
#[derive(Debug, Clone)]
pub struct Entry {
    elements: Range<usize>,
    /// Where the elements of its list lie in its text.
    pub(crate) items: Vec<Range<usize>>,
    /// Its own id, where the provider refuses two of the same.
    pub item_id: Option<String>,
    /// It stands for a message that the provider holds.
    pub is_reference: bool,
    /// Members that have to be set or removed.
    pub members: Vec<(&'static str, Option<String>)>,
    /// Members of its calls and results that have to be others.
    pub forms: Vec<Form>,
}

/// A member of a call or a result that the provider refuses as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Index into [`Outline::links`].
    pub link: u32,
    /// The way to it inside the part.
    pub path: Vec<&'static str>,
    /// The JSON that it takes.
    pub value: String,
}

/// A transcript, read for the rules.
pub struct View<'v> {
    /// Shapes, calls and results.
    pub outline: Outline,
    /// Pairs, as the provider reads them.
    pub pairing: Pairing,
    /// The texts.
    pub messages: Vec<&'v [u8]>,
    /// Some messages are references to what the provider holds.
    pub has_references: bool,
    entries: Vec<Entry>,
    elements: Vec<Element>,
}

impl<'v> View<'v> {
    /// Reads messages.
    ///
    /// # Errors
    /// [`crate::error::ErrorCode::BadMessage`].
    pub fn read<T: AsRef<[u8]>>(messages: &'v [T], format: Format) -> Result<View<'v>> {
        let outline = Outline::read(messages, Reading { format: Some(format), ..Reading::default() })?;
        let pairing = Pairing::by_message(&outline);
        let messages: Vec<&[u8]> = messages.iter().map(AsRef::as_ref).collect();
        let mut view = View {
            outline,
            pairing,
            has_references: false,
            entries: Vec::with_capacity(messages.len()),
            elements: Vec::new(),
            messages,
        };
        let mut tape = Tape::new();
        let mut link = 0;
        for index in 0..view.messages.len() {
            let message = object(&mut tape, view.messages[index], index)?;
            view.entry(format, message, &mut link);
        }
        Ok(view)
    }

    fn entry(&mut self, format: Format, message: Value<'_>, next_link: &mut u32) {
        let reader = format.reader();
        let items: Vec<Range<usize>> =
            reader.list(message).into_iter().flat_map(Value::items).map(Value::span).collect();
        let seams = reader.seams(message);
        let start = self.elements.len();
        let (elements, forms) = (&mut self.elements, &mut Vec::new());
        reader.parts(message, &mut |part| {
            let (kind, raw) = kind_of(&part);
            let at = raw.span().start;
            let item = items.partition_point(|item| item.end <= at);
            let (mut link, mut has_id, mut wants_id) = (None, false, false);
            if let Some(id) = linked_id(&part) {
                link = Some(*next_link);
                *next_link += 1;
                has_id = id.is_some_and(|id| id.kind() == Kind::String && id.raw().len() > 2);
                wants_id = !reader.id_path(message, raw, kind == ElementKind::Result).is_empty();
            }
            let step = seams.partition_point(|&seam| seam < at) as u32;
            if let (Some(link), Some((path, value))) = (link, reader.refused_form(&part)) {
                forms.push(Form { link, path, value });
            }
            let item = items.get(item).filter(|item| item.contains(&at)).map(|_| item as u32);
            let inside = kind == ElementKind::Call && reader.answered_inside(raw);
            elements.push(Element { kind, item, link, has_id, wants_id, inside, step });
        });
        let forms = std::mem::take(forms);
        let item_id = reader.item_id(message).map(|id| id.text_lossy().into_owned());
        let members = reader.refused_members(message);
        let is_reference = reader.is_reference(message);
        self.has_references |= is_reference;
        let elements = start..self.elements.len();
        self.entries.push(Entry { elements, items, item_id, is_reference, members, forms });
    }

    /// The demands of the format's provider.
    pub fn profile(&self) -> &'static Profile {
        self.outline.format.reader().profile()
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Shape of a message.
    pub fn shape(&self, index: usize) -> &Shape {
        &self.outline.shapes[index]
    }

    /// A message.
    pub fn message(&self, index: usize) -> &Entry {
        &self.entries[index]
    }

    /// The parts of a message.
    pub fn elements(&self, index: usize) -> &[Element] {
        &self.elements[self.entries[index].elements.clone()]
    }

    /// Whether neither side of the conversation speaks in it: system text, unknown kinds.
    pub fn is_silent(&self, index: usize) -> bool {
        matches!(self.shape(index).role, Role::System | Role::Other)
    }

    /// Whether it parts nothing: what comes before it and what comes behind are neighbours to the provider.
    pub fn is_aside(&self, index: usize) -> bool {
        match self.shape(index).role {
            Role::Other => true,
            Role::System => self.profile().system_apart,
            _ => false,
        }
    }

    /// The id of a link, for people.
    pub fn id(&self, link: u32) -> String {
        self.outline.ids.text(self.outline.links[link as usize].id)
    }

    /// For each link, where its part stands.
    pub fn places(&self) -> Vec<At> {
        let mut places = vec![At { message: 0, item: None }; self.outline.links.len()];
        for index in 0..self.len() {
            for element in self.elements(index) {
                if let Some(link) = element.link {
                    places[link as usize] = At { message: index as u32, item: element.item };
                }
            }
        }
        places
    }
}

/// The id of a part that the outline links, in the order of its links.
fn linked_id<'d>(part: &Part<'d>) -> Option<Option<Value<'d>>> {
    match part {
        Part::Call { id, .. } | Part::Result { id, .. } | Part::Approval { id, .. } => Some(*id),
        _ => None,
    }
}

fn kind_of<'d>(part: &Part<'d>) -> (ElementKind, Value<'d>) {
    match *part {
        Part::Text(text) => (ElementKind::Text(saying(text)), text),
        Part::Reasoning { text, signed, raw } => {
            let sealed = raw.get_str("data").is_none_or(|data| !is_blank(data));
            (ElementKind::Reasoning { refused: !(signed && (text.is_some() || sealed)) }, raw)
        }
        Part::Call { raw, .. } => (ElementKind::Call, raw),
        Part::Result { raw, .. } => (ElementKind::Result, raw),
        Part::Approval { step: Approval::Granted | Approval::Denied, raw, .. } => (ElementKind::Answer, raw),
        Part::Approval { raw, .. } => (ElementKind::Request, raw),
        Part::Summary(raw) => (ElementKind::Summary, raw),
        Part::Media { raw, .. } | Part::Other(raw) => (ElementKind::Other, raw),
    }
}

fn is_blank(text: Value<'_>) -> bool {
    js_trim(&text.text().unwrap_or_default()).is_empty()
}

fn saying(text: Value<'_>) -> Saying {
    if text.raw().len() <= 2 {
        Saying::Nothing
    } else if is_blank(text) {
        Saying::Blank
    } else {
        Saying::Words
    }
}
