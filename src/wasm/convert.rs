//! Errors and small values on their way between the core and JavaScript.

use crate::error::{Error, ErrorCode, Result};
use crate::formats::Format;
use crate::json::{Tape, Value};
use crate::message::{Provenance, MARKS};
use crate::outline::Reading;
use crate::tokens::Estimator;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

/// What a call gives or throws.
pub(super) type Answer<T> = std::result::Result<T, JsValue>;

/// An error as the plain object `{ code, message }`; the TypeScript face makes a `PlicaError` of it.
pub(super) fn thrown(error: Error) -> JsValue {
    #[derive(Serialize)]
    struct Thrown {
        code: ErrorCode,
        message: String,
    }
    let Error { code, message } = error;
    serde_wasm_bindgen::to_value(&Thrown { code, message }).unwrap_or(JsValue::NULL)
}

/// A small result.
pub(super) fn to_js<T: Serialize>(value: &T) -> Answer<JsValue> {
    // Maps would arrive as `Map`: nobody expects that of a plain result.
    let plain = serde_wasm_bindgen::Serializer::new().serialize_missing_as_null(true).serialize_maps_as_objects(true);
    value.serialize(&plain).map_err(|error| thrown(Error::new(ErrorCode::Internal, error.to_string())))
}

/// Options; `code` is the error's when they do not fit.
pub(super) fn from_js<T: DeserializeOwned>(value: JsValue, code: ErrorCode) -> Answer<T> {
    serde_wasm_bindgen::from_value(value).map_err(|error| thrown(Error::new(code, error.to_string())))
}

/// How to read messages, as the host says it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct JsReading {
    format: Option<String>,
    /// Pairs of index and place in [`MARKS`].
    provenance: Vec<(u32, u8)>,
    estimator: Option<String>,
    tokens: Option<Vec<f64>>,
}

/// The same, ready to use.
pub(super) struct OwnReading {
    pub(super) format: Option<Format>,
    provenance: Vec<(u32, Provenance)>,
    estimator: Estimator,
    tokens: Option<Vec<f64>>,
}

impl OwnReading {
    pub(super) fn from_js(value: JsValue) -> Answer<OwnReading> {
        let read: JsReading =
            if value.is_undefined() { JsReading::default() } else { from_js(value, ErrorCode::BadArgument)? };
        let format = read.format.as_deref().map(Format::from_name).transpose().map_err(thrown)?;
        let estimator = read.estimator.as_deref().map(Estimator::from_name).transpose().map_err(thrown)?;
        let known = |(index, number): (u32, u8)| MARKS.get(usize::from(number)).map(|&p| (index, p));
        Ok(OwnReading {
            format,
            provenance: read.provenance.into_iter().filter_map(known).collect(),
            estimator: estimator.unwrap_or_default(),
            tokens: read.tokens,
        })
    }

    pub(super) fn reading(&self) -> Reading<'_> {
        let tokens = self.tokens.as_deref();
        Reading { format: self.format, provenance: &self.provenance, estimator: self.estimator, tokens }
    }

    /// The provenance that the host gave for a message, if any; ascending by index.
    pub(super) fn provenance(&self, index: usize) -> Option<Provenance> {
        let place = self.provenance.binary_search_by_key(&(index as u32), |(index, _)| *index).ok()?;
        Some(self.provenance[place].1)
    }
}

/// Parses staged JSON that the face itself wrote.
pub(super) fn parse<'t>(tape: &'t mut Tape, text: &'t [u8], code: ErrorCode) -> Result<Value<'t>> {
    tape.parse(text).map_err(|error| Error::new(code, format!("not valid JSON: {error}")))
}
