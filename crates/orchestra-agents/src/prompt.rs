//! The prompt of a turn: the goal and what the agent should know, so that nothing has to be written into the worktree.

use orchestra_core::and_more;

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
    /// A rebase that waits at conflicts.
    pub conflicts: Option<Conflicts<'a>>,
    /// What the agent knows already.
    pub conversation: Conversation<'a>,
}

/// Conflicts that the agent shall resolve.
#[derive(Debug, Clone, Copy)]
pub struct Conflicts<'a> {
    /// What the branch is rebased onto.
    pub onto: &'a str,
    /// The commit that does not fit: the beginning of its id and its subject.
    pub commit: &'a str,
    /// The files, one line each.
    pub files: &'a [String],
}

/// What the agent knows already.
#[derive(Debug, Clone, Copy)]
pub enum Conversation<'a> {
    /// Nothing: it hears everything.
    New {
        /// Files changed on the branch so far, one line each.
        changes: &'a [String],
        /// What earlier turns of another conversation came to, oldest first.
        earlier: &'a [EarlierTurn],
    },
    /// Its earlier turns: it hears what is new.
    Continued(&'a News),
}

impl Default for Conversation<'_> {
    fn default() -> Self {
        Self::New {
            changes: &[],
            earlier: &[],
        }
    }
}

/// A turn that the agent does not remember.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EarlierTurn {
    /// What the user added for it.
    pub input: Option<String>,
    /// The closing words, or the question.
    pub summary: Option<String>,
    /// What the user decided about uses of tools, one sentence each.
    pub decisions: Vec<String>,
}

