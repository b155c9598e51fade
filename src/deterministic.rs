//! A digest without a model: built from the folded span by rules, same input, same text.
//!
//! It cannot understand, but it can quote: what the user asked, what was decided in so many words, which
//! rules were stated, which files and commands were involved, and where things stood at the end.

use crate::activity::{self, Activity, CommandActivity, FileActivity, Recorder, LEFT_OUT};
use crate::clip::clip;
use crate::digest::unframe;
use crate::error::Result;
use crate::formats::Format;
use crate::json::{Kind, Tape, Value};
use crate::message::{Part, Provenance, Role};
use crate::outline::object;
use crate::summarize::{arguments_text, result_text};
use crate::text::squeezed;
use crate::tools::ToolMeaning;
use crate::window::Span;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashSet;

/// The headings, in their order; the summarize request asks for the same.
pub const HEADINGS: [&str; 6] = ["GOAL", "STATE", "DECISIONS", "CONSTRAINTS", "FILES", "NEXT"];

const STATE: usize = 1;
const CONSTRAINTS: usize = 3;
const FILES: usize = 4;

// How the lines of STATE begin; an earlier digest is read back by them.
const SAID: &str = "Last said:";
const ERROR: &str = "Last error:";
const TASKS: &str = "Open on the task list:";
const COMMANDS: &str = "Commands run";

/// What is shown of a heading's first line however little room there is.
const FIRST_LINE_BYTES: usize = 120;

/// Room for "- ", a line break, the mark of a cut, and the count of lines left out.
const MARK_BYTES: usize = 64;

/// Share of the whole, in percent, that each heading may take. Requests and rules are what users miss
/// most after a fold; the rest can be looked up again.
const SHARES: [usize; 6] = [32, 22, 10, 16, 14, 6];

/// How large the digest may get.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DigestOptions {
    /// UTF-8 bytes at most, and a third of what folds at most; from about 1 200 on this is kept exactly, below that the six
    /// headings and their first lines take what they need.
    pub max_bytes: u32,
    /// What the tools of this conversation mean.
    pub tools: Vec<ToolMeaning>,
    /// What was done before earlier folds, by the index of their digests, the oldest first; of others the digest's text is read.
    pub earlier: Vec<(u32, Activity)>,
}

impl Default for DigestOptions {
    fn default() -> Self {
        // About 2 000 tokens: what a summary by a model usually takes.
        DigestOptions { max_bytes: 6000, tools: Vec::new(), earlier: Vec::new() }
    }
}

/// The text of a digest (without its frame) for the messages that fold.
///
/// # Errors
/// Those of [`Span::check`], and [`crate::error::ErrorCode::BadMessage`].
pub fn digest<T: AsRef<[u8]>>(
    messages: &[T],
    format: Format,
    span: &Span,
    provenance: &dyn Fn(usize) -> Option<Provenance>,
    options: &DigestOptions,
) -> Result<String> {
    span.check(messages.len())?;
    let mut tape = Tape::new();
    let mut notes = Notes::new(&options.tools);
    let digests: HashSet<u32> = options.earlier.iter().map(|&(at, _)| at).collect();
    for index in span.folded() {
        let message = object(&mut tape, messages[index].as_ref(), index)?;
        notes.bytes += message.raw().len();
        let known = digests.contains(&(index as u32)) && notes.done.add_known(&options.earlier, index);
        notes.message(format, message, provenance(index), known);
    }
    // A digest of a short span must not outgrow what it replaces.
    let limit = (notes.bytes / 3).max(300).min((options.max_bytes as usize).max(300));
    Ok(notes.render(limit))
}

struct Notes<'t> {
    bytes: usize,
    messages: usize,
    calls: usize,
    failed: usize,
    /// Lines of earlier digests, by heading.
    earlier: [Vec<String>; 6],
    requests: Vec<String>,
    said: String,
    last_error: String,
    decisions: Vec<String>,
    constraints: Vec<String>,
    done: Recorder<'t>,
    todos: Vec<String>,
    next: String,
}

