//! Which configuration values reach our git processes: the user's own global ones that matter, and the few local ones
//! that are plain data. Nothing that names a program is ever taken from a repository.

mod sources;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) use sources::Sources;

use crate::byte_path::from_bytes;
use crate::call::Call;
use crate::error::GitError;
use crate::program::Git;

/// Who commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name.
    pub name: String,
    /// The mail address.
    pub email: String,
}

/// How the user signs commits. The engine's own commits are not signed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signing {
    /// `commit.gpgSign`.
    pub by_default: bool,
    /// `user.signingKey`.
    pub key: Option<String>,
    /// `gpg.format`.
    pub format: Option<String>,
}

/// What git said, and from where.
pub(crate) struct Loaded {
    pub(crate) configuration: Configuration,
    /// `None` if more than files decides.
    pub(crate) sources: Option<Sources>,
}

/// The configuration that applies to one repository, read once when it is opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configuration {
    identity: Option<Identity>,
    signing: Signing,
    values: BTreeMap<String, String>,
    remotes: BTreeMap<String, String>,
    push_urls: BTreeMap<String, String>,
    branch_remotes: BTreeMap<String, String>,
    has_own_ssh_command: bool,
    is_partial_clone: bool,
    has_worktree_rules: bool,
}

impl Configuration {
    /// Who the user is in this repository.
    #[must_use]
    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// How the user signs.
    #[must_use]
    pub fn signing(&self) -> &Signing {
        &self.signing
    }

    /// The values that git processes on worktree contents get.
    pub(crate) fn values(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.values
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
    }

