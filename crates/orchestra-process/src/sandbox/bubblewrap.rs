//! Namespaces around a program: its own processes, files, network and devices.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use super::access::{Access, Plan};
use super::{Bubblewrap, NestedNamespaces, Replaced};
use crate::capture::{Limits, capture};
use crate::program::find_program;
use crate::spec::CommandSpec;

/// How long a trial may take.
const TRIAL: Limits = Limits {
    timeout: Duration::from_secs(10),
    max_output: 64 * 1024,
};

/// A bubblewrap in `search_path` that works: users may not be allowed to make namespaces.
pub(super) fn find(search_path: Option<&OsStr>) -> Option<Bubblewrap> {
    let program = find_program(Path::new("bwrap"), search_path)?;
    [NestedNamespaces::Forbidden, NestedNamespaces::Possible]
        .into_iter()
        .map(|nested| Bubblewrap {
            program: program.clone(),
            nested,
        })
        .find(Bubblewrap::works)
}

impl Bubblewrap {
    fn works(&self) -> bool {
        let words = self.words(&Plan::default(), &[], Path::new("/"), false);
        let trial = CommandSpec::new(&self.program, "/")
            .args(words.into_iter().skip(1))
            .arg(&self.program)
            .arg("--version");
        match capture(&trial, TRIAL) {
            Ok(captured) if captured.exit.is_success() => true,
            Ok(captured) => {
                let said = String::from_utf8_lossy(&captured.stderr).into_owned();
                tracing::debug!(said, "bubblewrap does not work");
                false
            }
            Err(error) => {
                tracing::debug!(%error, "bubblewrap cannot be tried");
                false
            }
        }
    }

    /// The command line up to the program.
    pub(super) fn words(
        &self,
        plan: &Plan,
        replaced: &[Replaced],
        cwd: &Path,
        shares_network: bool,
    ) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.program.clone().into()];
        let mut say = |word: &str| words.push(word.into());
        // A capability would let root undo what follows.
        for word in [
            "--unshare-user",
            "--unshare-pid",
            "--unshare-ipc",
            "--cap-drop",
            "ALL",
        ] {
            say(word);
        }
        if self.nested == NestedNamespaces::Forbidden {
            say("--disable-userns");
        }
        if !shares_network {
            say("--unshare-net");
        }
        // Without a session of its own it could type into a terminal it was given.
        for word in [
            "--die-with-parent",
            "--new-session",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
        ] {
            say(word);
        }
        words.extend(mounts(plan, replaced));
        words.extend(["--chdir".into(), cwd.into(), "--".into()]);
        words
    }
}

/// What is mounted over the whole, from outside to inside; what is to stay empty is closed last.
fn mounts(plan: &Plan, replaced: &[Replaced]) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut closed: Vec<OsString> = Vec::new();
    for (path, access) in &plan.rules {
        let path = path.as_os_str();
        let bind = |how: &str, source: &OsStr| [how.into(), source.to_owned(), path.to_owned()];
        match access {
            Access::Writable => words.extend(bind("--bind", path)),
            Access::Readable => words.extend(bind("--ro-bind", path)),
            Access::Private => words.extend(["--tmpfs".into(), path.to_owned()]),
            Access::Hidden if Path::new(path).is_dir() => {
                words.extend(["--tmpfs".into(), path.to_owned()]);
                closed.extend(["--remount-ro".into(), path.to_owned()]);
            }
            Access::Hidden => words.extend(bind("--ro-bind", OsStr::new("/dev/null"))),
        }
    }
    for Replaced { path, by } in replaced {
        words.extend(["--ro-bind".into(), by.into(), path.into()]);
    }
    words.extend(closed);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_is_mounted_after_what_it_is_in() {
        let mut plan = Plan::default();
        plan.add("/tmp/w".into(), Access::Writable);
        plan.add("/tmp".into(), Access::Private);
        plan.add("/usr".into(), Access::Hidden);
        plan.add("/usr/bin".into(), Access::Readable);
        plan.add("/etc/hostname".into(), Access::Hidden);
        let replaced = Replaced {
            path: "/tmp/w/.git".into(),
            by: "/d/file".into(),
        };
        let words = mounts(&plan, &[replaced]);
        let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
        let expected = "--ro-bind /dev/null /etc/hostname --tmpfs /tmp --bind /tmp/w /tmp/w --tmpfs /usr \
             --ro-bind /usr/bin /usr/bin --ro-bind /d/file /tmp/w/.git --remount-ro /usr";
        assert_eq!(words.join(" "), expected);
    }
}