impl<'t> Notes<'t> {
    fn new(tools: &'t [ToolMeaning]) -> Notes<'t> {
        Notes {
            bytes: 0,
            messages: 0,
            calls: 0,
            failed: 0,
            earlier: Default::default(),
            requests: Vec::new(),
            said: String::new(),
            last_error: String::new(),
            decisions: Vec::new(),
            constraints: Vec::new(),
            done: Recorder::new(tools),
            todos: Vec::new(),
            next: String::new(),
        }
    }

    fn message(&mut self, format: Format, message: Value<'_>, provenance: Option<Provenance>, known: bool) {
        let reader = format.reader();
        let provenance = provenance.unwrap_or_else(|| reader.provenance(message));
        let role = reader.role(message);
        // A digest is no message of the conversation; it brings its own count.
        self.messages += usize::from(provenance != Provenance::Summary);
        let mut text = String::new();
        reader.parts(message, &mut |part| match part {
            Part::Text(part) => text.push_str(&part.text_lossy()),
            Part::Summary(raw) => {
                text.push_str(&raw.get_str("content").map_or_else(Default::default, Value::text_lossy))
            }
            Part::Call { id, name, arguments, .. } => {
                self.call(id, name.map(|name| reader.tool_name(name)).as_deref(), arguments)
            }
            Part::Result { id, content, error, .. } => self.result(id, content, error),
            _ => {}
        });
        if text.trim().is_empty() {
            return;
        }
        match (role, provenance) {
            (_, Provenance::Summary) => self.earlier_digest(&unframe(&text), known),
            (Role::User, Provenance::Plain | Provenance::Steer) if !is_markup(&text) => self.request(&text),
            (Role::System, _) => self.rules(&text),
            (Role::Assistant, _) => self.statement(&text),
            _ => {}
        }
    }

    fn request(&mut self, text: &str) {
        self.requests.push(squeezed(text));
        self.rules(text);
    }

    fn rules(&mut self, text: &str) {
        self.constraints.extend(sentences(text).filter(|s| has_cue(s, &RULE_CUES)).map(squeezed));
    }

    fn statement(&mut self, text: &str) {
        self.decisions.extend(sentences(text).filter(|s| has_cue(s, &DECISION_CUES)).map(squeezed));
        if let Some(next) = sentences(text).filter(|s| has_cue(s, &NEXT_CUES)).last() {
            self.next = squeezed(next);
        }
        self.said = squeezed(text);
    }

    fn call(&mut self, id: Option<Value<'_>>, name: Option<&str>, arguments: Option<Value<'_>>) {
        self.calls += 1;
        self.done.call(id, name, arguments);
        let Some(arguments) = arguments else { return };
        // Some formats carry arguments as JSON text.
        let text = arguments_text(arguments);
        let mut tape = Tape::new();
        let Ok(arguments) = tape.parse(text.as_bytes()) else { return };
        if let Some(todos) = arguments.get("todos").filter(|todos| todos.kind() == Kind::Array) {
            self.todos = todos.items().filter_map(open_todo).collect();
        }
    }

    fn result(&mut self, id: Option<Value<'_>>, content: Option<Value<'_>>, error: bool) {
        self.done.result(id, content, error);
        if !error {
            return;
        }
        self.failed += 1;
        self.last_error = squeezed(&content.map(result_text).unwrap_or_default());
    }

    fn earlier_digest(&mut self, text: &str, known: bool) {
        // Text without headings, as other tools write it, says how things stand.
        let mut section = STATE;
        let (mut text, mut files) = (text.to_string(), Vec::new());
        let listed = activity::take(&mut text);
        if !known {
            self.done.add(listed);
        }
        for line in text.lines() {
            let mut rest = line;
            if let Some((heading, content)) = read_heading(line) {
                section = heading;
                rest = content;
            }
            let rest = rest.trim().trim_start_matches("- ").trim();
            let no_news = rest.len() < 2 || rest == "none" || rest.ends_with(LEFT_OUT);
            if no_news || (section == STATE && self.was_state(rest)) {
                continue;
            }
            match (section, FileActivity::read(rest)) {
                (FILES, Some(file)) => files.push(file),
                _ if section == STATE && has_cue(rest, &RULE_CUES) => self.earlier[CONSTRAINTS].push(rest.into()),
                _ => self.earlier[section].push(rest.into()),
            }
        }
        // They are listed newest first.
        files.reverse();
        if !known {
            self.done.add(Activity { files, commands: Vec::new() });
        }
    }

    /// Lines about the end of an earlier span: counts are added up, the rest has been overtaken.
    fn was_state(&mut self, line: &str) -> bool {
        if let Some((messages, calls, failed)) = read_counts(line) {
            self.messages += messages;
            self.calls += calls;
            self.failed += failed;
            return true;
        }
        [SAID, ERROR, TASKS, COMMANDS].iter().any(|start| line.starts_with(start))
    }

    fn render(mut self, limit: usize) -> String {
        let counted = format!(
            "{} messages folded, {} tool calls among them ({} failed).",
            self.messages, self.calls, self.failed
        );
        let earlier = std::mem::take(&mut self.earlier);
        let done = self.done.finish();
        let [goal, state, decisions, constraints, files, next] = earlier;
        let sections = [
            joined(goal, self.requests, 700),
            joined(state, state_lines(counted, &self.said, &self.last_error, &done.commands, &self.todos), 600),
            joined(decisions, self.decisions, 240),
            joined(constraints, self.constraints, 300),
            joined(files, file_lines(&done.files), 160),
            joined(next, next_lines(self.next, &self.todos), 240),
        ];
        let mut out = String::new();
        for ((heading, share), lines) in HEADINGS.iter().zip(SHARES).zip(&sections) {
            // What a heading leaves unused the later ones may take.
            let spent: usize = SHARES.iter().zip(HEADINGS).take_while(|(_, h)| h != heading).map(|(s, _)| s).sum();
            let until = limit * (spent + share) / 100;
            section(heading, lines, until.saturating_sub(out.len()), &mut out);
        }
        out.trim_end().into()
    }
}

const RULE_CUES: [&str; 34] = [
    "never ",
    "always ",
    "do not ",
    "don't ",
    "don’t ",
    "must ",
    "mustn't",
    "from now on",
    "only use",
    "make sure",
    "avoid ",
    "keep the ",
    "keep it ",
    "not allowed",
    "is forbidden",
    "at all times",
    "under no circumstances",
    "niemals",
    "immer ",
    "nie ",
    "auf keinen fall",
    "ab jetzt",
    "bitte nicht",
    "jamais",
    "toujours",
    "nunca ",
    "siempre ",
    "絶対に",
    "必ず",
    "しないで",
    "不要",
    "必须",
    "总是",
    "никогда",
];

const DECISION_CUES: [&str; 20] = [
    "decided",
    "decision:",
    "i'll use",
    "i will use",
    "let's use",
    "we'll use",
    "instead of",
    "rather than",
    "going with",
    "go with",
    "switch to",
    "switched to",
    "switching to",
    "i chose",
    "we chose",
    "settled on",
    "the approach is",
    "ruled out",
    "entschieden",
    "stattdessen",
];

const NEXT_CUES: [&str; 10] = [
    "next step",
    "next, ",
    "next: ",
    "next i",
    "remaining",
    "still to do",
    "still open",
    "todo",
    "nächster schritt",
    "次は",
];

fn has_cue(sentence: &str, cues: &[&str]) -> bool {
    // A whole page in one sentence is no rule but a document.
    if sentence.len() > 600 {
        return false;
    }
    let lower = sentence.to_lowercase();
    cues.iter().any(|cue| lower.contains(cue))
}

/// Words by which other tools head what belongs under each of our headings.
const OTHER_HEADINGS: [(&str, usize); 17] = [
    ("request", 0),
    ("goal", 0),
    ("intent", 0),
    ("task description", 0),
    ("user messages", 0),
    ("next", 5),
    ("pending", 5),
    ("todo", 5),
    ("decision", 2),
    ("problem solving", 2),
    ("constraint", CONSTRAINTS),
    ("rules", CONSTRAINTS),
    ("preferences", CONSTRAINTS),
    ("files", FILES),
    ("current", STATE),
    ("error", STATE),
    ("progress", STATE),
];

/// The section that a line opens, and what stands behind the heading: ours at the start of the line, or one of another
/// tool, however numbered and marked up.
fn read_heading(line: &str) -> Option<(usize, &str)> {
    for (section, heading) in HEADINGS.iter().enumerate() {
        if let Some(rest) = line.strip_prefix(heading).and_then(|rest| rest.strip_prefix(':')) {
            return Some((section, rest));
        }
    }
    let bare = line.trim_start().trim_start_matches(|c: char| "#*>0123456789.) ".contains(c));
    let marked = bare.len() < line.trim_start().len() || line.trim_end().ends_with(':');
    let (name, rest) = bare.split_once(':').unwrap_or((bare, ""));
    if !marked || name.len() > 40 || line.trim_start().starts_with("- ") {
        return None;
    }
    let name = name.to_lowercase();
    let found = OTHER_HEADINGS.iter().find(|(word, _)| name.contains(word))?;
    Some((found.1, rest.trim_matches('*')))
}

/// Markup that programs put in the user's mouth, and notes about interruptions.
fn is_markup(text: &str) -> bool {
    let text = text.trim();
    let tag = text.starts_with('<') && text.ends_with('>') && text[1..].starts_with(|c: char| c.is_ascii_alphabetic());
    tag || text.starts_with("[Request interrupted") || text.starts_with("Caveat: ")
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        line.split_inclusive(['。', '！', '？'])
            .flat_map(|part| part.split_inclusive(". ").flat_map(|p| p.split_inclusive("! ")))
    })
}

