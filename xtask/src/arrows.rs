//! Which crate may depend on which: the boundaries of the architecture, checked.
//!
//! Only what is compiled into the product counts; tests may use the testkit and look at files in any way.

use std::fmt;

use cargo_metadata::DependencyKind;

use crate::failure::Failure;
use crate::workspace::Workspace;

/// Every crate of the workspace with the crates it may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("orchestra-core", &[]),
    ("orchestra-process", &[]),
    ("orchestra-git", &["orchestra-core", "orchestra-process"]),
    ("orchestra-agents", &["orchestra-core", "orchestra-process"]),
    ("orchestra-ci", &["orchestra-core", "orchestra-process"]),
    ("orchestra-store", &["orchestra-core"]),
    ("orchestra-config", &["orchestra-core"]),
    (
        "orchestra-engine",
        &[
            "orchestra-agents",
            "orchestra-ci",
            "orchestra-config",
            "orchestra-core",
            "orchestra-git",
            "orchestra-process",
            "orchestra-store",
        ],
    ),
    ("orchestra-api", &["orchestra-core"]),
    (
        "orchestra-server",
        &[
            "orchestra-api",
            "orchestra-config",
            "orchestra-core",
            "orchestra-engine",
        ],
    ),
    (
        "orchestra-cli",
        &[
            "orchestra-api",
            "orchestra-config",
            "orchestra-core",
            "orchestra-engine",
            "orchestra-server",
        ],
    ),
    ("orchestra-desktop", &["orchestra-server"]),
    ("orchestra-testkit", &[]),
    (
        "orchestra-bench",
        &[
            "orchestra-agents",
            "orchestra-api",
            "orchestra-config",
            "orchestra-core",
            "orchestra-engine",
            "orchestra-git",
            "orchestra-process",
            "orchestra-store",
            "orchestra-testkit",
        ],
    ),
    ("xtask", &[]),
];

const TERMINAL: &[&str] = &["orchestra-cli", "orchestra-bench", "xtask"];
/// Programs that take words when they are started.
const STARTED: &[&str] = &[
    "orchestra-cli",
    "orchestra-bench",
    "orchestra-desktop",
    "xtask",
];
const SYSTEM: &[&str] = &["orchestra-process", "orchestra-testkit"];
/// Writing a worktree's files goes from open directory to open directory, which the standard library cannot.
const FILES: &[&str] = &[
    "orchestra-engine",
    "orchestra-git",
    "orchestra-process",
    "orchestra-testkit",
];

/// Answering requests.
const HTTP: &[&str] = &[
    "orchestra-bench",
    "orchestra-desktop",
    "orchestra-server",
    "orchestra-testkit",
];
/// Talking with MCP servers, being one, and answering requests, which is all that is asynchronous.
const ASYNC: &[&str] = &[
    "orchestra-bench",
    "orchestra-cli",
    "orchestra-desktop",
    "orchestra-engine",
    "orchestra-server",
    "orchestra-testkit",
];
/// Talking with MCP servers.
const NETWORK: &[&str] = &["orchestra-engine", "orchestra-testkit"];
/// The same, and being one, which is a face.
const PROTOCOL: &[&str] = &["orchestra-cli", "orchestra-engine", "orchestra-testkit"];

/// Libraries that belong to one place, with the crates that may use them.
const CONFINED: &[(&str, &[&str])] = &[
    (
        "rusqlite",
        &["orchestra-store", "orchestra-bench", "orchestra-testkit"],
    ),
    ("anstream", TERMINAL),
    ("clap", STARTED),
    ("clap_complete", TERMINAL),
    ("clap_mangen", TERMINAL),
    ("comfy-table", TERMINAL),
    ("indicatif", TERMINAL),
    ("terminal_size", TERMINAL),
    ("landlock", SYSTEM),
    ("libc", SYSTEM),
    ("nix", SYSTEM),
    ("process-wrap", SYSTEM),
    ("rustix", FILES),
    ("signal-hook", SYSTEM),
    ("axum", HTTP),
    ("hyper", HTTP),
    ("reqwest", NETWORK),
    ("rmcp", PROTOCOL),
    ("rustls", NETWORK),
    ("tauri", &["orchestra-desktop"]),
    ("tokio", ASYNC),
];

/// A crate of the workspace and what its product code is compiled with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) dependencies: Vec<String>,
}

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Violation {
    /// A crate that has no place in the map yet.
    UnknownCrate(String),
    /// A dependency between two of our crates that points the wrong way.
    ForbiddenArrow { from: String, to: String },
    /// A library outside the crates it is confined to.
    Escaped { from: String, library: String },
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownCrate(name) => {
                write!(formatter, "{name}: has no place among the arrows yet")
            }
            Self::ForbiddenArrow { from, to } => write!(formatter, "{from} -> {to}: forbidden"),
            Self::Escaped { from, library } => match confinement(library) {
                Some([]) | None => write!(formatter, "{from} -> {library}: used by no crate"),
                Some(homes) => {
                    write!(
                        formatter,
                        "{from} -> {library}: only in {}",
                        homes.join(", ")
                    )
                }
            },
        }
    }
}

/// Checks the workspace and names every broken rule.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    let violations = violations(&crates(workspace));
    if violations.is_empty() {
        return Ok(());
    }
    let lines: Vec<_> = violations.iter().map(|it| format!("\n  {it}")).collect();
    Err(
        Failure::new(format!("forbidden dependencies:{}", lines.concat())).hint(
            "ARCHITECTURE.md says which crate may use which; xtask/src/arrows.rs has the list",
        ),
    )
}

fn crates(workspace: &Workspace) -> Vec<Crate> {
    let product =
        |dependency: &&cargo_metadata::Dependency| dependency.kind != DependencyKind::Development;
    let packages = workspace.packages().iter();
    packages
        .map(|package| Crate {
            name: package.name.to_string(),
            dependencies: package
                .dependencies
                .iter()
                .filter(product)
                .map(|dependency| dependency.name.clone())
                .collect(),
        })
        .collect()
}

fn violations(crates: &[Crate]) -> Vec<Violation> {
    crates.iter().flat_map(violations_of).collect()
}

fn violations_of(package: &Crate) -> Vec<Violation> {
    let Some(allowed) = allowed(&package.name) else {
        return vec![Violation::UnknownCrate(package.name.clone())];
    };
    let judge = |dependency: &String| judge(&package.name, allowed, dependency);
    package.dependencies.iter().filter_map(judge).collect()
}

fn judge(from: &str, allowed_crates: &[&str], dependency: &str) -> Option<Violation> {
    let is_ours = allowed(dependency).is_some();
    if is_ours && !allowed_crates.contains(&dependency) {
        return Some(Violation::ForbiddenArrow {
            from: from.to_owned(),
            to: dependency.to_owned(),
        });
    }
    let homes = confinement(dependency)?;
    (!homes.contains(&from)).then(|| Violation::Escaped {
        from: from.to_owned(),
        library: dependency.to_owned(),
    })
}

fn allowed(name: &str) -> Option<&'static [&'static str]> {
    find(ARROWS, name)
}

fn confinement(library: &str) -> Option<&'static [&'static str]> {
    find(CONFINED, library)
}

fn find(
    table: &'static [(&'static str, &'static [&'static str])],
    name: &str,
) -> Option<&'static [&'static str]> {
    let row = table.iter().find(|(key, _)| *key == name)?;
    Some(row.1)
}

#[cfg(test)]
mod tests;
