//! Going on after a conflict: what was resolved becomes a commit, the rest is made again in memory, and the branch moves.

use std::path::PathBuf;

use orchestra_core::{CommitId, TreeId};

use super::marker::Marker;
use super::record::{self, PARENT};
use super::{RebaseError, RebaseOutcome, RebasePlan, RebaseProgress, RebaseStep, StoppedRebase};
use crate::byte_path::nul_list;
use crate::call::Call;
use crate::error::GitError;
use crate::head::Head;
use crate::reference::{Moved, RefMove};
use crate::rewrite::{CommitStamp, Replay, ReplayRequest};
use crate::shadow::Shadow;
use crate::worktree::{Fill, Worktree};

/// Where the rest of a rebase begins.
struct Ground {
    /// The commit whose files are in the worktree.
    files: CommitId,
    /// The commit that the rest comes to stand on.
    base: CommitId,
    rest: Vec<CommitId>,
    /// The commit before the rest, if nothing was left of it.
    dropped: Vec<CommitId>,
}

/// What was found in the worktree.
enum Found {
    Over(RebaseOutcome),
    /// We were cut off on the way to a stop, and are back where that way began.
    Ground(Ground),
    Stop(StoppedRebase, CommitId),
}

impl Worktree {
    /// Commits what was resolved, with the author and the message it had, and makes the rest again. Changes of tracked files are
    /// part of it, staged or not. Doing it again after it was cut off is harmless.
    ///
    /// # Errors
    /// If conflicts are left or the steps were changed; nothing is changed then. Or if git fails.
    pub fn continue_rebase(
        &self,
        rebase: &RebasePlan,
        committer: &CommitStamp,
        after_step: &dyn Fn(RebaseStep),
    ) -> Result<RebaseOutcome, RebaseError> {
        let ground = match self.take_up(rebase)? {
            Found::Over(outcome) => return Ok(outcome),
            Found::Ground(ground) => ground,
            Found::Stop(stopped, head) => {
                let base = self.commit_resolved(&stopped, head.clone(), committer)?;
                after_step(RebaseStep::Committed);
                let is_nothing_left = base == head && self.is_where_we_stopped(&head);
                Ground {
                    files: base.clone(),
                    base,
                    dropped: stopped.at.filter(|_| is_nothing_left).into_iter().collect(),
                    rest: stopped.rest,
                }
            }
        };
        self.go_on(rebase, ground, committer, after_step)
    }

    /// Leaves out the commit that could not be made again, with everything done to resolve it, and makes the rest again.
    ///
    /// # Errors
    /// If the steps were changed; nothing is changed then. Or if git fails.
    pub fn skip_rebase(
        &self,
        rebase: &RebasePlan,
        committer: &CommitStamp,
        after_step: &dyn Fn(RebaseStep),
    ) -> Result<RebaseOutcome, RebaseError> {
        let ground = match self.take_up(rebase)? {
            Found::Over(outcome) => return Ok(outcome),
            Found::Ground(ground) => ground,
            Found::Stop(stopped, head) => {
                self.fill(&head, Fill::Again)?;
                Ground {
                    files: head.clone(),
                    base: head,
                    rest: stopped.rest,
                    dropped: Vec::new(),
                }
            }
        };
        self.go_on(rebase, ground, committer, after_step)
    }

    fn take_up(&self, rebase: &RebasePlan) -> Result<Found, RebaseError> {
        let stopped = match self.rebase_progress(rebase)? {
            RebaseProgress::Aborted => return Ok(Found::Over(RebaseOutcome::Aborted)),
            RebaseProgress::Finished(head) => {
                let dropped = Vec::new();
                return Ok(Found::Over(RebaseOutcome::Finished { head, dropped }));
            }
            RebaseProgress::Stopped(stopped) => stopped,
        };
        if let Some(marker) = Marker::read(self.admin_dir())? {
            if self.repository().find_branch(&rebase.branch)?.as_ref() == Some(&marker.toward) {
                self.settle_files(&marker.files, &marker.toward)?;
                return Ok(Found::Over(self.end_at(rebase, marker.toward, &|_| {})?));
            }
            if !stopped.is_whole {
                return Ok(Found::Ground(self.go_back(marker)?));
            }
            Marker::remove(self.admin_dir())?;
        }
        match self.head()? {
            Head::Detached(head) => Ok(Found::Stop(stopped, head)),
            Head::Branch { .. } | Head::Unborn(_) => Err(RebaseError::HeadElsewhere {
                expected: format!("the commits that are made again on {}", rebase.onto_label),
            }),
        }
    }

    fn go_back(&self, marker: Marker) -> Result<Ground, RebaseError> {
        self.settle_files(&marker.toward, &marker.files)?;
        self.detach_at(&marker.base, "rebase: again")?;
        Ok(Ground {
            files: marker.files,
            base: marker.base,
            rest: marker.rest,
            dropped: Vec::new(),
        })
    }

    /// Whether nobody committed since we stopped.
    fn is_where_we_stopped(&self, head: &CommitId) -> bool {
        record::read(self.admin_dir(), PARENT).as_deref() == Some(head.as_str())
    }

