//! Putting the layers on top of each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::check::{parse, require_key, stays_inside};
use crate::dirs::{self, DataDirs};
use crate::environment::Environment;
use crate::error::ConfigError;
use crate::file::{self, Entry};
use crate::keys::{self, KEYS, Key, Preset, Scope};
use crate::kind::Kind;
use crate::origin::{Origin, Place};
use crate::raw::Raw;
use crate::settings::{Reader, Settings, told};
use crate::typed::Typed;
use crate::variables;
use crate::warning::{Refusal, Warning};

/// The setting that says where the database is.
const DATABASE_PATH: &str = "core.database_path";

/// Where settings are taken from.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The variables the product was started with.
    pub environment: Environment,
    /// The main worktree of the repository, if there is one.
    pub repository: Option<PathBuf>,
    /// Keys and values of the command line.
    pub flags: Vec<(String, String)>,
}

/// Settings in force, with where they come from and what was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The settings in force.
    pub settings: Settings,
    /// The same for people, in the order of the reference page.
    pub values: Vec<Value>,
    /// What was left out.
    pub warnings: Vec<Warning>,
}

/// One setting in force, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The setting.
    pub key: String,
    /// Its value as it would be typed, or nothing.
    pub value: Option<String>,
    /// Its value as it would stand in a settings file, or nothing.
    pub toml: Option<String>,
    /// Where the value comes from.
    pub origin: Origin,
    /// What the setting does.
    pub description: &'static str,
    /// Whether any command looks at it.
    pub is_used: bool,
}

/// Reads every source once and puts a later one before an earlier one.
///
/// # Errors
/// If a file cannot be read or parsed, a value that would be taken is not valid, or two settings would set the same variable.
pub fn load(sources: &Sources) -> Result<Resolved, ConfigError> {
    load_with(sources, Mistakes::Refused)
}

/// The same for whoever only looks, or stops what runs: a mistake in a file or a variable is left out and told, because
/// it must not keep anybody from that. One that could hide where the database is, is refused all the same.
///
/// # Errors
/// If it is not known where the database is, or a value of the command line is not valid.
pub fn load_to_look(sources: &Sources) -> Result<Resolved, ConfigError> {
    load_with(sources, Mistakes::LeftOut)
}

fn load_with(sources: &Sources, mistakes: Mistakes) -> Result<Resolved, ConfigError> {
    let mut layers = Layers::new(&sources.environment, mistakes)?;
    layers.add_presets()?;
    layers.add_user_file()?;
    if let Some(repository) = &sources.repository {
        layers.add_repository_file(repository)?;
    }
    layers.add_environment()?;
    layers.add_flags(&sources.flags)?;
    layers.finish()
}

/// The settings that are commands in the text of a settings file, with their commands, whatever other sources say.
///
/// # Errors
/// If it is not a valid settings file.
pub fn command_lines_in(file: &Path, text: &str) -> Result<Vec<(String, String)>, ConfigError> {
    let entries = file::parse(file, text)?.entries.into_iter();
    let commands = entries.filter(|entry| entry.key.kind == Kind::CommandLine);
    commands
        .map(|entry| Ok((entry.name.clone(), parse(&entry)?.to_string())))
        .collect()
}

impl Resolved {
    /// The value of a setting by its name, also of one that nobody set.
    ///
    /// # Errors
    /// If no setting has this name.
    pub fn require(&self, name: &str) -> Result<Value, ConfigError> {
        let key = require_key(name)?;
        let found = self.values.iter().find(|value| value.key == name).cloned();
        Ok(found.unwrap_or_else(|| value_of(name, key, None)))
    }

    /// Settings in force that are commands.
    pub fn command_lines(&self) -> impl Iterator<Item = &Value> {
        let is_command = |value: &&Value| {
            let key = keys::find_named(&value.key);
            value.value.is_some() && key.is_some_and(|key| key.kind == Kind::CommandLine)
        };
        self.values.iter().filter(is_command)
    }
}

/// What becomes of a value that is not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistakes {
    Refused,
    LeftOut,
}

struct Layers<'a> {
    environment: &'a Environment,
    mistakes: Mistakes,
    user_file: PathBuf,
    values: BTreeMap<String, Layered>,
    /// Tables with chosen names that stand in a file, whatever they hold.
    tables: BTreeSet<String>,
    warnings: Vec<Warning>,
}

struct Layered {
    typed: Typed,
    origin: Origin,
}

