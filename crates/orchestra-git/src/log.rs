//! The commits of a range with the files they changed, in one git process.

use orchestra_core::{CommitId, Timestamp};

use crate::configuration::Identity;
use crate::diff::{Entries, FileChange};
use crate::error::GitError;
use crate::repository::Repository;

/// The first token of every commit. A file's record starts with `:`, a digit or `-`, so they cannot be mixed up.
const START: &[u8] = b"commit";
const FORMAT: &str = "--format=tformat:commit%x00%H%x00%P%x00%an%x00%ae%x00%at%x00%s%x00%b%x00";

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its id.
    pub id: CommitId,
    /// What it stands on.
    pub parents: Vec<CommitId>,
    /// The first line of its message.
    pub subject: String,
    /// The rest of its message.
    pub body: String,
    /// Who wrote it.
    pub author: Identity,
    /// When it was written.
    pub at: Timestamp,
    /// What it changed against its first parent.
    pub files: Vec<FileChange>,
}

impl Repository {
    /// The commits that `head` has and `base` has not, newest first, at most `limit`.
    ///
    /// # Errors
    /// If a commit is missing or git fails.
    pub fn log(
        &self,
        base: &CommitId,
        head: &CommitId,
        limit: usize,
    ) -> Result<Vec<CommitInfo>, GitError> {
        let (limit, excluded) = (format!("--max-count={limit}"), format!("^{base}"));
        let options = [
            "-z",
            "--no-ext-diff",
            "--no-textconv",
            "--raw",
            "--numstat",
            "--no-abbrev",
            "--find-renames",
        ];
        let call = self
            .objects()?
            .call("log")
            .args(options)
            .args([
                "--diff-merges=first-parent",
                "--no-show-signature",
                "--topo-order",
                FORMAT,
                &limit,
            ])
            .args([head.as_str(), &excluded, "--"]);
        let answer = self.git().run(&call)?.require_success()?;
        parse(&answer.stdout).ok_or_else(|| call.unreadable("a record is cut"))
    }
}

fn parse(bytes: &[u8]) -> Option<Vec<CommitInfo>> {
    let mut commits = Vec::new();
    let mut entries = Entries::default();
    let mut tokens = bytes.split(|byte| *byte == 0);
    while let Some(token) = tokens.next() {
        // git puts a line break between a message and the first record.
        let token = token.strip_prefix(b"\n").unwrap_or(token);
        if token.is_empty() {
            continue;
        }
        if token == START {
            finish(&mut commits, &mut entries);
            commits.push(read_commit(&mut tokens)?);
        } else {
            entries.push(token, &mut tokens)?;
        }
    }
    finish(&mut commits, &mut entries);
    Some(commits)
}

fn finish(commits: &mut [CommitInfo], entries: &mut Entries) {
    if let Some(commit) = commits.last_mut() {
        commit.files = std::mem::take(entries).files;
    }
}

fn read_commit<'a>(tokens: &mut impl Iterator<Item = &'a [u8]>) -> Option<CommitInfo> {
    let mut text = || {
        tokens
            .next()
            .map(|token| String::from_utf8_lossy(token).into_owned())
    };
    let id = text()?.parse().ok()?;
    let parents = text()?
        .split_ascii_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    let author = Identity {
        name: text()?,
        email: text()?,
    };
    let at = Timestamp::from_second(text()?.parse().ok()?).ok()?;
    let (subject, body) = (text()?, text()?.trim_end().to_owned());
    Some(CommitInfo {
        id,
        parents,
        subject,
        body,
        author,
        at,
        files: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_and_files_are_kept_apart() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let text = format!(
            "commit\0{one}\0{two}\0A\0a@x\x0017\0commit\0body\n:not a record\n\0\0\n:100644 100644 a b M\0commit\x001\t0\tcommit\0\0commit\0{two}\0\0B\0b@x\x0018\0root\0\0\0"
        );
        let commits = parse(text.as_bytes()).unwrap();
        assert_eq!(commits.len(), 2);
        assert_eq!(
            (commits[0].subject.as_str(), commits[0].body.as_str()),
            ("commit", "body\n:not a record")
        );
        assert_eq!(commits[0].files[0].path.to_str(), Some("commit"));
        assert_eq!(commits[0].parents, [two.parse().unwrap()]);
        assert_eq!((commits[1].parents.len(), commits[1].files.len()), (0, 0));
    }

    #[test]
    fn a_cut_answer_is_refused() {
        assert_eq!(parse(b"commit\0x"), None);
        assert_eq!(parse(b""), Some(Vec::new()));
    }
}
