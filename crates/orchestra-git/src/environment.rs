//! The environment every git process gets: built from empty, with nothing of the caller's `GIT_*` variables.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Variables that are passed on to every git process.
const PASSED_ON: &[&str] = &[
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "TMP",
    "TEMP",
    "SystemRoot",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PATHEXT",
    "COMSPEC",
];

/// Variables that only a process with a network gets: how the user reaches their own remotes.
const PASSED_ON_TO_NETWORK: &[&str] = &[
    "SSH_AUTH_SOCK",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
];

/// Set for every git process: no prompt, pager, editor or translation, and only what we configure.
const FIXED: &[(&str, &str)] = &[
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
];

/// The variables of the user's environment that git needs. Made once, by whoever reads the environment.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// Picks what git needs out of a whole environment.
    pub fn from_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let wanted = |name: &OsStr| {
            PASSED_ON
                .iter()
                .chain(PASSED_ON_TO_NETWORK)
                .any(|known| name == *known)
        };
        Self {
            variables: variables
                .into_iter()
                .filter(|(name, _)| wanted(name))
                .collect(),
        }
    }

    /// The user's home directory.
    #[must_use]
    pub fn home(&self) -> Option<PathBuf> {
        ["HOME", "USERPROFILE"]
            .iter()
            .find_map(|name| self.variables.get(OsStr::new(name)))
            .map(PathBuf::from)
    }

    /// The directory for the user's settings, as git looks for it.
    #[cfg(target_os = "linux")]
    pub(crate) fn config_home(&self) -> Option<PathBuf> {
        let set = |name: &str| {
            self.variables
                .get(OsStr::new(name))
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))
    }

    /// Where a program is that is called by its name.
    #[cfg(target_os = "linux")]
    pub(crate) fn locate(&self, program: &std::path::Path) -> Option<PathBuf> {
        if program.components().count() > 1 {
            return Some(program.to_owned());
        }
        let places = self.variables.get(OsStr::new("PATH"))?;
        std::env::split_paths(places)
            .map(|place| place.join(program))
            .find(|path| path.is_file())
    }

    pub(crate) fn for_local(&self) -> BTreeMap<OsString, OsString> {
        let mut variables = self.picked(PASSED_ON);
        // No protocol at all: a repository with missing objects must not reach for its remote.
        variables.insert("GIT_ALLOW_PROTOCOL".into(), "none".into());
        variables
    }

    pub(crate) fn for_network(&self) -> BTreeMap<OsString, OsString> {
        let mut variables = self.picked(PASSED_ON);
        variables.extend(self.picked(PASSED_ON_TO_NETWORK));
        variables.insert("GIT_ALLOW_PROTOCOL".into(), "https:ssh:file".into());
        variables
    }

    fn picked(&self, names: &[&str]) -> BTreeMap<OsString, OsString> {
        let fixed = FIXED
            .iter()
            .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let passed = names
            .iter()
            .filter_map(|name| self.variables.get_key_value(OsStr::new(name)));
        passed
            .map(|(name, value)| (name.clone(), value.clone()))
            .chain(fixed)
            .collect()
    }
}

impl std::fmt::Debug for Environment {
    /// Names only: a value may be a secret, such as a proxy's password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_set()
            .entries(self.variables.keys())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        Environment::from_variables(
            pairs
                .iter()
                .map(|(name, value)| (name.into(), value.into())),
        )
    }

    #[test]
    fn only_what_git_needs_is_kept() {
        let pairs = [
            ("PATH", "/bin"),
            ("HOME", "/h"),
            ("GIT_DIR", "/evil"),
            ("AMP_API_KEY", "k"),
            ("SSH_AUTH_SOCK", "/s"),
        ];
        let local = environment(&pairs).for_local();
        assert_eq!(local.get(OsStr::new("HOME")), Some(&OsString::from("/h")));
        for name in ["GIT_DIR", "AMP_API_KEY", "SSH_AUTH_SOCK"] {
            assert!(!local.contains_key(OsStr::new(name)), "{name}");
        }
        assert!(
            environment(&pairs)
                .for_network()
                .contains_key(OsStr::new("SSH_AUTH_SOCK"))
        );
        assert_eq!(environment(&pairs).home(), Some(PathBuf::from("/h")));
    }

    #[test]
    fn values_are_not_printed() {
        assert!(
            !format!("{:?}", environment(&[("HTTPS_PROXY", "http://u:secret@p")]))
                .contains("secret")
        );
    }
}
