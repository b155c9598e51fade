//! What a tool means: whether it reads, writes or runs something, and which of its arguments names the file.
//!
//! Names and argument keys are those of the agents as they ship; a caller's own table comes first.

use crate::json::{Kind, Tape, Value};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum ToolKind {
    /// It says what a file holds: a later reading of the same file, or a change of it, makes the result old.
    Read,
    /// It changes a file.
    Write,
    /// It runs something, or looks something up: its results stand for themselves.
    Run,
}

/// What a tool means, as the caller says it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ToolMeaning {
    /// Its name, as calls give it.
    pub name: String,
    /// What it does.
    pub kind: ToolKind,
    /// The argument that holds the path; one of the usual ones where it is not said.
    #[serde(default)]
    pub path: Option<String>,
}

/// Tools whose names mean the same wherever they are met, by agent: Claude Code, Codex, pi and opencode, gemini-cli.
const KNOWN: &[(ToolKind, &[&str])] = &[
    (ToolKind::Read, &["Read", "NotebookRead"]),
    (ToolKind::Write, &["Write", "Edit", "MultiEdit", "NotebookEdit"]),
    (ToolKind::Run, &["Bash", "BashOutput", "Grep", "Glob", "LS", "Task", "WebFetch", "WebSearch"]),
    (ToolKind::Write, &["str_replace_editor", "str_replace_based_edit_tool"]),
    (ToolKind::Read, &["read_file", "read_many_files", "view_image"]),
    (ToolKind::Write, &["apply_patch"]),
    (ToolKind::Run, &["shell", "local_shell", "exec_command", "write_stdin", "list_dir", "grep_files", "update_plan"]),
    (ToolKind::Read, &["read"]),
    (ToolKind::Write, &["write", "edit", "multiedit", "patch"]),
    (ToolKind::Run, &["bash", "grep", "glob", "find", "ls", "list", "task", "webfetch", "todowrite", "todoread"]),
    (ToolKind::Write, &["write_file", "replace"]),
    (ToolKind::Run, &["run_shell_command", "list_directory", "search_file_content", "web_fetch", "google_web_search"]),
];

/// Arguments that hold the path of a file, in the tools above.
const PATHS: [&str; 7] = ["file_path", "filePath", "path", "absolute_path", "notebook_path", "filename", "file"];

/// The meanings of tools.
pub struct Tools<'t> {
    by_name: HashMap<&'t str, (ToolKind, Option<&'t str>)>,
}

/// A call, as far as its meaning goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meaning {
    /// What the tool does, if that is known.
    pub kind: Option<ToolKind>,
    /// The files that it names.
    pub paths: Vec<String>,
    /// It may read but a part of the file: it has arguments beside the path.
    pub partial: bool,
}

impl<'t> Tools<'t> {
    /// The caller's tools, and those that are known.
    pub fn new(own: &'t [ToolMeaning]) -> Tools<'t> {
        let known = KNOWN.iter().flat_map(|(kind, names)| names.iter().map(|name| (*name, (*kind, None))));
        let own = own.iter().map(|tool| (tool.name.as_str(), (tool.kind, tool.path.as_deref())));
        Tools { by_name: known.chain(own).collect() }
    }

    /// What a call of the tool called `name` means.
    pub fn meaning(&self, name: &str, arguments: Option<Value<'_>>) -> Meaning {
        let Some(&(kind, path)) = self.by_name.get(name) else { return Meaning::default() };
        let meaning = Meaning { kind: Some(kind), ..Meaning::default() };
        let Some(arguments) = arguments.filter(|_| kind != ToolKind::Run) else { return meaning };
        // Anthropic's text editor looks and writes by the same name.
        let looks = arguments.get("command").is_some_and(|command| command.is_str("view"));
        let meaning = if looks { Meaning { kind: Some(ToolKind::Read), ..meaning } } else { meaning };
        if arguments.kind() != Kind::String {
            return read(meaning, arguments, path);
        }
        // Arguments that are text hold JSON, or a patch as it is.
        let text = arguments.text().unwrap_or_default();
        let mut tape = Tape::new();
        match tape.parse(&text) {
            Ok(object) if object.kind() == Kind::Object => read(meaning, object, path),
            _ => Meaning { paths: patched(&String::from_utf8_lossy(&text)), ..meaning },
        }
    }
}

fn read(meaning: Meaning, arguments: Value<'_>, path: Option<&str>) -> Meaning {
    let usual = || PATHS.iter().find_map(|key| arguments.get_str(key));
    let named = match path {
        Some(path) => arguments.get_str(path),
        None => usual(),
    };
    // Whatever else is asked for (lines, cells, a head, a mode) may leave something out.
    let is_path = |key: Value<'_>| PATHS.iter().chain(&path).any(|name| key.is_str(name));
    let partial = arguments.entries().any(|(key, value)| !is_path(key) && !value.is_null());
    if let Some(path) = named {
        return Meaning { paths: vec![plain(path.text_lossy())], partial, ..meaning };
    }
    if let Some(several) = arguments.get("paths").filter(|paths| paths.kind() == Kind::Array) {
        let paths = several.items().filter(|path| path.kind() == Kind::String).map(|path| plain(path.text_lossy()));
        return Meaning { paths: paths.collect(), partial: true, ..meaning };
    }
    let patch = ["patch", "input", "patchText"].iter().find_map(|key| arguments.get_str(key));
    Meaning { paths: patch.map(|patch| patched(&patch.text_lossy())).unwrap_or_default(), partial, ..meaning }
}

fn plain(path: Cow<'_, str>) -> String {
    path.strip_prefix("./").unwrap_or(&path).to_string()
}

/// The files that a patch in Codex's notation changes.
pub(crate) fn patched(patch: &str) -> Vec<String> {
    const HEADS: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
    let head = |line: &str| HEADS.iter().find_map(|head| line.strip_prefix(head)).map(|path| plain(path.trim().into()));
    patch.lines().filter_map(head).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(own: &[ToolMeaning], name: &str, arguments: &str) -> Meaning {
        let mut tape = Tape::new();
        Tools::new(own).meaning(name, tape.parse(arguments.as_bytes()).ok())
    }

    #[test]
    fn tools_of_well_known_agents() {
        let read = meaning(&[], "Read", r#"{"file_path":"/a","offset":5}"#);
        assert_eq!(read, Meaning { kind: Some(ToolKind::Read), paths: vec!["/a".into()], partial: true });
        let text = meaning(&[], "read_file", r#""{\"path\":\"./a\"}""#);
        assert_eq!(text, Meaning { kind: Some(ToolKind::Read), paths: vec!["a".into()], partial: false });
        let patch = r#"{"input":"*** Begin Patch\n*** Update File: a.rs\n@@\n*** Add File: b.rs\n*** End Patch"}"#;
        assert_eq!(meaning(&[], "apply_patch", patch).paths, ["a.rs", "b.rs"]);
        assert_eq!(meaning(&[], "Bash", r#"{"path":"/a"}"#).paths, Vec::<String>::new());
        assert_eq!(meaning(&[], "unheard_of", "{}"), Meaning::default());
    }

    #[test]
    fn the_callers_own_come_first() {
        let own = [ToolMeaning { name: "Read".into(), kind: ToolKind::Write, path: Some("where".into()) }];
        let write = meaning(&own, "Read", r#"{"file_path":"/a","where":"/b"}"#);
        assert_eq!((write.kind, write.paths), (Some(ToolKind::Write), vec!["/b".to_string()]));
    }
}
