//! Lockfiles: which package managers a repository uses, and what each of them needs.

use std::path::{Path, PathBuf};

use super::Proposed;
use super::package_json::PackageJson;

/// A lockfile, and what it says about the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lockfile {
    /// The directory it is in, if that is not the top of the repository.
    pub(super) directory: Option<String>,
    /// The file.
    pub(super) file: &'static str,
    /// The package manager.
    pub manager: &'static str,
    /// The command that runs the tests, where there is a usual one.
    pub(super) test: &'static str,
    /// The command that fetches what the repository depends on.
    pub(super) setup: &'static str,
    /// Directories with what is fetched or built, which another checkout can use too.
    pub(super) reuse: &'static [&'static str],
    /// Managers of one language do the same, so one of them is enough.
    pub(super) language: Language,
}

/// What a package manager is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    JavaScript,
    Python,
    Go,
    Ruby,
    Php,
    Java,
}

use Language::{Go, Java, JavaScript, Php, Python, Ruby, Rust};

const MODULES: &[&str] = &["node_modules"];
const GRADLE: &[&str] = &[".gradle", "build"];
/// A virtual environment has the path of its checkout in it: from a copy, programs of the other one would run.
const NONE: &[&str] = &[];

#[rustfmt::skip]
const LOCKFILES: &[Lockfile] = &[
    row("Cargo.lock", "cargo", Rust, "cargo test", "cargo fetch --locked", &["target"]),
    row("npm-shrinkwrap.json", "npm", JavaScript, "npm test", "npm ci", MODULES),
    row("package-lock.json", "npm", JavaScript, "npm test", "npm ci", MODULES),
    row("pnpm-lock.yaml", "pnpm", JavaScript, "pnpm test", "pnpm install --frozen-lockfile", MODULES),
    row("yarn.lock", "yarn", JavaScript, "yarn test", "yarn install --frozen-lockfile", MODULES),
    row("bun.lock", "bun", JavaScript, "bun run test", "bun install --frozen-lockfile", MODULES),
    row("bun.lockb", "bun", JavaScript, "bun run test", "bun install --frozen-lockfile", MODULES),
    row("uv.lock", "uv", Python, "uv run pytest", "uv sync --locked", NONE),
    row("poetry.lock", "poetry", Python, "poetry run pytest", "poetry install --no-interaction", NONE),
    row("requirements.txt", "pip", Python, ".venv/bin/python -m pytest", "python3 -m venv .venv && .venv/bin/python -m pip install -r requirements.txt", NONE),
    row("go.sum", "go", Go, "go test ./...", "go mod download", NONE),
    row("go.mod", "go", Go, "go test ./...", "go mod download", NONE),
    row("Gemfile.lock", "bundler", Ruby, "bundle exec rake test", "bundle install", &["vendor/bundle"]),
    row("composer.lock", "composer", Php, "composer test", "composer install --no-interaction", &["vendor"]),
    row("gradle.lockfile", "gradle", Java, "./gradlew test", "./gradlew assemble", GRADLE),
    row("gradlew", "gradle", Java, "./gradlew test", "./gradlew assemble", GRADLE),
    row("build.gradle", "gradle", Java, "./gradlew test", "./gradlew assemble", GRADLE),
    row("build.gradle.kts", "gradle", Java, "./gradlew test", "./gradlew assemble", GRADLE),
];

const fn row(
    file: &'static str,
    manager: &'static str,
    language: Language,
    test: &'static str,
    setup: &'static str,
    reuse: &'static [&'static str],
) -> Lockfile {
    Lockfile {
        directory: None,
        file,
        manager,
        test,
        setup,
        reuse,
        language,
    }
}

impl Lockfile {
    /// Where it is, below the top of the repository.
    #[must_use]
    pub fn path(&self) -> String {
        self.beside_it(self.file)
    }

    /// Where something in its directory is.
    pub(super) fn beside_it(&self, name: &str) -> String {
        match &self.directory {
            Some(directory) => format!("{directory}/{name}"),
            None => name.to_owned(),
        }
    }

