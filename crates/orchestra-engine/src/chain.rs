//! An error with its causes, in one line.

use std::error::Error;

/// The message and every cause below it, joined by colons. A cause that repeats what was said is left out.
#[must_use]
pub fn text(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let (mut last, mut source) = (text.clone(), error.source());
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.ends_with(&said) && !said.ends_with(&last) {
            text.push_str(": ");
            text.push_str(&said);
        }
        (last, source) = (said, cause.source());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Said {
        text: &'static str,
        source: Option<Box<Self>>,
    }

    fn chain(texts: &[&'static str]) -> Option<Box<Said>> {
        let (text, rest) = texts.split_first()?;
        let source = chain(rest);
        Some(Box::new(Said { text, source }))
    }

    #[test]
    fn nothing_is_said_twice() {
        for (texts, expected) in [
            (&["a"][..], "a"),
            (&["cannot open", "no room"], "cannot open: no room"),
            (
                &["cannot open: no room", "no room", "disk"],
                "cannot open: no room: disk",
            ),
            (
                &["cannot open", "no room", "code 14: no room"],
                "cannot open: no room",
            ),
        ] {
            assert_eq!(text(&*chain(texts).unwrap()), expected);
        }
    }
}
