//! Where traps are set, and the pieces they are made of: scripts, configuration, attributes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program_file::write_program;

/// A repository, a worktree of it, and the file in which sprung traps leave their names.
pub(super) struct Site {
    pub(super) worktree: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) git_dir: PathBuf,
    pub(super) marker: PathBuf,
    scripts: PathBuf,
}

impl Site {
    pub(super) fn new(repo: &Path, worktree: &Path, marker: &Path) -> Self {
        let asked = |folder: &Path, what| {
            PathBuf::from(git(folder, &["rev-parse", "--path-format=absolute", what]))
        };
        let scripts = marker.with_extension("traps");
        fs::create_dir_all(&scripts).expect("the marker's folder is writable");
        Self {
            worktree: worktree.to_owned(),
            common_dir: asked(repo, "--git-common-dir"),
            git_dir: asked(worktree, "--git-dir"),
            marker: marker.to_owned(),
            scripts,
        }
    }

    /// A program that leaves the trap's name and then does what `rest` says.
    pub(super) fn script(&self, name: &str, rest: &str) -> String {
        let path = self.scripts.join(format!("trap-{name}"));
        self.write_script(&path, name, rest);
        path.to_string_lossy().into_owned()
    }

    pub(super) fn write_script(&self, path: &Path, name: &str, rest: &str) {
        let marker = self.marker.to_string_lossy();
        let text = format!("#!/bin/sh\necho '{name}' >> '{marker}'\n{rest}\n");
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("the folder is writable");
        }
        write_program(path, &text);
    }

    /// A folder for more than one script.
    pub(super) fn folder(&self, name: &str) -> PathBuf {
        self.scripts.join(name)
    }

    /// Adds a value to the configuration that all worktrees share.
    pub(super) fn config(&self, section: &str, key: &str, value: &str) {
        append_config(&self.common_dir.join("config"), section, key, value);
    }

    /// Gives paths attributes, in the tree and in the repository's own file.
    pub(super) fn attributes(&self, line: &str) {
        append(&self.worktree.join(".gitattributes"), line);
        append(&self.common_dir.join("info/attributes"), line);
    }
}

/// Adds a value to a configuration file.
pub(super) fn append_config(file: &Path, section: &str, key: &str, value: &str) {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    append(file, &format!("[{section}]\n\t{key} = \"{value}\""));
}

/// Runs plain git to look or to prepare, before the trap is set.
#[expect(clippy::disallowed_methods, reason = "traps are set with git itself")]
pub(super) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=Trap",
            "-c",
            "user.email=trap@example.com",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .args(["-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .stdin(Stdio::null())
        .output()
        .expect("git is installed");
    assert!(
        output.status.success(),
        "git {arguments:?} in {}: {}",
        folder.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned()
}

pub(super) fn append(file: &Path, line: &str) {
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent).expect("the repository is writable");
    }
    let opened = fs::OpenOptions::new().create(true).append(true).open(file);
    let written = opened.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    written.unwrap_or_else(|error| panic!("cannot write {}: {error}", file.display()));
}
