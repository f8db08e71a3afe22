//! Pushes one commit to one branch of a remote. Like a fetch, it runs in a private git directory, so no hook and nothing else
//! that the repository configures takes part. A branch is never deleted, and never replaced unless it is where it was seen last.

mod error;
mod report;

use std::time::Duration;

use orchestra_core::{BranchName, CommitId, PushedAs, RemoteName, visible_line};

pub use error::{PushError, RemoteTip};
use report::Report;

use crate::base::{FetchPolicy, Fetched, remote_ref};
use crate::call::{Answer, Call};
use crate::error::{GitError, in_short};
use crate::git_process::{is_running_in, wait_for_others_in};
use crate::remote_url::RemoteUrl;
use crate::repository::Repository;
use crate::shadow::Shadow;

/// A repository on this machine could be one that an agent made: git would run its hooks here, as the user.
const LOCAL_RECEIVER: &str = "--receive-pack=git -c core.hooksPath=/dev/null -c core.fsmonitor=false \
    -c core.alternateRefsCommand=false -c receive.autogc=false -c receive.denyCurrentBranch=refuse receive-pack";
/// How many commits that stop a push are told.
const TOLD: usize = 10;

/// What is pushed where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushRequest {
    /// What the remote has or gets.
    pub branch: BranchName,
    /// Where the branch is to be.
    pub commit: CommitId,
    /// The remote; `None`: `origin`, or the only one.
    pub remote: Option<String>,
    /// Whether commits of the remote may be replaced.
    pub force: PushForce,
    /// How long it may take.
    pub wait: Duration,
}

/// Whether commits that the remote has may be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushForce {
    /// They stay.
    Never,
    /// Only if the branch is still at this commit; `None`: if the remote has no such branch.
    IfStillAt(Option<CommitId>),
}

/// What a push did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pushed {
    /// The remote.
    pub remote: RemoteName,
    /// Its branch.
    pub branch: BranchName,
    /// Where the branch is.
    pub commit: CommitId,
    /// How it came there.
    pub how: PushedAs,
}

impl Repository {
    /// Pushes, and remembers where the remote's branch is then. The same push again is harmless.
    ///
    /// # Errors
    /// If there is no such remote, the remote has commits that would be lost, or it cannot be reached.
    pub fn push(&self, request: &PushRequest) -> Result<Pushed, PushError> {
        let remote = self.remote_to_push_to(request.remote.as_deref())?;
        let url = self.configuration().push_url(remote.as_str());
        let url = RemoteUrl::parse(url.unwrap_or_default(), self.root())?;
        let shadow = Shadow::of_objects(self)?;
        let call = self.push_call(&shadow, &url, request);
        let answer = match self.git().run(&call) {
            Err(error) if error.is_timeout() => {
                return Err(PushError::TimedOut(request.wait));
            }
            answer => answer?,
        };
        let how = match self.judge(&answer, &remote, request) {
            Err(PushError::Rejected { .. } | PushError::Failed { .. })
                if self.is_there(&shadow, &url, request) =>
            {
                PushedAs::UpToDate
            }
            how => how?,
        };
        let tracking = remote_ref(&remote, &request.branch);
        self.remember(&tracking, &request.commit, "update by push")?;
        Ok(Pushed {
            remote,
            branch: request.branch.clone(),
            commit: request.commit.clone(),
            how,
        })
    }

    /// Where a branch of a remote was when it was last fetched or pushed.
    ///
    /// # Errors
    /// If git fails.
    pub fn last_seen_on(
        &self,
        remote: &RemoteName,
        branch: &BranchName,
    ) -> Result<Option<CommitId>, GitError> {
        self.find_reference(&remote_ref(remote, branch))
    }

    /// The remote that a push would go to: the one that is asked for, or `origin`, or the only one.
    ///
    /// # Errors
    /// If there is none, or several without an `origin`.
    pub fn remote_to_push_to(&self, wanted: Option<&str>) -> Result<RemoteName, PushError> {
        let name = self.configuration().remote_to_push_to(wanted);
        // The name comes from a shared file; what is not a plain name cannot be part of a reference.
        let name = name.and_then(|name| name.parse().ok());
        name.ok_or_else(|| PushError::NoRemote {
            wanted: wanted.map(str::to_owned),
            known: self.configuration().remote_names(),
        })
    }

