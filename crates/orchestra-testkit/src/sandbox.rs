//! A world of its own for one test: home, data folder, repositories, environment.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

use crate::binaries::bin;
use crate::repository::TestRepository;

/// The placeholder that stands for a login; it opens nothing.
pub const API_KEY: &str = "placeholder-key-for-tests";

/// Where a program built to measure coverage writes what it counted.
pub const COUNTERS: &str = "LLVM_PROFILE_FILE";

const GIT_CONFIG: &str = "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n\
                          [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";

/// A temporary folder with everything a test needs; it is removed at the end.
#[derive(Debug)]
pub struct Sandbox {
    folder: TempDir,
    first_repository: OnceLock<PathBuf>,
    scenarios: AtomicU32,
    knobs: Vec<(String, String)>,
    variables: Vec<(OsString, OsString)>,
}

impl Sandbox {
    /// Makes an empty world.
    ///
    /// # Panics
    /// When the temporary folder cannot be made.
    #[expect(clippy::new_without_default, reason = "making folders is no default")]
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("orchestra-")
            .tempdir()
            .expect("temporary folder");
        let sandbox = Self {
            folder,
            first_repository: OnceLock::new(),
            scenarios: AtomicU32::new(0),
            knobs: vec![("pace-ms".to_owned(), "0".to_owned())],
            variables: Vec::new(),
        };
        for name in ["home", "data", "tmp", "repositories", "scenarios", "run"] {
            fs::create_dir(sandbox.path(name)).expect("the temporary folder is writable");
        }
        #[cfg(unix)]
        fs::set_permissions(
            sandbox.data_dir(),
            std::os::unix::fs::PermissionsExt::from_mode(0o700),
        )
        .expect("the data folder is ours");
        fs::write(sandbox.home().join(".gitconfig"), GIT_CONFIG).expect("the home is writable");
        sandbox
    }

    /// Sets a knob of the scripted agent, such as `build` or `pace-ms`.
    #[must_use]
    pub fn with_knob(mut self, name: &str, value: &str) -> Self {
        self.knobs.retain(|(known, _)| known != name);
        self.knobs.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a variable to the environment.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// The user's home.
    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// The product's data folder, `ORCHESTRA_HOME`.
    pub fn data_dir(&self) -> PathBuf {
        self.path("data")
    }

    /// A path inside the sandbox.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// Makes a repository; commands start in the first one.
    pub fn repository(&self, name: &str) -> TestRepository {
        let root = self.path("repositories").join(name);
        let repository = TestRepository::create(&root, self.git_env());
        self.first_repository.get_or_init(|| root);
        repository
    }

    /// Looks at a folder, for example a worktree, with the sandbox's git settings.
    pub fn repository_at(&self, root: &Path) -> TestRepository {
        TestRepository::open(root, self.git_env())
    }

    /// Writes a scenario file for the scripted agent, in TOML.
    pub fn scenario(&self, text: &str) -> PathBuf {
        let number = self.scenarios.fetch_add(1, Ordering::Relaxed);
        let path = self
            .path("scenarios")
            .join(format!("scenario-{number}.toml"));
        fs::write(&path, text).expect("the sandbox is writable");
        path
    }

    /// The whole environment of a command: nothing of the caller's but `PATH`.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        let mut env = self.git_env();
        env.extend([
            ("ORCHESTRA_HOME".into(), self.data_dir().into()),
            ("AMP_API_KEY".into(), API_KEY.into()),
            (
                "ORCHESTRA_AGENTS_AMP_COMMAND".into(),
                self.agent_command().into(),
            ),
        ]);
        env.extend(self.variables.iter().cloned());
        env
    }

    /// The scripted agent with its knobs, as the setting `agents.amp.command` takes it.
    pub fn agent_command(&self) -> String {
        self.agent_words()
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The scripted agent itself.
    pub fn fake_amp(&self) -> Command {
        let words = self.agent_words();
        let mut command = self.command(Path::new(&words[0]));
        command.args(&words[1..]);
        command
    }

    /// The product.
    pub fn orchestra(&self) -> Command {
        self.command(&bin("orchestra"))
    }

    /// The product by its short name for sessions.
    pub fn ampsm(&self) -> Command {
        self.command(&bin("ampsm"))
    }

    /// Any program with the sandbox's environment, started in the first repository.
    #[expect(
        clippy::disallowed_methods,
        reason = "tests start the programs under test"
    )]
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(self.env())
            .current_dir(self.start())
            .stdin(Stdio::null());
        command
    }

    fn start(&self) -> PathBuf {
        self.first_repository
            .get()
            .cloned()
            .unwrap_or_else(|| self.home())
    }

    fn agent_words(&self) -> Vec<String> {
        let mut words = vec![bin("fake-amp").to_string_lossy().into_owned()];
        let home = self.path("fake-amp").to_string_lossy().into_owned();
        let home = ("home".to_owned(), home);
        for (name, value) in std::iter::once(&home).chain(&self.knobs) {
            words.extend([format!("--fake-{name}"), value.clone()]);
        }
        words
    }

    fn git_env(&self) -> Vec<(OsString, OsString)> {
        let home = self.home();
        let mut env: Vec<(OsString, OsString)> = vec![
            ("HOME".into(), home.clone().into()),
            ("XDG_CONFIG_HOME".into(), home.join(".config").into()),
            ("XDG_DATA_HOME".into(), home.join(".local/share").into()),
            ("XDG_STATE_HOME".into(), home.join(".local/state").into()),
            ("XDG_CACHE_HOME".into(), home.join(".cache").into()),
            ("XDG_RUNTIME_DIR".into(), self.path("run").into()),
            ("TMPDIR".into(), self.path("tmp").into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("TZ".into(), "UTC".into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
            ("GIT_TERMINAL_PROMPT".into(), "0".into()),
        ];
        env.extend(kept());
        env.extend(counters());
        env
    }
}

/// What the caller's environment must lend so that programs are found and can start.
#[expect(
    clippy::disallowed_methods,
    reason = "a sandbox is built from the test's own environment"
)]
fn kept() -> impl Iterator<Item = (OsString, OsString)> {
    let names = ["PATH", "SystemRoot", "PATHEXT", "COMSPEC"];
    names
        .into_iter()
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)))
}

/// Where programs count the lines they run when coverage is measured. A test starts hundreds of them, so they add to a
/// few files that they share instead of writing one each.
#[expect(
    clippy::disallowed_methods,
    reason = "a coverage run names the file in the test's own environment"
)]
fn counters() -> Option<(OsString, OsString)> {
    let own = std::env::var(COUNTERS).ok()?;
    Some((COUNTERS.into(), shared_counters(&own).into()))
}

/// `%p` stands for a process and `%m` for a program; `%8m` is a pool of eight files for each program.
fn shared_counters(own: &str) -> String {
    own.replace("%p", "shared").replace("%m", "%8m")
}

fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_share_files_for_counters() {
        assert_eq!(
            shared_counters("/folder/it_%m-%p.profraw"),
            "/folder/it_%8m-shared.profraw"
        );
    }

    #[test]
    fn words_survive_quoting() {
        assert_eq!(quoted("/usr/bin/x-1"), "/usr/bin/x-1");
        assert_eq!(quoted("a b's"), r"'a b'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