    /// Its directory.
    pub(super) fn place(&self, root: &Path) -> PathBuf {
        let directory = self.directory.as_deref();
        directory.map_or_else(|| root.to_owned(), |directory| root.join(directory))
    }

    /// Whether it is of another manager, or of the same one elsewhere.
    pub(super) fn does_other_than(&self, other: &Self) -> bool {
        self.manager != other.manager || self.directory != other.directory
    }

    /// A command line that runs a command where it is.
    pub(super) fn there(&self, command: &str) -> String {
        match &self.directory {
            Some(directory) => format!("cd {directory} && {command}"),
            None => command.to_owned(),
        }
    }

    /// The same for worktrees that get these directories: `npm ci` would remove what is there, and fetch everything again.
    pub(super) fn beside(self, reused: &[Proposed]) -> Self {
        let mut own = self.reuse.iter().map(|directory| self.beside_it(directory));
        let is_reused = own.any(|own| reused.iter().any(|it| it.value == own));
        match (self.manager, is_reused) {
            ("npm", true) => Self {
                setup: "npm install --no-save --no-audit --no-fund",
                ..self
            },
            _ => self,
        }
    }
}

/// The lockfiles of a repository: those at its top, in a fixed order, then those in these directories for languages that the
/// top says nothing of. A manager at the top mostly cares for all that is below.
pub(super) fn find(root: &Path, directories: &[String]) -> Vec<Lockfile> {
    let mut found = find_in(root);
    let languages: Vec<Language> = found.iter().map(|it| it.language).collect();
    for directory in directories {
        let below = find_in(&root.join(directory)).into_iter();
        let others = below.filter(|it| !languages.contains(&it.language));
        found.extend(others.map(|it| Lockfile {
            directory: Some(directory.clone()),
            ..it
        }));
    }
    found
}

/// The first lockfile of each manager.
fn find_in(root: &Path) -> Vec<Lockfile> {
    let there = |lockfile: &&Lockfile| root.join(lockfile.file).exists();
    let mut found: Vec<Lockfile> = Vec::new();
    for lockfile in LOCKFILES.iter().filter(there) {
        if found.iter().all(|it| it.manager != lockfile.manager) {
            found.push(as_used(root, lockfile.clone()));
        }
    }
    found
}

/// Newer versions of yarn have another word for the same, and another file for their settings. Gradle mostly comes with the
/// repository.
fn as_used(root: &Path, lockfile: Lockfile) -> Lockfile {
    match lockfile.manager {
        "yarn" if root.join(".yarnrc.yml").exists() => Lockfile {
            setup: "yarn install --immutable",
            ..lockfile
        },
        "gradle" if !root.join("gradlew").exists() => Lockfile {
            test: "gradle test",
            setup: "gradle assemble",
            ..lockfile
        },
        _ => lockfile,
    }
}

/// Whether the `package.json` beside a lockfile names its manager.
pub(super) fn is_named(root: &Path, lockfile: &Lockfile) -> bool {
    let package = PackageJson::read(&lockfile.place(root));
    package.manager() == Some(lockfile.manager)
}

/// One lockfile for each language of a directory: the one whose manager `package.json` names, else the first.
pub(super) fn of_each_language(root: &Path, lockfiles: &[Lockfile]) -> Vec<Lockfile> {
    let named = lockfiles.iter().filter(|lockfile| is_named(root, lockfile));
    let mut chosen: Vec<Lockfile> = Vec::new();
    for lockfile in named.chain(lockfiles) {
        let does_same = |known: &Lockfile| {
            known.language == lockfile.language && known.directory == lockfile.directory
        };
        if !chosen.iter().any(does_same) {
            chosen.push(lockfile.clone());
        }
    }
    chosen.sort_by_key(|lockfile| lockfiles.iter().position(|known| known == lockfile));
    chosen
}
