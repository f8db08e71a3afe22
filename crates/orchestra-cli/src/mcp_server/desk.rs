//! Where calls are dealt with: the engine of a repository, in the name of the caller.

use std::path::{Path, PathBuf};

use orchestra_engine::{EngineError, Grant, SessionView, main_checkout_of};

use crate::context::Context;
use crate::error::CliError;
use crate::printer::Printer;

/// What all calls share. Every call opens an engine of its own, so that it sees the settings as they are.
pub(super) struct Desk {
    context: Context,
    grant: Grant,
    /// The repository that is meant where none is named.
    first: PathBuf,
}

impl Desk {
    pub(super) fn new(context: &Context, grant: Grant) -> Result<Self, CliError> {
        let first = grant.repositories.first().cloned();
        let first = first.ok_or_else(|| {
            CliError::usage("no repository is granted", "name one with --repository")
        })?;
        // Nothing but the protocol may reach standard output, and nobody can be asked.
        let context = context.there(&first)?;
        Ok(Self {
            context: context.printing_with(Printer::new(true)),
            grant,
            first,
        })
    }

    pub(super) const fn grant(&self) -> &Grant {
        &self.grant
    }

    /// The repository that is meant where none is named.
    pub(super) fn first(&self) -> &Path {
        &self.first
    }

    /// The engine of the repository that is meant where none is named, without a caller: what is put right by whoever
    /// looks next is not the caller's doing.
    pub(super) fn look(&self) -> Result<Context, CliError> {
        self.context.there(&self.first)
    }

    /// The engine of a repository in the name of the caller.
    pub(super) fn act_in(&self, root: &Path) -> Result<Context, CliError> {
        Ok(self.context.there(root)?.acting_for(self.grant.clone()))
    }

    /// The repository that a directory is in, if it is granted.
    pub(super) fn repository(&self, directory: Option<&Path>) -> Result<PathBuf, EngineError> {
        let Some(directory) = directory else {
            return Ok(self.first.clone());
        };
        let directory = self.context.path(directory);
        let root = main_checkout_of(&directory).unwrap_or(directory);
        self.grant.require_repository(&root)?;
        Ok(root)
    }

    /// A session, with the engine of its repository. Nothing is granted by that.
    pub(super) fn session(&self, text: &str) -> Result<(Context, SessionView), CliError> {
        let view = self.look()?.session(text)?;
        Ok((self.act_in(&view.repository.root)?, view))
    }
}
