//! Journeys through the page in a real browser, over a real server, real git and scripted agents.

use std::path::Path;

use crate::failure::Failure;
use crate::workspace::{Profile, Workspace};
use crate::{npm, program, web};

/// Where Debian's package puts it. Another one can be named in `ORCHESTRA_CHROMIUM`.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Runs the journeys with the debug binaries and the page as it was built last.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    if !is_there() {
        return Err(Failure::new("there is no Chromium to open the page with")
            .hint("install it, or name it in ORCHESTRA_CHROMIUM"));
    }
    if !web::folder(workspace).join("dist/index.html").exists() {
        web::build(workspace)?;
    }
    let folder = workspace.root().join("e2e");
    npm::install(&folder)?;
    npm::run(&folder, "lint")?;
    let mut journeys = npm::command(&folder);
    journeys
        .args(["run", "--silent", "test"])
        .env("ORCHESTRA_BIN", workspace.binaries(Profile::Debug));
    program::run(&mut journeys)
}

fn is_there() -> bool {
    std::env::var_os("ORCHESTRA_CHROMIUM").is_some() || Path::new(CHROMIUM).exists()
}