/// What happened since the agent's last turn.
#[derive(Debug, Clone, Default)]
pub struct News {
    /// The session's prompt is another one.
    pub goal: bool,
    /// The constraints are other ones.
    pub constraints: bool,
    /// The session's notes are other ones.
    pub notes: bool,
    /// What the last turn left uncommitted was thrown away.
    pub discarded: bool,
    /// The commit of the last turn is no longer on the branch.
    pub rewritten: bool,
    /// Commits that were made since, one line each.
    pub commits: Vec<String>,
    /// Files these commits changed, one line each.
    pub files: Vec<String>,
    /// Files with changes of a person that are not committed.
    pub uncommitted: Vec<String>,
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

const MAX_LINES: usize = 40;
const MAX_LINE_CHARS: usize = 200;
const MAX_TURNS: usize = 10;
const MAX_TURN_CHARS: usize = 2_000;

/// Writes the prompt. A continued conversation gets only what is new.
#[must_use]
pub fn compose(parts: &PromptParts<'_>) -> String {
    let mut prompt = String::new();
    match parts.conversation {
        Conversation::New { changes, earlier } => {
            everything(&mut prompt, parts, changes, earlier);
        }
        Conversation::Continued(news) => what_is_new(&mut prompt, parts, news),
    }
    if let Some(conflicts) = parts.conflicts {
        resolve(&mut prompt, &conflicts);
    }
    if let Some(script) = parts.failed_script {
        let text = format!(
            "`{}` {}. The end of its output:\n{}",
            script.command,
            script.result,
            script.output.trim_end()
        );
        let title = match parts.conversation {
            Conversation::New { .. } => "The script fails on this branch as it is",
            Conversation::Continued(_) => "The script failed after your last turn",
        };
        section(&mut prompt, title, &text);
    }
    if prompt.is_empty() {
        section(&mut prompt, "", "Continue with the task.");
    }
    prompt
}

fn everything(
    prompt: &mut String,
    parts: &PromptParts<'_>,
    changes: &[String],
    earlier: &[EarlierTurn],
) {
    section(prompt, "", parts.goal);
    section(prompt, "Constraints", parts.constraints.unwrap_or_default());
    section(prompt, "Notes", parts.notes.unwrap_or_default());
    section(
        prompt,
        "What happened in this session before, which you do not remember",
        &turns(earlier),
    );
    section(prompt, "Changed on this branch so far", &list(changes));
    section(prompt, "Now", parts.input.unwrap_or_default());
}

fn what_is_new(prompt: &mut String, parts: &PromptParts<'_>, news: &News) {
    section(prompt, "", parts.input.unwrap_or_default());
    if news.goal {
        section(prompt, "The task is a new one", parts.goal);
    }
    if news.constraints {
        let text = parts.constraints.unwrap_or("(none any more)");
        section(prompt, "The constraints are now", text);
    }
    if news.notes {
        let text = parts.notes.unwrap_or("(none any more)");
        section(prompt, "The notes are now", text);
    }
    if news.discarded {
        let text = "What your last turn left uncommitted was thrown away.";
        section(prompt, "", text);
    }
    if news.rewritten {
        let text = "The branch was rewritten: look at the files again before you rely on them.";
        section(prompt, "", text);
    }
    let title = "Commits that a person made since your last turn";
    section(prompt, title, &list(&news.commits));
    section(prompt, "Files they changed", &list(&news.files));
    let title = "Uncommitted changes of a person, which are not part of your work";
    section(prompt, title, &list(&news.uncommitted));
}

/// Who stages, commits and goes on is not the agent, so that nothing but what it decided is taken.
fn resolve(prompt: &mut String, conflicts: &Conflicts<'_>) {
    let text = format!(
        "This branch is being rebased onto `{}`. The commit `{}` does not fit, and these files have conflicts:\n{}\n\
         Resolve them now: edit each file until it does what both sides want and no conflict markers are left. \
         Delete a file that should go. To keep a file exactly as it is, run `git add` on it. \
         Do not commit, and do not run `git rebase`, `git merge`, `git checkout` or `git reset`: \
         the rebase goes on by itself when every conflict is resolved.",
        conflicts.onto,
        conflicts.commit,
        list(conflicts.files).trim_end()
    );
    section(prompt, "Conflicts", &text);
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

/// The last turns, cut to a bearable size.
fn turns(earlier: &[EarlierTurn]) -> String {
    let left_out = earlier.len().saturating_sub(MAX_TURNS);
    let mut text = String::new();
    if left_out > 0 {
        text.push_str(&format!("({left_out} turns before these)\n"));
    }
    for turn in &earlier[left_out..] {
        let input = turn.input.iter().map(|words| ("User", words));
        let summary = turn.summary.iter().map(|words| ("Agent", words));
        let decisions = turn.decisions.iter().take(MAX_LINES);
        let decisions = decisions.map(|words| ("User", words));
        for (who, words) in input.chain(summary).chain(decisions) {
            text.push_str(who);
            text.push_str(": ");
            text.extend(words.trim().chars().take(MAX_TURN_CHARS));
            text.push('\n');
        }
    }
    text
}

/// One line each, cut to a bearable size.
fn list(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines.iter().take(MAX_LINES) {
        text.extend(line.chars().take(MAX_LINE_CHARS));
        text.push('\n');
    }
    if let Some(more) = and_more(lines.len(), MAX_LINES) {
        text.push_str("... ");
        text.push_str(&more);
    }
    text
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
            conversation: Conversation::New {
                changes: &changes,
                earlier: &[],
            },
            ..PromptParts::default()
        });
        assert_eq!(
            prompt,
            "Fix the parser\n\nConstraints:\nNo new dependencies\n\nNotes:\nSee issue 7\n\n\
             Changed on this branch so far:\nM src/main.rs\n\nNow:\nStart with the lexer"
        );
    }

    #[test]
    fn a_fresh_conversation_hears_of_the_turns_before() {
        let turn = |input: Option<&str>, summary: &str| EarlierTurn {
            input: input.map(str::to_owned),
            summary: Some(summary.to_owned()),
            decisions: Vec::new(),
        };
        let decided = EarlierTurn {
            decisions: vec!["The operator allowed you to run `make`.".to_owned()],
            ..turn(Some("The first"), "Done.\n")
        };
        let earlier = [turn(None, "Which file?"), decided];
        let composed = |earlier| {
            compose(&PromptParts {
                goal: "Fix it",
                conversation: Conversation::New {
                    changes: &[],
                    earlier,
                },
                ..PromptParts::default()
            })
        };
        let prompt = composed(&earlier[..]);
        let told = "before, which you do not remember:\nAgent: Which file?\nUser: The first\nAgent: Done.\nUser: The operator allowed you to run `make`.";
        assert!(prompt.ends_with(told), "{prompt}");
        let many: Vec<EarlierTurn> = (0..12)
            .map(|number| turn(None, &number.to_string()))
            .collect();
        let prompt = composed(&many);
        assert!(
            prompt.contains("(2 turns before these)\nAgent: 2\n"),
            "{prompt}"
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
            conversation: Conversation::Continued(&News::default()),
            ..PromptParts::default()
        });
        assert_eq!(
            prompt,
            "The script failed after your last turn:\n`cargo test` exited with 101. The end of its output:\ntest a ... FAILED"
        );
        let first = compose(&PromptParts {
            goal: "Fix it",
            failed_script: Some(script),
            ..PromptParts::default()
        });
        assert!(
            first.starts_with("Fix it\n\nThe script fails on this branch as it is:\n`cargo"),
            "{first}"
        );
        let nothing = compose(&PromptParts {
            goal: "Fix it",
            conversation: Conversation::Continued(&News::default()),
            ..PromptParts::default()
        });
        assert_eq!(nothing, "Continue with the task.");
    }

    #[test]
    fn a_continued_turn_hears_what_others_changed() {
        let news = News {
            goal: true,
            constraints: true,
            notes: true,
            discarded: true,
            rewritten: true,
            commits: vec!["abc1234 Rename it".to_owned()],
            files: vec!["M src/main.rs +1 -1".to_owned()],
            uncommitted: vec!["notes.txt".to_owned()],
        };
        let prompt = compose(&PromptParts {
            goal: "Fix the lexer instead",
            notes: Some("See issue 8"),
            input: Some("Go on"),
            conversation: Conversation::Continued(&news),
            ..PromptParts::default()
        });
        assert_eq!(
            prompt,
            "Go on\n\nThe task is a new one:\nFix the lexer instead\n\nThe constraints are now:\n(none any more)\n\n\
             The notes are now:\nSee issue 8\n\nWhat your last turn left uncommitted was thrown away.\n\n\
             The branch was rewritten: look at the files again before you rely on them.\n\n\
             Commits that a person made since your last turn:\nabc1234 Rename it\n\n\
             Files they changed:\nM src/main.rs +1 -1\n\n\
             Uncommitted changes of a person, which are not part of your work:\nnotes.txt"
        );
    }

    #[test]
    fn conflicts_are_listed_with_what_to_do() {
        let files = vec!["src/main.rs (both modified)".to_owned()];
        let prompt = compose(&PromptParts {
            goal: "Fix it",
            conflicts: Some(Conflicts {
                onto: "main",
                commit: "abc1234 amp: Rename it",
                files: &files,
            }),
            conversation: Conversation::Continued(&News::default()),
            ..PromptParts::default()
        });
        assert!(prompt.starts_with("Conflicts:\nThis branch is being rebased onto `main`."));
        assert!(prompt.contains("conflicts:\nsrc/main.rs (both modified)\nResolve"));
    }

    #[test]
    fn long_change_lists_are_cut() {
        let changes: Vec<String> = (0..50).map(|number| format!("M file{number}")).collect();
        let prompt = compose(&PromptParts {
            goal: "x",
            conversation: Conversation::New {
                changes: &changes,
                earlier: &[],
            },
            ..PromptParts::default()
        });
        assert!(prompt.ends_with("M file39\n... and 10 more"), "{prompt}");
    }
}
