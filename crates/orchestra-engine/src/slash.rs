//! Slash commands: those of the product, and prompts with parameters that people keep in files.
//!
//! A repository's are read in its main checkout, never in a session's worktree, where an agent could write them. They only
//! become text for an agent: nothing in them is run, and a text that one of them makes is not looked at for another one.

mod error;
mod file;

use std::path::{Path, PathBuf};

use orchestra_core::slash::{
    BuiltIn, CustomCommand, SlashName, Spoken, Word, read_spoken, split_words,
};

pub use error::SlashError;

use crate::text_folder::TextFolder;
use crate::{Engine, EngineError, chain};

const ENDING: &str = "md";
const MAX_BYTES: u64 = 64 * 1024;
/// More files in one folder are not looked at.
const MOST_FILES: usize = 200;

/// Where a slash command comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlashOrigin {
    /// The user's own.
    User,
    /// Part of the repository.
    Repository,
}

/// A slash command that somebody wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSlash {
    /// Whose it is.
    pub origin: SlashOrigin,
    /// Its file.
    pub file: PathBuf,
    /// What it says.
    pub command: CustomCommand,
}

/// Every slash command that people wrote for a place.
#[derive(Debug, Clone, Default)]
pub struct SlashListing {
    /// By name; of two with the same name, the user's own comes first and is used.
    pub commands: Vec<StoredSlash>,
    /// Files that cannot be used, and why.
    pub damaged: Vec<(PathBuf, String)>,
}

/// What a text asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlashMeaning {
    /// This is for the agent.
    Text(String),
    /// A command of the product.
    BuiltIn(BuiltIn, Vec<Word>),
    /// A slash command that somebody wrote makes this text for the agent.
    Written {
        /// The command.
        command: Box<StoredSlash>,
        /// The text.
        text: String,
    },
}

impl SlashOrigin {
    /// The word for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Repository => "repository",
        }
    }
}

impl Engine {
    /// The slash commands that people wrote: the user's, and those of the repository with this main checkout.
    ///
    /// # Errors
    /// If a folder cannot be read. A file that cannot be used is part of the answer.
    pub fn slash_commands(&self, root: Option<&Path>) -> Result<SlashListing, EngineError> {
        let mut listing = SlashListing::default();
        for place in self.slash_places(root)? {
            for file in place.files()? {
                match place.load_file(&file) {
                    Ok(found) => listing.commands.extend(found),
                    Err(error) => listing.damaged.push((file, chain::text(&error))),
                }
            }
        }
        let commands = &mut listing.commands;
        commands.sort_by(|one, other| one.command.name.cmp(&other.command.name));
        Ok(listing)
    }

    /// The slash command that somebody wrote with this name: the user's own, or else the repository's.
    ///
    /// # Errors
    /// If there is none, or it cannot be used.
    pub fn slash_command(
        &self,
        name: &str,
        root: Option<&Path>,
    ) -> Result<StoredSlash, EngineError> {
        if let Ok(good) = name.parse() {
            for place in self.slash_places(root)? {
                if let Some(found) = place.load(&good)? {
                    return Ok(found);
                }
            }
        }
        Err(self.unknown_slash(name, root)?.into())
    }

    /// What a text asks for in a repository with this main checkout.
    ///
    /// # Errors
    /// If it names a slash command that is not there, or calls one in a way that does not fit.
    pub fn slash_meaning(
        &self,
        text: &str,
        root: Option<&Path>,
    ) -> Result<SlashMeaning, EngineError> {
        let (name, rest) = match read_spoken(text) {
            Spoken::Text(text) => return Ok(SlashMeaning::Text(text.to_owned())),
            Spoken::Call { name, rest } => (name, rest),
        };
        if let Some(command) = BuiltIn::from_name(name) {
            let words = split_words(rest).map_err(SlashError::from)?;
            return Ok(SlashMeaning::BuiltIn(command, words));
        }
        let found = self.slash_command(name, root)?;
        let words = split_words(rest).map_err(SlashError::from)?;
        let text = found.command.fill(&words).map_err(SlashError::from)?;
        Ok(SlashMeaning::Written {
            command: Box::new(found),
            text,
        })
    }

    fn unknown_slash(&self, name: &str, root: Option<&Path>) -> Result<SlashError, EngineError> {
        let written = self.slash_commands(root)?.commands.into_iter();
        let written = written.map(|stored| stored.command.name.to_string());
        let known = BuiltIn::ALL.iter().map(|command| command.name().to_owned());
        Ok(SlashError::Unknown {
            name: name.to_owned(),
            near: error::nearest(name, known.chain(written)),
        })
    }

    fn slash_places(&self, root: Option<&Path>) -> Result<Vec<Place>, EngineError> {
        let own = orchestra_config::dirs::user_commands(&self.environment)?;
        let mut places = vec![Place::new(SlashOrigin::User, own, None)];
        places.extend(root.map(|root| {
            let folder = orchestra_config::dirs::repository_commands(root);
            Place::new(SlashOrigin::Repository, folder, Some(root.to_owned()))
        }));
        Ok(places)
    }
}

/// A folder of slash commands.
struct Place {
    origin: SlashOrigin,
    folder: TextFolder,
}

impl Place {
    const fn new(origin: SlashOrigin, path: PathBuf, within: Option<PathBuf>) -> Self {
        let folder = TextFolder {
            path,
            within,
            ending: ENDING,
            max_bytes: MAX_BYTES,
        };
        Self { origin, folder }
    }

    fn files(&self) -> Result<Vec<PathBuf>, EngineError> {
        let files = self.folder.files()?;
        match files.len() > MOST_FILES {
            true => Err(SlashError::TooManyFiles {
                folder: self.folder.path.clone(),
                most: MOST_FILES,
            }
            .into()),
            false => Ok(files),
        }
    }

    fn load_file(&self, file: &Path) -> Result<Option<StoredSlash>, EngineError> {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = stem.parse().map_err(SlashError::Name)?;
        self.load(&name)
    }

    /// `None`: there is no such file.
    fn load(&self, name: &SlashName) -> Result<Option<StoredSlash>, EngineError> {
        let Some((file, text)) = self.folder.find(name.as_str())? else {
            return Ok(None);
        };
        if BuiltIn::from_name(name.as_str()).is_some() {
            return Err(SlashError::Shadows(name.clone()).into());
        }
        let command = file::parse(name, &text).map_err(|bad| SlashError::Unreadable {
            file: file.clone(),
            line: bad.line,
            problem: bad.problem,
        })?;
        Ok(Some(StoredSlash {
            origin: self.origin,
            file,
            command,
        }))
    }
}
