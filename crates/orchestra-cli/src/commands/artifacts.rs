//! `artifacts`: collect files of a session's worktree, and list them.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use orchestra_core::{Artifact, visible_line};
use orchestra_engine::{SessionView, size_in_words};

use crate::Done;
use crate::context::Context;
use crate::render::{screen, table::Table};
use orchestra_server::{review, time};

/// Collect reports and other files of a session in the folder `artifacts` of the repository
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  artifacts login
  artifacts login --list

`artifacts.paths` names what is collected, such as [\"reports/*.xml\"]. For a session of issue 101,
that becomes artifacts/issue-101-reports-junit.xml. It also happens by itself: after an iteration
whose script passed, and before a cleanup.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// Only list what was collected
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    context.in_session(&arguments.session, |context, view| match arguments.list {
        true => list(context, view),
        false => collect(context, view),
    })
}

fn list(context: &Context, view: &SessionView) -> Done {
    let (artifacts, folder) = context.engine.artifacts(&view.session.id)?;
    if context.printer.json {
        let answer = review::artifacts(&context.engine, &view.session.id, artifacts, &folder)?;
        context.printer.json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    show(context, &artifacts, &folder);
    if artifacts.is_empty() {
        let id = &view.session.id;
        context.printer.note(format!(
            "nothing was collected yet; `orchestra session artifacts {id}` does"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn collect(context: &Context, view: &SessionView) -> Done {
    let done = context.engine.collect_artifacts(&view.session.id)?;
    for (path, why) in &done.left_out {
        let path = screen::path(path);
        context.printer.warn(format!("left out {path}: {why}"));
    }
    if context.printer.json {
        let answer = review::collected(&context.engine, &view.session.id, done)?;
        context.printer.json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    show(context, &done.artifacts, &done.folder);
    let (files, folder) = (done.files, &done.folder);
    context.printer.note(match files {
        0 => "artifacts.paths matches no file of the worktree".to_owned(),
        files => format!("{files} file(s) collected in {}", screen::path(folder)),
    });
    Ok(ExitCode::SUCCESS)
}

fn show(context: &Context, artifacts: &[Artifact], folder: &Path) {
    if artifacts.is_empty() {
        return;
    }
    let mut table = Table::new(&["NAME", "SIZE", "FROM", "COLLECTED"]);
    for artifact in artifacts {
        let gone = match folder.join(&artifact.name).exists() {
            true => "",
            false => " (gone)",
        };
        table.add([
            format!("{}{gone}", artifact.name),
            artifact.bytes.map_or("?".to_owned(), size_in_words),
            visible_line(&artifact.source),
            time::ago(artifact.collected_at),
        ]);
    }
    context.printer.line(table);
}