fn open_todo(todo: Value<'_>) -> Option<String> {
    let done = todo.get("status").is_some_and(|status| status.is_any(&["completed", "cancelled"]));
    let text = todo.get_str("content").or_else(|| todo.get_str("text"))?;
    (!done).then(|| squeezed(&text.text_lossy()))
}

fn state_lines(
    counted: String,
    said: &str,
    error: &str,
    commands: &[CommandActivity],
    todos: &[String],
) -> Vec<String> {
    let mut lines = vec![counted];
    if !said.is_empty() {
        lines.push(format!("{SAID} {said}"));
    }
    if !error.is_empty() {
        lines.push(format!("{ERROR} {error}"));
    }
    if !todos.is_empty() {
        lines.push(format!("{TASKS} {}", todos.join("; ")));
    }
    let shown =
        |run: &CommandActivity| format!("`{}`{}", clip(&run.command, 100), if run.failed { " (failed)" } else { "" });
    let latest: Vec<String> = commands.iter().rev().take(12).map(shown).collect();
    if !latest.is_empty() {
        let (shown, all) = (latest.len(), commands.len());
        let of = if all > shown { format!("latest {shown} of {all}") } else { format!("{shown}") };
        lines.push(format!("{COMMANDS} ({of}, newest first): {}", latest.join(", ")));
    }
    lines
}

