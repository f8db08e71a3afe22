//! The prompt of a turn: the goal and what the agent should know, so that nothing has to be written into the worktree.

use std::fmt::Write;

/// What goes into a prompt.
#[derive(Debug, Clone, Default)]
pub struct PromptParts<'a> {
    /// The session's prompt.
    pub goal: &'a str,
    /// What the agent must keep to.
    pub constraints: Option<&'a str>,
    /// The session's notes.
    pub notes: Option<&'a str>,
    /// What the user added for this turn: notes, or the answer to a question.
    pub input: Option<&'a str>,
    /// The last script run, if it failed.
    pub failed_script: Option<FailedScript<'a>>,
    /// Files changed so far, one line each.
    pub changes: &'a [String],
    /// Whether the agent's conversation is continued, so that it knows the goal already.
    pub continued: bool,
}

/// A script that failed after the last turn.
#[derive(Debug, Clone, Copy)]
pub struct FailedScript<'a> {
    /// The command.
    pub command: &'a str,
    /// How it ended, in words.
    pub result: &'a str,
    /// The end of its output.
    pub output: &'a str,
}

const MAX_CHANGES: usize = 40;

/// Writes the prompt. A continued conversation gets only what is new.
#[must_use]
pub fn compose(parts: &PromptParts<'_>) -> String {
    let mut prompt = String::new();
    if !parts.continued {
        section(&mut prompt, "", parts.goal);
        section(
            &mut prompt,
            "Constraints",
            parts.constraints.unwrap_or_default(),
        );
        section(&mut prompt, "Notes", parts.notes.unwrap_or_default());
        section(
            &mut prompt,
            "Changed on this branch so far",
            &change_list(parts.changes),
        );
    }
    section(
        &mut prompt,
        if parts.continued { "" } else { "Now" },
        parts.input.unwrap_or_default(),
    );
    if let Some(script) = parts.failed_script {
        let text = format!(
            "`{}` {}. The end of its output:\n{}",
            script.command,
            script.result,
            script.output.trim_end()
        );
        section(
            &mut prompt,
            "The script failed after your last change",
            &text,
        );
    }
    if prompt.is_empty() {
        section(&mut prompt, "", "Continue with the task.");
    }
    prompt
}

fn section(prompt: &mut String, title: &str, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    if !prompt.is_empty() {
        prompt.push_str("\n\n");
    }
    if !title.is_empty() {
        prompt.push_str(title);
        prompt.push_str(":\n");
    }
    prompt.push_str(text.trim());
}

fn change_list(changes: &[String]) -> String {
    let mut list = changes
        .iter()
        .take(MAX_CHANGES)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    if let Some(more) = changes
        .len()
        .checked_sub(MAX_CHANGES)
        .filter(|more| *more > 0)
    {
        // Writing to a string cannot fail.
        write!(list, "\n... and {more} more").ok();
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_turn_carries_everything() {
        let changes = vec!["M src/main.rs".to_owned()];
        let prompt = compose(&PromptParts {
            goal: "Fix the parser\n",
            constraints: Some("No new dependencies"),
            notes: Some("See issue 7"),
            input: Some("Start with the lexer"),
            changes: &changes,
            ..PromptParts::default()
        });
        assert_eq!(
            prompt,
            "Fix the parser\n\nConstraints:\nNo new dependencies\n\nNotes:\nSee issue 7\n\n\
             Changed on this branch so far:\nM src/main.rs\n\nNow:\nStart with the lexer"
        );
    }

    #[test]
    fn a_continued_turn_carries_only_what_is_new() {
        let script = FailedScript {
            command: "cargo test",
            result: "exited with 101",
            output: "test a ... FAILED\n",
        };
        let prompt = compose(&PromptParts {
            goal: "Fix it",
            failed_script: Some(script),
            continued: true,
            ..PromptParts::default()
        });
        assert_eq!(
            prompt,
            "The script failed after your last change:\n`cargo test` exited with 101. The end of its output:\ntest a ... FAILED"
        );
        let nothing = compose(&PromptParts {
            goal: "Fix it",
            continued: true,
            ..PromptParts::default()
        });
        assert_eq!(nothing, "Continue with the task.");
    }

    #[test]
    fn long_change_lists_are_cut() {
        let changes: Vec<String> = (0..50).map(|number| format!("M file{number}")).collect();
        let prompt = compose(&PromptParts {
            goal: "x",
            changes: &changes,
            ..PromptParts::default()
        });
        assert!(prompt.ends_with("M file39\n... and 10 more"), "{prompt}");
    }
}
