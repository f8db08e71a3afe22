//! What a conflict is about: which sides have the file, what kind of thing it is, and whether its name says how to resolve
//! it. In a rebase *ours* is what is rebased onto, the base, and *theirs* is the session's commit.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::MigrationNumber;

/// Which sides have the file, in git's words.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ConflictKind {
    /// Both sides changed it.
    BothModified,
    /// Both sides added it, with different content.
    BothAdded,
    /// Both sides moved it away, to different places.
    BothDeleted,
    /// Ours deleted it, theirs changed it.
    DeletedByUs,
    /// Theirs deleted it, ours changed it.
    DeletedByThem,
    /// Only ours has it under this name.
    AddedByUs,
    /// Only theirs has it under this name.
    AddedByThem,
    /// A file or link on one side, a directory on the other.
    FileDirectory,
    /// Two things that cannot be merged, such as a file and a symbolic link.
    DistinctTypes,
}

impl ConflictKind {
    /// The kind that follows from which of the three versions exist. `None`: none does.
    #[must_use]
    pub const fn from_stages(base: bool, ours: bool, theirs: bool) -> Option<Self> {
        match (base, ours, theirs) {
            (true, true, true) => Some(Self::BothModified),
            (false, true, true) => Some(Self::BothAdded),
            (true, false, false) => Some(Self::BothDeleted),
            (true, false, true) => Some(Self::DeletedByUs),
            (true, true, false) => Some(Self::DeletedByThem),
            (false, true, false) => Some(Self::AddedByUs),
            (false, false, true) => Some(Self::AddedByThem),
            (false, false, false) => None,
        }
    }
}

impl fmt::Display for ConflictKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::BothModified => "both modified",
            Self::BothAdded => "both added",
            Self::BothDeleted => "both deleted",
            Self::DeletedByUs => "deleted by us",
            Self::DeletedByThem => "deleted by them",
            Self::AddedByUs => "added by us",
            Self::AddedByThem => "added by them",
            Self::FileDirectory => "file/directory",
            Self::DistinctTypes => "distinct types",
        })
    }
}

/// How git records one entry of a tree.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum EntryMode {
    /// A file.
    File,
    /// A file that can be run.
    Executable,
    /// A symbolic link.
    Symlink,
    /// A commit of another repository.
    Submodule,
}

impl EntryMode {
    /// Reads git's octal number. Old repositories have files that their group may write.
    #[must_use]
    pub fn from_octal(digits: &str) -> Option<Self> {
        match digits {
            "100644" | "100664" => Some(Self::File),
            "100755" => Some(Self::Executable),
            "120000" => Some(Self::Symlink),
            "160000" => Some(Self::Submodule),
            _ => None,
        }
    }

    /// git's octal number.
    #[must_use]
    pub const fn as_octal(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Submodule => "160000",
        }
    }

    /// Whether both are files, whether they can be run or not, or both are the same other thing.
    #[must_use]
    pub fn is_same_type_as(self, other: Self) -> bool {
        let is_file = |mode| matches!(mode, Self::File | Self::Executable);
        self == other || (is_file(self) && is_file(other))
    }
}

impl fmt::Display for EntryMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::File | Self::Executable => "file",
            Self::Symlink => "symbolic link",
            Self::Submodule => "submodule",
        })
    }
}

/// What kind of thing is in conflict, which decides how it can be resolved.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ConflictContent {
    /// Lines of text.
    Text,
    /// Bytes that cannot be merged: one side is taken, or something new.
    Binary,
    /// The content is the same; whether it can be run is not.
    Mode,
    /// A symbolic link, on one side at least.
    Symlink,
    /// A commit of another repository, on one side at least.
    Submodule,
}

impl fmt::Display for ConflictContent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Text => "text",
            Self::Binary => "binary",
            Self::Mode => "mode",
            Self::Symlink => "symlink",
            Self::Submodule => "submodule",
        })
    }
}

/// Whether the name of a file says how a conflict in it is best resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case", tag = "class")]
pub enum ConflictClass {
    /// A package manager writes it: take the base's and let the package manager write it again.
    Lockfile {
        /// Who writes it.
        manager: PackageManager,
    },
    /// One numbered step of a database's history: see [`crate::clashing_migrations`].
    Migration {
        /// Its place in the order.
        number: MigrationNumber,
    },
    /// Somebody has to look at it.
    Ordinary,
}

impl ConflictClass {
    /// The class of a file, by its name alone.
    #[must_use]
    pub fn of(path: &Path) -> Self {
        if let Some(manager) = PackageManager::of_lockfile(path) {
            return Self::Lockfile { manager };
        }
        match MigrationNumber::of(path) {
            Some(number) => Self::Migration { number },
            None => Self::Ordinary,
        }
    }
}

/// A program that writes a lockfile.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum PackageManager {
    /// JavaScript.
    Npm,
    /// JavaScript.
    Pnpm,
    /// JavaScript.
    Yarn,
    /// JavaScript.
    Bun,
    /// JavaScript and TypeScript.
    Deno,
    /// Rust.
    Cargo,
    /// Go.
    Go,
    /// Python.
    Poetry,
    /// Python.
    Uv,
    /// Python.
    Pipenv,
    /// Python.
    Pdm,
    /// Ruby.
    Bundler,
    /// PHP.
    Composer,
    /// Elixir.
    Mix,
    /// Dart and Flutter.
    Pub,
    /// Swift.
    SwiftPackages,
    /// Swift and Objective-C.
    CocoaPods,
    /// .NET.
    NuGet,
    /// Java and Kotlin.
    Gradle,
    /// Nix.
    Nix,
    /// Infrastructure.
    Terraform,
}

