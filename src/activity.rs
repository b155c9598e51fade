//! What was done, as data: the files that were read and changed, the commands that were run.
//!
//! A model that summarizes a summary of a summary forgets paths first. These are never summarised: they are read off the
//! calls, added up from fold to fold, kept with the fold in the ledger, and shown in the digest behind the summary.

use crate::clip::clip;
use crate::digest::unframe;
use crate::error::Result;
use crate::formats::Format;
use crate::json::{Kind, Tape, Value};
use crate::message::{Part, Provenance};
use crate::outline::object;
use crate::text::squeezed;
use crate::tools::{patched, Meaning, ToolKind, ToolMeaning, Tools};
use crate::window::Span;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The line over the list in a digest.
pub const HEADING: &str = "FILES AND COMMANDS SO FAR (kept as data):";

/// So much is remembered of one command.
const COMMAND_BYTES: usize = 200;

/// And of one path: longer ones are no paths.
const PATH_BYTES: usize = 500;

/// So many files and commands are remembered, the latest: a bound for conversations without end, far above what shows.
const MOST: usize = 2000;

/// What was done with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct FileActivity {
    /// As the call named it.
    pub path: String,
    /// It was written, edited, moved or deleted; otherwise only read.
    pub changed: bool,
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct CommandActivity {
    /// Its text, on one line; of a long one head and tail.
    pub command: String,
    /// How often it was run.
    pub runs: u32,
    /// The last run failed.
    pub failed: bool,
}

/// Files and commands, each once, the one touched last at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(default)]
pub struct Activity {
    /// Files.
    pub files: Vec<FileActivity>,
    /// Commands.
    pub commands: Vec<CommandActivity>,
}

/// Reads what was done in the messages that fold. `earlier` gives what was done before earlier folds by the index of their digest,
/// piece by piece, the oldest first; where it gives none, the list in the digest's text is read. With `None` digests are left out:
/// what is read is what these messages did themselves.
///
/// # Errors
/// Those of [`Span::check`], and [`crate::error::ErrorCode::BadMessage`].
pub fn of<T: AsRef<[u8]>>(
    messages: &[T],
    format: Format,
    span: &Span,
    provenance: &dyn Fn(usize) -> Option<Provenance>,
    tools: &[ToolMeaning],
    earlier: Option<&[(u32, Activity)]>,
) -> Result<Activity> {
    span.check(messages.len())?;
    let (mut tape, mut recorder) = (Tape::new(), Recorder::new(tools));
    let reader = format.reader();
    for index in span.folded() {
        let message = object(&mut tape, messages[index].as_ref(), index)?;
        let is_digest = provenance(index).unwrap_or_else(|| reader.provenance(message)) == Provenance::Summary;
        if is_digest && earlier.is_none_or(|earlier| recorder.add_known(earlier, index)) {
            continue;
        }
        let mut text = String::new();
        reader.parts(message, &mut |part| match part {
            Part::Text(part) if is_digest => text.push_str(&part.text_lossy()),
            Part::Summary(raw) if is_digest => {
                text.push_str(&raw.get_str("content").map_or_else(Default::default, Value::text_lossy))
            }
            Part::Call { id, name, arguments, .. } => {
                recorder.call(id, name.map(|name| reader.tool_name(name)).as_deref(), arguments)
            }
            Part::Result { id, content, error, .. } => recorder.result(id, content, error),
            _ => {}
        });
        if is_digest {
            recorder.add(in_digest(&unframe(&text)));
        }
    }
    Ok(recorder.finish())
}

impl Activity {
    /// Nothing was done.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.commands.is_empty()
    }

    /// The list for a digest, of at most `limit` bytes: changed files, commands and files that were only read, each the latest
    /// first; what is left out is counted. Empty when nothing was done.
    pub fn list(&self, limit: usize) -> String {
        if self.is_empty() {
            return String::new();
        }
        let changed = self.files.iter().rev().filter(|file| file.changed).map(file_line);
        let read = self.files.iter().rev().filter(|file| !file.changed).map(file_line);
        let commands = self.commands.iter().rev().map(command_line);
        let mut out = String::from(HEADING);
        let mut left_out = 0;
        // A quarter for the files that were only read: they can be found again by looking.
        let parts: [(&mut dyn Iterator<Item = String>, usize); 3] =
            [(&mut { changed }, limit / 2), (&mut { commands }, limit * 3 / 4), (&mut { read }, limit)];
        for (lines, until) in parts {
            for line in lines {
                if out.len() + line.len() + 1 > until.saturating_sub(LEFT_OUT.len() + 16) {
                    left_out += 1;
                    continue;
                }
                out.push('\n');
                out.push_str(&line);
            }
        }
        if left_out > 0 {
            out.push_str(&format!("\n- ({left_out}{LEFT_OUT}"));
        }
        out
    }
}

