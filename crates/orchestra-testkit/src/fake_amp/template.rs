//! Plausible text for a goal, valid in the language of the file.

use std::path::Path;

/// What kind of change a goal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Intent {
    Test,
    Documentation,
    Code,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Markdown,
    Text,
    Toml,
    Rust,
    Python,
    JavaScript,
    TypeScript,
}

impl Intent {
    pub(crate) fn of(goal: &str) -> Self {
        let goal = goal.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| goal.contains(word));
        if has(&["test", "spec", "coverage"]) {
            Self::Test
        } else if has(&["doc", "readme", "comment", "explain", "guide", "changelog"]) {
            Self::Documentation
        } else if has(&[
            "function",
            "add ",
            "implement",
            "fix",
            "refactor",
            "support",
            "method",
        ]) {
            Self::Code
        } else {
            Self::Other
        }
    }

    /// Whether a file suits the intent.
    pub(crate) fn fits(self, path: &Path) -> bool {
        let Some(language) = Language::of(path) else {
            return false;
        };
        let is_test = path.to_string_lossy().to_lowercase().contains("test");
        match self {
            Self::Test => is_test && language.is_code(),
            Self::Documentation => language == Language::Markdown,
            Self::Code => language.is_code() && !is_test,
            Self::Other => language != Language::Toml,
        }
    }
}

/// Whether text for this kind of file can be made.
pub(crate) fn is_known(path: &Path) -> bool {
    Language::of(path).is_some()
}

/// How paragraphs begin that tell what happened, and not what is wanted.
const CONTEXT: &[&str] = &[
    "Continue with the task",
    "Constraints",
    "The constraints are now",
    "Notes",
    "The notes are now",
    "Changed on this branch",
    "Commits that a person made",
    "Files they changed",
    "Uncommitted changes of a person",
    "What your last turn left",
    "The branch was rewritten",
    "The script failed",
];

/// What a prompt asks for: its paragraphs without those that only tell what happened.
pub(crate) fn wish(prompt: &str) -> String {
    let is_context = |paragraph: &&str| {
        let text = paragraph.trim_start_matches(['#', '-', '*', '>', ' ', '\n']);
        CONTEXT.iter().any(|start| text.starts_with(start))
    };
    let wanted = prompt
        .split("\n\n")
        .filter(|paragraph| !is_context(paragraph));
    wanted.collect::<Vec<_>>().join("\n\n").trim().to_owned()
}

/// The sentence that says what is wanted: the first line of prose in a wish.
pub(crate) fn goal(wish: &str) -> String {
    let lines = wish
        .lines()
        .map(|line| line.trim().trim_start_matches(['#', '-', '*', '>']).trim());
    let prose =
        lines.filter(|line| line.len() > 3 && !line.ends_with(':') && !line.starts_with("```"));
    let first = prose.into_iter().next().unwrap_or("the requested change");
    let plain: String = first
        .chars()
        .filter(|letter| !matches!(letter, '"' | '\\' | '`' | '*'))
        .collect();
    plain
        .trim_end_matches(['.', '!', '?'])
        .chars()
        .take(100)
        .collect()
}

/// What to add at the end of a file that holds `present`.
pub(crate) fn addition(path: &Path, goal: &str, intent: Intent, present: &str) -> String {
    let name = free_name(goal, present);
    match (Language::of(path).unwrap_or(Language::Text), intent) {
        (Language::Markdown, _) => format!("\n## {}\n\n{goal}.\n", title(goal)),
        (Language::Text, _) => format!("{goal}.\n"),
        (Language::Toml, _) => format!("\n# {goal}.\n"),
        (Language::Rust, Intent::Test) => format!(
            "\n#[test]\nfn {name}() {{\n    let goal = \"{goal}\";\n    assert!(!goal.is_empty());\n}}\n"
        ),
        (Language::Rust, _) => {
            format!("\n/// {goal}.\npub fn {name}() -> &'static str {{\n    \"{goal}\"\n}}\n")
        }
        (Language::Python, Intent::Test) => {
            format!("\n\ndef test_{name}():\n    goal = \"{goal}\"\n    assert goal\n")
        }
        (Language::Python, _) => {
            format!("\n\ndef {name}():\n    \"\"\"{goal}.\"\"\"\n    return \"{goal}\"\n")
        }
        (Language::JavaScript, _) => {
            format!("\n/** {goal}. */\nfunction {name}() {{\n  return \"{goal}\";\n}}\n")
        }
        (Language::TypeScript, _) => format!(
            "\n/** {goal}. */\nexport function {name}(): string {{\n  return \"{goal}\";\n}}\n"
        ),
    }
}

