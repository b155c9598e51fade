//! The gate: whether what a model answered to a summarize request may take the place of what folds.
//!
//! An answer that is let in wrongly is all that is left of the span; one that is turned away costs another call. So what is
//! doubtful and short is turned away, and what has substance is let in, whatever it is about: phrases of refusals and errors
//! count only where they are the whole answer, never because they occur in it.

mod phrases;
mod provider;

pub use provider::is_too_long;

use crate::deterministic::HEADINGS;
use crate::digest::{frame, unframe};
use crate::json::{Kind, Tape, Value};
use crate::summarize::SYSTEM;
use crate::text::js_trim;
use crate::tokens::Estimator;
use phrases::*;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt;

/// What a model answered, and what is known of the request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Answer<'a> {
    /// The text of the answer.
    pub text: &'a str,
    /// Why it ended, in the provider's own word.
    pub finish_reason: Option<&'a str>,
    /// The prompt of the request.
    pub prompt: Option<&'a str>,
    /// The earlier summary that this one carries on, with its frame or without.
    pub earlier: Option<&'a str>,
    /// Tokens of the messages whose place it takes.
    pub span_tokens: Option<u64>,
}

/// Why an answer is no summary to rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum Rejection {
    /// Nothing to read, or nothing under any heading.
    Blank,
    /// No string at all.
    NotText,
    /// It ended before it was finished.
    CutOff,
    /// The message of an error.
    Error,
    /// The model declined, a filter stopped it, or it saw no conversation.
    Refusal,
    /// The request given back.
    Echo,
    /// The earlier summary given back.
    Unchanged,
    /// Caught in a loop.
    Repetition,
    /// As large as what it would replace.
    NotSmaller,
    /// Something else: a call of a tool, a question, a greeting, raw data.
    NotASummary,
}

/// An answer that was turned away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The kind of reason.
    pub code: Rejection,
    /// What was wrong, in a sentence.
    pub message: String,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Rejected {}

/// What a single rule says.
type Verdict = Result<(), Rejected>;

fn reject(code: Rejection, message: impl Into<String>) -> Verdict {
    Err(Rejected { code, message: message.into() })
}

fn reject_if(wrong: bool, code: Rejection, message: &str) -> Verdict {
    if wrong {
        reject(code, message)
    } else {
        Ok(())
    }
}

/// Longer than this nothing is taken for an error or a refusal as a whole, in bytes: both are short, and a long text that
/// begins like one still says something. Ample for letters that take three bytes each.
const SHORT: usize = 1500;

/// As [`SHORT`], for phrases that are less sure.
const BRIEF: usize = 500;

/// Decides on an answer.
///
/// ```
/// use plica::accept::{judge, Answer, Rejection};
/// let answer = Answer { text: "GOAL: fix the login\nNEXT: run the tests", ..Answer::default() };
/// assert!(judge(&answer).is_ok());
/// let refusal = Answer { text: "I'm sorry, but I can't help with that.", ..Answer::default() };
/// assert_eq!(judge(&refusal).unwrap_err().code, Rejection::Refusal);
/// ```
///
/// # Errors
/// [`Rejected`] with the first reason against it.
pub fn judge(answer: &Answer<'_>) -> Result<(), Rejected> {
    ended(answer)?;
    let whole = trim(answer.text);
    open_tag(whole)?;
    let bare = unframe(untagged(untagged(whole)));
    let text = unfenced(behind_courtesy(trim(&bare)));
    let mut view = View::of(text);
    blank(&view)?;
    html(&view)?;
    let data = json(&view)?;
    if data {
        view.signs = SURE;
    }
    error(&view)?;
    call(&view)?;
    let earlier = answer.earlier.map(unframe);
    unchanged(text, earlier.as_deref())?;
    echo(&view, answer.prompt, earlier.as_deref())?;
    refusal(&view)?;
    if !data {
        conversation(&view)?;
    }
    repetition(&view)?;
    let whole = answer.finish_reason.is_some_and(provider::is_whole) || is_closed(whole);
    cut_off(&view, whole)?;
    not_smaller(text, answer.span_tokens)
}

fn trim(text: &str) -> &str {
    let kept = js_trim(text.as_bytes());
    std::str::from_utf8(kept).unwrap_or(text)
}

fn ended(answer: &Answer<'_>) -> Verdict {
    let Some(reason) = answer.finish_reason else { return Ok(()) };
    let Some(code) = provider::finish(reason) else { return Ok(()) };
    let shown: String = reason.chars().take(60).collect();
    let what = match code {
        Rejection::CutOff => "the answer ended early",
        Rejection::Refusal => "the answer was refused or filtered",
        Rejection::Error => "the provider failed",
        _ => "the model called a tool instead of answering",
    };
    reject(code, format!("{what}: its finish reason is {shown:?}"))
}

/// Tags that models put around a summary or in front of it; each that is opened at the start has to be closed.
const TAGS: [&str; 8] =
    ["compaction-summary", "summary", "conversation_summary", "analysis", "context", "think", "thinking", "reasoning"];

/// The tag that a text starts with, and what follows it.
fn leading_tag(text: &str) -> Option<(&'static str, &str)> {
    let rest = text.strip_prefix('<')?;
    TAGS.iter().find_map(|&tag| {
        let after = rest.strip_prefix(tag)?;
        let end = after.find('>')?;
        (end == 0 || after.starts_with(' ')).then(|| (tag, &after[end + 1..]))
    })
}

fn open_tag(whole: &str) -> Verdict {
    match leading_tag(whole) {
        Some((tag, inside)) if !inside.contains(&format!("</{tag}>")) => {
            reject(Rejection::CutOff, format!("<{tag}> is opened and never closed: the answer was cut off"))
        }
        _ => Ok(()),
    }
}

