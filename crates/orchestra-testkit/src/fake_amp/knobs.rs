//! The settings of the scripted agent itself, which Amp does not have.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::build::Build;

const OPTION: &str = "--fake-";
const NAMES: &[&str] = &[
    "build",
    "fault",
    "fault-until",
    "home",
    "login-seconds",
    "pace-ms",
    "scenario",
    "signed-in",
    "turn-log",
];

/// Values from `--fake-*` options and `FAKE_AMP_*` variables.
#[derive(Debug)]
pub(crate) struct Knobs(BTreeMap<&'static str, String>);

impl Knobs {
    /// Takes the `--fake-*` options out of the arguments; what is left is for Amp's own grammar.
    pub(crate) fn collect(arguments: Vec<String>) -> Result<(Self, Vec<String>), String> {
        let mut values: BTreeMap<_, _> = NAMES
            .iter()
            .filter_map(|name| Some((*name, environment(&variable(name))?)))
            .collect();
        let mut rest = Vec::new();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let Some(name) = argument.strip_prefix(OPTION) else {
                rest.push(argument);
                continue;
            };
            let known = NAMES.iter().find(|known| **known == name);
            let known = known.ok_or_else(|| format!("error: unknown option '{argument}'"))?;
            let value = arguments
                .next()
                .ok_or_else(|| format!("error: option '{argument}' argument missing"))?;
            values.insert(known, value);
        }
        Ok((Self(values), rest))
    }

    pub(crate) fn build(&self) -> Result<Build, String> {
        match self.text("build") {
            None => Ok(Build::New),
            Some(name) => Build::from_name(name)
                .ok_or_else(|| format!("unknown build '{name}': use jan, feb, may or new")),
        }
    }

    /// Sets one that the command line decides.
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.0.insert(name, value.to_owned());
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(crate) fn pace(&self) -> Duration {
        Duration::from_millis(self.number("pace-ms").unwrap_or(150))
    }

    pub(crate) fn login_wait(&self) -> Duration {
        Duration::from_secs(self.number("login-seconds").unwrap_or(306))
    }

    pub(crate) fn is_signed_in(&self) -> bool {
        self.text("signed-in") == Some("true")
            || environment("AMP_API_KEY").is_some_and(|key| !key.is_empty())
    }

    /// Whether the fault of the knobs has passed: the file that ends it is there.
    pub(crate) fn is_fault_over(&self) -> bool {
        self.text("fault-until")
            .is_some_and(|file| Path::new(file).exists())
    }

    /// Adds a line to the file that tells of every turn.
    pub(crate) fn log_turn(&self, line: &str) -> std::io::Result<()> {
        let Some(file) = self.text("turn-log") else {
            return Ok(());
        };
        let mut file = OpenOptions::new().create(true).append(true).open(file)?;
        file.write_all(format!("{line}\n").as_bytes())
    }

    /// Where threads are kept.
    pub(crate) fn home(&self) -> PathBuf {
        match self.text("home") {
            Some(home) => PathBuf::from(home),
            None => data_home().join("fake-amp"),
        }
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }
}

/// The address errors mention.
pub(crate) fn server_url() -> String {
    environment("AMP_URL").unwrap_or_else(|| "https://ampcode.com/".to_owned())
}

/// Where Amp goes instead of the directory it was started in.
pub(crate) fn inherited_directory() -> Option<PathBuf> {
    environment("AMP_PWD").map(PathBuf::from)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the agent is a program of its own and reads its own environment"
)]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Where programs keep what is theirs.
fn data_home() -> PathBuf {
    let chosen = environment("XDG_DATA_HOME").map(PathBuf::from);
    let chosen = chosen.filter(|path| path.is_absolute());
    chosen.unwrap_or_else(|| user_home().join(".local/share"))
}

fn user_home() -> PathBuf {
    let home = environment("HOME").or_else(|| environment("USERPROFILE"));
    home.map_or_else(std::env::temp_dir, PathBuf::from)
}

fn variable(name: &str) -> String {
    format!("FAKE_AMP_{}", name.to_uppercase().replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_out_of_the_arguments() {
        let arguments = ["-x", "hi", "--fake-build", "jan", "--stream-json"];
        let (knobs, rest) = Knobs::collect(arguments.map(str::to_owned).to_vec()).unwrap();
        assert_eq!(knobs.build(), Ok(Build::Jan));
        assert_eq!(rest, ["-x", "hi", "--stream-json"]);
    }

    #[test]
    fn unknown_knobs_are_refused() {
        let arguments = vec!["--fake-colour".to_owned()];
        assert!(Knobs::collect(arguments).is_err());
    }
}
