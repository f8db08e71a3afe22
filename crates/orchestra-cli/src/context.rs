//! What every command needs: the engine, the printer, and where the user stands.

use std::path::{Path, PathBuf};

use orchestra_config::{Environment, variables};
use orchestra_core::{Repository, RepositoryId, Session, SessionId, visible_line};
use orchestra_engine::{
    Clock, Engine, Grant, OpenOptions, Recovery, SessionView, chain, main_checkout_of,
};

use crate::Done;
use crate::args::{Global, Manner};
use crate::error::CliError;
use crate::logging::{Destination, Log, filter_warning};
use crate::printer::Printer;
use crate::render::screen;

/// A repository without sessions has none to list.
pub(crate) const NO_REPOSITORY: RepositoryId = RepositoryId(-1);

pub(crate) struct Context {
    pub(crate) engine: Engine,
    pub(crate) printer: Printer,
    pub(crate) directory: PathBuf,
    /// The main checkout of the repository the user stands in.
    pub(crate) root: Option<PathBuf>,
    global: Global,
}

impl Context {
    pub(crate) fn open(
        global: &Global,
        printer: Printer,
        manner: Manner,
    ) -> Result<Self, CliError> {
        let environment = Environment::of_process();
        let destination = match manner {
            Manner::Serves => Destination::Told,
            Manner::Acts | Manner::Looks => Destination::Stderr,
        };
        let log = Log::start(&environment, &destination)?;
        if let Some(warning) = filter_warning(&environment) {
            printer.warn(warning);
        }
        let directory = current_directory()?;
        let root = main_checkout_of(&directory);
        let open = match manner {
            Manner::Acts | Manner::Serves => Engine::open,
            Manner::Looks => Engine::open_to_look,
        };
        let options = options(environment, root.clone(), global)?;
        let context = Self::of(open(options)?, directory, global, printer);
        log.learn(context.engine.redactor());
        Ok(Self { root, ..context })
    }

    /// Does something with the session that an id, a prefix or a name means, with the settings of its repository.
    pub(crate) fn in_session(
        &self,
        text: &str,
        act: impl FnOnce(&Self, &SessionView) -> Done,
    ) -> Done {
        let view = self.session(text)?;
        self.in_repository(&view.repository.root, |there| act(there, &view))
    }

    /// Does something with the settings of a repository, which need not be the one the user stands in.
    pub(crate) fn in_repository(&self, root: &Path, act: impl FnOnce(&Self) -> Done) -> Done {
        if self.root.as_deref() == Some(root) {
            return act(self);
        }
        act(&self.there(root)?)
    }

    /// The same with the settings that a repository has now.
    pub(crate) fn there(&self, root: &Path) -> Result<Self, CliError> {
        let environment = self.engine.environment().clone();
        let options = options(environment, Some(root.to_owned()), &self.global)?;
        let there = Self::of(
            Engine::open(options)?,
            self.directory.clone(),
            &self.global,
            self.printer.clone(),
        );
        Ok(Self {
            root: Some(root.to_owned()),
            ..there
        })
    }

    /// The same with another way to print.
    pub(crate) fn printing_with(self, printer: Printer) -> Self {
        Self { printer, ..self }
    }

    /// The same in the name of somebody who is not the user.
    pub(crate) fn acting_for(self, grant: Grant) -> Self {
        Self {
            engine: self.engine.acting_for(grant),
            ..self
        }
    }

    fn of(engine: Engine, directory: PathBuf, global: &Global, printer: Printer) -> Self {
        Printer::choose_color(engine.settings().settings.ui.color);
        for warning in &engine.settings().warnings {
            match warning.hint() {
                Some(hint) => printer.warn(format!("{warning}; {hint}")),
                None => printer.warn(warning),
            }
        }
        for path in engine.made_private() {
            let path = screen::path(path);
            printer.warn(format!("others could read {path}; it is for you alone now"));
        }
        Self {
            engine,
            printer,
            directory,
            root: None,
            global: global.clone(),
        }
    }

    /// The options that the command line was given.
    pub(crate) const fn global(&self) -> &Global {
        &self.global
    }

    /// The session an id, a prefix or a name means. What was cut off in it, or in another one, is put right first.
    pub(crate) fn session(&self, text: &str) -> Result<SessionView, CliError> {
        let here = self.repository()?;
        let found = self.engine.find_session(text, here.as_ref())?;
        let done = self.engine.recover_session(&found.session.id)?;
        self.tell_done(&found.session, &done);
        self.sweep_besides(Some(&found.session.id));
        Ok(self.engine.session(&found.session.id)?)
    }

