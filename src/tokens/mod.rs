//! Token estimates: [`Estimator::Balanced`], and the conservative one for those who are used to it.

pub mod balanced;
pub mod conservative;
pub mod media;
pub(crate) mod message;

use crate::error::{Error, ErrorCode, Result};
use crate::formats::MessageFormat;
use crate::json::Value;

pub(crate) use message::{is_text, text_starts};

/// What counts tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Estimator {
    /// As o200k_base counts, to a few per cent; images by their size. See [`balanced`].
    #[default]
    Balanced,
    /// A third of the UTF-8 bytes of a message's JSON. See [`conservative`].
    Conservative,
}

impl Estimator {
    /// The estimator called `name`.
    ///
    /// # Errors
    /// [`ErrorCode::BadEstimator`].
    pub fn from_name(name: &str) -> Result<Estimator> {
        match name {
            "balanced" => Ok(Estimator::Balanced),
            "conservative" => Ok(Estimator::Conservative),
            _ => Err(Error::new(ErrorCode::BadEstimator, format!("there is no estimator {name:?}"))),
        }
    }

    /// Tokens of a text in UTF-8.
    ///
    /// ```
    /// use plica::tokens::Estimator;
    /// assert_eq!(Estimator::Balanced.text(b"hi"), 1);
    /// assert_eq!(Estimator::Conservative.text("日本語".as_bytes()), 3);
    /// ```
    pub fn text(self, text: &[u8]) -> u64 {
        match self {
            Estimator::Balanced => balanced::of_text(text),
            Estimator::Conservative => conservative::of_bytes(text.len()),
        }
    }

    /// Tokens of a whole message.
    pub fn message(self, format: &dyn MessageFormat, message: Value<'_>) -> u64 {
        self.message_with(format, message, &mut Vec::new())
    }

    /// The same; `plain` gets for each result its tokens, where it is a string and they are counted by its text.
    pub(crate) fn message_with(
        self,
        format: &dyn MessageFormat,
        message: Value<'_>,
        plain: &mut Vec<Option<u64>>,
    ) -> u64 {
        match self {
            Estimator::Balanced => message::tokens(format, message, plain),
            Estimator::Conservative => format.conservative_tokens(message),
        }
    }
}
