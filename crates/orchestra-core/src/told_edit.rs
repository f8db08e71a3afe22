//! What the arguments of a tool say it changes in a file. What really changed is told by git.

use serde_json::Value;

/// A change as a tool's arguments tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToldEdit<'a> {
    /// A patch, with its own marks for lines that go and come.
    Patch(&'a str),
    /// A text that takes the place of another; a whole file takes the place of nothing.
    Texts {
        /// What goes.
        old: &'a str,
        /// What comes.
        new: &'a str,
    },
}

impl<'a> ToldEdit<'a> {
    /// Finds the change by the names that agents use for it.
    #[must_use]
    pub fn of(input: &'a Value) -> Option<Self> {
        let text = |names: &[&str]| names.iter().find_map(|name| input.get(name)?.as_str());
        let patch = text(&["patch", "patchText", "input", "diff"]);
        if let Some(patch) = patch.filter(|text| is_patch(text)) {
            return Some(Self::Patch(patch));
        }
        let old = text(&["old_str", "old_string", "oldString"]);
        let new = text(&["new_str", "new_string", "newString"]);
        match (old, new) {
            (Some(old), Some(new)) => Some(Self::Texts { old, new }),
            // A whole file: its path tells it from other contents.
            _ => {
                text(&["path", "file_path", "filePath"])?;
                let new = text(&["content"])?;
                Some(Self::Texts { old: "", new })
            }
        }
    }
}

fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch") || text.contains("\n@@ ") || text.starts_with("@@ ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_are_found_by_the_names_of_several_agents() {
        let texts = Some(ToldEdit::Texts { old: "a", new: "b" });
        for (old, new) in [
            ("old_str", "new_str"),
            ("old_string", "new_string"),
            ("oldString", "newString"),
        ] {
            assert_eq!(ToldEdit::of(&json!({old: "a", new: "b"})), texts, "{old}");
        }
        let patch = "*** Begin Patch\n*** End Patch";
        assert_eq!(
            ToldEdit::of(&json!({ "patchText": patch })),
            Some(ToldEdit::Patch(patch))
        );
        assert_eq!(
            ToldEdit::of(&json!({"filePath": "a", "content": "whole"})),
            Some(ToldEdit::Texts {
                old: "",
                new: "whole"
            })
        );
    }

    #[test]
    fn other_arguments_change_nothing() {
        for input in [
            json!(null),
            json!({"content": "of a message"}),
            json!({"path": "a"}),
            json!({"old_str": "a"}),
            json!({"input": "no patch"}),
        ] {
            assert_eq!(ToldEdit::of(&input), None, "{input}");
        }
    }
}
