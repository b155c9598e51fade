//! **plica** (Latin: a fold) folds long agent conversations without losing anything.
//!
//! The core, in pure Rust: messages come in as JSON text, answers are indices, texts and small
//! structs. No JavaScript type appears outside `wasm`, which exists on wasm32 alone.
//!
//! * [`formats`] – message formats, one file each; [`json`], [`message`], [`outline`] – reading them
//! * [`pairing`], [`cuts`], [`plan`], [`window`] – what folds, where to cut, what the window becomes
//! * [`digest`], [`summarize`], [`deterministic`] – what takes the place of the folded span
//! * [`ledger`] – the way back; [`fingerprint`] – identity; [`tokens`] – estimates
//! * [`pins`], [`health`], [`recall`] – the memory beside the conversation

#![warn(missing_docs)]

pub mod clip;
pub mod cuts;
pub mod deterministic;
pub mod digest;
pub mod error;
pub mod fingerprint;
pub mod formats;
pub mod health;
pub mod json;
pub mod ledger;
pub mod message;
pub mod outline;
pub mod pairing;
pub mod pins;
pub mod plan;
pub mod recall;
pub mod summarize;
pub mod text;
pub mod tokens;
pub mod window;

#[cfg(target_arch = "wasm32")]
mod wasm;
