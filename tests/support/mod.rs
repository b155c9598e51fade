//! What the native tests share: finding the vectors and cases that lie outside the crate, and saying what ran.
#![allow(dead_code, missing_docs)]

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Straight to standard error, which the test harness does not hold back when a test passes.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The folder that `PLICA_SHARED` names, or the first folder `shared` beside the crate or above it.
pub fn shared() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("PLICA_SHARED") {
        return Some(PathBuf::from(folder));
    }
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared"))
        .find(|folder| folder.join("vectors").is_dir())
}

/// The text of a file in the shared folder; `None`, said aloud, without the folder.
pub fn read(relative: &str) -> Option<String> {
    let Some(folder) = shared() else {
        say(&format!("{relative}: skipped, no folder with vectors"));
        return None;
    };
    let path = folder.join(relative);
    Some(std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The same as JSON.
pub fn read_json(relative: &str) -> Option<Value> {
    let text = read(relative)?;
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{relative}: {error}")))
}
