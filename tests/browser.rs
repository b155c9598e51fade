//! The shared tests of the core as WebAssembly in a browser.
#![cfg(target_arch = "wasm32")]

mod common;
mod seeded;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
