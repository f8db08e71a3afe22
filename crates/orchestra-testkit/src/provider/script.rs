//! What the model does, and which reply is due.

/// The line of a prompt that chooses a script.
const MARK: &str = "script:";

/// One thing that the model does when it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Says this, which ends the turn.
    Say(String),
    /// Has the agent do something, and is asked again with the result.
    Call(Call),
    /// Fails in place of what follows.
    Fault {
        /// How.
        fault: Fault,
        /// How many requests; `None` is all of them.
        times: Option<usize>,
    },
}

/// A use of one of the agent's tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// A new file, by its path in the worktree.
    Write {
        /// The path.
        path: String,
        /// What is in it.
        text: String,
    },
    /// A shell command.
    Run(String),
}

/// How a request fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// An HTTP status, and the seconds after which to ask again.
    Refused {
        /// The status.
        status: u16,
        /// The seconds.
        retry_after: Option<u32>,
    },
    /// No answer at all.
    Silence,
    /// The connection ends in the middle of the answer.
    Cut,
}

impl Reply {
    /// Says this, which ends the turn.
    #[must_use]
    pub fn say(text: &str) -> Self {
        Self::Say(text.to_owned())
    }

    /// Has the agent write a new file.
    #[must_use]
    pub fn write(path: &str, text: &str) -> Self {
        Self::Call(Call::Write {
            path: path.to_owned(),
            text: text.to_owned(),
        })
    }

    /// Has the agent run a shell command.
    #[must_use]
    pub fn run(command: &str) -> Self {
        Self::Call(Call::Run(command.to_owned()))
    }

    /// Refuses every request from here on.
    #[must_use]
    pub const fn refuse(status: u16, retry_after: Option<u32>) -> Self {
        Self::Fault {
            fault: Fault::Refused {
                status,
                retry_after,
            },
            times: None,
        }
    }

    /// Never answers.
    #[must_use]
    pub const fn silence() -> Self {
        Self::Fault {
            fault: Fault::Silence,
            times: None,
        }
    }

    /// Ends every connection in the middle of the answer.
    #[must_use]
    pub const fn cut() -> Self {
        Self::Fault {
            fault: Fault::Cut,
            times: None,
        }
    }

    /// A fault that is over after so many requests.
    #[must_use]
    pub fn only(self, count: usize) -> Self {
        match self {
            Self::Fault { fault, .. } => Self::Fault {
                fault,
                times: Some(count),
            },
            other => other,
        }
    }
}

/// What a conversation consists of, as far as it chooses a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    User(String),
    ToolResult,
}

/// Where a conversation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The script that the last prompt to name one names.
    pub(super) script: String,
    /// How many results of tools came since.
    pub(super) results: usize,
}

/// Where a conversation is; `None` if no prompt names a script.
pub(super) fn place(items: &[Item]) -> Option<Place> {
    let named = items.iter().enumerate().rev();
    let (index, script) = named
        .filter_map(|(index, item)| match item {
            Item::User(text) => Some((index, script_in(text)?)),
            Item::ToolResult => None,
        })
        .next()?;
    let after = items[index..].iter();
    Some(Place {
        script: script.to_owned(),
        results: after.filter(|item| **item == Item::ToolResult).count(),
    })
}

/// The last one that a prompt names: an agent may hear earlier prompts again.
fn script_in(prompt: &str) -> Option<&str> {
    let lines = prompt.lines().rev();
    let mut names = lines.filter_map(|line| line.trim().strip_prefix(MARK));
    names.next().map(str::trim)
}

/// The reply to a request, of which so many were made at the same place before.
pub(super) fn due(replies: &[Reply], results: usize, before: usize) -> Option<&Reply> {
    let calls = replies.iter().enumerate();
    let calls = calls.filter(|(_, reply)| matches!(reply, Reply::Call(_)));
    let start = match results {
        0 => 0,
        results => calls.map(|(index, _)| index + 1).nth(results - 1)?,
    };
    let mut over = 0;
    replies[start..].iter().find(|reply| match reply {
        Reply::Fault {
            times: Some(times), ..
        } => {
            over += times;
            before < over
        }
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Item {
        Item::User(text.to_owned())
    }

    #[test]
    fn the_last_named_script_and_the_results_since_decide() {
        let mut items = vec![user("Do it.\nscript: one\n"), Item::ToolResult];
        let at = |items: &[Item]| place(items).map(|place| (place.script, place.results));
        assert_eq!(at(&items), Some(("one".to_owned(), 1)));
        items.extend([user("script: one\n\n  script: two"), user("more")]);
        assert_eq!(at(&items), Some(("two".to_owned(), 0)));
        items.extend([Item::ToolResult, Item::ToolResult]);
        assert_eq!(at(&items), Some(("two".to_owned(), 2)));
        assert_eq!(at(&[user("no script at all")]), None);
    }

    #[test]
    fn calls_are_counted_and_faults_run_out() {
        let busy = Reply::refuse(503, None);
        let replies = [
            Reply::run("ls"),
            busy.clone().only(2),
            Reply::cut().only(1),
            Reply::say("Done."),
        ];
        assert_eq!(due(&replies, 0, 7), Some(&replies[0]));
        assert_eq!(due(&replies, 1, 0), Some(&replies[1]));
        assert_eq!(due(&replies, 1, 1), Some(&replies[1]));
        assert_eq!(due(&replies, 1, 2), Some(&replies[2]));
        assert_eq!(due(&replies, 1, 3), Some(&replies[3]));
        assert_eq!(due(&replies, 2, 0), None);
        let always = [busy, Reply::say("never")];
        assert_eq!(due(&always, 0, 99), Some(&always[0]));
    }
}
