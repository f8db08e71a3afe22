//! git's record of a rebase in progress: the files it reads and writes itself.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use super::RebasePlan;
use super::marker::Marker;
use crate::byte_path::to_bytes;
use crate::call::Call;
use crate::error::{AtPath, GitError};
use crate::files::remove_if_present;
use crate::repository::Repository;
use crate::rewrite::RebaseStop;
use crate::worktree::Worktree;

const DIRECTORY: &str = "rebase-merge";
const UNFINISHED: &str = "rebase-merge.orchestra-unfinished";
const OVER: &str = "rebase-merge.orchestra-over";
/// A file of ours in the record: where `HEAD` was when we stopped.
pub(super) const PARENT: &str = "orchestra-parent";
/// References that git keeps beside the record.
const REFERENCES: [&str; 2] = ["REBASE_HEAD", "AUTO_MERGE"];

/// Where git keeps the record.
pub(super) fn directory(admin_dir: &Path) -> PathBuf {
    admin_dir.join(DIRECTORY)
}

/// A file of the record, without the line end.
pub(super) fn read(admin_dir: &Path, name: &str) -> Option<String> {
    let bytes = fs::read(directory(admin_dir).join(name)).ok()?;
    Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

/// The author and the message of a commit, as git hands them on to the next command.
struct Words {
    author_script: Vec<u8>,
    message: Vec<u8>,
}

impl Worktree {
    /// Says in git's own files that the rebase stopped. A record that is there is brought up to date.
    pub(super) fn record_stop(
        &self,
        rebase: &RebasePlan,
        stop: &RebaseStop,
        marker: &Marker,
    ) -> Result<(), GitError> {
        let files = self.record_files(rebase, stop)?;
        let directory = directory(self.admin_dir());
        if directory.exists() {
            marker.write(self.admin_dir())?;
            write_all(&directory, &files)?;
        } else {
            let unfinished = self.admin_dir().join(UNFINISHED);
            make_empty(&unfinished)?;
            write_all(&unfinished, &files)?;
            write_all(&unfinished, &[marker.file()])?;
            fs::rename(&unfinished, &directory).at(&directory)?;
        }
        self.record_references(rebase, stop)?;
        self.write_merge_message(stop)
    }

    /// Takes the record away, last of all and in one step, so that what was cut off can be done again.
    pub(super) fn drop_record(&self) -> Result<(), GitError> {
        let lines: String = REFERENCES
            .iter()
            .map(|name| format!("delete {name}\n"))
            .collect();
        self.update_references(lines)?;
        remove_if_present(&self.admin_dir().join("MERGE_MSG"))?;
        let over = self.admin_dir().join(OVER);
        make_empty(&over)?;
        let directory = directory(self.admin_dir());
        fs::rename(&directory, over.join(DIRECTORY)).at(&directory)?;
        fs::remove_dir_all(&over).at(&over)
    }

    /// Removes what a record left that was cut off while it was made or taken away.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn clear_rebase_leftovers(&self) -> Result<(), GitError> {
        for name in [UNFINISHED, OVER] {
            let left = self.admin_dir().join(name);
            if left.exists() {
                fs::remove_dir_all(&left).at(&left)?;
            }
        }
        Ok(())
    }

    fn record_files(
        &self,
        rebase: &RebasePlan,
        stop: &RebaseStop,
    ) -> Result<Vec<(&'static str, Vec<u8>)>, GitError> {
        let repository = self.repository();
        let words = repository.words_of(&stop.at)?;
        let done: Vec<_> = rebase
            .commits
            .iter()
            .filter(|commit| !stop.rest.contains(commit))
            .cloned()
            .collect();
        let line = |text: &dyn ToString| format!("{}\n", text.to_string()).into_bytes();
        Ok(vec![
            ("head-name", line(&rebase.branch.full_ref())),
            ("onto", line(&rebase.onto)),
            ("orig-head", line(&rebase.from)),
            ("interactive", Vec::new()),
            ("drop_redundant_commits", Vec::new()),
            ("no-reschedule-failed-exec", Vec::new()),
            ("end", line(&rebase.commits.len())),
            ("msgnum", line(&done.len())),
            ("done", repository.steps(&done)?),
            ("git-rebase-todo", repository.steps(&stop.rest)?),
            ("git-rebase-todo.backup", repository.steps(&rebase.commits)?),
            ("stopped-sha", line(&stop.at)),
            (PARENT, line(&stop.new_parent)),
            ("author-script", words.author_script),
            ("message", words.message),
        ])
    }

    fn record_references(&self, rebase: &RebasePlan, stop: &RebaseStop) -> Result<(), GitError> {
        self.update_references(format!(
            "update REBASE_HEAD {}\nupdate ORIG_HEAD {}\nupdate AUTO_MERGE {}\n",
            stop.at, rebase.from, stop.merge.tree
        ))
    }

    fn update_references(&self, lines: String) -> Result<(), GitError> {
        let call = Call::new("update-ref", self.admin_dir()).env("GIT_DIR", self.admin_dir());
        let call = call.args(["--no-deref", "--stdin"]);
        let answer = self
            .repository()
            .git()
            .run(&call.stdin(lines.into_bytes()))?;
        answer.require_success().map(drop)
    }

    /// What an editor starts with.
    fn write_merge_message(&self, stop: &RebaseStop) -> Result<(), GitError> {
        let mut text = self.repository().words_of(&stop.at)?.message;
        text.extend(b"\n# Conflicts:\n");
        for file in &stop.merge.conflicts {
            text.extend(b"#\t");
            text.extend(to_bytes(&file.path));
            text.push(b'\n');
        }
        let path = self.admin_dir().join("MERGE_MSG");
        fs::write(&path, text).at(&path)
    }
}

