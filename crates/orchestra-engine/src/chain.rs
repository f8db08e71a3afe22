//! An error with its causes, in one line.

use std::error::Error;

/// The message and every cause below it, joined by colons. A cause that repeats what was said is left out.
#[must_use]
pub fn text(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.ends_with(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}
