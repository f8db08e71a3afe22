//! Ignored files of the main checkout in a session's worktree.

pub(crate) mod hostile;
#[cfg(target_os = "linux")]
mod mounts;
mod reuse;
mod shared_disk;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use orchestra_core::SessionId;
use orchestra_testkit::{Sandbox, TestRepository};

use crate::world::{engine, session};

/// A repository that ignores a lot, and a session that was made before anything was to be copied.
pub(crate) struct Ground {
    pub(crate) sandbox: Sandbox,
    pub(crate) repository: TestRepository,
    pub(crate) id: SessionId,
    pub(crate) worktree: PathBuf,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let repository = sandbox.repository("repo");
        Self::of(sandbox, repository)
    }

    pub(crate) fn of(sandbox: Sandbox, repository: TestRepository) -> Self {
        let rules = ".env*\n*.local\n/data/\nnode_modules\n/vendor/\n/secret/\n*.log\n";
        repository.write(".gitignore", rules);
        repository.write("apps/web/index.js", "x");
        repository.commit("rules");
        let (id, worktree) = session(&engine(&sandbox, &[]), repository.root(), "one");
        Self {
            sandbox,
            repository,
            id,
            worktree,
        }
    }

    /// Copies with these settings. Answers the lines.
    pub(crate) fn copy(&self, settings: &[(&str, &str)]) -> Vec<String> {
        let engine = engine(&self.sandbox, settings);
        let lines = engine.copy_into_worktree(&self.id).unwrap();
        lines.into_iter().map(|line| line.text).collect()
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.worktree.join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Every name below the worktree that git does not track, without git's own.
    pub(crate) fn untracked(&self) -> Vec<String> {
        let tree = self.repository.at(&self.worktree);
        let listed = tree.git(&["ls-files", "--others", "-z"]);
        let mut names: Vec<_> = listed.split_terminator('\0').map(str::to_owned).collect();
        names.sort();
        names
    }
}

pub(crate) fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_the_patterns_name_is_copied_and_nothing_else() {
    let ground = Ground::new();
    for path in [
        ".env",
        ".env.local",
        "apps/web/.env",
        "apps/web/settings.local",
        "data/a.db",
        "data/deep/b.db",
        "data/deep/c.txt",
        "node_modules/x/.env",
        "node_modules/x/settings.local",
        "debug.log",
    ] {
        ground.repository.write(path, path);
    }
    ground.repository.write("untracked.txt", "not ignored");
    let lines = ground.copy(&[("worktree.copy", ".env,*.local,data/**/*.db,untracked.txt")]);
    let copied = [
        ".env",
        "apps/web/.env",
        "apps/web/settings.local",
        "data/a.db",
        "data/deep/b.db",
    ];
    assert_eq!(ground.untracked(), copied);
    let (told, others) = lines.split_at(copied.len());
    assert_eq!(told, copied.map(|path| format!("copied {path}")));
    assert_eq!(others.len(), 2, "{others:?}");
    let idle = "worktree.copy: `untracked.txt` matches nothing that git ignores";
    assert_eq!(others[0], idle);
    assert!(others[1].starts_with("left out .env.local: files with secrets"));
    for path in copied {
        assert_eq!(ground.read(path), path);
    }
}

#[test]
fn who_stops_it_is_heard_and_the_same_again_goes_on() {
    let ground = Ground::new();
    for number in 0..10 {
        ground.repository.write(&format!("data/{number}"), "x");
    }
    set_mode(&ground.repository.path("data"), 0o755);
    let settings = [("worktree.copy", "data")];
    let asked = AtomicU32::new(0);
    let is_stopped = || asked.fetch_add(1, Ordering::Relaxed) > 4;
    let lines = engine(&ground.sandbox, &settings)
        .copy_into_worktree_until(&ground.id, &is_stopped)
        .unwrap();
    let count = ground.untracked().len();
    assert!((1..10).contains(&count), "{count}");
    assert!(lines[0].text.contains("it was stopped"), "{lines:?}");
    ground.copy(&settings);
    assert_eq!(ground.untracked().len(), 10);
    assert_eq!(mode(&ground.worktree.join("data")), 0o755);
}

