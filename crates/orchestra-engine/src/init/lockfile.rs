//! Lockfiles: which package manager a repository uses.

use std::path::Path;

/// A lockfile, and what it says about the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lockfile {
    /// The file.
    pub file: &'static str,
    /// The package manager.
    pub manager: &'static str,
    /// The command that runs the tests, where there is a usual one.
    pub test: &'static str,
}

const LOCKFILES: &[Lockfile] = &[
    Lockfile {
        file: "Cargo.lock",
        manager: "cargo",
        test: "cargo test",
    },
    Lockfile {
        file: "package-lock.json",
        manager: "npm",
        test: "npm test",
    },
    Lockfile {
        file: "pnpm-lock.yaml",
        manager: "pnpm",
        test: "pnpm test",
    },
    Lockfile {
        file: "yarn.lock",
        manager: "yarn",
        test: "yarn test",
    },
    Lockfile {
        file: "bun.lock",
        manager: "bun",
        test: "bun test",
    },
    Lockfile {
        file: "bun.lockb",
        manager: "bun",
        test: "bun test",
    },
    Lockfile {
        file: "uv.lock",
        manager: "uv",
        test: "uv run pytest",
    },
    Lockfile {
        file: "poetry.lock",
        manager: "poetry",
        test: "poetry run pytest",
    },
    Lockfile {
        file: "requirements.txt",
        manager: "pip",
        test: "python -m pytest",
    },
    Lockfile {
        file: "go.sum",
        manager: "go",
        test: "go test ./...",
    },
    Lockfile {
        file: "Gemfile.lock",
        manager: "bundler",
        test: "bundle exec rake test",
    },
    Lockfile {
        file: "composer.lock",
        manager: "composer",
        test: "composer test",
    },
    Lockfile {
        file: "gradle.lockfile",
        manager: "gradle",
        test: "./gradlew test",
    },
];

/// The lockfiles of a repository, in a fixed order.
pub(super) fn find(root: &Path) -> Vec<Lockfile> {
    let there = |lockfile: &Lockfile| root.join(lockfile.file).exists();
    LOCKFILES.iter().copied().filter(there).collect()
}