    /// One of those values.
    #[cfg(target_os = "linux")]
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// Whether a value is true; `None` if it is not set. What is neither true nor false counts as true.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_on(&self, key: &str) -> Option<bool> {
        self.value(key)
            .map(|value| is_true(value) || !is_boolean(value))
    }

    pub(crate) fn remote_url(&self, remote: &str) -> Option<&str> {
        self.remotes.get(remote).map(String::as_str)
    }

    /// The remote that a branch belongs to: its own, or `origin`, or the only one.
    pub(crate) fn remote_of(&self, branch: &str) -> Option<&str> {
        let configured = self
            .branch_remotes
            .get(branch)
            .filter(|remote| self.remotes.contains_key(*remote));
        let origin = || self.remotes.keys().find(|remote| *remote == "origin");
        let only = || {
            self.remotes
                .keys()
                .next()
                .filter(|_| self.remotes.len() == 1)
        };
        configured.or_else(origin).or_else(only).map(String::as_str)
    }

    /// The remote that work is pushed to: the one that is asked for, or `origin`, or the only one. What a branch is configured
    /// to be pushed to does not count: an agent can write that.
    pub(crate) fn remote_to_push_to(&self, wanted: Option<&str>) -> Option<&str> {
        let only = || {
            self.remotes
                .keys()
                .next()
                .filter(|_| self.remotes.len() == 1)
        };
        let name = match wanted {
            Some(wanted) => self.remotes.keys().find(|remote| *remote == wanted),
            None => {
                let origin = self.remotes.keys().find(|remote| *remote == "origin");
                origin.or_else(only)
            }
        };
        name.map(String::as_str)
    }

    /// Where a remote takes what is pushed to it.
    pub(crate) fn push_url(&self, remote: &str) -> Option<&str> {
        let own = self.push_urls.get(remote).map(String::as_str);
        own.or_else(|| self.remote_url(remote))
    }

    /// The names of all remotes.
    #[must_use]
    pub fn remote_names(&self) -> Vec<String> {
        self.remotes.keys().cloned().collect()
    }

    pub(crate) fn has_own_ssh_command(&self) -> bool {
        self.has_own_ssh_command
    }

    /// Whether the user's own configuration has the filter that keeps large files outside the tree.
    pub(crate) fn has_lfs_filter(&self) -> bool {
        let names = ["filter.lfs.process", "filter.lfs.clean"];
        self.values().any(|(key, _)| names.contains(&key.as_str()))
    }

    /// Whether that filter is the usual program, found by its name.
    pub(crate) fn calls_git_lfs(&self) -> bool {
        let names = [
            "filter.lfs.process",
            "filter.lfs.clean",
            "filter.lfs.smudge",
        ];
        let is_usual = |value: &str| value.starts_with("git-lfs ") || value.starts_with("git lfs ");
        self.values()
            .any(|(key, value)| names.contains(&key.as_str()) && is_usual(&value))
    }

    pub(crate) fn is_partial_clone(&self) -> bool {
        self.is_partial_clone
    }

    /// Whether git makes worktrees here in another way than usual: with other paths, permissions or settings.
    #[cfg(target_os = "linux")]
    pub(crate) fn has_worktree_rules(&self) -> bool {
        self.has_worktree_rules
    }

    /// Asks git for everything that applies in `dir`, with the scope each value comes from.
    pub(crate) fn load(git: &Git, dir: &Path) -> Result<Loaded, GitError> {
        let call = Call::new("config", dir)
            .args(["--list", "-z", "--show-scope", "--show-origin"])
            .with_users_configuration();
        let answer = git.run(&call)?.require_success()?;
        let home = git.environment().home();
        let entries =
            parse(&answer.stdout).ok_or_else(|| call.unreadable("a value has no scope"))?;
        Ok(Loaded {
            configuration: Self::from_entries(&entries, home.as_deref()),
            sources: sources::sources(&entries, dir, home.as_deref()),
        })
    }

    fn from_entries(entries: &[Entry], home: Option<&Path>) -> Self {
        let mut configuration = Self::default();
        let (mut name, mut email) = (None, None);
        for entry in entries {
            match entry.key.as_str() {
                "user.name" => name = one_line(&entry.value),
                "user.email" => email = one_line(&entry.value),
                _ => configuration.take(entry, home),
            }
        }
        configuration.identity = name
            .zip(email)
            .map(|(name, email)| Identity { name, email });
        configuration
    }

    fn take(&mut self, entry: &Entry, home: Option<&Path>) {
        self.has_worktree_rules |= is_worktree_rule(&entry.key);
        match entry.scope {
            Scope::User => self.take_users(entry, home),
            Scope::Repository => self.take_repositorys(entry),
            Scope::Other => {}
        }
        if is_plain_data(&entry.key, &entry.value) && entry.scope != Scope::Other {
            self.values.insert(entry.key.clone(), entry.value.clone());
        }
    }

    fn take_users(&mut self, entry: &Entry, home: Option<&Path>) {
        let value = entry.value.clone();
        match entry.key.as_str() {
            "core.sshcommand" => self.has_own_ssh_command = true,
            "commit.gpgsign" => self.signing.by_default = is_true(&value),
            "user.signingkey" => self.signing.key = Some(value),
            "gpg.format" => self.signing.format = Some(value),
            "core.excludesfile" | "core.attributesfile" => {
                if let Some(path) = absolute(&value, home) {
                    self.values.insert(entry.key.clone(), path);
                }
            }
            key if is_filter(key) || key == "merge.conflictstyle" || key == "diff.algorithm" => {
                self.values.insert(entry.key.clone(), value);
            }
            _ => {}
        }
    }

    fn take_repositorys(&mut self, entry: &Entry) {
        if entry.key == "extensions.partialclone" {
            self.is_partial_clone = true;
        }
        if let Some(remote) = between(&entry.key, "remote.", ".url") {
            self.remotes
                .entry(remote.to_owned())
                .or_insert_with(|| entry.value.clone());
        }
        if let Some(remote) = between(&entry.key, "remote.", ".pushurl") {
            self.push_urls
                .entry(remote.to_owned())
                .or_insert_with(|| entry.value.clone());
        }
        if let Some(branch) = between(&entry.key, "branch.", ".remote") {
            self.branch_remotes
                .insert(branch.to_owned(), entry.value.clone());
        }
    }
}

