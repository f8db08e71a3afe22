//! What the agent does without a scenario: a small edit that suits the prompt.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::scenario::Step;
use super::template::{self, Intent};

/// Enough to choose from; a larger tree is not searched to its end.
const FILES: usize = 2_000;
const SKIPPED: &[&str] = &[
    "target",
    "node_modules",
    "dist",
    "build",
    "vendor",
    "venv",
    "__pycache__",
];

/// The steps for a prompt, counted by turns of the thread. A turn that asks for nothing new goes on with what was asked in the
/// thread before.
pub(crate) fn steps(prompt: &str, asked: &str, turn: usize, cwd: &Path) -> Vec<Step> {
    if turn == 0 && prompt.to_lowercase().contains("ask me") {
        return vec![Step::Ask {
            text: "Before I start: which name should the change use?".to_owned(),
        }];
    }
    let wish = Some(template::wish(prompt)).filter(|wish| !wish.is_empty());
    let wish = wish.unwrap_or_else(|| template::wish(asked));
    let goal = template::goal(&wish);
    let intent = Intent::of(&goal);
    match choose(&wish, &goal, intent, cwd) {
        Choice::Existing(path) => extend(&path, &goal, intent, cwd),
        Choice::Missing(path) => create(&path, &goal, intent),
    }
}

enum Choice {
    Existing(PathBuf),
    Missing(PathBuf),
}

/// A file the wish names, else one that fits its intent, else a new page of notes.
fn choose(wish: &str, goal: &str, intent: Intent, cwd: &Path) -> Choice {
    let files = files(cwd);
    let mentioned: Vec<&str> = goal
        .split(is_separator)
        .chain(wish.split(is_separator))
        .map(|word| word.trim_matches('.'))
        .collect();
    for word in &mentioned {
        if let Some(path) = files.iter().find(|path| is_named(path, word)) {
            return Choice::Existing(path.clone());
        }
        if is_new_file(word) {
            return Choice::Missing(PathBuf::from(word));
        }
    }
    let fitting: Vec<&PathBuf> = files.iter().filter(|path| intent.fits(path)).collect();
    let called = fitting.iter().filter(|path| is_called(path, &mentioned));
    if let Some(path) = called.min_by_key(|path| path.components().count()) {
        return Choice::Existing((*path).clone());
    }
    let any: Vec<&PathBuf> = files
        .iter()
        .filter(|path| Intent::Other.fits(path))
        .collect();
    let candidates = if fitting.is_empty() { any } else { fitting };
    match candidates.len() {
        0 => Choice::Missing(PathBuf::from("NOTES.md")),
        count => Choice::Existing(candidates[index(goal, count)].clone()),
    }
}

fn extend(path: &Path, goal: &str, intent: Intent, cwd: &Path) -> Vec<Step> {
    let present = std::fs::read_to_string(cwd.join(path)).unwrap_or_default();
    let mut addition = template::addition(path, goal, intent, &present);
    if !present.is_empty() && !present.ends_with('\n') {
        addition.insert(0, '\n');
    }
    let shown = path.display();
    vec![
        message(format!("I'll look at `{shown}` first.")),
        Step::ToolCall {
            name: "Read".to_owned(),
            input: json!({ "path": cwd.join(path).to_string_lossy() }),
            result: present.lines().take(40).collect::<Vec<_>>().join("\n"),
            is_error: false,
        },
        message(format!("Now I'll make the change in `{shown}`.")),
        Step::Append {
            path: path.to_owned(),
            text: addition,
        },
        message(format!("Done: `{shown}` now covers \"{goal}\".")),
    ]
}

fn create(path: &Path, goal: &str, intent: Intent) -> Vec<Step> {
    let text = template::addition(path, goal, intent, "");
    let shown = path.display();
    vec![
        message(format!(
            "There is nothing to build on yet, so I'll write `{shown}`."
        )),
        Step::Write {
            path: path.to_owned(),
            text: text.trim_start().to_owned(),
        },
        message(format!("Done: `{shown}` covers \"{goal}\".")),
    ]
}

fn message(text: String) -> Step {
    Step::Message { text }
}

fn is_separator(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(
            letter,
            '`' | '"' | '\'' | ',' | ';' | ':' | '(' | ')' | '?' | '!'
        )
}

fn is_named(path: &Path, word: &str) -> bool {
    word.len() > 2
        && template::is_known(path)
        && (path == Path::new(word) || path.file_name().is_some_and(|name| name == word))
}

/// People say `the README` and `the parser`.
fn is_called(path: &Path, words: &[&str]) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.len() > 2 && words.iter().any(|word| word.eq_ignore_ascii_case(&stem))
}

