//! The git program: where it is, how it is called. The one place that runs git.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use orchestra_process::{Captured, CommandSpec, Dialogue, ProcessError};

use crate::call::{Answer, Call};
use crate::environment::Environment;
use crate::error::{AtPath, GitError};
#[cfg(target_os = "linux")]
use crate::repository::Openings;
use crate::version::GitVersion;

/// The git program, its version, and the private directory for what it must never find in a repository.
#[derive(Debug, Clone)]
pub struct Git {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    program: PathBuf,
    version: GitVersion,
    environment: Environment,
    private_dir: PathBuf,
    spawned: AtomicU64,
    #[cfg(target_os = "linux")]
    openings: Openings,
}

impl Git {
    /// Finds git and checks its version. `private_dir` belongs to the engine alone; no agent may write there.
    ///
    /// # Errors
    /// If git is missing or too old, or the private directory cannot be made.
    pub fn find(
        program: Option<&Path>,
        environment: Environment,
        private_dir: &Path,
    ) -> Result<Self, GitError> {
        make_private(private_dir)?;
        let program = program.unwrap_or(Path::new("git")).to_owned();
        let unknown = GitVersion {
            major: 0,
            minor: 0,
            patch: 0,
        };
        let private_dir = private_dir.canonicalize().at(private_dir)?;
        let mut inner = Inner {
            program,
            version: unknown,
            environment,
            private_dir,
            spawned: AtomicU64::new(0),
            #[cfg(target_os = "linux")]
            openings: Openings::default(),
        };
        inner.version = inner.installed_version()?;
        if inner.version < GitVersion::MINIMUM {
            return Err(GitError::VersionTooOld {
                found: inner.version,
                minimum: GitVersion::MINIMUM,
            });
        }
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// The version of the program.
    #[must_use]
    pub fn version(&self) -> GitVersion {
        self.inner.version
    }

    /// How many git processes were started through this handle and its clones.
    #[must_use]
    pub fn spawned(&self) -> u64 {
        self.inner.spawned.load(Ordering::Relaxed)
    }

    /// Repositories that were opened just now.
    #[cfg(target_os = "linux")]
    pub(crate) fn openings(&self) -> &Openings {
        &self.inner.openings
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.inner.environment
    }

    /// Where the program is, as far as that can be told.
    #[cfg(target_os = "linux")]
    pub(crate) fn located(&self) -> Option<PathBuf> {
        self.inner.environment.locate(&self.inner.program)
    }

    /// A directory below the private one, made when needed.
    pub(crate) fn private_subdir(&self, name: &str) -> Result<PathBuf, GitError> {
        let dir = self.inner.private_dir.join(name);
        make_private(&dir)?;
        Ok(dir)
    }

    pub(crate) fn private_dir(&self) -> &Path {
        &self.inner.private_dir
    }

    /// Runs git and keeps the answer, whatever its exit code.
    pub(crate) fn run(&self, call: &Call) -> Result<Answer, GitError> {
        self.inner.run(call)
    }

    /// Runs git, which must succeed, and keeps the one line it prints.
    pub(crate) fn line(&self, call: &Call) -> Result<String, GitError> {
        Ok(self
            .run(call)?
            .require_success()?
            .text()?
            .trim_end()
            .to_owned())
    }

    /// Starts git to be talked with.
    pub(crate) fn converse(&self, call: &Call) -> Result<Dialogue, GitError> {
        self.inner
            .started(call, Dialogue::start)
            .map_err(|source| call.unfinished(source))
    }

    /// Runs git and hands its output on while it comes.
    pub(crate) fn stream(
        &self,
        call: &Call,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<Answer, GitError> {
        let captured = self.inner.started(call, |spec| {
            orchestra_process::capture_to(spec, call.limits(), sink)
        });
        captured
            .map(|captured| Answer::new(call, captured))
            .map_err(|source| call.unfinished(source))
    }
}

impl Inner {
    fn installed_version(&self) -> Result<GitVersion, GitError> {
        let call = Call::new("--version", &self.private_dir);
        let captured = self.capture(&call);
        let captured = captured.map_err(|source| GitError::ProgramMissing {
            program: self.program.clone(),
            source,
        })?;
        let answer = Answer::new(&call, captured);
        let text = answer.require_success()?.text()?;
        GitVersion::parse(&text).ok_or_else(|| call.unreadable("no version in it"))
    }

    fn run(&self, call: &Call) -> Result<Answer, GitError> {
        let captured = self
            .capture(call)
            .map_err(|source| call.unfinished(source))?;
        Ok(Answer::new(call, captured))
    }

    fn capture(&self, call: &Call) -> Result<Captured, ProcessError> {
        self.started(call, |spec| orchestra_process::capture(spec, call.limits()))
    }

    /// Every git process starts here: counted and traced.
    fn started<T>(&self, call: &Call, start: impl FnOnce(&CommandSpec) -> T) -> T {
        let span = tracing::debug_span!("git", command = call.name(), dir = %call.dir().display());
        let _entered = span.enter();
        self.spawned.fetch_add(1, Ordering::Relaxed);
        start(&call.spec(&self.program, &self.environment))
    }
}

fn make_private(dir: &Path) -> Result<(), GitError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).at(dir)
}