/// The text behind the reasoning that some servers leave in the answer, and inside of a tag around everything.
fn untagged(text: &str) -> &str {
    let Some((tag, inside)) = leading_tag(text) else { return text };
    let Some((inside, after)) = inside.split_once(&format!("</{tag}>")) else { return text };
    match (tag, trim(after)) {
        // The frame is taken off with the sentence behind it.
        ("compaction-summary", _) => text,
        ("think" | "thinking" | "reasoning" | "analysis", after) => after,
        (_, "") => trim(inside),
        _ => text,
    }
}

/// Whether what a tag opened in front of the summary is closed at its very end: nothing was to come.
fn is_closed(whole: &str) -> bool {
    let closes = |text: &str| leading_tag(text).is_some_and(|(tag, _)| text.ends_with(&format!("</{tag}>")));
    closes(whole) || closes(untagged(whole))
}

/// The text behind a first line like "Sure! Here is the summary:". What stands there is what counts.
fn behind_courtesy(text: &str) -> &str {
    match text.split_once('\n') {
        Some((first, rest))
            if first.len() <= 120
                && first.trim_end().ends_with([':', '：'])
                && heading(first.trim()).is_none()
                && starts(&plain_start(first), COURTESIES) =>
        {
            trim(rest)
        }
        _ => text,
    }
}

/// The inside of a code fence that is around everything.
fn unfenced(text: &str) -> &str {
    let Some((first, rest)) = text.split_once('\n') else { return text };
    let (marks, kind) = first.trim_end().split_at(fence_width(first));
    let known = ["", "markdown", "md", "text", "txt", "plaintext", "json"];
    if marks.is_empty() || !known.contains(&kind.trim().to_ascii_lowercase().as_str()) {
        return text;
    }
    match rest.trim_end().rsplit_once('\n') {
        // Another fence of the same kind inside: it may be two blocks with text between them.
        Some((inside, last)) if last.trim() == marks && !inside.lines().any(|line| line.trim() == marks) => {
            trim(inside)
        }
        _ => text,
    }
}

/// Number of backticks or tildes that open or close a block of code; 0 when the line does not.
fn fence_width(line: &str) -> usize {
    let mark = line.chars().next().unwrap_or(' ');
    let width = line.chars().take_while(|&c| c == mark).count();
    if matches!(mark, '`' | '~') && width >= 3 {
        width
    } else {
        0
    }
}

/// A line that is not empty.
struct Line<'t> {
    /// With its indentation.
    raw: &'t str,
    text: &'t str,
    /// In a block of code, or one of its fences.
    code: bool,
    /// Which of our headings it is, and what stands behind it.
    heading: Option<(usize, &'t str)>,
}

impl Line<'_> {
    /// An item of a list, a table, a quote, a heading: ends without punctuation as often as not.
    fn is_item(&self) -> bool {
        let numbered = self.text.trim_start_matches(|c: char| c.is_numeric());
        self.heading.is_some()
            || self.raw.starts_with("    ")
            || self.raw.starts_with('\t')
            || self.text.starts_with(['-', '*', '•', '·', '#', '|', '>', '+', '–', '・', '◦', '○', '●', '▪'])
            || (numbered.len() < self.text.len() && numbered.starts_with(['.', ')', '、', '）', ':', '．']))
    }
}

/// A text, read once.
struct View<'t> {
    text: &'t str,
    lines: Vec<Line<'t>>,
    /// A block of code is open at the end.
    open_fence: bool,
    /// Which of our headings occur.
    found: [bool; HEADINGS.len()],
    /// Markdown headings that are not ours.
    foreign: usize,
    /// The start of the text in the form of the phrases.
    start: String,
    /// How many things show that it reports on something; no more than that is known of a long text.
    signs: usize,
}

impl<'t> View<'t> {
    fn of(text: &'t str) -> View<'t> {
        let (mut lines, mut found, mut foreign) = (Vec::new(), [false; HEADINGS.len()], 0);
        let mut fence: Option<&str> = None;
        for raw in text.lines() {
            let line = raw.trim();
            if line.is_empty() {
                continue;
            }
            let marks = &line[..fence_width(line)];
            let mut code = fence.is_some() || !marks.is_empty();
            match fence {
                // Only the same marks, at least as many, with nothing behind them, close a block.
                Some(open) if marks.starts_with(open) && marks.len() == line.len() => fence = None,
                // "```ls```" is code within a line.
                None if !marks.is_empty() && !line[marks.len()..].contains('`') => fence = Some(marks),
                None => code = false,
                Some(_) => {}
            }
            let (mut raw, mut line) = (raw, line);
            let mut heading = if code { None } else { heading(line) };
            if heading.is_none() {
                foreign += usize::from(!code && line.starts_with('#') && line.contains(' '));
            }
            // All headings on one line.
            while let Some((index, rest)) = heading {
                found[index] = true;
                let Some((at, next)) = following_heading(rest, index) else { break };
                let before = line.len() - rest.len() + at;
                lines.push(Line { raw, text: &line[..before], code, heading: Some((index, rest[..at].trim())) });
                (raw, line, heading) = (&rest[at..], &rest[at..], next);
            }
            lines.push(Line { raw, text: line, code, heading });
        }
        let mut view =
            View { text, lines, open_fence: fence.is_some(), found, foreign, start: plain_start(text), signs: 0 };
        view.signs = signs(&view);
        view
    }

    fn headings(&self) -> usize {
        self.found.iter().filter(|&&found| found).count()
    }

    /// Whether it has the form that was asked for.
    fn is_structured(&self) -> bool {
        self.headings() >= 2 || self.foreign >= 2
    }

    /// What stands under our headings, the headings themselves apart, without what says that there is nothing.
    fn contents(&self) -> Vec<&'t str> {
        let first = self.lines.iter().position(|line| line.heading.is_some()).unwrap_or(0);
        let content = |line: &Line<'t>| line.heading.map_or(line.text, |(_, rest)| rest);
        self.lines[first..].iter().map(content).filter(|content| !is_nothing(content)).collect()
    }
}