/// A relative path with a suffix we can write, such as `docs/usage.md`.
fn is_new_file(word: &str) -> bool {
    let path = Path::new(word);
    let plain = word
        .chars()
        .all(|letter| letter.is_alphanumeric() || "._-/".contains(letter));
    let inside = path
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_)));
    let named = path.file_stem().is_some_and(|stem| !stem.is_empty()) && path.extension().is_some();
    plain && inside && named && template::is_known(path)
}

fn index(goal: &str, count: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    goal.hash(&mut hasher);
    usize::try_from(hasher.finish() % count as u64).unwrap_or(0)
}

/// Relative paths of the files worth editing, sorted.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let skipped = name.starts_with('.') || SKIPPED.contains(&name.as_ref());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !skipped => folders.push(entry.path()),
                Ok(kind) if kind.is_file() && !skipped => found.push(entry.path()),
                _ => {}
            }
        }
        if found.len() > FILES {
            break;
        }
    }
    let mut relative: Vec<PathBuf> = found
        .iter()
        .filter_map(|path| path.strip_prefix(root).ok().map(Path::to_owned))
        .collect();
    relative.sort();
    relative
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x\n").unwrap();
        }
        folder
    }

    fn steps(prompt: &str, turn: usize, cwd: &Path) -> Vec<Step> {
        super::steps(prompt, prompt, turn, cwd)
    }

    fn changed(steps: &[Step]) -> PathBuf {
        let changed = steps.iter().find_map(|step| match step {
            Step::Append { path, .. } | Step::Write { path, .. } => Some(path.clone()),
            _ => None,
        });
        changed.unwrap()
    }

    #[test]
    fn a_mentioned_file_is_chosen() {
        let folder = tree(&["README.md", "src/lib.rs", "src/parse.rs"]);
        let whole = steps("Add a function to src/parse.rs, please.", 0, folder.path());
        assert_eq!(changed(&whole), Path::new("src/parse.rs"));
        let by_name = steps("Document it in `README.md`.", 0, folder.path());
        assert_eq!(changed(&by_name), Path::new("README.md"));
    }

    #[test]
    fn a_file_is_found_by_what_people_call_it() {
        let names = [
            "README.md",
            "docs/README.md",
            "docs/a.md",
            "src/lib.rs",
            "src/parse.rs",
        ];
        let folder = tree(&names);
        for (prompt, path) in [
            ("Improve the README", "README.md"),
            ("Improve the readme.", "README.md"),
            ("Fix parse for empty input", "src/parse.rs"),
        ] {
            let steps = steps(prompt, 0, folder.path());
            assert_eq!(changed(&steps), Path::new(path), "{prompt}");
        }
    }

    #[test]
    fn a_turn_without_a_wish_goes_on_with_the_first() {
        let folder = tree(&["README.md", "src/lib.rs"]);
        let news = "Commits that a person made since your last turn:\nabc Rename it\n\n\
                    Files they changed:\nM src/lib.rs +1 -1";
        let asked = format!("Improve the README\n\n{news}");
        let steps = super::steps(news, &asked, 1, folder.path());
        assert_eq!(changed(&steps), Path::new("README.md"));
        let said = format!("{:?}", steps.last().unwrap());
        assert!(said.contains("Improve the README"), "{said}");
    }

    #[test]
    fn a_new_file_and_the_notes_are_created() {
        let folder = tree(&["data.bin"]);
        assert_eq!(
            changed(&steps("write docs/usage.md", 0, folder.path())),
            Path::new("docs/usage.md")
        );
        assert_eq!(
            changed(&steps("improve things", 0, folder.path())),
            Path::new("NOTES.md")
        );
    }

    #[test]
    fn the_intent_chooses_among_files() {
        let folder = tree(&["README.md", "src/lib.rs", "tests/greet.rs"]);
        assert_eq!(
            changed(&steps("add a test for greetings", 0, folder.path())),
            Path::new("tests/greet.rs")
        );
        assert_eq!(
            changed(&steps("improve the documentation", 0, folder.path())),
            Path::new("README.md")
        );
        assert_eq!(
            changed(&steps("add a function that sums", 0, folder.path())),
            Path::new("src/lib.rs")
        );
    }

    #[test]
    fn it_asks_once_when_told_to() {
        let folder = tree(&["README.md"]);
        let ask = steps("Rename it, but ask me for the name", 0, folder.path());
        assert!(matches!(ask.as_slice(), [Step::Ask { .. }]));
        assert_eq!(
            changed(&steps("call it amp; ask me nothing", 1, folder.path())),
            Path::new("README.md")
        );
    }
}
