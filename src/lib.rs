//! **plica** (Latin: a fold) folds long agent conversations without losing anything.
//!
//! The core, in pure Rust: messages come in as JSON text, answers are indices, texts and small
//! structs. No JavaScript type appears outside `wasm`, which exists on wasm32 alone.
//!
//! * [`formats`] – message formats, one file each; [`json`], [`message`], [`outline`] – reading them
//! * [`pairing`], [`cuts`], [`profile`], [`plan`], [`window`] – what folds, where to cut, what the window becomes
//! * [`check`], [`repair`], [`edit`] – what a provider would refuse, and how it is mended
//! * [`convert`] – messages of one format as messages of another
//! * [`digest`], [`summarize`], [`accept`], [`deterministic`] – what takes the place of the folded span
//! * [`session`], [`document`] – session files: read, folded, unfolded, inspected
//! * [`ledger`] – the way back; [`fingerprint`] – identity; [`tokens`] – estimates
//! * [`pins`], [`health`], [`recall`] – the memory beside the conversation
//! * [`admission`], [`pinned`], [`propose`], [`survey`] – rules that survive: what is pinned, where it stands, what could be, how
//!   well it all holds

#![warn(missing_docs)]

pub mod accept;
pub mod activity;
pub mod admission;
pub mod check;
pub mod clip;
pub mod convert;
pub mod cuts;
mod defuse;
pub mod deterministic;
pub mod digest;
pub mod document;
pub mod edit;
pub mod error;
pub mod fingerprint;
pub mod formats;
mod grow;
pub mod health;
pub mod ids;
pub mod json;
pub mod landmarks;
pub mod ledger;
pub mod life;
pub mod message;
pub mod meter;
mod order;
pub mod outline;
pub mod pairing;
pub mod pinned;
pub mod pins;
pub mod plan;
pub mod profile;
pub mod propose;
pub mod recall;
pub mod reduce;
pub mod repair;
pub mod session;
pub mod summarize;
pub mod survey;
pub mod tail;
pub mod text;
pub mod time;
pub mod tokens;
pub mod tools;
pub mod transcript;
pub mod usage;
pub mod window;

#[cfg(target_arch = "wasm32")]
mod wasm;

/// Constants for the TypeScript face, written beside the types that `ts-rs` exports when the tests run.
#[cfg(test)]
mod constants {
    fn json(value: impl serde::Serialize) -> String {
        serde_json::to_string(&value).unwrap()
    }

    #[test]
    fn export_bindings_constants() {
        let Some(folder) = std::env::var_os("TS_RS_EXPORT_DIR") else { return };
        let shape =
            |format: &crate::formats::Format| format!("  {:?}: {};\n", format.name(), format.reader().digest_type());
        let digests: String = crate::formats::Format::ALL.iter().map(shape).collect();
        let pinned =
            |format: &crate::formats::Format| format!("  {:?}: {};\n", format.name(), format.reader().pinned_type());
        let pins: String = crate::formats::Format::ALL.iter().map(pinned).collect();
        let members =
            |format: &crate::formats::Format| format!("  {:?}: {},\n", format.name(), json(format.reader().telling()));
        let telling: String = crate::formats::Format::ALL.iter().map(members).collect();
        let file = format!(
            "// Generated from the Rust sources. Not to be edited.\n\n\
             /** What a digest is in each format: a message, or several. */\n\
             export interface DigestMessages {{\n{digests}}}\n\
             /** What the pinned message is in each format: a message, or several. */\n\
             export interface PinnedMessages {{\n{pins}}}\n\
             export const FORMATS: readonly (keyof DigestMessages)[] = {};\n\
             export const SUMMARIZE_SYSTEM: string = {};\n\
             export const LEAST_GAIN: number = {};\n\
             export const PINNED_KIND_NAMES: readonly string[] = {};\n\
             export const ISSUERS: Readonly<Record<string, number>> = {};\n\
             export const MAX_PINS: number = {};\n\
             export const MAX_PIN_TOKENS: number = {};\n\
             export const PROVENANCE_MARKS: readonly string[] = {};\n\
             /** Of each format the members that tell system text, instructions and memory from the rest; null where it takes more. */\n\
             export const TELLING_MEMBERS = {{\n{telling}}} as const;\n",
            json(crate::formats::Format::ALL),
            json(crate::summarize::SYSTEM),
            json(crate::life::LEAST_GAIN),
            json(crate::pins::PINNED_KINDS),
            serde_json::Value::from_iter(crate::admission::ISSUERS.map(|(name, rank)| (name, rank))),
            json(crate::pins::DEFAULT_PINNED_MAX_FACTS),
            json(crate::admission::DEFAULT_MAX_TOKENS),
            json(crate::message::MARKS),
        );
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(std::path::Path::new(&folder).join("constants.ts"), file).unwrap();
    }
}
