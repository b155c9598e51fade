//! The shared tests of the core as ordinary native tests.
#![cfg(not(target_arch = "wasm32"))]

mod common;