impl Repository {
    fn words_of(&self, commit: &CommitId) -> Result<Words, GitError> {
        let call = self.objects()?.call("log").args([
            "--no-walk",
            "--encoding=UTF-8",
            "--date=raw",
            "--format=%an%x00%ae%x00%ad%x00%B",
            commit.as_str(),
            "--",
        ]);
        let answer = self.git().run(&call)?.require_success()?;
        let mut parts = answer.stdout.splitn(4, |byte| *byte == 0);
        let mut next = || parts.next().ok_or_else(|| call.unreadable("too few parts"));
        let (name, address, date, message) = (next()?, next()?, next()?, next()?);
        // The last line end is from the command, not from the message.
        let message = message.strip_suffix(b"\n").unwrap_or(message);
        let date = [b"@", date].concat();
        let author_script = [
            assignment("GIT_AUTHOR_NAME", name),
            assignment("GIT_AUTHOR_EMAIL", address),
            assignment("GIT_AUTHOR_DATE", &date),
        ];
        Ok(Words {
            author_script: author_script.concat(),
            message: message.to_vec(),
        })
    }

    /// Lines that pick commits.
    fn steps(&self, commits: &[CommitId]) -> Result<Vec<u8>, GitError> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.objects()?.call("log").args([
            "--no-walk=unsorted",
            "--encoding=UTF-8",
            "--format=pick %H %s",
        ]);
        let call = call.args(commits.iter().map(CommitId::as_str)).arg("--");
        Ok(self.git().run(&call)?.require_success()?.stdout)
    }
}

/// A line of shell that only says a value.
fn assignment(name: &str, value: &[u8]) -> Vec<u8> {
    let mut line = format!("{name}='").into_bytes();
    for byte in value {
        match byte {
            b'\'' => line.extend(b"'\\''"),
            byte => line.push(*byte),
        }
    }
    line.extend(b"'\n");
    line
}

fn write_all(directory: &Path, files: &[(&str, Vec<u8>)]) -> Result<(), GitError> {
    for (name, content) in files {
        let path = directory.join(name);
        fs::write(&path, content).at(&path)?;
    }
    Ok(())
}

fn make_empty(directory: &Path) -> Result<(), GitError> {
    if directory.exists() {
        fs::remove_dir_all(directory).at(directory)?;
    }
    fs::create_dir(directory).at(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_quoted_for_the_shell() {
        let line = assignment("NAME", b"O'Neil $(x)");
        assert_eq!(line, b"NAME='O'\\''Neil $(x)'\n");
    }
}
