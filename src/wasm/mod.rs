//! The border to JavaScript: the only place that knows wasm-bindgen.
//!
//! Contents come in as bytes that the host writes straight into the core's memory ([`stage`]), one
//! message a line, as JSON. Indices and numbers go out packed, options and small results through
//! serde-wasm-bindgen. Between two calls nothing is kept but transcripts, each behind a number, without
//! contents: a host may drop the instance after a trap and give their messages to a new one.

mod answers;
mod convert;
mod digests;
mod files;
mod memory;
mod messages;
mod pins;
mod stage;
mod transcript;

use wasm_bindgen::prelude::*;

/// Makes a bug in the core name its place on the console before the trap.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}