impl<'a> Layers<'a> {
    fn new(environment: &'a Environment, mistakes: Mistakes) -> Result<Self, ConfigError> {
        let user_file = dirs::user_file(environment)?;
        Ok(Self {
            environment,
            mistakes,
            user_file,
            values: BTreeMap::new(),
            tables: BTreeSet::new(),
            warnings: Vec::new(),
        })
    }

    fn add_presets(&mut self) -> Result<(), ConfigError> {
        for key in KEYS {
            if let Preset::Fixed(text) = key.default {
                let typed = key.kind.parse(&Raw::Argument(text.into()));
                let typed = typed.ok_or_else(|| ConfigError::Inconsistent {
                    key: key.name.into(),
                })?;
                self.put(key.name, typed, Origin::Default);
            }
        }
        let dirs = DataDirs::of(self.environment)?;
        self.put(DATABASE_PATH, Typed::Path(dirs.database()), Origin::Default);
        self.put(
            "core.runtime_toolboxes_root",
            Typed::Path(dirs.toolboxes()),
            Origin::Default,
        );
        self.add_editor();
        Ok(())
    }

    /// The editor of other programs. One that cannot be split into words is left out, as it is not our setting.
    fn add_editor(&mut self) {
        for variable in [variables::EDITOR, variables::VISUAL] {
            let text = self
                .environment
                .find(variable)
                .and_then(|value| value.to_str());
            let typed = text.and_then(|text| Kind::Words.parse(&Raw::Argument(text.into())));
            if let Some(typed) = typed {
                self.put("ui.editor", typed, Origin::Environment(variable.into()));
            }
        }
    }

    fn add_user_file(&mut self) -> Result<(), ConfigError> {
        let path = self.user_file.clone();
        for entry in self.entries_of(&path, file::may_name(&path, "database_path"))? {
            let taken = self.take(&entry, Origin::User(path.clone()));
            self.leave_out(taken, entry.name == DATABASE_PATH)?;
        }
        Ok(())
    }

    /// What a file sets. One that cannot be read sets nothing, unless it may say where the database is.
    fn entries_of(&mut self, path: &Path, names_database: bool) -> Result<Vec<Entry>, ConfigError> {
        let contents = self.leave_out(file::load(path), names_database)?;
        let contents = contents.unwrap_or_default();
        self.warn_unknown(contents.unknown);
        self.tables.extend(contents.tables);
        Ok(contents.entries)
    }

    /// What was done, or nothing with a warning if it is a mistake that is left out.
    fn leave_out<T>(
        &mut self,
        done: Result<T, ConfigError>,
        is_needed: bool,
    ) -> Result<Option<T>, ConfigError> {
        match done {
            Err(error) if self.mistakes == Mistakes::LeftOut && !is_needed => {
                self.warnings.push(Warning::LeftOut {
                    mistake: error.to_string(),
                    code: error.code(),
                    correction: error.hint(),
                });
                Ok(None)
            }
            done => done.map(Some),
        }
    }

    fn add_repository_file(&mut self, repository: &Path) -> Result<(), ConfigError> {
        let path = dirs::repository_file(repository);
        for entry in self.entries_of(&path, false)? {
            let refusal = self.refusal(&entry);
            match self.leave_out(refusal, false)? {
                None => {}
                Some(Some(refusal)) => self.warn_ignored(entry, refusal),
                Some(None) => self.take(&entry, Origin::Repository(path.clone()))?,
            }
        }
        Ok(())
    }

    fn add_environment(&mut self) -> Result<(), ConfigError> {
        for (name, value) in self.environment.iter() {
            let Some(variable) = name
                .to_str()
                .filter(|name| name.starts_with(variables::PREFIX))
            else {
                continue;
            };
            if value.is_empty()
                || variables::VARIABLES
                    .iter()
                    .any(|known| known.name == variable)
            {
                continue;
            }
            let used = self.values.keys().map(String::as_str);
            match keys::find_by_variable(variable, used) {
                Some((name, key)) => {
                    let is_needed = name == DATABASE_PATH;
                    let taken = self.take_variable(name, key, variable, value.to_str());
                    self.leave_out(taken, is_needed)?;
                }
                None => self.warn_unknown_variable(variable),
            }
        }
        Ok(())
    }

