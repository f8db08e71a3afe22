//! Redaction of secrets where text is written.
//!
//! A [`Redactor`] knows the values of the secrets in use and the shapes of common credentials, and replaces both with
//! [`REPLACEMENT`]. A [`RedactingStream`] does the same to text that arrives in pieces. Both read the text byte by byte
//! through the same scanner, so where a piece ends can never decide whether a secret is seen.
//!
//! Finding secrets is all that happens here: who holds them and what is written belongs to the callers.

mod authorization;
mod candidate;
mod forms;
mod left;
mod lines;
mod pem;
mod rules;
mod scan;
mod secret;
mod stream;
mod token;
mod url;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use lines::LineStage;
use rules::Rules;
use scan::{Output, Scanner};
pub use secret::Secret;
pub use stream::RedactingStream;

/// What stands where a secret was.
pub const REPLACEMENT: &str = "***";

/// Known values shorter than this are not looked for: they would hit ordinary words.
pub const MIN_SECRET_LEN: usize = 8;

/// Removes secrets from text. Made once; clones share the compiled rules.
#[derive(Clone)]
pub struct Redactor {
    rules: Arc<Rules>,
}

/// Why a redactor cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum RedactorError {
    /// A pattern of the user's is not a regular expression.
    #[error("cannot read the redaction pattern `{pattern}`")]
    InvalidPattern {
        /// The pattern as given.
        pattern: String,
        /// What is wrong with it.
        #[source]
        source: Box<regex::Error>,
    },
    /// A pattern of the user's matches everywhere.
    #[error("the redaction pattern `{pattern}` matches the empty text")]
    EmptyMatch {
        /// The pattern as given.
        pattern: String,
    },
    /// The search cannot be prepared, as the known values are too many.
    #[error("cannot prepare the search for known secrets")]
    Search(#[source] Box<dyn Error + Send + Sync>),
}

impl Redactor {
    /// Knows the usual shapes of credentials, the given values with their encoded forms, and patterns of the user's.
    ///
    /// A pattern is a regular expression over bytes that sees one line at a time.
    ///
    /// # Errors
    /// When a pattern cannot be read or matches the empty text, or when there are too many secrets to search for.
    pub fn new<'secrets, Secrets, Patterns>(
        secrets: Secrets,
        patterns: Patterns,
    ) -> Result<Self, RedactorError>
    where
        Secrets: IntoIterator<Item = &'secrets Secret>,
        Patterns: IntoIterator,
        Patterns::Item: AsRef<str>,
    {
        let rules = Rules::new(secrets, patterns)?;
        Ok(Self {
            rules: Arc::new(rules),
        })
    }

    /// The text without its secrets; borrowed when there were none.
    #[must_use]
    pub fn redact<'text>(&self, text: &'text str) -> Cow<'text, str> {
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(into_text(bytes)),
        }
    }

    /// The bytes without their secrets, whatever their encoding; borrowed when there were none.
    #[must_use]
    pub fn redact_bytes<'text>(&self, text: &'text [u8]) -> Cow<'text, [u8]> {
        let redacted = self.without_shapes(text);
        if self.rules.patterns.is_empty() {
            return redacted;
        }
        let mut lines = LineStage::default();
        let mut output = Vec::with_capacity(redacted.len());
        lines.push(&self.rules.patterns, &redacted, &mut output);
        lines.finish(&self.rules.patterns, &mut output);
        if lines.has_redacted() {
            Cow::Owned(output)
        } else {
            redacted
        }
    }

    /// Starts redacting text that arrives in pieces.
    #[must_use]
    pub fn stream(&self) -> RedactingStream {
        RedactingStream::new(Arc::clone(&self.rules))
    }

    fn without_shapes<'text>(&self, text: &'text [u8]) -> Cow<'text, [u8]> {
        let mut scanner = Scanner::new(&self.rules);
        scanner.scan(&self.rules, text);
        if scanner.has_found_nothing() {
            return Cow::Borrowed(text);
        }
        let mut redacted = Vec::with_capacity(text.len());
        Output::default().write(text, text.len(), scanner.found_mut(), &mut redacted);
        Cow::Owned(redacted)
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Redactor").finish_non_exhaustive()
    }
}

impl RedactorError {
    /// A stable name for this failure.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidPattern { .. } => "redact.invalid_pattern",
            Self::EmptyMatch { .. } => "redact.empty_match",
            Self::Search(_) => "redact.search",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::InvalidPattern { .. } => "correct the regular expression in the settings",
            Self::EmptyMatch { .. } => {
                "make the pattern need at least one character, such as `+` instead of `*`"
            }
            Self::Search(_) => "name fewer secrets in the settings",
        };
        Some(hint.to_owned())
    }
}

/// Only a user's pattern can cut a character in two; what is left of it is then shown as a replacement character.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
