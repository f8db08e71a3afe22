//! Odd names of repositories and files.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use orchestra_testkit::Sandbox;
use serde_json::Value;

use crate::made::{Made, make};
use crate::ran::{orchestra, ran, session};

const REPOSITORIES: [&str; 8] = [
    "with spaces and  more",
    "it's \"quoted\" `here` $HOME",
    "two\nlines",
    "größe-日本語-🎉",
    "-leading-dash",
    "--help",
    "semi;colon&and|pipe",
    "back\\slash*and?star[x]",
];

#[test]
fn repositories_may_have_any_name() {
    for name in REPOSITORIES {
        let sandbox = Sandbox::new();
        let repository = sandbox.repository(name);
        let made = make(
            &sandbox,
            "odd",
            "[[step]]\ndo = 'write'\npath = 'a.txt'\ntext = \"a\\n\"\n",
        );
        assert!(made.worktree.starts_with(repository.root()), "{name:?}");
        let id = made.id.as_str();
        session(&sandbox, &["iterate", id]).ends_with(0);
        let diff = session(&sandbox, &["diff", id, "--name-only"]).ends_with(0);
        assert_eq!(diff.stdout, "a.txt\n", "{name:?}");
        fs::write(made.worktree.join("b.txt"), "b\n").unwrap();
        session(&sandbox, &["commit", id, "-m", "by hand"]).ends_with(0);
        for words in [&["log", id][..], &["status", id], &["list", "--refresh"]] {
            session(&sandbox, words).ends_with(0);
        }
        let listed = orchestra(&sandbox, &["worktree", "list", "--json"]).ends_with(0);
        let path = made.worktree.to_str().unwrap();
        let listed: Value = listed.json();
        let listed = listed["worktrees"].as_array().unwrap();
        assert!(
            listed
                .iter()
                .any(|entry| entry["path"] == path && entry["session_id"] == id),
            "{name:?}: {listed:?}"
        );
        // From outside, by a relative path that could be taken for an option.
        let mut outside = sandbox.ampsm();
        outside
            .current_dir(sandbox.path("repositories"))
            .args([
                "new",
                "--name",
                "second",
                "--prompt",
                "-x is slow",
                "--repo",
            ])
            .arg(format!("./{name}"));
        ran(&mut outside).ends_with(0);
        orchestra(&sandbox, &["doctor", "--fix"]).ends_with(0);
        repository.fsck();
        assert_eq!(repository.git(&["status", "--porcelain"]), "", "{name:?}");
    }
    println!("names of repositories {}", REPOSITORIES.len());
}

#[test]
fn a_path_that_is_no_text_is_refused() {
    let sandbox = Sandbox::new();
    let plain = sandbox.repository("app");
    let odd = sandbox
        .path("repositories")
        .join(OsStr::from_bytes(b"not-\xff-text"));
    fs::rename(plain.root(), &odd).unwrap();
    let mut command = sandbox.ampsm();
    command
        .current_dir(&odd)
        .args(["new", "--name", "n", "--prompt", "p"]);
    ran(&mut command).refuses(3, "UTF-8");
    assert!(!odd.join(".worktrees").exists());
}

const FILES: [&[u8]; 9] = [
    b"with space.txt",
    b"it's \"quoted\".txt",
    b"two\nlines.txt",
    b"-rf",
    b"--help",
    "größe-日本語.txt".as_bytes(),
    b"not-\xff\xfe-text.bin",
    b":(top)magic",
    b"tab\there\\back.txt",
];

fn odd_files(made: &Made) {
    for name in FILES {
        fs::write(made.worktree.join(OsStr::from_bytes(name)), "odd\n").unwrap();
    }
}

#[test]
fn files_may_have_any_name() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let made = make(
        &sandbox,
        "odd",
        "[[step]]\ndo = 'write'\npath = \"by\\nagent -x.txt\"\ntext = 'a'\n",
    );
    let id = made.id.as_str();
    odd_files(&made);
    for words in [
        &["diff", id][..],
        &["diff", id, "--stat"],
        &["diff", id, "--unstaged"],
        &["status", id],
    ] {
        session(&sandbox, words).ends_with(0);
    }
    let listed = session(&sandbox, &["diff", id, "--json"])
        .ends_with(0)
        .json();
    assert_eq!(listed["files"].as_array().unwrap().len(), FILES.len());

    // One of them alone, whatever it looks like.
    let mut command = sandbox.ampsm();
    command.args(["commit", id, "-m", "one", "--"]);
    command.arg(OsStr::from_bytes(b":(top)magic"));
    ran(&mut command).ends_with(0);
    let tree = made.tree(&sandbox);
    let changed = tree.git(&["show", "--format=", "--name-only", "-z", "HEAD"]);
    assert_eq!(changed, ":(top)magic\0");

    // The rest is what a person left before the agent ran.
    session(&sandbox, &["iterate", id]).ends_with(0);
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    let mut names = tree.git_command();
    let names = names.args(["ls-tree", "-r", "-z", "--name-only", "HEAD"]);
    let names = names.output().unwrap().stdout;
    let names: Vec<&[u8]> = names.split(|byte| *byte == 0).collect();
    for name in FILES {
        assert!(names.contains(&name), "{}", String::from_utf8_lossy(name));
    }
    assert!(names.contains(&b"by\nagent -x.txt".as_slice()));
    session(&sandbox, &["log", id]).ends_with(0);
    session(&sandbox, &["log", id, "--json"]).ends_with(0);
    println!("names of files {}", FILES.len() + 1);
}