/// The phrases of a table: one string, since a list of them makes the module larger.
fn phrases(table: &'static str) -> std::str::Split<'static, char> {
    table.split('|')
}

fn starts(start: &str, table: &'static str) -> bool {
    phrases(table).any(|phrase| start.starts_with(phrase))
}

/// Which of our headings a line is, whatever markup and case it comes in, and what stands behind it.
fn heading(line: &str) -> Option<(usize, &str)> {
    let bare = line.trim_start_matches(|c: char| "#*_>-•`. )".contains(c) || c.is_ascii_digit());
    let marked = bare.len() < line.len();
    HEADINGS.iter().enumerate().find_map(|(index, name)| {
        let (word, mut rest) = (bare.get(..name.len())?, &bare[name.len()..]);
        if !word.eq_ignore_ascii_case(name) {
            return None;
        }
        // What models make of NEXT on their own.
        if index == HEADINGS.len() - 1 {
            let lower = rest.get(..6).unwrap_or("").to_ascii_lowercase();
            rest = if lower == " steps" { &rest[6..] } else { rest };
        }
        let rest = rest.trim_start_matches(['*', '_', '`', ' ']);
        let content = rest.strip_prefix([':', '：']).or_else(|| {
            let dash = word == *name && rest.starts_with(['-', '–', '—']);
            (dash || (rest.is_empty() && (marked || word == *name))).then_some(rest)
        })?;
        Some((index, content.trim_start_matches(['*', '_', '`']).trim()))
    })
}

/// The next of our headings within a line, and where it starts: in capitals, behind a blank, with a colon.
fn following_heading(rest: &str, index: usize) -> Option<(usize, Option<(usize, &str)>)> {
    HEADINGS[index + 1..].iter().find_map(|name| {
        let at = rest.match_indices(name).find_map(|(at, _)| {
            let colon = rest[at + name.len()..].starts_with([':', '：']);
            (colon && rest[..at].ends_with([' ', '*', '\u{3000}'])).then_some(at)
        })?;
        Some((at, heading(&rest[at..])))
    })
}

fn has(text: &str, table: &'static str) -> bool {
    count(text, table) > 0
}

/// How many words of a table occur.
fn count(text: &str, table: &'static str) -> usize {
    phrases(table).filter(|word| text.contains(word)).count()
}

/// What shows that a text without our headings is a report: whom it is about, what became of it, files, labels, items.
fn signs(view: &View<'_>) -> usize {
    if view.is_structured() || view.text.len() > SHORT {
        return SURE;
    }
    let (mut prose, mut files, mut labels, mut items) = (String::from(" "), false, 0, 0);
    for line in view.lines.iter().filter(|line| !line.code) {
        prose.extend(line.text.chars().flat_map(char::to_lowercase));
        prose.push(' ');
        items += usize::from(line.is_item());
        files |= line.text.split_whitespace().any(is_file);
        labels += clauses(line.text).iter().filter(|clause| is_label(clause)).count();
    }
    // The first label of a short text may be that of an error.
    let all = clauses(view.text);
    if all.first().is_some_and(|first| is_label(first)) && (all.len() < 3 || has(&prose, ADVICE)) {
        labels -= labels.min(1);
    }
    usize::from(has(&prose, ACTORS))
        + count(&prose, OUTCOMES).div_ceil(2).min(2)
        + usize::from(files)
        + usize::from(labels > 0)
        + usize::from(items > 1)
}

/// This many signs are enough against any phrase.
const SURE: usize = 3;

/// "src/a.ts", "(list.py)"; neither "example.com" nor the end of a sentence without a blank.
fn is_file(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let Some((stem, kind)) = word.rsplit_once('.') else { return false };
    stem.len() + kind.len() > 2
        && (1..=5).contains(&kind.len())
        && stem.ends_with(|c: char| c.is_ascii_alphanumeric() || "_-]".contains(c))
        && kind.starts_with(|c: char| c.is_ascii_lowercase())
        && kind.bytes().all(|c| c.is_ascii_alphanumeric())
        && !["com", "org", "net", "ai", "io", "dev"].contains(&kind)
        && !stem.ends_with("Error")
}

/// "Next: …", "下一步：…".
fn is_label(part: &str) -> bool {
    let Some((label, rest)) = part.split_once([':', '：']) else { return false };
    !label.starts_with(|c: char| c.is_ascii_lowercase())
        && label.len() <= 30
        && label.split(' ').count() <= 3
        && !rest.is_empty()
        && !rest.trim_start().starts_with("http")
}

/// The first 2 000 bytes in lower case, with straight apostrophes and single blanks, without what surrounds the words.
fn plain_start(text: &str) -> String {
    let mut out = String::new();
    let around = |c: char| c.is_whitespace() || "#*_>-•\"'“”‘’«»「『[{(`~⚠️❌✅🚫\u{feff}\u{200b}".contains(c);
    let mut blank = false;
    for c in text.trim_start_matches(around).chars() {
        if out.len() > 2000 {
            break;
        }
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push(' ');
        }
        match c {
            '’' | '‘' | 'ʼ' | '`' => out.push('\''),
            '*' => {}
            _ => out.extend(c.to_lowercase()),
        }
    }
    out
}