/// Values of a worktree's own configuration file that matter: which part of the tree is checked out.
pub(crate) fn sparse_values(git: &Git, file: &Path) -> Result<Vec<(String, String)>, GitError> {
    let call = Call::new("config", git.private_dir())
        .args(["--list", "-z", "--file"])
        .arg(file);
    let answer = git.run(&call)?.require_success()?;
    let records = answer
        .stdout
        .split(|byte| *byte == 0)
        .filter(|record| !record.is_empty());
    let pairs = records
        .map(key_and_value)
        .filter(|(key, value)| is_sparse(key) && is_boolean(value));
    Ok(pairs.collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    User,
    Repository,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    scope: Scope,
    /// The file it is in, as git names it from the directory it was asked in.
    origin: Option<PathBuf>,
    key: String,
    value: String,
}

/// Reads `scope NUL origin NUL key LF value NUL`. A key without a value means true.
fn parse(bytes: &[u8]) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut records = bytes.split(|byte| *byte == 0);
    while let Some(scope) = records.next().filter(|scope| !scope.is_empty()) {
        let scope = match scope {
            b"system" | b"global" => Scope::User,
            b"local" | b"worktree" => Scope::Repository,
            _ => Scope::Other,
        };
        let origin = records.next()?.strip_prefix(b"file:").map(from_bytes);
        let (key, value) = key_and_value(records.next()?);
        entries.push(Entry {
            scope,
            origin,
            key,
            value,
        });
    }
    Some(entries)
}

fn key_and_value(record: &[u8]) -> (String, String) {
    let text = String::from_utf8_lossy(record);
    let (key, value) = text.split_once('\n').unwrap_or((&text, "true"));
    (key.to_owned(), value.to_owned())
}

/// Settings without any way to name a program, a file or an address.
fn is_plain_data(key: &str, value: &str) -> bool {
    match key {
        "core.filemode"
        | "core.ignorecase"
        | "core.symlinks"
        | "core.precomposeunicode"
        | "core.longpaths"
        | "core.trustctime" => is_boolean(value),
        "core.autocrlf" => is_boolean(value) || value == "input",
        "core.safecrlf" => is_boolean(value) || value == "warn",
        "core.eol" => matches!(value, "lf" | "crlf" | "native"),
        "core.checkstat" => matches!(value, "default" | "minimal"),
        "i18n.commitencoding" => value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
        _ => is_sparse(key) && is_boolean(value),
    }
}

fn is_worktree_rule(key: &str) -> bool {
    matches!(
        key,
        "core.sharedrepository"
            | "extensions.relativeworktrees"
            | "extensions.worktreeconfig"
            | "worktree.userelativepaths"
    )
}

fn is_sparse(key: &str) -> bool {
    matches!(key, "core.sparsecheckout" | "core.sparsecheckoutcone")
}

fn is_filter(key: &str) -> bool {
    let name = key
        .strip_prefix("filter.")
        .and_then(|rest| rest.rsplit_once('.'));
    name.is_some_and(|(_, variable)| {
        matches!(variable, "clean" | "smudge" | "process" | "required")
    })
}

fn is_boolean(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    matches!(
        value.as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "1" | "0" | ""
    )
}

fn is_true(value: &str) -> bool {
    matches!(
        value.to_ascii_lowercase().as_str(),
        "true" | "yes" | "on" | "1"
    )
}

fn one_line(value: &str) -> Option<String> {
    let value = value.trim();
    (!value.is_empty() && !value.contains(['\n', '<', '>'])).then(|| value.to_owned())
}

fn absolute(value: &str, home: Option<&Path>) -> Option<String> {
    let path = match value.strip_prefix("~/") {
        Some(rest) => home?.join(rest),
        None => PathBuf::from(value),
    };
    path.is_absolute()
        .then(|| path.to_string_lossy().into_owned())
}

