//! Artifacts: files of a session's worktree that are collected in the repository, and what they are called there.

use std::path::Path;

use crate::name::slug;
use crate::{SessionId, SessionName, Timestamp};

/// File systems know no longer names.
const LONGEST: usize = 200;

/// A file that was collected from a session's worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Whose it is.
    pub session: SessionId,
    /// Where it is in the worktree.
    pub source: String,
    /// What it is called among the artifacts of the repository.
    pub name: String,
    /// How long it is; `None` if it was never written whole.
    pub bytes: Option<u64>,
    /// When it was collected.
    pub collected_at: Timestamp,
}

/// What names of a session's artifacts begin with: its issue, as in `issue-101`, or else its own name.
#[must_use]
pub fn artifact_owner(issue: Option<&str>, name: &SessionName, id: &SessionId) -> String {
    match issue.and_then(slug) {
        Some(issue) => format!("issue-{issue}"),
        None => name.slug().unwrap_or_else(|| id.to_string()),
    }
}

/// What an artifact is called: `issue-101-reports-junit.xml` for `reports/junit.xml`. Each further attempt gives another name
/// for the same file.
#[must_use]
pub fn artifact_name(owner: &str, source: &Path, attempt: u32) -> String {
    let parts = source
        .components()
        .map(|part| plain(&part.as_os_str().to_string_lossy()));
    let whole = format!("{owner}-{}", parts.collect::<Vec<_>>().join("-"));
    let (stem, ending) = split(&whole);
    let number = match attempt {
        0 => String::new(),
        attempt => format!("-{}", attempt + 1),
    };
    let room = LONGEST.saturating_sub(ending.len() + number.len());
    format!("{}{number}{ending}", first_bytes(stem, room))
}

/// A name without what a file system or a shell would take for something else.
fn plain(name: &str) -> String {
    let is_special = |char: char| char.is_control() || "/\\:*?\"<>|".contains(char);
    name.replace(is_special, "_")
}

/// The name and its ending, which says what kind of file it is.
fn split(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(at) if at > 0 && name.len() - at <= 16 => name.split_at(at),
        _ => (name, ""),
    }
}

fn first_bytes(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_whose_they_are_and_where_they_were() {
        for (source, attempt, expected) in [
            ("report.xml", 0, "issue-101-report.xml"),
            ("reports/junit.xml", 0, "issue-101-reports-junit.xml"),
            ("reports/junit.xml", 1, "issue-101-reports-junit-2.xml"),
            ("a\nb:c", 0, "issue-101-a_b_c"),
            ("LICENSE", 2, "issue-101-LICENSE-3"),
        ] {
            let name = artifact_name("issue-101", Path::new(source), attempt);
            assert_eq!(name, expected);
        }
    }

    #[test]
    fn an_issue_comes_before_the_name_of_the_session() {
        let id = SessionId::from_random([0; 8]);
        for (issue, name, expected) in [
            (Some("101"), "Fix Login!", "issue-101"),
            (Some("../../etc"), "x", "issue-etc"),
            (Some("#"), "Fix Login!", "fix-login"),
            (None, "Fix Login!", "fix-login"),
            (None, "..", "222222"),
        ] {
            assert_eq!(artifact_owner(issue, &name.parse().unwrap(), &id), expected);
        }
    }

    #[test]
    fn long_names_are_cut_and_keep_their_ending() {
        let source = format!("{}/report.xml", "ß".repeat(200));
        for attempt in [0, 11] {
            let name = artifact_name("issue-7", Path::new(&source), attempt);
            assert!(name.len() <= LONGEST && name.ends_with(".xml"), "{name}");
        }
    }
}