/// How the line ends that counts what a list or a section leaves out.
pub(crate) const LEFT_OUT: &str = " more left out here)";

impl FileActivity {
    /// What was done with the file, on a line.
    pub(crate) fn said(&self) -> String {
        format!("{} {}", if self.changed { "changed" } else { "read" }, squeezed(&self.path))
    }

    /// Reads [`FileActivity::said`] back.
    pub(crate) fn read(line: &str) -> Option<FileActivity> {
        let (how, path) = line.split_once(' ')?;
        let changed = match how {
            "changed" => true,
            "read" => false,
            _ => return None,
        };
        Some(FileActivity { path: path.into(), changed })
    }
}

fn file_line(file: &FileActivity) -> String {
    format!("- {}", file.said())
}

fn command_line(command: &CommandActivity) -> String {
    let times = if command.runs > 1 { format!(" ({} times)", command.runs) } else { String::new() };
    let failed = if command.failed { " (failed)" } else { "" };
    format!("- ran `{}`{times}{failed}", squeezed(&command.command))
}

/// A summary with the list behind it; one that it brings along is taken off first.
pub fn with_list(summary: &str, done: &Activity, limit: usize) -> String {
    let mut summary = unframe(summary);
    take(&mut summary);
    let list = done.list(limit);
    if list.is_empty() {
        return summary;
    }
    format!("{}\n\n{list}", summary.trim_end())
}

/// Takes the list off the end of a summary, and reads it.
pub fn take(summary: &mut String) -> Activity {
    let Some(start) = find_list(summary) else { return Activity::default() };
    let mut activity = Activity::default();
    for line in summary[start..].lines().skip(1) {
        if let Some(file) = read_file_line(line) {
            activity.files.push(file);
        } else if let Some(command) = read_command_line(line) {
            activity.commands.push(command);
        }
    }
    // They are listed the latest first.
    activity.files.reverse();
    activity.commands.reverse();
    summary.truncate(summary[..start].trim_end().len());
    activity
}

/// What the text of a digest says was done: by the list at its end, or by the FILES heading of a digest made by rules.
fn in_digest(text: &str) -> Activity {
    let mut text = text.to_string();
    let listed = take(&mut text);
    if !listed.is_empty() {
        return listed;
    }
    let lines = text.lines().skip_while(|line| *line != "FILES:").skip(1).take_while(|line| line.starts_with("- "));
    let mut files: Vec<FileActivity> = lines.filter_map(read_file_line).collect();
    files.reverse();
    Activity { files, commands: Vec::new() }
}

/// Where the list begins: at the start of a line, with nothing but its own lines behind it.
fn find_list(summary: &str) -> Option<usize> {
    // A command or a path may say the same words: then in the middle of a line.
    let mut starts = summary.rmatch_indices(HEADING).map(|(start, _)| start);
    let start = starts.find(|&start| start == 0 || summary[..start].ends_with('\n'))?;
    let own = |line: &str| {
        line.trim().is_empty()
            || line.ends_with(LEFT_OUT)
            || read_file_line(line).is_some()
            || read_command_line(line).is_some()
    };
    summary[start..].lines().skip(1).all(own).then_some(start)
}

fn read_file_line(line: &str) -> Option<FileActivity> {
    FileActivity::read(line.strip_prefix("- ")?)
}

fn read_command_line(line: &str) -> Option<CommandActivity> {
    let rest = line.strip_prefix("- ran `")?;
    let (rest, failed) = match rest.strip_suffix(" (failed)") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let times = rest.strip_suffix(" times)").and_then(|rest| rest.rsplit_once(" ("));
    let (rest, runs) = match times.and_then(|(rest, times)| Some((rest, times.parse().ok()?))) {
        Some((rest, times)) => (rest, times),
        None => (rest, 1),
    };
    Some(CommandActivity { command: rest.strip_suffix('`')?.into(), runs, failed })
}

/// Keys under which tools that nobody described take a path; `file_path` first, since it never means a folder.
const PATH_KEYS: [&str; 8] =
    ["file_path", "filePath", "notebook_path", "target_file", "filename", "file", "path", "uri"];