fn is_one_of(word: &str, table: &'static str) -> bool {
    phrases(table).any(|phrase| phrase == word)
}

fn is_nothing(content: &str) -> bool {
    let word = content.trim_matches(|c: char| !c.is_alphanumeric());
    // The longest phrase is far shorter; no need to lower a whole paragraph.
    word.is_empty() || (word.len() < 40 && is_one_of(&word.to_lowercase(), NOTHING))
}

fn blank(view: &View<'_>) -> Verdict {
    reject_if(!view.text.chars().any(char::is_alphanumeric), Rejection::Blank, "the answer is blank")?;
    // "[describe the goal]": the form, not filled in.
    let form =
        |text: &&str| (text.starts_with('[') && text.ends_with(']')) || (text.starts_with('<') && text.ends_with('>'));
    let bare = is_nothing(view.text) || (view.headings() > 0 && view.contents().iter().all(form));
    reject_if(bare, Rejection::Blank, "the answer says nothing under any heading")?;
    // "TODO" everywhere, whatever the word for it.
    let contents = view.contents();
    let same = view.headings() > 2 && contents.len() > 2 && contents.iter().all(|content| *content == contents[0]);
    reject_if(same, Rejection::Blank, "the answer says the same under all headings")
}

fn html(view: &View<'_>) -> Verdict {
    let lower: String = view.text.chars().take(14).collect::<String>().to_ascii_lowercase();
    let page =
        ["<!doctype html", "<html", "<?xml", "<head>", "<center><h1>"].iter().any(|start| lower.starts_with(start));
    reject_if(page, Rejection::Error, "the answer is a page of a web server, not a summary")
}

/// Answers that are JSON as a whole; whether it is a summary in that form.
fn json(view: &View<'_>) -> Result<bool, Rejected> {
    let text = view.text.strip_prefix("data:").map_or(view.text, str::trim_start);
    if !text.starts_with(['{', '[']) {
        return Ok(false);
    }
    let mut tape = Tape::new();
    let value = match tape.parse(text.as_bytes()) {
        Ok(value) => value,
        Err(_) => return broken_json(text).map(|()| false),
    };
    let mut object = value;
    if value.kind() == Kind::Array {
        object = value.items().next().unwrap_or(value);
    }
    let has = |key: &str| object.kind() == Kind::Object && object.get(key).is_some_and(|value| !value.is_null());
    let says = |key: &str| object.kind() == Kind::Object && object.get_str(key).is_some();
    let status = ["status", "code", "statusCode", "status_code"].iter().any(|key| {
        has(key) && object.get(key).and_then(Value::as_f64).is_some_and(|code| (400.0..600.0).contains(&code))
    });
    // Someone asked for JSON, or the model thought so: what counts is that it is all there.
    let mut parts = 0;
    if value.kind() == Kind::Object {
        for (key, value) in value.entries() {
            let key = key.text_lossy().to_lowercase();
            let whole = key == "summary";
            let raw = String::from_utf8_lossy(value.raw());
            if !(whole || HEADINGS.iter().any(|heading| heading.eq_ignore_ascii_case(&key))) || is_nothing(&raw) {
                continue;
            }
            parts += if whole { 2 } else { 1 };
            let refused = whole && raw.len() <= BRIEF && is_refusal(&plain_start(&raw));
            reject_if(refused, Rejection::Refusal, "the model declined, in JSON")?;
        }
    }
    // A summary in full may have a key of the same name as an error has.
    let failed = has("error")
        || has("errors")
        || object.kind() == Kind::Object && object.get("type").is_some_and(|kind| kind.is_str("error"))
        || parts < 2 && (status || says("detail") || says("message") && (has("code") || has("status") || has("type")));
    reject_if(failed, Rejection::Error, "the answer is the JSON body of an error")?;
    reject_if(parts == 0, Rejection::NotASummary, "the answer is JSON of another kind, not a summary")?;
    Ok(true)
}

/// JSON that does not parse: cut off, or written the way Python prints it.
fn broken_json(text: &str) -> Verdict {
    let quoted = text.trim_start_matches(['{', '[', ' ', '\n', '\r', '\t']);
    let Some(key) = quoted.strip_prefix(['"', '\'']) else { return Ok(()) };
    let key: String = key.chars().take_while(char::is_ascii_alphabetic).take(12).collect();
    match key.to_ascii_lowercase().as_str() {
        "error" | "errors" | "status" | "code" | "detail" | "message" | "object" if text.len() <= SHORT => {
            reject(Rejection::Error, "the answer is the body of an error")
        }
        "name" | "tool" | "function" | "action" | "arguments" => {
            reject(Rejection::NotASummary, "the answer is a call of a tool")
        }
        _ => reject_if(
            text.starts_with("{\"") || text.starts_with("[{\""),
            Rejection::CutOff,
            "the answer is JSON that was cut off",
        ),
    }
}

fn error(view: &View<'_>) -> Verdict {
    let only = only_content(view).unwrap_or("");
    let whole = if view.is_structured() { "" } else { view.text };
    let wrong =
        [(whole, view.signs), (only, 0)].iter().any(|&(text, signs)| text.len() <= SHORT && is_error(text, signs));
    reject_if(
        wrong || (view.signs < 2 && is_complaint(view)) || (!view.is_structured() && is_trace(view)),
        Rejection::Error,
        "the answer is the message of an error, not a summary",
    )
}

/// The one thing that is said under the headings, where there is no more.
fn only_content<'t>(view: &View<'t>) -> Option<&'t str> {
    match view.contents().as_slice() {
        [only] if view.headings() > 0 => Some(only),
        _ => None,
    }
}

