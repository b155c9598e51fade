//! The shared tests of the core as WebAssembly in Node.
#![cfg(target_arch = "wasm32")]

mod common;
mod seeded;