impl Language {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "md" | "markdown" => Some(Self::Markdown),
            "txt" => Some(Self::Text),
            "toml" => Some(Self::Toml),
            "rs" => Some(Self::Rust),
            "py" => Some(Self::Python),
            "js" | "mjs" | "cjs" => Some(Self::JavaScript),
            "ts" => Some(Self::TypeScript),
            _ => None,
        }
    }

    fn is_code(self) -> bool {
        matches!(
            self,
            Self::Rust | Self::Python | Self::JavaScript | Self::TypeScript
        )
    }
}

fn title(goal: &str) -> String {
    let short: Vec<&str> = goal.split_whitespace().take(8).collect();
    let mut letters = short.join(" ");
    if let Some(first) = letters.get(..1) {
        letters.replace_range(..1, &first.to_uppercase());
    }
    letters
}

/// An identifier made of the goal's words that the file does not use yet.
fn free_name(goal: &str, present: &str) -> String {
    let words = goal.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words = words
        .filter(|word| word.len() > 1)
        .take(5)
        .map(str::to_lowercase);
    let name = words.collect::<Vec<_>>().join("_");
    let starts_well = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let reserved = ["test", "fix", "fn", "function", "class", "type"].contains(&name.as_str());
    let name = if starts_well && !reserved {
        name
    } else {
        format!("change_{name}")
    };
    let taken = |candidate: &str| present.contains(&format!("{candidate}("));
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut candidates = std::iter::once(name.clone()).chain(numbered);
    candidates
        .find(|candidate| !taken(candidate))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_and_free() {
        assert_eq!(
            free_name("Add a greeting for guests", ""),
            "add_greeting_for_guests"
        );
        let present = "fn add_greeting_for_guests() {}";
        assert_eq!(
            free_name("Add a greeting for guests", present),
            "add_greeting_for_guests_2"
        );
        assert_eq!(free_name("2 + 2", ""), "change_");
        assert_eq!(free_name("über", ""), "ber");
    }

    #[test]
    fn the_goal_is_the_first_prose_line() {
        let prompt = "# Goal:\n\n- Say \"hello\" to `guests`!\nmore";
        assert_eq!(goal(prompt), "Say hello to guests");
        assert_eq!(goal(""), "the requested change");
    }

    #[test]
    fn what_happened_is_not_what_is_wanted() {
        let news = "Commits that a person made since your last turn:\nabc1234 Rename it\n\n\
                    Files they changed:\nM src/main.rs +1 -1";
        assert_eq!(wish(news), "");
        assert_eq!(wish(&format!("Go on\n\n{news}")), "Go on");
        assert_eq!(wish("Continue with the task."), "");
        let first = "Fix it\n\nConstraints:\nNo new files\n\nNow:\nStart with the lexer";
        assert_eq!(wish(first), "Fix it\n\nNow:\nStart with the lexer");
    }

    #[test]
    fn every_language_has_an_addition() {
        for name in ["a.md", "a.txt", "a.toml", "a.rs", "a.py", "a.js", "a.ts"] {
            for intent in [
                Intent::Test,
                Intent::Documentation,
                Intent::Code,
                Intent::Other,
            ] {
                let text = addition(Path::new(name), "Add sums", intent, "");
                assert!(text.contains("Add sums") && text.ends_with('\n'), "{name}");
            }
        }
    }
}