#[test]
fn a_file_of_patterns_adds_to_the_settings() {
    let ground = Ground::new();
    for path in [".env", "data/a.db", "data/key.pem", "data/.env", "x.local"] {
        ground.repository.write(path, path);
    }
    let include = "# what worktrees need\n\n  data/  \n!*.pem\n../outside\n";
    ground.repository.write(".worktreeinclude", include);
    let lines = ground.copy(&[("worktree.copy", "*.local")]);
    assert_eq!(ground.untracked(), ["data/a.db", "x.local"]);
    let text = lines.join("\n");
    assert!(
        text.contains(".worktreeinclude, line 5: `../outside` is not a pattern"),
        "{text}"
    );
    assert!(text.contains("copied data: 1 file(s)"), "{text}");
    assert!(
        text.contains("left out data/.env: files with secrets"),
        "{text}"
    );
}

#[test]
fn patterns_that_match_nothing_are_told() {
    let ground = Ground::new();
    ground.repository.write("vendor/a/.env", "A=1\n");
    let include = "data/*.db\n.env*\n!*.pem\n";
    ground.repository.write(".worktreeinclude", include);
    let lines = ground.copy(&[
        ("worktree.copy", "vendor,vendor/b"),
        ("worktree.reuse", "lib"),
    ]);
    assert_eq!(
        lines,
        [
            "copied vendor: 1 file(s)",
            ".worktreeinclude, line 1: `data/*.db` matches nothing that git ignores",
            "worktree.reuse: `lib` matches nothing that git ignores",
        ]
    );
}

#[test]
fn what_two_settings_mean_is_told_once() {
    let ground = Ground::new();
    ground.repository.write(".env", "A=1\n");
    ground.repository.write("data/a", "x");
    let settings = [
        ("worktree.copy", ".env,data"),
        ("worktree.reuse", ".*,data"),
    ];
    let lines = ground.copy(&settings);
    assert_eq!(lines, ["copied .env", "copied data: 1 file(s)"]);
    let lines = ground.copy(&settings);
    let there = "it is there already";
    assert_eq!(
        lines,
        [
            format!("left out .env: {there}"),
            format!("left out data/a: {there}")
        ]
    );
}

#[test]
fn env_files_come_only_by_name() {
    for pattern in ["*", ".*", "**", "*.local", "data", "data/**"] {
        let ground = Ground::new();
        for path in [".env", ".env.local", "data/.env", "data/.envrc"] {
            ground.repository.write(path, "SECRET=1\n");
        }
        ground.repository.write("data/plain", "x");
        let lines = ground.copy(&[("worktree.copy", pattern)]).join("\n");
        let told = lines.contains(": files with secrets");
        assert!(told, "{pattern}: {lines}");
        let env_files = ground.untracked().into_iter();
        let mut env_files = env_files.filter(|path| path.contains(".env"));
        assert_eq!(env_files.next(), None, "{pattern}");
    }
}

#[test]
fn what_is_there_stays_as_it_is() {
    let ground = Ground::new();
    ground.repository.write(".env", "theirs");
    ground.repository.write("data/a", "theirs");
    ground.repository.write("data/b", "theirs");
    let tree = ground.repository.at(&ground.worktree);
    tree.write(".env", "mine");
    tree.write("data/a", "mine");
    symlink("nowhere", ground.worktree.join("data/b")).unwrap();
    let lines = ground.copy(&[("worktree.copy", ".env,data")]);
    assert_eq!(ground.read(".env"), "mine");
    assert_eq!(ground.read("data/a"), "mine");
    assert_eq!(
        fs::read_link(ground.worktree.join("data/b")).unwrap(),
        Path::new("nowhere")
    );
    assert!(!ground.worktree.join("data/nowhere").exists());
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(
        lines
            .iter()
            .all(|line| line.ends_with("it is there already"))
    );
}

#[test]
fn permissions_times_and_odd_names_are_kept() {
    let ground = Ground::new();
    let names = [
        "plain",
        "line\nbreak",
        "gr\u{f6}\u{df}e \u{6f22}",
        "-option",
        "a b",
        "*",
    ];
    for name in names {
        ground.repository.write(&format!("data/{name}"), name);
    }
    let (from, to) = (ground.repository.path("data"), ground.worktree.join("data"));
    set_mode(&from.join("plain"), 0o640);
    set_mode(&from.join("a b"), 0o755);
    set_mode(&from.join("-option"), 0o4755);
    ground.repository.write("data/closed/inner", "x");
    set_mode(&from.join("closed"), 0o550);
    let lines = ground.copy(&[("worktree.copy", "data")]);
    assert_eq!(lines, ["copied data: 7 file(s)"]);
    for name in names {
        assert_eq!(ground.read(&format!("data/{name}")), name);
    }
    let modes = ["plain", "a b", "-option", "closed"].map(|name| mode(&to.join(name)));
    assert_eq!(modes, [0o640, 0o755, 0o755, 0o550]);
    let modified = |top: &Path| fs::metadata(top.join("plain")).unwrap().modified().unwrap();
    assert_eq!(modified(&to), modified(&from));
    set_mode(&to.join("closed"), 0o750);
}