/// Parts of the names of such tools that change a file.
const WRITE_CUES: [&str; 9] = ["write", "edit", "create", "patch", "replace", "insert", "delete", "move", "update"];

/// Keys under which tools take a command.
const COMMAND_KEYS: [&str; 3] = ["command", "cmd", "script"];

/// Reads files and commands off the calls of a conversation, in their order.
pub struct Recorder<'t> {
    tools: Tools<'t>,
    /// What was done with a path or a command, by when it was done last.
    files: HashMap<String, (usize, bool)>,
    commands: HashMap<String, (usize, u32, bool)>,
    command_of: HashMap<Vec<u8>, String>,
    now: usize,
}

impl<'t> Recorder<'t> {
    /// With the caller's own tools before those that are known.
    pub fn new(tools: &'t [ToolMeaning]) -> Recorder<'t> {
        let tools = Tools::new(tools);
        Recorder { tools, files: HashMap::new(), commands: HashMap::new(), command_of: HashMap::new(), now: 0 }
    }

    /// A call.
    pub fn call(&mut self, id: Option<Value<'_>>, name: Option<&str>, arguments: Option<Value<'_>>) {
        let (name, Some(arguments)) = (name.unwrap_or_default(), arguments) else { return };
        // Some formats carry arguments as JSON text.
        let text = arguments.text().filter(|_| arguments.kind() == Kind::String);
        let mut tape = Tape::new();
        let read = match &text {
            Some(text) => tape.parse(text).ok(),
            None => Some(arguments),
        };
        let object = read.filter(|value| value.kind() == Kind::Object);
        // Text that is no JSON is a patch.
        let Meaning { kind, paths, .. } = self.tools.meaning(name, object.or(Some(arguments)));
        match kind {
            Some(kind) => paths.into_iter().for_each(|path| self.file(path, kind == ToolKind::Write)),
            None => {
                let path = object.and_then(|object| PATH_KEYS.iter().find_map(|key| object.get_str(key)));
                let name = name.to_lowercase();
                if let Some(path) = path {
                    self.file(path.text_lossy().into_owned(), WRITE_CUES.iter().any(|cue| name.contains(cue)));
                }
            }
        }
        // What changes files by its `command` is no shell.
        let shell = !matches!(kind, Some(ToolKind::Read | ToolKind::Write));
        for command in object.filter(|_| shell).map(commands_of).unwrap_or_default() {
            for path in patched(&command) {
                self.file(path, true);
            }
            let command = clip(&squeezed(&command), COMMAND_BYTES).into_owned();
            self.command(&command, 1, false);
            self.command_of.insert(id.map_or_else(Vec::new, |id| id.raw().to_vec()), command);
        }
    }

    /// The result of a call: whether the command failed.
    pub fn result(&mut self, id: Option<Value<'_>>, content: Option<Value<'_>>, error: bool) {
        if !error && !content.is_some_and(says_exit_code) {
            return;
        }
        let command = id.and_then(|id| self.command_of.get(id.raw()));
        if let Some(run) = command.and_then(|command| self.commands.get_mut(command)) {
            run.2 = true;
        }
    }

    /// What was done before.
    pub fn add(&mut self, earlier: Activity) {
        for FileActivity { path, changed } in earlier.files {
            self.file(path, changed);
        }
        for CommandActivity { command, runs, failed } in earlier.commands {
            self.command(&command, runs, failed);
        }
    }

    /// What is known of the digest at an index; whether anything is.
    pub fn add_known(&mut self, earlier: &[(u32, Activity)], index: usize) -> bool {
        let mut known = false;
        for (_, done) in earlier.iter().filter(|&&(at, _)| at as usize == index) {
            self.add(done.clone());
            known = true;
        }
        known
    }

    /// A file was touched.
    pub fn file(&mut self, path: String, changed: bool) {
        self.now += 1;
        let path = squeezed(&path);
        let file = self.files.entry(clip(&path, PATH_BYTES).into_owned()).or_default();
        *file = (self.now, changed || file.1);
    }

    fn command(&mut self, command: &str, runs: u32, failed: bool) {
        self.now += 1;
        let run = self.commands.entry(command.to_string()).or_default();
        *run = (self.now, run.1.saturating_add(runs), failed);
    }

    /// All of it.
    pub fn finish(self) -> Activity {
        let files = by_time(self.files, |&(when, _)| when);
        let commands = by_time(self.commands, |&(when, _, _)| when);
        let command = |(command, (_, runs, failed))| CommandActivity { command, runs, failed };
        Activity {
            files: files.into_iter().map(|(path, (_, changed))| FileActivity { path, changed }).collect(),
            commands: commands.into_iter().map(command).collect(),
        }
    }
}

/// The latest of a map, in their order.
fn by_time<T>(map: HashMap<String, T>, when: impl Fn(&T) -> usize) -> Vec<(String, T)> {
    let mut all: Vec<(String, T)> = map.into_iter().collect();
    crate::order::sort_by_key(&mut all, |(_, item)| when(item));
    all.drain(..all.len().saturating_sub(MOST));
    all
}

/// The commands of a call: one under a usual name, or several (the shell of the Responses API), also inside of an action.
fn commands_of(arguments: Value<'_>) -> Vec<String> {
    if let Some(several) = arguments.get("commands") {
        return several.items().filter_map(command_text).collect();
    }
    let inside = arguments.get("action").filter(|action| action.kind() == Kind::Object);
    let one = [Some(arguments), inside].into_iter().flatten();
    let mut found = one.flat_map(|object| COMMAND_KEYS.iter().filter_map(move |key| object.get(key)));
    found.find_map(command_text).into_iter().filter(|command| !command.trim().is_empty()).collect()
}

/// A command, as text or as a list of words (Codex); of a shell that is handed a script, the script.
fn command_text(value: Value<'_>) -> Option<String> {
    if value.kind() == Kind::String {
        return Some(value.text_lossy().into_owned());
    }
    let words: Option<Vec<String>> =
        value.items().map(|word| word.text().map(|_| word.text_lossy().into_owned())).collect();
    let words = words.filter(|_| value.kind() == Kind::Array)?;
    let is_script = words.len() == 3 && matches!(words[1].as_str(), "-c" | "-lc");
    Some(if is_script { words[2].clone() } else { words.join(" ") })
}

/// Whether a result says that its command ended with another code than 0 (Codex: JSON text with `metadata.exit_code`).
fn says_exit_code(content: Value<'_>) -> bool {
    let text = content.text_lossy();
    if content.kind() != Kind::String || !text.starts_with('{') || !text.contains("\"exit_code\"") {
        return false;
    }
    let mut tape = Tape::new();
    let Ok(said) = tape.parse(text.as_bytes()) else { return false };
    let code = said.get("metadata").unwrap_or(said).get("exit_code").and_then(Value::as_f64);
    code.is_some_and(|code| code != 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity(files: &[(&str, bool)], commands: &[(&str, u32, bool)]) -> Activity {
        let files = files.iter().map(|&(path, changed)| FileActivity { path: path.into(), changed }).collect();
        let command =
            |&(command, runs, failed): &(&str, u32, bool)| CommandActivity { command: command.into(), runs, failed };
        Activity { files, commands: commands.iter().map(command).collect() }
    }

    #[test]
    fn the_list_is_read_back_as_it_was() {
        let done = activity(
            &[("a b/c.rs", false), ("beds (old).csv", true)],
            &[("cargo test", 3, true), ("echo ` (failed)", 1, false), ("ls (2 times)", 1, true)],
        );
        let mut summary = format!("GOAL: grow\n\n{}", done.list(2000));
        assert_eq!(take(&mut summary), done);
        assert_eq!(summary, "GOAL: grow");
        assert_eq!(take(&mut summary), Activity::default());
    }

    #[test]
    fn a_list_that_is_not_the_end_is_text() {
        let text = format!("GOAL\n{HEADING}\n- changed a\nand more");
        assert_eq!(take(&mut text.clone()), Activity::default());
    }

    #[test]
    fn a_long_list_keeps_its_limit() {
        let paths: Vec<String> = (0..500).map(|n| format!("beds/{n}.csv")).collect();
        let files: Vec<(&str, bool)> = paths.iter().map(|path| (path.as_str(), path.ends_with("0.csv"))).collect();
        let commands: Vec<(&str, u32, bool)> = paths.iter().map(|path| (path.as_str(), 1, false)).collect();
        let list = activity(&files, &commands).list(1500);
        assert!(list.len() <= 1500, "{}", list.len());
        for line in ["- changed beds/490.csv", "- ran `beds/499.csv`", "- read beds/499.csv", "more left out here)"] {
            assert!(list.contains(line), "{line}: {list}");
        }
        assert!(list.lines().skip(1).count() > 30);
    }
}
