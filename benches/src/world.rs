//! One user with one repository: a home, a data directory, a generated repository, and nothing shared with any other.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use orchestra_config::Environment;
use orchestra_engine::{Clock, CreateSession, Created, Engine, OpenOptions};

use crate::bare_git::{git, git_with_input};
use crate::content::Writer;
use crate::plan::Size;
use crate::sampling::timed;
use crate::{Bench, Outcome};

const GIT_CONFIG: &str = "[user]\n\tname = Bench\n\temail = bench@example.com\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";
/// Commits after the first one, each of which changes a few files.
const LATER_COMMITS: usize = 20;

/// Removed when dropped.
#[derive(Debug)]
pub(crate) struct World {
    root: PathBuf,
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
    names: AtomicU32,
}

impl World {
    /// Makes the directories and fills the repository.
    pub(crate) fn generate(bench: &Bench, name: &str, size: Size) -> Outcome<Self> {
        Self::generate_at(bench, bench.ground.root().join(name), size)
    }

    /// The same in another place.
    pub(crate) fn generate_at(bench: &Bench, root: PathBuf, size: Size) -> Outcome<Self> {
        let program = match &bench.product {
            Some(product) => product.orchestra.clone(),
            None => std::env::current_exe()?,
        };
        let world = Self {
            environment: environment(&root),
            root,
            program,
            names: AtomicU32::new(0),
        };
        for directory in ["home", "data", "repository"] {
            fs::create_dir_all(world.root.join(directory))?;
        }
        fs::write(world.root.join("home/.gitconfig"), GIT_CONFIG)?;
        world.fill(size)?;
        bench.ground.settle();
        Ok(world)
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.root.join("repository")
    }