    fn go_on(
        &self,
        rebase: &RebasePlan,
        ground: Ground,
        committer: &CommitStamp,
        after_step: &dyn Fn(RebaseStep),
    ) -> Result<RebaseOutcome, RebaseError> {
        let Ground {
            files,
            base,
            rest,
            dropped: mut left_out,
        } = ground;
        let replay = self.repository().replay(&ReplayRequest {
            onto: base.clone(),
            onto_label: rebase.onto_label.clone(),
            commits: rest.clone(),
            committer: committer.clone(),
        })?;
        let mut marker = Marker {
            toward: files.clone(),
            files,
            base,
            rest,
        };
        match replay {
            Replay::Clean { head, dropped, .. } => {
                marker.toward = head;
                left_out.extend(dropped);
                self.end(rebase, &marker, left_out, after_step)
            }
            Replay::Conflict(mut stop) => {
                left_out.append(&mut stop.dropped);
                stop.dropped = left_out;
                marker.toward = self.commit_of_stop(&stop)?;
                self.write_stop(rebase, &stop, &marker, after_step)?;
                Ok(RebaseOutcome::Stopped(stop))
            }
        }
    }

    fn end(
        &self,
        rebase: &RebasePlan,
        marker: &Marker,
        dropped: Vec<CommitId>,
        after_step: &dyn Fn(RebaseStep),
    ) -> Result<RebaseOutcome, RebaseError> {
        let current = self.repository().find_branch(&rebase.branch)?;
        if current.as_ref() != Some(&rebase.from) {
            return Err(rebase.moved(current));
        }
        marker.write(self.admin_dir())?;
        self.switch_files(&marker.files, &marker.toward)?;
        after_step(RebaseStep::FilesWritten);
        let full_name = rebase.branch.full_ref();
        let change = RefMove {
            full_name: &full_name,
            from: Some(&rebase.from),
            to: &marker.toward,
            why: &format!("rebase (finish): {full_name} onto {}", rebase.onto),
        };
        if let Moved::Refused(current) = self.repository().move_reference(&change)? {
            return Err(rebase.moved(current));
        }
        after_step(RebaseStep::BranchMoved);
        match self.end_at(rebase, marker.toward.clone(), after_step)? {
            RebaseOutcome::Finished { head, .. } => Ok(RebaseOutcome::Finished { head, dropped }),
            other => Ok(other),
        }
    }

    /// Everything after the branch moved.
    fn end_at(
        &self,
        rebase: &RebasePlan,
        head: CommitId,
        after_step: &dyn Fn(RebaseStep),
    ) -> Result<RebaseOutcome, RebaseError> {
        self.attach(rebase, "rebase (finish): returning")?;
        after_step(RebaseStep::Attached);
        self.drop_record()?;
        let dropped = Vec::new();
        Ok(RebaseOutcome::Finished { head, dropped })
    }

    /// `HEAD` is on the branch again.
    pub(super) fn attach(&self, rebase: &RebasePlan, why: &str) -> Result<(), GitError> {
        let call = Call::new("symbolic-ref", self.admin_dir()).env("GIT_DIR", self.admin_dir());
        let call = call.args(["-m", why, "HEAD", &rebase.branch.full_ref()]);
        let call = self.repository().with_identity(call);
        self.repository().git().run(&call)?.require_success()?;
        Ok(())
    }

    /// The commit that `HEAD` is on afterwards. If nothing differs from it, somebody committed by themselves, or the base has
    /// the change already.
    fn commit_resolved(
        &self,
        stopped: &StoppedRebase,
        head: CommitId,
        committer: &CommitStamp,
    ) -> Result<CommitId, RebaseError> {
        let conflicts = self.conflicts()?;
        if !conflicts.is_empty() {
            let paths = conflicts.into_iter().map(|file| file.path).collect();
            return Err(RebaseError::Unresolved(paths));
        }
        let repository = self.repository();
        let tree = self.tree_of_tracked(&head)?;
        if tree == repository.read_commit(&head)?.tree {
            return Ok(head);
        }
        let at = stopped.at.as_ref().ok_or(RebaseError::NoCommitInProgress)?;
        let parents = [head];
        let commit = repository.commit_again(at, &tree, &parents, None, committer)?;
        self.detach_at(&commit, "rebase (continue)")?;
        Ok(commit)
    }

    /// Stages what changed in tracked files and gives back the tree of the index.
    fn tree_of_tracked(&self, head: &CommitId) -> Result<TreeId, GitError> {
        let git = self.repository().git();
        let shadow = Shadow::of_worktree(self, head)?;
        let status = self.status()?;
        let changed = status.unstaged.into_iter();
        let changed: Vec<PathBuf> = changed
            .flat_map(|one| [Some(one.path), one.original])
            .flatten()
            .collect();
        if !changed.is_empty() {
            let call = shadow.call("update-index");
            let call = call.args(["--add", "--remove", "-z", "--stdin"]);
            git.run(&call.stdin(nul_list(&changed)))?
                .require_success()?;
        }
        let call = shadow.call("write-tree");
        git.line(&call)?
            .parse()
            .map_err(|_| call.unreadable("it is not a tree id"))
    }
}