/// Changed files, then read ones, each the latest first.
fn file_lines(files: &[FileActivity]) -> Vec<String> {
    let (changed, read): (Vec<&FileActivity>, Vec<&FileActivity>) = files.iter().rev().partition(|file| file.changed);
    changed.into_iter().chain(read).map(FileActivity::said).collect()
}

fn counts_line(messages: usize, calls: usize, failed: usize) -> String {
    format!("{messages} messages folded, {calls} tool calls among them ({failed} failed).")
}

/// Reads [`counts_line`] back.
fn read_counts(line: &str) -> Option<(usize, usize, usize)> {
    let numbers: Vec<usize> = line.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    match numbers[..] {
        [messages, calls, failed] if counts_line(messages, calls, failed) == line => Some((messages, calls, failed)),
        _ => None,
    }
}

fn next_lines(next: String, todos: &[String]) -> Vec<String> {
    let first_todo = todos.first().cloned();
    [Some(next).filter(|next| !next.is_empty()), first_todo].into_iter().flatten().collect()
}

/// Earlier lines, then new ones, each clipped, each once.
fn joined(earlier: Vec<String>, new: Vec<String>, line_bytes: usize) -> Vec<String> {
    let mut seen = HashSet::new();
    let clipped = earlier.into_iter().chain(new).map(|line| clip(&line, line_bytes).into_owned());
    clipped.filter(|line| seen.insert(line.clone())).collect()
}

/// One heading with as many lines as fit: the first, then the latest ones (files come latest first already);
/// what is left out is counted.
fn section(heading: &str, lines: &[String], room: usize, out: &mut String) {
    out.push_str(heading);
    out.push_str(":\n");
    if lines.is_empty() {
        out.push_str("none\n");
        return;
    }
    let mut left = room.saturating_sub(heading.len() + 2);
    let mut shown: Vec<Option<Cow<'_, str>>> = vec![None; lines.len()];
    let last_first = std::iter::once(0).chain((1..lines.len()).rev());
    let by_worth: Vec<usize> =
        if heading == HEADINGS[FILES] { (0..lines.len()).collect() } else { last_first.collect() };
    for index in by_worth {
        let cost = lines[index].len() + 3;
        if cost <= left {
            left -= cost;
            shown[index] = Some(Cow::Borrowed(&lines[index]));
        } else if index == 0 {
            // A heading is never left without its first line.
            shown[0] = Some(clip(&lines[0], left.saturating_sub(MARK_BYTES).max(FIRST_LINE_BYTES)));
            left = 0;
        }
    }
    let mut skipped = 0;
    for line in shown {
        let Some(line) = line else {
            skipped += 1;
            continue;
        };
        write_skipped(&mut skipped, out);
        out.push_str("- ");
        out.push_str(&line);
        out.push('\n');
    }
    write_skipped(&mut skipped, out);
}

fn write_skipped(skipped: &mut usize, out: &mut String) {
    if *skipped > 0 {
        out.push_str(&format!("- ({skipped}{LEFT_OUT}\n"));
        *skipped = 0;
    }
}
