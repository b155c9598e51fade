//! The border to JavaScript: the only place that knows wasm-bindgen.
//!
//! Contents come in as bytes that the host writes straight into the core's memory ([`stage`]), one
//! message a line, as JSON. Indices and numbers go out packed, options and small results through
//! serde-wasm-bindgen. Nothing is kept between two calls, so a host may drop the instance after a
//! trap and go on with a new one.

mod convert;
mod files;
mod memory;
mod messages;
mod stage;

use wasm_bindgen::prelude::*;

/// Makes a bug in the core name its place on the console before the trap.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}