fn between<'a>(key: &'a str, start: &str, end: &str) -> Option<&'a str> {
    key.strip_prefix(start)?
        .strip_suffix(end)
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration(text: &str) -> Configuration {
        let fields: Vec<_> = text.split_terminator('|').collect();
        let record = |pair: &[&str]| format!("{}\0file:/f\0{}\0", pair[0], pair[1]);
        let bytes: String = fields.chunks_exact(2).map(record).collect();
        Configuration::from_entries(
            &parse(bytes.as_bytes()).unwrap(),
            Some(Path::new("/home/u")),
        )
    }

    #[test]
    fn identity_is_the_nearest_one() {
        let found =
            configuration("global|user.name\nA|global|user.email\na@x|local|user.email\nb@y|");
        assert_eq!(
            found.identity(),
            Some(&Identity {
                name: "A".into(),
                email: "b@y".into()
            })
        );
        assert_eq!(configuration("global|user.name\nA|").identity(), None);
        assert_eq!(
            configuration("global|user.name\nA\nB|local|user.email\nx|").identity(),
            None
        );
    }

    #[test]
    fn programs_come_from_the_user_only() {
        let found = configuration(
            "global|filter.lfs.clean\ngit-lfs clean -- %f|local|filter.evil.clean\nrm|local|core.autocrlf\ninput|\
             global|core.excludesfile\n~/ignore|local|core.excludesfile\n/evil|local|core.fsmonitor\nrm|",
        );
        let values = found.values().collect::<Vec<_>>();
        let expected = [
            ("core.autocrlf", "input"),
            ("core.excludesfile", "/home/u/ignore"),
            ("filter.lfs.clean", "git-lfs clean -- %f"),
        ];
        assert_eq!(
            values,
            expected.map(|(key, value)| (key.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn only_valid_plain_values_are_taken() {
        let found = configuration(
            "local|core.autocrlf\nrm -rf|local|core.filemode|local|core.eol\n!x|command|core.eol\nlf|",
        );
        assert_eq!(
            found.values().collect::<Vec<_>>(),
            [("core.filemode".to_owned(), "true".to_owned())]
        );
    }

    #[test]
    fn the_remote_of_a_branch_is_found() {
        let text = "local|remote.origin.url\n/o|local|remote.fork.url\n/f|local|branch.a.remote\nfork|local|branch.b.remote\ngone|";
        let found = configuration(text);
        assert_eq!(found.remote_of("a"), Some("fork"));
        assert_eq!(found.remote_of("b"), Some("origin"));
        assert_eq!(found.remote_url("fork"), Some("/f"));
        assert_eq!(
            configuration("local|remote.only.url\n/o|").remote_of("x"),
            Some("only")
        );
        assert_eq!(
            configuration("local|remote.a.url\n/a|local|remote.b.url\n/b|").remote_of("x"),
            None
        );
    }

    #[test]
    fn work_is_pushed_to_a_remote_that_the_user_would_expect() {
        let found = configuration(
            "local|remote.origin.url\n/o|local|remote.origin.pushurl\n/p|local|remote.fork.url\n/f|\
             local|branch.a.pushremote\nfork|local|remote.pushdefault\nfork|",
        );
        assert_eq!(found.remote_to_push_to(None), Some("origin"));
        assert_eq!(found.remote_to_push_to(Some("fork")), Some("fork"));
        assert_eq!(found.remote_to_push_to(Some("gone")), None);
        assert_eq!(found.push_url("origin"), Some("/p"));
        assert_eq!(found.push_url("fork"), Some("/f"));
        assert_eq!(found.remote_names(), ["fork", "origin"]);
        let only = configuration("local|remote.only.url\n/o|");
        assert_eq!(only.remote_to_push_to(None), Some("only"));
        let two = configuration("local|remote.a.url\n/a|local|remote.b.url\n/b|");
        assert_eq!(two.remote_to_push_to(None), None);
    }

    #[test]
    fn signing_is_remembered() {
        let found = configuration(
            "global|commit.gpgsign\ntrue|global|user.signingkey\nABC|global|gpg.format\nssh|local|commit.gpgsign\nfalse|",
        );
        assert_eq!(
            found.signing(),
            &Signing {
                by_default: true,
                key: Some("ABC".into()),
                format: Some("ssh".into())
            }
        );
    }

    #[test]
    fn a_cut_answer_is_refused() {
        assert_eq!(parse(b"local"), None);
        assert_eq!(parse(b"").map(|entries| entries.len()), Some(0));
    }
}
