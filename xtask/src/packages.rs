//! System packages that some tests need. They are installed where that takes no question: on Debian and its kin, as root.
//! Anywhere else those tests say that they did not run.

use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::program;

/// Programs, what they are asked for, and the packages they come with: file systems on which files share their data,
/// namespaces for sandboxes, what the check of the API runs with, and a browser.
const NEEDED: [(&str, &str, &str); 5] = [
    ("mkfs.xfs", "-V", "xfsprogs"),
    ("mkfs.btrfs", "-V", "btrfs-progs"),
    ("bwrap", "--version", "bubblewrap"),
    ("python3", "--version", "python3-venv"),
    ("chromium", "--version", "chromium"),
];

/// Installs what is missing, and says so if it cannot.
pub(crate) fn install() {
    let missing: Vec<_> = NEEDED
        .into_iter()
        .filter(|(program, question, _)| !answers(program, question))
        .map(|(_, _, package)| package)
        .collect();
    if missing.is_empty() {
        return;
    }
    let names = missing.join(", ");
    match may_install() {
        false => println!("not installed, so tests that need them do not run: {names}"),
        true => match install_each(&missing) {
            Ok(()) => println!("installed {names}"),
            Err(failure) => println!("cannot install {names}: {failure}"),
        },
    }
}

fn answers(program: &str, question: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(question).stdin(Stdio::null());
    program::output(&mut command).is_ok()
}

fn may_install() -> bool {
    let user = program::output(Command::new("id").arg("-u"));
    user.is_ok_and(|id| id.trim() == "0") && program::is_installed("apt-get")
}

fn install_each(packages: &[&str]) -> Result<(), Failure> {
    program::output(Command::new("apt-get").args(["update", "-qq"]))?;
    let mut install = Command::new("apt-get");
    install
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive");
    program::output(&mut install).map(drop)
}
