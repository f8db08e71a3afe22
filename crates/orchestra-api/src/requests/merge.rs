//! Requests about landing: merge, land, push, pull request.

use orchestra_core::CheckName;
use serde::Deserialize;
use utoipa::ToSchema;

/// In which form work lands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeForm {
    /// Move the base forward, or make a merge commit.
    #[default]
    Fitting,
    /// Only move the base forward, never make a merge commit.
    FastForwardOnly,
    /// Make a merge commit in any case.
    MergeCommit,
    /// Make one commit of it.
    Squash,
    /// Take some commits only.
    CherryPick,
}

/// A session that is to land.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeSession {
    /// In which form.
    #[serde(default)]
    pub form: MergeForm,
    /// With `cherry_pick`: the commits.
    #[serde(default)]
    pub commits: Vec<String>,
    /// The branch to land on; absent: the session's base.
    pub into: Option<String>,
    /// The message of the merge commit or the squashed one.
    pub message: Option<String>,
    /// Pass over these checks if they fail; that is recorded.
    #[serde(default)]
    pub overridden: Vec<CheckName>,
    /// Push the base to its remote then. Of a session that has landed, only that is done.
    #[serde(default)]
    pub push: bool,
    /// Only run `commands.after_merge` again, for a session that has landed; and push, if that is wanted too.
    #[serde(default)]
    pub after_merge: bool,
    /// Allow the commands it runs if they come from the repository's own settings file.
    #[serde(default)]
    pub allow_commands: bool,
}

/// Sessions that are to land one after another.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LandSessions {
    /// Ids, unique prefixes or names, of one repository.
    #[schema(min_items = 1)]
    pub sessions: Vec<String>,
    /// Which lands before which.
    #[serde(default)]
    pub depends_on: Vec<Dependency>,
    /// In which form each of them lands; commits cannot be picked.
    #[serde(default)]
    pub form: MergeForm,
    /// Pass over these checks if they fail; that is recorded.
    #[serde(default)]
    pub overridden: Vec<CheckName>,
    /// Allow the commands it runs if they come from the repository's own settings file.
    #[serde(default)]
    pub allow_commands: bool,
}

/// A session that lands before another one.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// The one that lands later; absent: all of them.
    pub later: Option<String>,
    /// The one that lands first.
    pub earlier: String,
}

/// A session whose branch is to be pushed.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PushBranch {
    /// The remote; absent: `origin`, or the only one.
    pub remote: Option<String>,
    /// Replace the commits there, if they are the ones this session had.
    #[serde(default)]
    pub force_with_lease: bool,
    /// Replace the commits there, whoever made them, if the newest is exactly this one.
    pub expected_commit: Option<String>,
}

/// A pull request that is to be opened.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenPullRequest {
    /// The title; absent: the session's name.
    pub title: Option<String>,
    /// The text; absent: the prompt, the commits and the issue.
    pub body: Option<String>,
    /// Allow the command if it comes from the repository's own settings file.
    #[serde(default)]
    pub allow_commands: bool,
}
