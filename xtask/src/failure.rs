//! Why a command failed, and what the reader can do next.

use std::error::Error;

type Source = Box<dyn Error + Send + Sync>;

/// A failure for a person to read: a lower-case fragment, its cause, and a hint.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(crate) struct Failure {
    text: String,
    hint: Option<String>,
    #[source]
    source: Option<Source>,
}

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            hint: None,
            source: None,
        }
    }

    pub(crate) fn because(self, source: impl Into<Source>) -> Self {
        Self {
            source: Some(source.into()),
            ..self
        }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// The whole chain, one cause a line, then the hint.
    pub(crate) fn report(&self) -> String {
        let mut report = format!("error: {self}\n");
        let mut cause = self.source();
        while let Some(error) = cause {
            report.push_str(&format!("  caused by: {error}\n"));
            cause = error.source();
        }
        if let Some(hint) = &self.hint {
            report.push_str(&format!("\nhint: {hint}\n"));
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_the_chain_and_the_hint() {
        let inner = Failure::new("disk is full");
        let failure = Failure::new("cannot write `a`")
            .because(inner)
            .hint("free some room");
        assert_eq!(
            failure.report(),
            "error: cannot write `a`\n  caused by: disk is full\n\nhint: free some room\n"
        );
    }
}
