//! The seed corpus of the fuzzers, through the same functions, and some thousand mutations of it that are the same in every
//! run: so that fuzzers which nobody runs stay true.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::path::{Path, PathBuf};
use targets::TARGETS;

/// Mutations of each seed.
const MUTATIONS: usize = 100;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus")
}

/// The seeds of a target, by name.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = corpus().join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            (path.file_name().expect("a name").to_string_lossy().into_owned(), fs::read(&path).expect("a file"))
        })
        .collect();
    seeds.sort();
    seeds
}

/// Numbers that are the same in every run.
fn generator(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    }
}

/// One to three small changes.
fn mutated(seed: &[u8], random: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random(3) {
        let at = random(bytes.len());
        match random(5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << random(8),
            2 if at < bytes.len() => bytes[at] = b"\0\xff\n{}[]\",:1"[random(11)],
            3 if at < bytes.len() => drop(bytes.remove(at)),
            _ => {
                let from = random(seed.len());
                let piece = seed[from..(from + random(200)).min(seed.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

#[test]
fn seeds_and_mutations_of_them_hold() {
    let mut ran = 0;
    for (number, (name, target)) in TARGETS.iter().enumerate() {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name} has no corpus");
        let mut random = generator(0x9e37_79b9_7f4a_7c15 + number as u64);
        for (file, seed) in &seeds {
            println!("{name}/{file}");
            target(seed);
            (0..MUTATIONS).for_each(|_| target(&mutated(seed, &mut random)));
            ran += 1 + MUTATIONS;
        }
    }
    println!("{ran} inputs");
}

/// A target that nobody builds, or a corpus that no target reads, would not be noticed.
#[test]
fn targets_are_the_ones_that_are_built() {
    let names: Vec<String> = TARGETS.iter().map(|(name, _)| name.to_string()).collect();
    let found = |folder: PathBuf| {
        let mut found: Vec<String> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned())
            .collect();
        found.sort();
        found
    };
    let mut sorted = names.clone();
    sorted.sort();
    let fuzz = corpus().parent().expect("the folder of the fuzzers").to_path_buf();
    assert_eq!(found(fuzz.join("fuzz_targets")), sorted);
    assert_eq!(found(corpus()), sorted);
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).expect("a manifest");
    assert!(names.iter().all(|name| manifest.contains(&format!("name = \"{name}\""))));
}
