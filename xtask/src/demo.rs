//! `cargo xtask demo`: three sessions at once on a sample repository, one lands and one resolves a conflict, then the web
//! page, without an account or a network.

mod landing;
mod next_steps;
mod place;
mod progress;
mod sample;
mod sessions;

use std::process::ExitCode;
use std::time::Duration;

use crate::failure::Failure;
use crate::workspace::{Profile, Workspace};
use crate::{program, web};
use place::Place;

/// Far more than the scripted agents need.
const PATIENCE: Duration = Duration::from_secs(50);

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// End without serving the web page
    #[arg(long)]
    exit: bool,
    /// Remove the directory at the end; nothing is served then
    #[arg(long)]
    clean: bool,
}

/// Builds, plays the demo in a directory of its own, says what to try next, and serves the page until it is interrupted.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode, Failure> {
    require_programs()?;
    let is_served = !options.exit && !options.clean;
    if is_served {
        web::build(workspace)?;
    }
    program::run(&mut workspace.build_shipped(Profile::Debug))?;
    let place = Place::create(workspace.binaries(Profile::Debug))?;
    println!("everything of this demo is in {}\n", place.root().display());
    play(&place).map_err(|failure| {
        failure.hint(format!(
            "what happened is kept in {}",
            place.root().display()
        ))
    })?;
    if options.clean {
        place.remove()?;
        println!("\nremoved {}", place.root().display());
    } else {
        println!("\n{}", next_steps::text(&place));
    }
    if is_served {
        println!("\nthe same in your browser, until you press Ctrl-C:");
        program::run(place.orchestra().arg("serve"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn play(place: &Place) -> Result<(), Failure> {
    sample::create(place)?;
    sessions::create(place)?;
    sessions::start(place)?;
    progress::follow(place, PATIENCE)?;
    landing::play(place)?;
    println!();
    program::run(place.orchestra().args(["session", "list"]))
}

fn require_programs() -> Result<(), Failure> {
    for name in ["git", "node"] {
        if !program::is_installed(name) {
            return Err(Failure::new(format!("the demo needs `{name}`"))
                .hint(format!("install {name} and see that it is on the PATH")));
        }
    }
    Ok(())
}