/// What a service says to its caller, in whatever words: a fault, whose it is, and what to do about it.
fn is_complaint(view: &View<'_>) -> bool {
    let (faults, services) = (count(&view.start, FAULTS), count(&view.start, SERVICES));
    let all = faults + services + usize::from(has(&view.start, ADVICE));
    view.headings() == 0
        && view.text.len() <= BRIEF
        && (faults > 0 && services > 0 && all >= 3 + view.signs || is_too_long(view.text))
}

fn is_error(text: &str, signs: usize) -> bool {
    let start = plain_start(text);
    // "Error from the gateway was traced to …" tells what was done about it.
    let story = signs >= 2 || has(&start, STORY);
    if !story && (starts(&start, PLAIN_ERRORS) || starts(&start, ERRORS_ELSEWHERE)) {
        return true;
    }
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || "_-/,".contains(c) || c.is_whitespace());
    let phrase = phrases(ERRORS).any(|phrase| {
        let Some(rest) = start.strip_prefix(phrase) else { return false };
        let long = phrase.split(' ').count() > 2;
        ends(rest) || rest.starts_with(" - ") || (long && !story && starts(rest, ERROR_GOES_ON))
    });
    let status = is_status(&plain_start(text.lines().next().unwrap_or("")));
    (start.len() <= BRIEF && (phrase || status)) || is_named_error(text)
}

/// "HTTP/1.1 502 Bad Gateway", "429 Too Many Requests", "400 {…", "503 status code (no body)".
fn is_status(start: &str) -> bool {
    let http =
        start.strip_prefix("http").map(|rest| rest.trim_start_matches(|c: char| "/.012 :".contains(c) || c == 's'));
    let rest =
        http.or_else(|| start.strip_prefix("status code")).or_else(|| start.strip_prefix("status")).unwrap_or(start);
    let rest = rest.trim_start_matches([' ', ':']).trim_start_matches("error ").trim_start_matches("status ");
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits != 3 || !rest.starts_with(['4', '5']) {
        return false;
    }
    let rest = rest[3..].trim_start_matches([' ', ':', '-', '–', '(']);
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == ' ') || starts(rest, ERROR_GOES_ON);
    rest.is_empty()
        || rest.starts_with(['{', '<', '"'])
        || phrases(REASONS).any(|reason| rest.strip_prefix(reason).is_some_and(ends))
}

/// "TypeError: …", "openai.RateLimitError: …", "java.io.IOException: …", "[ApiError]: …".
fn is_named_error(text: &str) -> bool {
    let text = text.trim_start_matches(['[', '(', '*', '`']).trim_start_matches("Uncaught ");
    let name: &str = text.split([':', ']', ' ', '\n']).next().unwrap_or("");
    let after = text[name.len()..].trim_start_matches(['*', '`']);
    name.len() > 5
        && (name.ends_with("Error") || name.ends_with("Exception"))
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "._$".contains(c))
        && (after.is_empty() || after.starts_with([':', ']', '\n']))
}

/// A stack trace: at least half of the lines are its frames.
fn is_trace(view: &View<'_>) -> bool {
    let frame = |line: &&Line<'_>| {
        let text = line.text;
        (text.starts_with("at ") && text.contains([':', '(']))
            || (text.starts_with("File \"") && text.contains(", line "))
            || text.starts_with("Traceback (most recent")
            || text.starts_with("goroutine ")
            || (text.starts_with("thread '") && text.contains("panicked at"))
            || text.starts_with("stack backtrace:")
    };
    let frames = view.lines.iter().filter(frame).count();
    frames > 0 && frames * 2 >= view.lines.len()
}

fn call(view: &View<'_>) -> Verdict {
    let calls = |line: &Line<'_>| {
        // Inside a block of code it is quoted; as the block's own kind it is meant.
        let quoted = line.code && !line.text.starts_with("```");
        !quoted && line.text.starts_with(['<', '[', '`']) && {
            let lower = line.text.to_lowercase();
            CALLS.iter().any(|call| lower.starts_with(call))
        }
    };
    reject_if(view.lines.iter().any(calls), Rejection::NotASummary, "the answer calls a tool instead of summing up")
}

fn unchanged(text: &str, earlier: Option<&str>) -> Verdict {
    let Some(earlier) = earlier else { return Ok(()) };
    // Markup and spacing are no news.
    let said =
        |text: &'_ str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let same = said(text) == said(earlier);
    reject_if(same, Rejection::Unchanged, "the answer is the earlier summary again, with nothing of what came after it")
}

/// How the entries of a summarize request begin.
const LABELS: [&str; 8] = [
    "[user] ",
    "[user (injected)] ",
    "[assistant] ",
    "[system] ",
    "[tool call] ",
    "[tool result] ",
    "[tool error] ",
    "[note] ",
];

/// Hashes of pieces of text; what the number says is up to each rule. One kind of table for all of them, for the module's size.
type Prints = HashMap<u64, usize>;