/// Who writes which file, and the command that writes it again from what the project asks for.
const LOCKFILES: &[(&str, PackageManager, &str)] = &[
    ("package-lock.json", PackageManager::Npm, "npm install"),
    ("npm-shrinkwrap.json", PackageManager::Npm, "npm install"),
    (
        "pnpm-lock.yaml",
        PackageManager::Pnpm,
        "pnpm install --no-frozen-lockfile",
    ),
    ("yarn.lock", PackageManager::Yarn, "yarn install"),
    ("bun.lock", PackageManager::Bun, "bun install"),
    ("bun.lockb", PackageManager::Bun, "bun install"),
    ("deno.lock", PackageManager::Deno, "deno install"),
    (
        "Cargo.lock",
        PackageManager::Cargo,
        "cargo update --workspace",
    ),
    ("go.sum", PackageManager::Go, "go mod tidy"),
    ("poetry.lock", PackageManager::Poetry, "poetry lock"),
    ("uv.lock", PackageManager::Uv, "uv lock"),
    ("Pipfile.lock", PackageManager::Pipenv, "pipenv lock"),
    ("pdm.lock", PackageManager::Pdm, "pdm lock"),
    ("Gemfile.lock", PackageManager::Bundler, "bundle install"),
    (
        "composer.lock",
        PackageManager::Composer,
        "composer update --lock",
    ),
    ("mix.lock", PackageManager::Mix, "mix deps.get"),
    ("pubspec.lock", PackageManager::Pub, "dart pub get"),
    (
        "Package.resolved",
        PackageManager::SwiftPackages,
        "swift package resolve",
    ),
    ("Podfile.lock", PackageManager::CocoaPods, "pod install"),
    (
        "packages.lock.json",
        PackageManager::NuGet,
        "dotnet restore --force-evaluate",
    ),
    (
        "gradle.lockfile",
        PackageManager::Gradle,
        "gradle dependencies --write-locks",
    ),
    ("flake.lock", PackageManager::Nix, "nix flake lock"),
    (
        ".terraform.lock.hcl",
        PackageManager::Terraform,
        "terraform init",
    ),
];

impl PackageManager {
    /// Who writes this file.
    #[must_use]
    pub fn of_lockfile(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let found = LOCKFILES.iter().find(|(file, ..)| *file == name);
        found.map(|(_, manager, _)| *manager)
    }

    /// The command that writes the lockfile again, to be run in the lockfile's directory.
    #[must_use]
    pub fn install_command(self) -> &'static str {
        let found = LOCKFILES.iter().find(|(_, manager, _)| *manager == self);
        found.map_or("", |(.., command)| command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_follows_from_the_versions_that_exist() {
        let kind = |base, ours, theirs| {
            ConflictKind::from_stages(base, ours, theirs).map(|kind| kind.to_string())
        };
        let table = [
            ((true, true, true), "both modified"),
            ((false, true, true), "both added"),
            ((true, false, false), "both deleted"),
            ((true, false, true), "deleted by us"),
            ((true, true, false), "deleted by them"),
            ((false, true, false), "added by us"),
            ((false, false, true), "added by them"),
        ];
        for ((base, ours, theirs), words) in table {
            assert_eq!(kind(base, ours, theirs).as_deref(), Some(words));
        }
        assert_eq!(kind(false, false, false), None);
    }

    #[test]
    fn modes_are_gits_numbers() {
        for digits in ["100644", "100755", "120000", "160000"] {
            assert_eq!(EntryMode::from_octal(digits).unwrap().as_octal(), digits);
        }
        assert_eq!(EntryMode::from_octal("100664"), Some(EntryMode::File));
        assert_eq!(EntryMode::from_octal("040000"), None);
    }

    #[test]
    fn what_can_be_run_is_a_file_too() {
        let (file, link) = (EntryMode::File, EntryMode::Symlink);
        assert!(file.is_same_type_as(EntryMode::Executable));
        assert!(!file.is_same_type_as(link) && link.is_same_type_as(link));
        let words =
            [EntryMode::Executable, link, EntryMode::Submodule].map(|mode| mode.to_string());
        assert_eq!(words, ["file", "symbolic link", "submodule"]);
    }

    #[test]
    fn contents_are_named_for_people() {
        let all = [
            ConflictContent::Text,
            ConflictContent::Binary,
            ConflictContent::Mode,
            ConflictContent::Symlink,
            ConflictContent::Submodule,
        ];
        let words = all.map(|content| content.to_string());
        assert_eq!(words, ["text", "binary", "mode", "symlink", "submodule"]);
    }

    #[test]
    fn lockfiles_are_known_by_name_and_have_a_command() {
        for (file, manager, command) in LOCKFILES {
            assert_eq!(
                ConflictClass::of(&Path::new("apps/web").join(file)),
                ConflictClass::Lockfile { manager: *manager }
            );
            assert_eq!(manager.install_command(), *command);
        }
        for other in ["package.json", "lock", "src/yarn.lock.ts", ".."] {
            assert_eq!(ConflictClass::of(Path::new(other)), ConflictClass::Ordinary);
        }
    }

    #[test]
    fn migrations_carry_their_number() {
        let class = ConflictClass::of(Path::new("db/migrate/0007_add_users.sql"));
        let number = MigrationNumber::of(Path::new("db/migrate/0007_x.sql")).unwrap();
        assert_eq!(class, ConflictClass::Migration { number });
    }
}
