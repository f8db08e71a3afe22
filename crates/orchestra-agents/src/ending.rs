//! How a turn ended that the agent itself said nothing about.

use orchestra_core::{AgentEvent, FailureCause};
use orchestra_process::Exit;

use crate::failure::{classify, classify_words};

/// A failure, explained by standard error where that has words.
pub(crate) fn without_result(exit: Exit, stderr_tail: &str) -> AgentEvent {
    ended(exit, stderr_tail.trim(), classify_words)
}

/// The same where the agent had told of an error.
pub(crate) fn after_error(exit: Exit, error: &str) -> AgentEvent {
    ended(exit, error.trim(), classify)
}

fn ended(exit: Exit, words: &str, classify: fn(&str) -> FailureCause) -> AgentEvent {
    let message = match (words.is_empty(), exit) {
        (false, _) => words.to_owned(),
        (true, Exit::Code(code)) => format!("it ended with exit code {code} and no result"),
        (true, Exit::Signal(signal)) => format!("it was ended by signal {signal}"),
    };
    let cause = match (classify(words), exit) {
        (FailureCause::Other, Exit::Signal(_)) => FailureCause::Crashed,
        (FailureCause::Other, Exit::Code(0)) => FailureCause::NoResult,
        (FailureCause::Other, Exit::Code(_)) if words.is_empty() => FailureCause::NoResult,
        (cause, _) => cause,
    };
    AgentEvent::Failed { cause, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_result_standard_error_explains() {
        let end = |exit, stderr: &str| match without_result(exit, stderr) {
            AgentEvent::Failed { cause, message } => (cause, message),
            other => panic!("{other:?}"),
        };
        assert_eq!(end(Exit::Code(0), "").0, FailureCause::NoResult);
        assert_eq!(end(Exit::Code(3), "").0, FailureCause::NoResult);
        assert_eq!(
            end(Exit::Signal(9), ""),
            (FailureCause::Crashed, "it was ended by signal 9".to_owned())
        );
        assert_eq!(
            end(Exit::Code(1), "Error: boom\n"),
            (FailureCause::Other, "Error: boom".to_owned())
        );
        let offline = "Error: Couldn't connect to the Amp server at http://127.0.0.1:1/.";
        assert_eq!(end(Exit::Code(1), offline).0, FailureCause::Offline);
        let overload = "We are experiencing high demand";
        let AgentEvent::Failed { cause, .. } = after_error(Exit::Code(1), overload) else {
            panic!("it failed");
        };
        assert_eq!(cause, FailureCause::Overloaded);
        let aside = "note: `new` is overloaded";
        assert_eq!(end(Exit::Code(1), aside).0, FailureCause::Other);
    }
}