    /// A path beside home and repository.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// Adds variables to what programs are started with.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.into(), value.into()));
    }

    /// Runs git in the main checkout.
    pub(crate) fn git(&self, arguments: &[&str]) -> Outcome<String> {
        self.git_in(&self.repository(), arguments)
    }

    pub(crate) fn git_in(&self, directory: &Path, arguments: &[&str]) -> Outcome<String> {
        git(&self.environment, directory, arguments)
    }

    /// An engine as a face opens it.
    pub(crate) fn engine(&self) -> Outcome<Engine> {
        self.engine_with(&[])
    }

    /// The same, with settings for this once.
    pub(crate) fn engine_with(&self, settings: &[(&str, &str)]) -> Outcome<Engine> {
        let flags = settings.iter();
        let flags = flags.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Ok(Engine::open(OpenOptions {
            environment: self.environment.iter().cloned().collect(),
            repository: Some(self.repository()),
            flags: flags.collect(),
            program: self.program.clone(),
            clock: Clock::System,
        })?)
    }

    /// A name nobody has.
    pub(crate) fn next_name(&self) -> String {
        format!("b{}", self.names.fetch_add(1, Ordering::Relaxed))
    }

    /// Creates a session and answers how many milliseconds it took.
    pub(crate) fn create(&self, engine: &Engine) -> Outcome<(f64, Created)> {
        let request = CreateSession {
            repository: self.repository(),
            base: None,
            name: self.next_name().parse()?,
            prompt: "Make it faster".to_owned(),
            notes: None,
            constraints: None,
            issue: None,
            script: None,
            model: None,
            agent: None,
            branch: None,
            timeout: None,
            permissions: None,
            runtime: orchestra_core::RuntimeWishes::default(),
        };
        timed(|| Ok(engine.create_session(&request)?))
    }

    /// Makes a worktree as a person would, and answers how many milliseconds it took.
    pub(crate) fn add_bare_worktree(&self) -> Outcome<f64> {
        Ok(timed(|| self.make_bare_worktree())?.0)
    }

    /// Makes a worktree as a person would, and answers where.
    pub(crate) fn make_bare_worktree(&self) -> Outcome<String> {
        let name = self.next_name();
        let (branch, path) = (format!("bare/{name}"), format!(".worktrees/{name}"));
        self.git(&["worktree", "add", "-q", "-b", &branch, &path, "main"])?;
        Ok(path)
    }

    /// Branches other than the main one.
    pub(crate) fn branches(&self) -> Outcome<Vec<String>> {
        let format = "--format=%(refname)";
        let text = self.git(&[
            "for-each-ref",
            format,
            "refs/heads/amp/",
            "refs/heads/bare/",
        ])?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// The worktrees git knows besides the main checkout.
    pub(crate) fn registered(&self) -> Outcome<usize> {
        match fs::read_dir(self.repository().join(".git/worktrees")) {
            Ok(entries) => Ok(entries.count()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes one session's worktree and branch away again.
    pub(crate) fn remove(&self, created: &Created) -> Outcome<()> {
        let session = &created.view.session;
        let path = session.worktree.to_string_lossy();
        self.git(&["worktree", "remove", "--force", &path])?;
        self.git(&["update-ref", "-d", &session.branch.full_ref()])?;
        Ok(())
    }

    /// Takes away every worktree and branch besides the main ones.
    pub(crate) fn clear(&self) -> Outcome<()> {
        for directory in [".worktrees", ".git/worktrees"] {
            match fs::remove_dir_all(self.repository().join(directory)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error.into());
                }
                _ => {}
            }
        }
        let branches = self.branches()?;
        let arguments = ["update-ref", "--stdin"];
        git_with_input(&self.environment, &self.repository(), &arguments, |input| {
            for branch in branches {
                writeln!(input, "delete {branch}")?;
            }
            Ok(())
        })
    }

    fn fill(&self, size: Size) -> Outcome<()> {
        let repository = self.repository();
        self.git(&["init", "-q", "-b", "main"])?;
        let arguments = ["fast-import", "--quiet", "--done"];
        git_with_input(&self.environment, &repository, &arguments, |input| {
            let mut writer = Writer::seeded(u64::try_from(size.files)?);
            commit(input, 0)?;
            for number in 0..size.files {
                file(input, number, &writer.file(size.file_bytes))?;
            }
            for later in 1..=LATER_COMMITS {
                commit(input, later)?;
                for number in 0..5 {
                    let number = (later * 31 + number * 7) % size.files;
                    file(input, number, &writer.file(size.file_bytes))?;
                }
            }
            Ok(writeln!(input, "done")?)
        })?;
        self.git(&["reset", "-q", "--hard", "main"])?;
        self.git(&["pack-refs", "--all"])?;
        Ok(())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // What cannot be removed here goes with the whole ground.
        fs::remove_dir_all(&self.root).unwrap_or_default();
    }
}

fn environment(root: &Path) -> Vec<(OsString, OsString)> {
    let mut environment: Vec<(OsString, OsString)> = vec![
        ("HOME".into(), root.join("home").into()),
        ("ORCHESTRA_HOME".into(), root.join("data").into()),
        ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ("LANG".into(), "C.UTF-8".into()),
    ];
    let ours = Environment::of_process();
    for name in ["PATH", "SystemRoot", "PATHEXT", "COMSPEC"] {
        if let Some(value) = ours.find(name) {
            environment.push((name.into(), value.to_owned()));
        }
    }
    environment
}

fn commit(input: &mut dyn Write, number: usize) -> Outcome<()> {
    let time = 1_700_000_000 + number * 3_600;
    let message = format!("Change number {number}");
    writeln!(input, "commit refs/heads/main")?;
    writeln!(input, "committer Bench <bench@example.com> {time} +0000")?;
    writeln!(input, "data {}\n{message}", message.len())?;
    Ok(())
}

/// About twelve files to a directory, three to four levels deep.
fn file(input: &mut dyn Write, number: usize, text: &str) -> Outcome<()> {
    let (directory, part) = (number / 12, number / 144);
    let top = part / 20;
    writeln!(
        input,
        "M 100644 inline source/area{top}/part{part}/unit{directory}/file{number}.rs"
    )?;
    writeln!(input, "data {}\n{text}", text.len())?;
    Ok(())
}
