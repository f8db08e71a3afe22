//! A real repository in a sandbox.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Every commit of a test repository carries this date, so that equal content has equal ids.
const DATE: &str = "1767225600 +0000";

/// A repository with real git, a fixed identity and a fixed date.
#[derive(Debug)]
pub struct TestRepository {
    root: PathBuf,
    env: Vec<(OsString, OsString)>,
}

impl TestRepository {
    /// Makes a repository with one commit on `main`.
    ///
    /// # Panics
    /// When git fails; so do all methods below.
    pub(crate) fn create(root: &Path, env: Vec<(OsString, OsString)>) -> Self {
        fs::create_dir_all(root).expect("the sandbox is writable");
        let repository = Self::open(root, env);
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.write("README.md", "# Sample\n\nA repository for tests.\n");
        repository.commit("first commit");
        repository
    }

    /// Looks at a repository or worktree that exists.
    pub(crate) fn open(root: &Path, env: Vec<(OsString, OsString)>) -> Self {
        Self {
            root: root.to_owned(),
            env,
        }
    }

    /// The top folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The same identity and dates in another folder, for example a linked worktree.
    pub fn at(&self, root: &Path) -> Self {
        Self::open(root, self.env.clone())
    }

    /// Makes a linked worktree on a new branch.
    pub fn add_worktree(&self, path: &Path, branch: &str) -> Self {
        let shown = path.to_string_lossy();
        self.git(&["worktree", "add", "--quiet", "-b", branch, &shown]);
        self.at(path)
    }

    /// A path inside.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Runs git, which must succeed, and returns what it printed without the last line end.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.try_git(arguments);
        assert!(
            output.status.success(),
            "git {arguments:?} in {}: {}\n{}{}",
            self.root.display(),
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        String::from_utf8_lossy(&output.stdout)
            .trim_end_matches('\n')
            .to_owned()
    }

    /// Runs git, which may fail.
    pub fn try_git(&self, arguments: &[&str]) -> Output {
        let output = self.git_command().args(arguments).output();
        output.unwrap_or_else(|error| panic!("cannot run git {arguments:?}: {error}"))
    }

    /// Runs git with this on its input; it must succeed. Returns exactly what it printed.
    pub fn git_with_input(&self, arguments: &[&str], input: &[u8]) -> Vec<u8> {
        let mut command = self.git_command();
        command.args(arguments).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("git starts");
        let mut stdin = child.stdin.take().expect("stdin is a pipe");
        let output = std::thread::scope(|scope| {
            // git may answer before it has read everything.
            scope.spawn(move || stdin.write_all(input).expect("git reads its input"));
            child.wait_with_output().expect("git can be awaited")
        });
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {told}");
        output.stdout
    }

    /// A git command in this repository, for tests that need more than its output.
    #[expect(
        clippy::disallowed_methods,
        reason = "tests look at repositories with git itself"
    )]
    pub fn git_command(&self) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(&self.root)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .env("GIT_AUTHOR_DATE", DATE)
            .env("GIT_COMMITTER_DATE", DATE)
            .stdin(Stdio::null());
        command
    }

    /// Writes a file, with its folders.
    pub fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("the sandbox is writable");
        }
        fs::write(&path, text)
            .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    }

    /// Reads a file.
    pub fn read(&self, relative: &str) -> String {
        let path = self.path(relative);
        fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
    }

    /// Commits everything there is and returns the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.head()
    }

    /// The id of the current commit.
    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// The id a branch points to.
    pub fn branch_sha(&self, name: &str) -> String {
        self.git(&["rev-parse", "--verify", &format!("refs/heads/{name}")])
    }

    /// Whether a branch exists.
    pub fn has_branch(&self, name: &str) -> bool {
        let reference = format!("refs/heads/{name}");
        self.try_git(&["show-ref", "--verify", "--quiet", &reference])
            .status
            .success()
    }

    /// Adds this many small files in folders of fifty, as one commit on `main`.
    #[must_use]
    pub fn with_files(self, count: usize) -> Self {
        self.branch_with_files("main", count);
        self.git(&["reset", "--quiet", "--hard", "main"]);
        self
    }

    /// Adds this many small files in folders of fifty, as one commit on top of `main`. No checkout is touched.
    pub fn branch_with_files(&self, branch: &str, count: usize) {
        let mut import = self
            .git_command()
            .args(["fast-import", "--quiet"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("git fast-import starts");
        let mut stream = std::io::BufWriter::new(import.stdin.take().expect("its input is a pipe"));
        stream
            .write_all(fast_import(branch, count).as_bytes())
            .expect("fast-import reads its input");
        drop(stream.into_inner().expect("fast-import reads its input"));
        assert!(
            import.wait().expect("fast-import ends").success(),
            "git fast-import failed"
        );
    }

    /// Asserts that git finds the repository sound.
    pub fn fsck(&self) {
        let output = self.try_git(&["fsck", "--full", "--no-dangling", "--no-progress"]);
        let complaints = [output.stdout, output.stderr].concat();
        let complaints = String::from_utf8_lossy(&complaints);
        assert!(
            output.status.success() && complaints.trim().is_empty(),
            "git fsck: {complaints}"
        );
    }
}

fn fast_import(branch: &str, count: usize) -> String {
    let message = format!("add {count} files");
    let mut stream = format!(
        "commit refs/heads/{branch}\ncommitter Test <test@example.com> {DATE}\ndata {}\n{message}\nfrom refs/heads/main^0\n",
        message.len()
    );
    for number in 0..count {
        let text = format!("file {number}\nline two of {number}\n");
        let path = format!(
            "files/{:03}/{:03}/file{number}.txt",
            number / 2_500,
            number / 50
        );
        stream.push_str(&format!(
            "M 100644 inline {path}\ndata {}\n{text}\n",
            text.len()
        ));
    }
    stream
}
