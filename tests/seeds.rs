//! The answers to seeds, natively: compared with the pinned ones, or pinned anew with `PLICA_PIN=1`.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

mod seeded;
mod support;

#[test]
fn pin() {
    if std::env::var_os("PLICA_PIN").is_none() {
        return;
    }
    let lines: String = seeded::blocks().map(seeded::line).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/seeds.txt");
    std::fs::write(path, lines).expect("the vectors can be written");
    support::say(&format!("pinned anew in {path}"));
}