fn print(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

/// Where a line of the request comes from, as bits.
const ASKED: usize = 1;
const CARRIED: usize = 2;

fn mark(known: &mut Prints, line: &str, from: usize) {
    *known.entry(print(line.trim())).or_insert(0) |= from;
}

/// Shorter lines are alike by chance.
const LINE_BYTES: usize = 8;

fn echo(view: &View<'_>, prompt: Option<&str>, earlier: Option<&str>) -> Verdict {
    let instructions = SYSTEM.split_once(". ").map_or(SYSTEM, |(first, _)| first);
    let given_back = LABELS.iter().any(|label| view.text.starts_with(label))
        || view.text.starts_with(instructions)
        || view.text.starts_with("Summarize the following transcript")
        || view.lines.iter().any(|line| !line.code && line.text == "=== end of transcript ===");
    reject_if(given_back, Rejection::Echo, "the answer gives the request back")?;
    let mut known = Prints::new();
    SYSTEM.lines().for_each(|line| mark(&mut known, line, ASKED));
    earlier.unwrap_or("").lines().for_each(|line| mark(&mut known, line, CARRIED));
    let mut from = ASKED;
    for line in prompt.unwrap_or("").lines() {
        let entry = LABELS.iter().find_map(|label| line.strip_prefix(label));
        if let Some(entry) = entry {
            // An earlier summary stands in the prompt as an entry: to carry it over is what was asked.
            from = if heading(entry.trim()).is_some() { CARRIED } else { ASKED };
            mark(&mut known, entry, from);
        }
        mark(&mut known, line, from);
    }
    let (mut all, mut same, mut rules) = (0, 0, 0);
    for line in view.lines.iter().map(|line| line.text).filter(|line| line.len() >= LINE_BYTES) {
        all += line.len();
        if known.get(&print(line)) == Some(&ASKED) {
            same += line.len();
            rules += usize::from(SYSTEM.contains(line));
        }
    }
    let part =
        view.text.len() >= 60 && prompt.is_some_and(|prompt| prompt.contains(view.text)) && !view.is_structured();
    let mostly = all >= 24 && same * 2 > all;
    reject_if(part || mostly || rules >= 3, Rejection::Echo, "most of the answer is copied from the request")
}

fn refusal(view: &View<'_>) -> Verdict {
    if view.is_structured() {
        // A refusal in the form that was asked for.
        let contents = view.contents();
        let empty = |content: &&str| content.len() <= 160 && lacks(&plain_start(content), ASKS);
        let refused = only_content(view).is_some_and(|only| only.len() <= BRIEF && is_refusal(&plain_start(only)));
        // Between the two there may stand as little as "Not started."
        let missing = contents.first().is_some_and(empty)
            && contents.last().is_some_and(empty)
            && contents.iter().all(|content| content.len() <= 40 || empty(content));
        return reject_if(refused || missing, Rejection::Refusal, "the model declined, under the headings");
    }
    let start = only_content(view).map(plain_start);
    let start = start.as_deref().unwrap_or(&view.start);
    let short = view.text.len() <= SHORT;
    // A report may begin with the same words, but does not give the reasons of a refusal.
    let denies = view.text.len() <= BRIEF && has(start, CANNOT) && has(start, WHY_NOT);
    // What is said before somebody denies something may be a report.
    let first = |clauses: &[&str]| clauses.first().is_some_and(|first| has(first, CANNOT));
    let unlikely = view.signs == 0 || view.signs == 1 && first(&clauses(start));
    let wrong = is_refusal(start) && view.signs < if denies { SURE } else { 2 } || denies && unlikely;
    reject_if(short && wrong, Rejection::Refusal, "the model declined to summarize")?;
    let missing = view.text.len() <= BRIEF && view.signs < 2 && sees_no_conversation(start);
    reject_if(missing, Rejection::Refusal, "the model says that it saw no conversation")
}

/// "The transcript is empty", "Provide the messages".
fn lacks(start: &str, words: &'static str) -> bool {
    has(start, MISSED) && (has(start, words) || start.starts_with("no "))
}

fn is_refusal(start: &str) -> bool {
    let unable = |start: &str| {
        phrases(UNABLE).any(|phrase| start.strip_prefix(phrase).is_some_and(|rest| starts(rest, UNABLE_VERBS)))
    };
    let refuses = |start: &str| {
        unable(start)
            || (starts(start, APOLOGIES) && !start.starts_with("sorry-"))
            || [MORE_APOLOGIES, REFUSALS, MORE_REFUSALS].iter().any(|table| starts(start, table))
    };
    // "I understand that this matters to you, but I can't …"
    let but = start.split([',', ';', '.', '!', '，']).skip(1).map(str::trim_start).any(|part| {
        let part = part.strip_prefix("but ").or_else(|| part.strip_prefix("however ")).unwrap_or(part);
        unable(part) || starts(part, APOLOGIES)
    });
    refuses(start) || (start.len() <= BRIEF && but && (starts(start, COURTESIES) || starts(start, LEADS)))
}

fn sees_no_conversation(start: &str) -> bool {
    // Behind a courtesy: "Sure! Please provide the conversation."
    let after_first = start.split_once(['!', '.', '！', '。']).map_or("", |(_, rest)| rest.trim_start());
    let asks = |start: &str| starts(start, NO_CONVERSATION) || starts(start, NO_CONVERSATION_ELSEWHERE);
    let seems = starts(start, SEEMS) && lacks(start, MISSING);
    asks(start) || (starts(start, COURTESIES) && asks(after_first)) || seems
}

/// Fewer letters than one full sentence has stand for no conversation, unless they come under the headings; the messages of
/// errors that no list knows are mostly as short.
const LEAST_LETTERS: usize = 60;

/// Answers that go on with the conversation, or only begin.
fn conversation(view: &View<'_>) -> Verdict {
    let (text, start) = (view.text, &view.start);
    if view.headings() > 0 {
        return Ok(());
    }
    let wide = text.chars().filter(|c| c.is_alphanumeric() && !c.is_ascii()).count();
    let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
    // A sign of Chinese says about as much as two letters and a half.
    let little = letters + wide * 3 / 2 < LEAST_LETTERS;
    reject_if(little, Rejection::NotASummary, "the answer is too short to stand for a conversation")?;
    if view.foreign > 0 {
        return Ok(());
    }
    let speaks = phrases(SPEAKERS).filter_map(|name| start.strip_prefix(name)).any(|said| {
        let said = said.trim_start();
        view.signs < 2 || starts(said, "i |i'") || starts(said, GOING_ON)
    });
    reject_if(speaks, Rejection::NotASummary, "the answer goes on with the conversation")?;
    let turns = |name: &str| view.lines.iter().any(|line| line.text.starts_with(name));
    let dialogue = (turns("Human:") || turns("User:")) && turns("Assistant:") && !text.contains("summar");
    reject_if(dialogue, Rejection::NotASummary, "the answer goes on with the conversation")?;
    let acts = turns("Action:") && turns("Action Input:");
    reject_if(acts, Rejection::NotASummary, "the answer calls a tool instead of summing up")?;
    let question = text.len() <= BRIEF && text.ends_with(['?', '？', '؟']) && sentences(text) <= 2;
    reject_if(question, Rejection::NotASummary, "the answer is a question to the user")?;
    let announces = text.len() <= BRIEF && text.ends_with([':', '：']);
    reject_if(announces && view.lines.len() <= 2, Rejection::NotASummary, "the answer announces a summary and ends")?;
    // "Understood the cause: …" is no courtesy, "Understood." and "Summary of what you asked" are.
    let word = |phrase: &str| {
        let Some(rest) = start.strip_prefix(phrase) else { return false };
        let one = !phrase.contains(' ');
        !phrase.is_ascii()
            || starts(rest, " here| there| i | i'll")
            || !(rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "-/:'".contains(c))
                || one && rest.starts_with(' '))
    };
    let courtesy = text.len() <= 160 && view.lines.len() <= 2 && phrases(COURTESIES).any(word);
    reject_if(
        courtesy && sentences(text) <= 2,
        Rejection::NotASummary,
        "the answer is a courtesy with nothing behind it",
    )?;
    let goes_on = text.len() <= 240 && sentences(text) <= 2 && starts(start, GOING_ON);
    let goes_on = goes_on || view.signs < 2 && (answers(view) || is_program(view)) || text.ends_with(';');
    reject_if(goes_on, Rejection::NotASummary, "the answer goes on with the work instead of summing it up")?;
    // What reports on nothing and nobody answers some question instead.
    let idle = view.signs == 0 && text.len() <= BRIEF;
    let names = text.split_whitespace().filter(|word| word.starts_with(|c: char| c.is_uppercase() || c.is_numeric()));
    let vague = view.signs < 2 && sentences(text) <= 2 && has(start, VAGUE) && names.count() <= 2;
    reject_if(idle || vague, Rejection::NotASummary, "the answer does not tell what happened")
}

