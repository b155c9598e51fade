//! The life of a fold, as far as it is arithmetic: how much stays, when to prepare, whether a fold is worth it.

use crate::error::{Error, ErrorCode, Result};
use crate::meter::{Window, DUE};
use serde::{Deserialize, Serialize};

/// The tail takes this share of the window: enough to go on from, and half of it is free again after a fold.
pub const TAIL_SHARE: f64 = 0.3;

/// However late a digest is prepared, its tail has at least this share of the window.
const LEAST_TAIL: f64 = 0.1;

/// A fold has to free at least this share of what there is: less would have the next one due after a few messages.
pub const LEAST_GAIN: f64 = 0.05;

/// Estimated tokens of the smallest digest that says anything: the frame and its sentence take half of it.
const LEAST_DIGEST: f64 = 80.0;

/// Why a fold is not made although there is something to fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum Obstacle {
    /// It would free less than the minimum.
    TooLittleGain,
    /// What does not fold (prefix, kept messages and tail) does not fit the window even without a digest.
    CannotFit,
}

/// Estimated tokens that the tail may take. A digest that is prepared while the window fills has a shorter tail, so that it is as
/// long as it should be when the fold is due; `taken` are the tokens that are taken now, of one that is prepared.
///
/// # Errors
/// Those of [`Window::check`].
pub fn tail_budget(window: &Window, taken: Option<f64>, ratio: f64) -> Result<f64> {
    window.check()?;
    let room = window.size - window.output;
    let tail = TAIL_SHARE * room;
    let grown = taken.map_or(0.0, |taken| (DUE * room - taken).max(0.0));
    Ok((tail - grown).max(LEAST_TAIL * room) / ratio)
}

/// What a fold is weighed by, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Weights {
    /// Of the next request, as it is.
    pub before: f64,
    /// Estimate of what folds.
    pub folded: f64,
    /// Estimate of the digest; of the smallest one as long as there is none.
    pub digest: Option<f64>,
    /// Real tokens for one estimated.
    pub ratio: f64,
    /// What a fold has to free; a share of `before` where the caller does not say.
    pub least_gain: Option<f64>,
    /// The digest was prepared a while ago: it must free so much that no other fold is due behind it.
    #[serde(default)]
    pub prepared: bool,
}

/// Whether something speaks against the fold.
///
/// # Errors
/// Those of [`Window::check`]; [`ErrorCode::BadArgument`] for numbers that are none.
pub fn obstacle(weights: &Weights, window: Option<&Window>) -> Result<Option<Obstacle>> {
    let Weights { before, folded, digest, ratio, least_gain, prepared } = *weights;
    if ![before, folded, digest.unwrap_or(0.0), ratio, least_gain.unwrap_or(0.0)].iter().all(|&number| number >= 0.0) {
        return Err(Error::new(ErrorCode::BadArgument, "tokens must be numbers of 0 or more"));
    }
    let digest = digest.unwrap_or(LEAST_DIGEST);
    if let Some(window) = window {
        window.check()?;
        let share = if prepared { DUE } else { 1.0 };
        if before - (folded - digest) * ratio > share * (window.size - window.output) {
            return Ok(Some(Obstacle::CannotFit));
        }
    }
    // At least one token, or a fold could go on for ever.
    let least = least_gain.unwrap_or(LEAST_GAIN * before).max(1.0);
    Ok(((folded - digest) * ratio < least).then_some(Obstacle::TooLittleGain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails() {
        let window = Window { size: 1100.0, overhead: None, output: 100.0 };
        let tail = |taken| tail_budget(&window, taken, 1.0).unwrap().round();
        assert_eq!((tail(None), tail(Some(800.0)), tail(Some(700.0)), tail(Some(100.0))), (300.0, 300.0, 200.0, 100.0));
        assert_eq!(tail_budget(&window, None, 2.0).unwrap().round(), 150.0);
    }

    #[test]
    fn obstacles() {
        let window = Window { size: 1000.0, overhead: None, output: 0.0 };
        let weights = Weights {
            before: 900.0,
            folded: 500.0,
            digest: Some(200.0),
            ratio: 1.0,
            least_gain: None,
            prepared: false,
        };
        let of = |weights: Weights| obstacle(&weights, Some(&window)).unwrap();
        assert_eq!(of(weights), None);
        assert_eq!(of(Weights { digest: Some(460.0), ..weights }), Some(Obstacle::TooLittleGain));
        assert_eq!(of(Weights { digest: Some(460.0), least_gain: Some(40.0), ..weights }), None);
        assert_eq!(
            of(Weights { digest: Some(500.0), least_gain: Some(0.0), ..weights }),
            Some(Obstacle::TooLittleGain)
        );
        assert_eq!(of(Weights { before: 1700.0, ..weights }), Some(Obstacle::CannotFit));
        assert_eq!(of(Weights { before: 1150.0, ..weights }), None);
        assert_eq!(of(Weights { before: 1150.0, prepared: true, ..weights }), Some(Obstacle::CannotFit));
        assert_eq!(of(Weights { digest: None, folded: 100.0, ..weights }), Some(Obstacle::TooLittleGain));
        assert!(obstacle(&Weights { ratio: f64::NAN, ..weights }, None).is_err());
    }
}