#[test]
fn variables_of_env_files_get_values_of_the_session() {
    let ground = Ground::new();
    let before = "# mine\nexport DATABASE_URL=\"postgres://prod/app\" # careful\nPORT=3000\r\nKEY='a\nPORT=1\n'\n";
    ground.repository.write("apps/web/.env", before);
    ground.repository.write(".env.local", "OTHER=1\n");
    ground.repository.write("data/PORT.txt", "PORT=3000\n");
    let settings = [
        ("worktree.copy", ".env*,data"),
        ("ports.web", "1"),
        ("worktree.rewrite.PORT", "{port.web}"),
        (
            "worktree.rewrite.DATABASE_URL",
            "postgres://localhost/{slug}",
        ),
        ("worktree.rewrite.MISSING", "x"),
    ];
    let lines = ground.copy(&settings).join("\n");
    let leased = engine(&ground.sandbox, &[]).leases(None).unwrap();
    let port = leased.ports[0].first;
    let after = format!(
        "# mine\nexport DATABASE_URL=\"postgres://localhost/one\" # careful\nPORT={port}\r\nKEY='a\nPORT=1\n'\n"
    );
    assert_eq!(ground.read("apps/web/.env"), after);
    assert_eq!(ground.read(".env.local"), "OTHER=1\n");
    assert_eq!(ground.read("data/PORT.txt"), "PORT=3000\n");
    assert!(
        lines.contains("copied apps/web/.env, with its own DATABASE_URL, PORT"),
        "{lines}"
    );
    assert!(lines.contains("no copied env file sets MISSING"), "{lines}");
}

#[test]
fn a_changed_copy_stays_and_its_other_values_are_told() {
    let ground = Ground::new();
    ground
        .repository
        .write(".env", "PORT=1\nHOST=a\nURL=http://a/\n");
    let settings = [
        ("worktree.copy", ".env"),
        ("worktree.rewrite.PORT", "4000"),
        ("worktree.rewrite.HOST", "b"),
        ("worktree.rewrite.URL", "http://b/"),
    ];
    ground.copy(&settings);
    let changed = "PORT=\"4001\"\nHOST='b'\nURL=postgres://me:hunter2hunter2@h/\nMORE=1\n";
    let tree = ground.repository.at(&ground.worktree);
    tree.write(".env", changed);
    let lines = ground.copy(&settings).join("\n");
    assert_eq!(ground.read(".env"), changed);
    assert!(
        lines.contains(".env was changed and stays as it is: it sets PORT to \"4001\"")
            && lines.contains("worktree.rewrite.PORT gives 4000"),
        "{lines}"
    );
    assert!(lines.contains("worktree.rewrite.URL gives"), "{lines}");
    assert!(!lines.contains("HOST"), "{lines}");
    assert!(!lines.contains("hunter2hunter2"), "{lines}");
}

#[test]
fn a_value_that_cannot_be_filled_in_copies_nothing() {
    let ground = Ground::new();
    ground.repository.write(".env", "PORT=1\n");
    let settings = [
        ("worktree.copy", ".env"),
        ("worktree.rewrite.PORT", "{nope}"),
    ];
    let error = engine(&ground.sandbox, &settings).copy_into_worktree(&ground.id);
    assert_eq!(error.unwrap_err().code(), "environment.unknown_placeholder");
    assert_eq!(ground.untracked(), [""; 0]);
}

#[test]
fn a_copy_that_was_cut_off_is_made_anew() {
    let ground = Ground::new();
    ground.repository.write(".env", "A=1\nB=2\n");
    ground.repository.write("data/a", "all of it");
    set_mode(&ground.repository.path("data"), 0o750);
    let tree = ground.repository.at(&ground.worktree);
    tree.write(".env", "A=");
    set_mode(&tree.path(".env"), 0o200);
    tree.write("data/a", "all");
    set_mode(&tree.path("data/a"), 0o200);
    set_mode(&tree.path("data"), 0o1700);
    ground.copy(&[("worktree.copy", ".env,data")]);
    assert_eq!(ground.read(".env"), "A=1\nB=2\n");
    assert_eq!(ground.read("data/a"), "all of it");
    assert_eq!(mode(&tree.path("data")), 0o750);
}