/// Something said to a person who is there: with a shout in front, an offer or a question at the end, or a block of code.
fn answers(view: &View<'_>) -> bool {
    let all = clauses(view.text);
    let shout = all.first().is_some_and(|first| first.len() <= 40 && first.ends_with(['!', '！']));
    // The end is where it counts: a summary may quote an offer.
    let last = plain_start(all.last().unwrap_or(&""));
    shout
        || view.text.len() <= BRIEF && (has(&last, OFFERS) || view.text.ends_with(['?', '？', '؟']))
        || view.lines.iter().any(|line| line.code)
}

/// A command or a script: one sign of punctuation, dots and commas apart, for a dozen letters.
fn is_program(view: &View<'_>) -> bool {
    let marks = view.text.chars().filter(|&c| "(){}[]<>=;$&|\\\"'`/*_#@-+".contains(c)).count();
    let letters = view.text.chars().filter(|c| c.is_alphabetic()).count();
    view.text.len() <= SHORT && marks >= 6 && marks * 12 >= letters
}

const STOPS: [char; 14] = ['.', '!', '?', '。', '！', '？', '؟', '।', '…', '۔', '։', '｡', '．', '॥'];

fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '．')
}

/// A text cut behind its stops: those with white space behind them, or any where the script has no white space.
fn clauses(text: &str) -> Vec<&str> {
    let (mut all, mut from) = (Vec::new(), 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if STOPS.contains(&c) && (last || is_wide_stop(c)) {
            let end = at + c.len_utf8();
            all.push(trim(&text[from..end]));
            from = end;
        }
    }
    let rest = trim(&text[from..]);
    if !rest.is_empty() {
        all.push(rest);
    }
    all
}

/// Ends of sentences.
fn sentences(text: &str) -> usize {
    clauses(text).iter().filter(|clause| clause.ends_with(STOPS)).count()
}

/// The least that counts as a loop: repeated signs in a row, and how often the piece that repeats occurs in them.
const LOOP_CHARS: usize = 100;
const LOOP_WORDS: usize = 24;
const LOOP_LINES: usize = 6;
const LOOP_TIMES: usize = 8;

/// The longest piece that is looked for, in signs, words and lines. Constants, so that the time stays linear.
const PIECE_CHARS: usize = 24;
const PIECE_WORDS: usize = 12;
const PIECE_LINES: usize = 4;

fn repetition(view: &View<'_>) -> Verdict {
    let lines: Vec<&str> = view.lines.iter().map(|line| line.text).filter(|line| !is_nothing(line)).collect();
    let words: Vec<&str> = view.text.split_whitespace().filter(|word| has_letter(word)).collect();
    let chars: Vec<char> = view.text.chars().filter(|c| !c.is_whitespace()).collect();
    let letters = |piece: &[char]| piece.iter().any(|c| c.is_alphanumeric());
    let caught = loops(&lines, PIECE_LINES, LOOP_LINES, 5, |_| true)
        || loops(&words, PIECE_WORDS, LOOP_WORDS, LOOP_TIMES, |_| true)
        || loops(&chars, PIECE_CHARS, LOOP_CHARS, LOOP_TIMES, letters)
        || mostly_one(&lines)
        || few_pieces(&chars);
    reject_if(caught, Rejection::Repetition, "the answer repeats itself in a loop")
}

