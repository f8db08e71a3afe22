//! Texts that become part of a commit, or of what a program is told: a zero byte would end them.

use crate::error::ApiError;

/// Refuses a text that cannot be passed on whole.
pub(crate) fn require(name: &str, text: Option<&str>) -> Result<(), ApiError> {
    match text {
        Some(text) if text.contains('\0') => Err(ApiError::invalid(
            format!("`{name}` has a zero byte"),
            "leave it out",
        )),
        _ => Ok(()),
    }
}