    /// Waits for pushes whose parents were killed. They go on to their end, and two at once get into each other's way.
    ///
    /// # Errors
    /// If processes cannot be looked at.
    pub fn wait_for_pushes(&self) -> Result<(), GitError> {
        let private = self.git().private_directories()?;
        if is_running_in(&private)? {
            wait_for_others_in(&private)?;
        }
        Ok(())
    }

    /// Whether the remote has the commit all the same: an earlier push of it may have come there at this moment.
    fn is_there(&self, shadow: &Shadow, url: &RemoteUrl, request: &PushRequest) -> bool {
        let target = request.branch.full_ref();
        let call = self
            .network_call(shadow, "ls-remote", url, request.wait)
            .args(["--", url.as_str(), &target]);
        let answer = self.git().run(&call).and_then(Answer::require_success);
        let text = answer.and_then(|answer| answer.text()).unwrap_or_default();
        let wanted = format!("{}\t{target}", request.commit);
        text.lines().any(|line| line == wanted)
    }

    fn push_call(&self, shadow: &Shadow, url: &RemoteUrl, request: &PushRequest) -> Call {
        let target = request.branch.full_ref();
        let mut call = self
            .network_call(shadow, "push", url, request.wait)
            .args(["--porcelain", "--no-verify", "--no-follow-tags"])
            .args(["--no-signed", "--recurse-submodules=no"]);
        if let PushForce::IfStillAt(expected) = &request.force {
            let expected = expected.as_ref().map_or("", CommitId::as_str);
            call = call.arg(format!("--force-with-lease={target}:{expected}"));
        }
        if url.is_local() {
            call = call.arg(LOCAL_RECEIVER);
        }
        call.args(["--", url.as_str(), &format!("{}:{target}", request.commit)])
    }

    fn judge(
        &self,
        answer: &Answer,
        remote: &RemoteName,
        request: &PushRequest,
    ) -> Result<PushedAs, PushError> {
        let report = report::find(&answer.stdout, &request.branch.full_ref());
        match report {
            Some(Report::Done(how)) if answer.is_success() => Ok(how),
            Some(Report::RefusedHere) => Err(self.refusal_by(remote, request)),
            Some(Report::RefusedThere(reason)) => Err(PushError::Rejected {
                remote: remote.clone(),
                reason: with_remarks(&reason, &answer.stderr()),
            }),
            _ => Err(PushError::Failed {
                remote: remote.clone(),
                reason: visible_line(&in_short(&answer.stderr(), 3)),
            }),
        }
    }

    /// The remote has something that would be lost. It is fetched, so that it can be looked at.
    fn refusal_by(&self, remote: &RemoteName, request: &PushRequest) -> PushError {
        let branch = request.branch.clone();
        let tip = self.tip_on(remote, request).unwrap_or_default();
        match &request.force {
            PushForce::Never => PushError::WouldLose {
                remote: remote.clone(),
                branch,
                tip,
            },
            PushForce::IfStillAt(expected) => PushError::RemoteMoved {
                remote: remote.clone(),
                branch,
                expected: expected.clone(),
                tip,
            },
        }
    }

    fn tip_on(&self, remote: &RemoteName, request: &PushRequest) -> Result<RemoteTip, GitError> {
        let (name, addresses) = (remote.as_str(), self.configuration());
        if addresses.push_url(name) != addresses.remote_url(name) {
            return Ok(RemoteTip::default());
        }
        let tracking = remote_ref(remote, &request.branch);
        let policy = FetchPolicy::Within(request.wait);
        let fetched = self.fetch_base(&request.branch, remote, &tracking, policy)?;
        if fetched != Fetched::Now {
            return Ok(RemoteTip::default());
        }
        let commit = self.find_reference(&tracking)?;
        let foreign = match &commit {
            Some(commit) => self.log(&request.commit, commit, TOLD)?,
            None => Vec::new(),
        };
        Ok(RemoteTip { commit, foreign })
    }
}

/// Servers explain themselves beside the report.
fn with_remarks(reason: &str, stderr: &str) -> String {
    let remarks = stderr.lines().filter(|line| line.starts_with("remote: "));
    let remarks = in_short(&remarks.collect::<Vec<_>>().join("\n"), 5);
    match remarks.as_str() {
        "" => reason.to_owned(),
        remarks => format!("{reason}: {}", visible_line(remarks)),
    }
}
