//! Settings: whether they can be read, and what is odd about them.

use std::path::{Path, PathBuf};

use orchestra_config::{ConfigError, Resolved, Sources};

use super::{Diagnosis, Health};
use crate::OpenOptions;
use crate::agent::vain_settings;

const NAME: &str = "settings";

/// Looks at the settings. Answers with what the engine can be opened with: without those of a repository whose file is
/// broken, and not at all where the user's own are, because they say where the database is.
pub(super) fn look(options: &OpenOptions) -> (Vec<Diagnosis>, Option<OpenOptions>) {
    let error = match load(options, options.repository.as_deref()) {
        Ok(resolved) => return (readable(options, &resolved), Some(options.clone())),
        Err(error) => error,
    };
    let mut bad = Diagnosis::bad(NAME, &error.into());
    if options.repository.is_none() || load(options, None).is_err() {
        let unseen = Diagnosis::new("sessions", Health::Note, "they were not looked at");
        let hint = "the settings say where the database is, so they come first";
        return (vec![bad, unseen.hint(hint)], None);
    }
    bad.detail += "; the settings of this repository are left out";
    let without = OpenOptions {
        repository: None,
        ..options.clone()
    };
    (vec![bad], Some(without))
}

fn load(options: &OpenOptions, repository: Option<&Path>) -> Result<Resolved, ConfigError> {
    let mut resolved = orchestra_config::load(&Sources {
        environment: options.environment.clone(),
        repository: repository.map(Path::to_owned),
        flags: options.flags.clone(),
    })?;
    let vain = vain_settings(&resolved);
    resolved.warnings.extend(vain);
    Ok(resolved)
}

fn readable(options: &OpenOptions, resolved: &Resolved) -> Vec<Diagnosis> {
    if resolved.warnings.is_empty() {
        return vec![Diagnosis::new(NAME, Health::Good, files(options))];
    }
    let row = |warning: &orchestra_config::Warning| Diagnosis {
        hint: warning.hint(),
        ..Diagnosis::new(NAME, Health::Note, warning.to_string())
    };
    resolved.warnings.iter().map(row).collect()
}

/// The files that settings come from.
fn files(options: &OpenOptions) -> String {
    let user = orchestra_config::user_file(&options.environment).ok();
    let repository = options.repository.as_deref();
    let files = [user, repository.map(orchestra_config::repository_file)];
    let there: Vec<String> = files
        .into_iter()
        .flatten()
        .filter(|file: &PathBuf| file.exists())
        .map(|file| file.display().to_string())
        .collect();
    match there.as_slice() {
        [] => "no file changes the defaults".to_owned(),
        there => there.join(", "),
    }
}
