//! Session files whose messages become those of another format.

use super::{convert_marked, Loss};
use crate::error::Result;
use crate::formats::Format;
use crate::message::Provenance;
use crate::session::{read_session, SessionKind, SessionProblem};
use serde::Serialize;

/// What converting a file did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct ConversionReport {
    /// Kind of the file.
    pub kind: SessionKind,
    /// Format of its messages, by name.
    pub from: String,
    /// Format that they have now, by name.
    pub to: String,
    /// Messages in the file's current window.
    pub messages_before: u32,
    /// Messages that were written.
    pub messages_after: u32,
    /// What could not be carried over, by message.
    pub losses: Vec<Loss>,
    /// What was wrong with the file, by line.
    pub problems: Vec<SessionProblem>,
}

/// A converted file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedFile {
    /// A JSON array with one message a line.
    pub conversation: String,
    /// What was done.
    pub report: ConversionReport,
}

/// Converts the current window of a session file. Numbers and strings keep the file's spelling.
///
/// # Errors
/// Those of [`read_session`].
pub fn convert_file(source: &[u8], to: Format) -> Result<ConvertedFile> {
    let session = read_session(source)?;
    let texts: Vec<&[u8]> = session.messages.iter().map(|message| message.json.as_ref()).collect();
    let marked = session.messages.iter().enumerate().filter(|(_, message)| message.provenance != Provenance::Plain);
    let marks: Vec<(u32, Provenance)> = marked.map(|(index, message)| (index as u32, message.provenance)).collect();
    let converted = convert_marked(&texts, &marks, session.format, to)?;
    // A message may be spread over lines in the file; line breaks inside strings are escaped.
    let line = |message: &String| message.replace(['\n', '\r'], " ");
    let lines: Vec<String> = converted.messages.iter().map(line).collect();
    let conversation = if lines.is_empty() { "[]\n".to_string() } else { format!("[\n{}\n]\n", lines.join(",\n")) };
    let report = ConversionReport {
        kind: session.kind,
        from: session.format.name().into(),
        to: to.name().into(),
        messages_before: texts.len() as u32,
        messages_after: converted.messages.len() as u32,
        losses: converted.losses,
        problems: session.problems,
    };
    Ok(ConvertedFile { conversation, report })
}
