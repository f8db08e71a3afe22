//! A home directory and a repository that exist for one test.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use orchestra_config::{ConfigError, Environment, Resolved, Sources, load};

pub(crate) struct Home {
    directory: tempfile::TempDir,
    variables: Vec<(OsString, OsString)>,
    flags: Vec<(String, String)>,
}

impl Home {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("home");
        let variables = vec![
            ("HOME".into(), home.clone().into()),
            ("USERPROFILE".into(), home.into()),
        ];
        Self {
            directory,
            variables,
            flags: Vec::new(),
        }
    }

    pub(crate) fn user(self, text: &str) -> Self {
        write(&self.user_file(), text);
        self
    }

    pub(crate) fn repository_settings(self, text: &str) -> Self {
        write(&self.repository_file(), text);
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    pub(crate) fn flag(mut self, key: &str, value: &str) -> Self {
        self.flags.push((key.into(), value.into()));
        self
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    pub(crate) fn user_file(&self) -> PathBuf {
        orchestra_config::user_file(&self.environment()).unwrap()
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.directory.path().join("repository")
    }

    pub(crate) fn repository_file(&self) -> PathBuf {
        orchestra_config::dirs::repository_file(&self.repository())
    }

    pub(crate) fn environment(&self) -> Environment {
        self.variables.iter().cloned().collect()
    }

    pub(crate) fn load(&self) -> Result<Resolved, ConfigError> {
        load(&Sources {
            environment: self.environment(),
            repository: Some(self.repository()),
            flags: self.flags.clone(),
        })
    }
}

pub(crate) fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}