fn has_letter(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Whether a piece of at most `longest` items repeats at once, over `least` items and `times` times.
fn loops<T: PartialEq>(items: &[T], longest: usize, least: usize, times: usize, counts: impl Fn(&[T]) -> bool) -> bool {
    (1..=longest).any(|piece| {
        let needed = least.max(piece * times) - piece;
        let mut run = 0;
        (piece..items.len()).any(|at| {
            run = if items[at] == items[at - piece] { run + 1 } else { 0 };
            run == needed && counts(&items[at + 1 - piece..=at])
        })
    })
}

/// Loops with something between the rounds: one line is most of the text.
fn mostly_one(lines: &[&str]) -> bool {
    if lines.len() < 12 {
        return false;
    }
    let mut counts = Prints::new();
    lines.iter().for_each(|line| *counts.entry(print(line)).or_insert(0) += 1);
    counts.values().any(|&count| count * 2 > lines.len())
}

/// Loops of long pieces: far fewer different stretches of eight signs than stretches.
fn few_pieces(chars: &[char]) -> bool {
    const STRETCH: usize = 8;
    if chars.len() < 600 {
        return false;
    }
    let mut stretches = Prints::new();
    for stretch in chars.windows(STRETCH) {
        // The golden ratio's multiplier spreads the bits; nothing rests on a rare collision.
        let hash = stretch
            .iter()
            .fold(0_u64, |hash, &c| (hash ^ u64::from(c)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23));
        stretches.insert(hash, 1);
    }
    // Long lists of paths with one beginning stay above a quarter.
    stretches.len() * 7 < chars.len()
}

/// `whole`: the provider says that the model came to its end, or the text does. Then the last heading alone may have been left out.
fn cut_off(view: &View<'_>, whole: bool) -> Verdict {
    reject_if(
        view.open_fence,
        Rejection::CutOff,
        "a block of code is opened and never closed: the answer was cut off",
    )?;
    let next = HEADINGS.len() - 1;
    // A form of the caller's own may share a heading or two with ours.
    let ours = view.foreign < 2 && (view.found[0] || view.headings() >= 2);
    let left_out = whole && view.found[..next].iter().all(|&found| found);
    let lacks_last = ours && !view.found[next] && !left_out;
    reject_if(lacks_last, Rejection::CutOff, "the heading NEXT is missing: the answer was cut off")?;
    let Some(last) = view.lines.last() else { return Ok(()) };
    let empty = matches!(last.heading, Some((_, "")));
    reject_if(empty, Rejection::CutOff, "nothing stands under the last heading: the answer was cut off")?;
    let bare_mark =
        last.text.chars().all(|c| !c.is_alphanumeric()) && matches!(last.text, "-" | "*" | "•" | "#" | "##" | "###");
    let middle = !last.code && (bare_mark || ends_in_the_middle(view, last));
    reject_if(middle, Rejection::CutOff, "the answer ends in the middle of a sentence")
}

fn ends_in_the_middle(view: &View<'_>, last: &Line<'_>) -> bool {
    let text = last.text;
    let Some(end) = text.chars().last() else { return false };
    let odd = |mark: &str| text.matches(mark).count() % 2 == 1;
    let opened = text.matches(['(', '（', '「']).count() > text.matches([')', '）', '」']).count();
    if ",，、:：(（&".contains(end) || odd("`") || odd("**") || (opened && text.len() >= 20) {
        return true;
    }
    let word = text.rsplit(|c: char| c.is_whitespace()).next().unwrap_or("");
    if is_one_of(word, UNFINISHED) || (text.len() >= 45 && text.ends_with(['を', 'が', 'は'])) {
        return true;
    }
    // Notes need no stop.
    let note = clauses(text).pop().unwrap_or(text);
    let note = note.len() <= 160 && (is_label(note) || note.contains(" — ") || note.contains(" – "));
    text.len() >= 45 && !last.is_item() && !note && stops_without_stop(view, text, word, end)
}

/// Prose whose other sentences end with a stop, and the last with a letter.
fn stops_without_stop(view: &View<'_>, text: &str, word: &str, end: char) -> bool {
    // Thai, Lao, Tibetan, Burmese and Khmer have no full stop, or not this one.
    let stopless = matches!(end, '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}');
    let wide = matches!(end, '\u{3040}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
    // The end of a path, a name in code, a number, an address.
    let plain = wide || word.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'' || c == '’');
    if stopless || !end.is_alphabetic() || !plain {
        return false;
    }
    let before = view.lines.len() - 1;
    let mut others =
        view.lines[..before].iter().filter(|line| !line.code && !line.is_item() && line.text.len() >= 45).peekable();
    let all_stop = others.peek().is_some() && others.all(|line| ends_with_stop(line.text));
    let in_line = sentences(text) > 0;
    in_line || all_stop
}

fn ends_with_stop(line: &str) -> bool {
    let line = line.trim_end_matches(|c: char| "\"'”’»)）」』*_`]".contains(c));
    line.ends_with(STOPS) || line.ends_with([':', '：'])
}

fn not_smaller(text: &str, span: Option<u64>) -> Verdict {
    let Some(span) = span else { return Ok(()) };
    let framed = frame(text, false).unwrap_or_default();
    let tokens = Estimator::default().text(framed.as_bytes());
    if tokens < span {
        return Ok(());
    }
    reject(Rejection::NotSmaller, format!("the summary takes about {tokens} tokens, what it replaces {span}"))
}