    /// Puts right what was cut off in any session, and ends what is left of runs that died. A command is worth its answer
    /// without it, so a failure is only told.
    pub(crate) fn sweep(&self) {
        self.sweep_besides(None);
    }

    /// What could not be put right in a session is told once.
    fn sweep_besides(&self, told: Option<&SessionId>) {
        self.take_moved_worktree();
        match self.engine.recover_interrupted() {
            Ok(recovered) => recovered
                .iter()
                .filter(|one| Some(&one.session.id) != told)
                .for_each(|one| self.tell_recovery(one)),
            Err(error) => {
                let why = chain::text(&error);
                self.printer
                    .warn(format!("what was cut off was not looked for: {why}"));
            }
        }
    }

    /// Whoever stands in a worktree that was moved means its session.
    fn take_moved_worktree(&self) {
        let found = self.engine.worktree_moved_here(&self.directory);
        let taken = found.and_then(|found| match found {
            Some((session, place)) => {
                self.engine.take_new_place(&session.id, &place)?;
                Ok(Some((session, place)))
            }
            None => Ok(None),
        });
        match taken {
            Ok(None) => {}
            Ok(Some((session, place))) => {
                let (name, place) = (visible_line(session.name.as_str()), screen::path(&place));
                let taken =
                    format!("{name}: its worktree was moved to {place}, and is linked again");
                self.printer.note(taken);
            }
            Err(error) => {
                let why = chain::text(&error);
                let what = "this worktree was moved, and its session cannot take its new place";
                self.printer.warn(format!("{what}: {why}"));
            }
        }
    }

    fn tell_recovery(&self, recovery: &Recovery) {
        match &recovery.done {
            Ok(done) => self.tell_done(&recovery.session, done),
            Err(error) => self.printer.warn(format!(
                "{}: what was cut off cannot be put right: {}",
                visible_line(recovery.session.name.as_str()),
                chain::text(error)
            )),
        }
    }

    fn tell_done(&self, session: &Session, done: &[String]) {
        let name = visible_line(session.name.as_str());
        for what in done {
            self.printer.note(format!("{name}: {}", visible_line(what)));
        }
    }

    /// The repository the user stands in, if it has sessions.
    pub(crate) fn repository(&self) -> Result<Option<Repository>, CliError> {
        match &self.root {
            Some(root) => Ok(self.engine.known_repository(root)?),
            None => Ok(None),
        }
    }

    /// Which sessions a list shows that was told nothing else: those of the repository the user stands in, or all.
    pub(crate) fn scope(&self) -> Result<Option<RepositoryId>, CliError> {
        Ok(match (&self.root, self.repository()?) {
            (None, _) => None,
            (Some(_), Some(known)) => Some(known.id),
            (Some(root), None) => Some(self.moved_repository(root)?.unwrap_or(NO_REPOSITORY)),
        })
    }

    /// The repository that is recorded elsewhere and was moved here; the user is told how it comes along.
    pub(crate) fn moved_repository(&self, root: &Path) -> Result<Option<RepositoryId>, CliError> {
        let moved = self.engine.moved_here(root)?;
        if let Some(moved) = &moved {
            self.printer.warn(format!(
                "this repository was moved here from {}; `orchestra doctor --fix` brings its {} session(s) along",
                moved.repository.root.display(),
                moved.sessions.len()
            ));
        }
        Ok(moved.map(|moved| moved.repository.id))
    }

    /// Whether what was printed can be written over: somebody looks, at a screen that knows how.
    pub(crate) fn can_write_over(&self) -> bool {
        let kind = self.engine.environment().find(variables::TERM);
        self.printer.is_terminal() && kind.is_some_and(|kind| kind != "dumb")
    }

    /// Tells the user that a text is not kept as it was given.
    pub(crate) fn warn_secret(&self, what: &str, text: &str) {
        if let Some(warning) = self.engine.secret_warning(what, text) {
            self.printer.warn(warning);
        }
    }

    /// A path the user gave, from where the user stands.
    pub(crate) fn path(&self, path: &Path) -> PathBuf {
        self.directory.join(path)
    }
}

fn options(
    environment: Environment,
    repository: Option<PathBuf>,
    global: &Global,
) -> Result<OpenOptions, CliError> {
    Ok(OpenOptions {
        environment,
        repository,
        flags: global.overrides.clone(),
        program: own_program()?,
        clock: Clock::System,
    })
}

/// Where the user stands.
pub(crate) fn current_directory() -> Result<PathBuf, CliError> {
    std::env::current_dir().map_err(|source| CliError::io("find the current directory", &source))
}

/// This program, to be started again as runner and guardian; every binary has these modes.
pub(crate) fn own_program() -> Result<PathBuf, CliError> {
    std::env::current_exe().map_err(|source| CliError::io("find this program", &source))
}
