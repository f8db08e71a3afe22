//! Reading a secret from its place, at the moment it is needed.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_config::{Environment, child_env};
use orchestra_core::SecretSource;
use orchestra_process::{CommandSpec, Limits, capture};

use super::RuntimeError;

const LARGEST: u64 = 64 * 1024;
/// Long enough for somebody to unlock the keyring.
const KEYRING: Limits = Limits {
    timeout: Duration::from_secs(60),
    max_output: 64 * 1024,
};

/// The secret at a place, without the white space around it.
pub(crate) fn read(
    place: &SecretSource,
    environment: &Environment,
) -> Result<String, RuntimeError> {
    let missing = |problem: String| RuntimeError::NoSecret {
        place: place.clone(),
        problem,
    };
    let text = match place {
        SecretSource::Environment(name) => of_variable(environment, name),
        SecretSource::File(path) => of_file(&at_home(path, environment)),
        SecretSource::Keyring { service, account } => of_keyring(environment, service, account),
    };
    let text = text.map_err(missing)?;
    let line = text.lines().next().unwrap_or_default().trim();
    match line.is_empty() {
        true => Err(missing("it is empty".to_owned())),
        false => Ok(line.to_owned()),
    }
}

/// The file that a secret is in; `None` if it is elsewhere.
pub(crate) fn file_of(place: &SecretSource, environment: &Environment) -> Option<PathBuf> {
    match place {
        SecretSource::File(path) => Some(at_home(path, environment)),
        SecretSource::Environment(_) | SecretSource::Keyring { .. } => None,
    }
}

fn of_variable(environment: &Environment, name: &str) -> Result<String, String> {
    let value = environment.find(name).ok_or("it is not set")?;
    let value = value.to_str().ok_or("it is no text")?;
    Ok(value.to_owned())
}

fn at_home(path: &Path, environment: &Environment) -> PathBuf {
    match (path.strip_prefix("~"), environment.home()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

fn of_file(path: &Path) -> Result<String, String> {
    let file = open(path).map_err(|error| error.to_string())?;
    require_private(&file)?;
    let mut text = String::new();
    file.take(LARGEST)
        .read_to_string(&mut text)
        .map_err(|error| error.to_string())?;
    Ok(text)
}

/// A pipe that somebody put in its place is not waited for.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn require_private(file: &File) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let facts = file.metadata().map_err(|error| error.to_string())?;
    let owner = rustix::process::geteuid().as_raw();
    if !facts.is_file() {
        return Err("it is no file".to_owned());
    }
    if facts.uid() != owner && facts.uid() != 0 {
        return Err("it belongs to somebody else".to_owned());
    }
    match facts.mode() & 0o077 {
        0 => Ok(()),
        _ => Err("others can read it".to_owned()),
    }
}

#[cfg(not(unix))]
fn require_private(file: &File) -> Result<(), String> {
    let facts = file.metadata().map_err(|error| error.to_string())?;
    facts
        .is_file()
        .then_some(())
        .ok_or("it is no file".to_owned())
}

/// Every desktop has a program that asks its keyring, and asks the user to unlock it.
fn of_keyring(environment: &Environment, service: &str, account: &str) -> Result<String, String> {
    let program = keyring_program(service, account).ok_or("this system has no keyring we know")?;
    let (name, arguments) = program;
    let mut spec = CommandSpec::new(name, std::env::temp_dir())
        .args(arguments)
        .envs(child_env::base_environment(environment));
    if let Some(bus) = environment.find("DBUS_SESSION_BUS_ADDRESS") {
        spec = spec.env("DBUS_SESSION_BUS_ADDRESS", bus);
    }
    let answer = capture(&spec, KEYRING).map_err(|error| error.to_string())?;
    match answer.exit.is_success() {
        true => String::from_utf8(answer.stdout).map_err(|_| "it is no text".to_owned()),
        false => Err(format!("`{name}` does not find it")),
    }
}

fn keyring_program<'a>(service: &'a str, account: &'a str) -> Option<(&'static str, Vec<&'a str>)> {
    if cfg!(target_os = "macos") {
        let arguments = vec!["find-generic-password", "-s", service, "-a", account, "-w"];
        Some(("security", arguments))
    } else if cfg!(target_os = "linux") {
        let arguments = vec!["lookup", "service", service, "account", account];
        Some(("secret-tool", arguments))
    } else {
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables.iter().copied().collect()
    }

    fn problem(place: &str, environment: &Environment) -> String {
        let place = place.parse().expect("a place");
        let missing = read(&place, environment).expect_err("there is none");
        missing.to_string()
    }

    #[test]
    fn a_variable_is_read() {
        let environment = environment(&[("TOKEN", " abc \n"), ("EMPTY", "")]);
        let place = "env:TOKEN".parse().unwrap();
        assert_eq!(read(&place, &environment).unwrap(), "abc");
        assert!(problem("env:EMPTY", &environment).ends_with("it is not set"));
    }

    #[test]
    fn only_a_private_file_is_read() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("token");
        fs::write(&file, "secret-token\nsecond line\n").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        let environment = environment(&[("HOME", home.path().to_str().unwrap())]);
        assert!(problem("file:~/token", &environment).ends_with("others can read it"));
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let place = "file:~/token".parse().unwrap();
        assert_eq!(read(&place, &environment).unwrap(), "secret-token");
        fs::write(&file, "\n").unwrap();
        assert!(problem("file:~/token", &environment).ends_with("it is empty"));
        let folder = format!("file:{}", home.path().display());
        assert!(problem(&folder, &environment).ends_with("it is no file"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_keyring_is_asked_by_its_own_program() {
        let programs = tempfile::tempdir().unwrap();
        let tool = programs.path().join("secret-tool");
        let script =
            "#!/bin/sh\ntest \"$*\" = 'lookup service amp account me' && echo from-keyring\n";
        fs::write(&tool, script).unwrap();
        fs::set_permissions(&tool, Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", programs.path().display());
        let environment = environment(&[("PATH", &path)]);
        let place = "keyring:amp/me".parse().unwrap();
        assert_eq!(read(&place, &environment).unwrap(), "from-keyring");
        assert!(problem("keyring:amp/other", &environment).contains("does not find it"));
    }
}
