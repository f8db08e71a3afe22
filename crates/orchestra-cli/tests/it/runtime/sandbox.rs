//! The way into a sandbox that the program has in it.
#![cfg(target_os = "linux")]

use orchestra_testkit::Sandbox;

use crate::ran::{Ran, ran};

fn enter(sandbox: &Sandbox, words: &[&str]) -> Ran {
    let mut command = sandbox.orchestra();
    command.arg("__sandbox").args(words);
    ran(command)
}

#[test]
fn the_process_becomes_the_program() {
    let sandbox = Sandbox::new();
    let words = ["enter", "--proxy-port", "9", "--", "/bin/sh", "-c"];
    let script = "echo $HTTP_PROXY $https_proxy; exit 3";
    let entered = enter(&sandbox, &[&words[..], &[script]].concat());
    assert_eq!(entered.code, 3);
    assert_eq!(entered.stdout, "http://127.0.0.1:9 http://127.0.0.1:9\n");
    for words in [&["enter"][..], &["leave"], &[]] {
        let refused = enter(&sandbox, words);
        assert_eq!(refused.code, 125);
        assert!(refused.stderr.contains("cannot enter the sandbox"));
    }
}

/// A kernel without Landlock refuses, and nothing runs.
#[test]
fn only_what_is_named_can_be_written() {
    let sandbox = Sandbox::new();
    let (home, other) = (sandbox.home(), sandbox.path("other"));
    std::fs::create_dir_all(&other).unwrap();
    let script = "echo x > $0/a 2>/dev/null; echo x > $1/b && echo written";
    let (home, other) = (home.to_str().unwrap(), other.to_str().unwrap());
    let words = [
        "enter",
        "--landlock",
        "1",
        "--write",
        other,
        "--",
        "/bin/sh",
        "-c",
        script,
        home,
        other,
    ];
    let entered = enter(&sandbox, &words);
    println!("Landlock: code {}", entered.code);
    match entered.code {
        125 => assert!(entered.stderr.contains("cannot enter the sandbox")),
        code => assert_eq!((code, entered.stdout.as_str()), (0, "written\n")),
    }
    assert!(!sandbox.home().join("a").exists());
}