    fn add_flags(&mut self, flags: &[(String, String)]) -> Result<(), ConfigError> {
        for (name, value) in flags {
            let raw = Raw::Argument(value.clone());
            let key = require_key(name)?;
            let entry = Entry {
                name: name.clone(),
                key,
                raw,
                place: Place::CommandLine,
            };
            self.take(&entry, Origin::Flag)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Resolved, ConfigError> {
        let typed = self
            .values
            .iter()
            .map(|(name, layered)| (name.as_str(), &layered.typed));
        let settings = Settings::read(&Reader {
            values: typed.collect(),
            tables: self.tables.iter().map(String::as_str).collect(),
        })?;
        self.leave_out(told::require_distinct(&settings), false)?;
        self.leave_out(told::require_own_addresses(&settings), false)?;
        let values = KEYS.iter().flat_map(|key| self.shown(key)).collect();
        Ok(Resolved {
            settings,
            values,
            warnings: self.warnings,
        })
    }

    fn take_variable(
        &mut self,
        name: String,
        key: &'static Key,
        variable: &str,
        value: Option<&str>,
    ) -> Result<(), ConfigError> {
        let raw = value.map_or(Raw::Other("text that is not UTF-8"), |text| {
            Raw::Argument(text.into())
        });
        let entry = Entry {
            name,
            key,
            raw,
            place: Place::Variable(variable.into()),
        };
        self.take(&entry, Origin::Environment(variable.into()))
    }

    fn take(&mut self, entry: &Entry, origin: Origin) -> Result<(), ConfigError> {
        let typed = parse(entry)?
            .with_home(self.environment.home())
            .ok_or(ConfigError::NoHome)?;
        self.put(&entry.name, typed, origin);
        Ok(())
    }

    fn put(&mut self, name: &str, typed: Typed, origin: Origin) {
        self.values
            .insert(name.to_owned(), Layered { typed, origin });
    }

    /// Why a value of the repository file is not taken. Scope comes first: what is not taken need not be valid.
    fn refusal(&self, entry: &Entry) -> Result<Option<Refusal>, ConfigError> {
        if entry.key.scope == Scope::UserOnly {
            return Ok(Some(Refusal::UserOnly));
        }
        let typed = parse(entry)?;
        if entry.key.scope == Scope::TightenOnly && self.loosens(entry, &typed) {
            return Ok(Some(Refusal::LoosensLimit));
        }
        let leaves = matches!(&typed, Typed::Path(path) if !stays_inside(path));
        Ok(leaves.then_some(Refusal::LeavesRepository))
    }

    fn loosens(&self, entry: &Entry, typed: &Typed) -> bool {
        let kind = entry.key.kind;
        let current = self.values.get(&entry.name);
        current.is_some_and(|current| kind.loosens(typed, &current.typed))
    }

    fn warn_unknown(&mut self, unknown: Vec<file::Unknown>) {
        self.warnings
            .extend(unknown.into_iter().map(|unknown| Warning::UnknownKey {
                key: unknown.name,
                place: unknown.place,
                nearest: unknown.nearest,
            }));
    }

    fn warn_ignored(&mut self, entry: Entry, refusal: Refusal) {
        let user_file = self.user_file.clone();
        let Entry {
            name: key, place, ..
        } = entry;
        self.warnings.push(Warning::Ignored {
            key,
            place,
            refusal,
            user_file,
        });
    }

    /// Other products may use the prefix too, so only what looks like one of ours is worth a warning.
    fn warn_unknown_variable(&mut self, variable: &str) {
        let nearest = keys::nearest_variable(variable);
        if nearest.is_some() || keys::is_section_variable(variable) {
            let place = Place::Variable(variable.into());
            self.warnings.push(Warning::UnknownKey {
                key: variable.into(),
                place,
                nearest,
            });
        }
    }

    fn shown(&self, key: &'static Key) -> Vec<Value> {
        if !key.is_open() {
            return vec![value_of(key.name, key, self.values.get(key.name))];
        }
        let chosen = self
            .values
            .iter()
            .filter(|(name, _)| keys::find_named(name) == Some(key));
        chosen
            .map(|(name, layered)| value_of(name, key, Some(layered)))
            .collect()
    }
}

fn value_of(name: &str, key: &Key, layered: Option<&Layered>) -> Value {
    Value {
        key: name.to_owned(),
        value: layered.map(|layered| layered.typed.to_string()),
        toml: layered.map(|layered| layered.typed.to_toml().to_string()),
        origin: layered.map_or(Origin::Default, |layered| layered.origin.clone()),
        description: key.description,
        is_used: key.is_used,
    }
}
