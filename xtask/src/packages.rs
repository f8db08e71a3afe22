//! System packages that some tests need. They are installed where that takes no question: on Debian and its kin, as root.
//! Anywhere else they are named in one line.

use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::program;

/// How each is asked for, and the package that brings it: file systems on which files share their data, namespaces for
/// sandboxes, what the check of the API runs with, a browser; and for the desktop app what it is built with, a screen, a bus and
/// a driver for its window.
const NEEDED: &[(&[&str], &str)] = &[
    (&["mkfs.xfs", "-V"], "xfsprogs"),
    (&["mkfs.btrfs", "-V"], "btrfs-progs"),
    (&["bwrap", "--version"], "bubblewrap"),
    (&["python3", "--version"], "python3-venv"),
    (&["chromium", "--version"], "chromium"),
    (&["pkg-config", "--version"], "pkg-config"),
    (
        &["pkg-config", "--exists", "webkit2gtk-4.1"],
        "libwebkit2gtk-4.1-dev",
    ),
    (
        &["dpkg", "--status", "libayatana-appindicator3-1"],
        "libayatana-appindicator3-1",
    ),
    (&["WebKitWebDriver", "--version"], "webkit2gtk-driver"),
    (&["which", "Xvfb"], "xvfb"),
    (&["xdotool", "version"], "xdotool"),
    (&["dbus-daemon", "--version"], "dbus"),
];

/// Installs what is missing, and says so if it cannot.
pub(crate) fn install() {
    let missing: Vec<_> = NEEDED
        .iter()
        .filter(|(question, _)| !is_answered(question))
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return;
    }
    let names = missing.join(", ");
    match may_install() {
        false => {
            println!("not installed; what needs them fails or says that it did not run: {names}")
        }
        true => match install_each(&missing) {
            Ok(()) => println!("installed {names}"),
            Err(failure) => println!("cannot install {names}: {failure}"),
        },
    }
}

fn is_answered(question: &[&str]) -> bool {
    let Some((program, words)) = question.split_first() else {
        return true;
    };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
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
