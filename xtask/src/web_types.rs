//! The TypeScript types of the HTTP API, made from the OpenAPI document by openapi-typescript.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::workspace::Workspace;
use crate::{files, program};

/// Writes them anew.
pub(crate) fn write(workspace: &Workspace) -> Result<(), Failure> {
    generate(workspace, &place(workspace))
}

/// Fails when they are not what the document says.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::new("cannot make a temporary directory").because(error))?;
    let fresh = folder.path().join("schema.d.ts");
    generate(workspace, &fresh)?;
    let place = place(workspace);
    if files::read(&fresh)? == files::read(&place)? {
        return Ok(());
    }
    let stale = place.display();
    Err(Failure::new(format!("{stale} is out of date"))
        .hint("`cargo xtask reference` writes it anew"))
}

fn place(workspace: &Workspace) -> PathBuf {
    web(workspace).join("src/api/generated/schema.d.ts")
}

fn web(workspace: &Workspace) -> PathBuf {
    workspace.root().join("apps").join("web")
}

fn generate(workspace: &Workspace, target: &Path) -> Result<(), Failure> {
    let web = web(workspace);
    install(&web)?;
    let mut types = npm(&web);
    types.args(["run", "--silent", "types", "--"]).arg(target);
    program::output(&mut types).map(drop)
}

/// What the lock file says, unless it is there already.
fn install(web: &Path) -> Result<(), Failure> {
    let installed = web.join("node_modules/.package-lock.json");
    let written = |path: &Path| path.metadata().and_then(|it| it.modified());
    let is_current = match (written(&installed), written(&web.join("package-lock.json"))) {
        (Ok(installed), Ok(wanted)) => installed >= wanted,
        _ => false,
    };
    if is_current {
        return Ok(());
    }
    program::output(npm(web).arg("ci")).map(drop)
}

fn npm(web: &Path) -> Command {
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.current_dir(web);
    npm
}
