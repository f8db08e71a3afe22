//! `data export`: everything that is kept of sessions, in a directory of its own.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Args};
use orchestra_api::{DataExported, ExportManifest};
use orchestra_core::{DataKind, SessionId};
use orchestra_engine::{ExportFolder, ListRequest, SessionView, chain};
use serde::Serialize;

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::screen;
use orchestra_server::{review, wire};

/// Write everything that is kept of sessions into a new directory
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("whose").args(["session", "all"]).required(true))]
#[command(after_help = "\
Examples:
  orchestra data export --session login -o login-data
  orchestra data export --all -o everything --json

For each session: its records as `log --json` and `operations --json` print them, its events, its
transcript line by line, all that its agents and scripts wrote, its artifacts by name, and its
commits as a patch. Everything is as it is stored, without secrets; the directory is for you
alone, and is there whole or not at all.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name; can be repeated
    #[arg(long)]
    session: Vec<String>,
    /// Every session
    #[arg(long)]
    all: bool,
    /// The directory, which must not exist
    #[arg(long, short, value_name = "DIRECTORY")]
    output: PathBuf,
}

const FORMAT: u32 = 1;
const PAGE: u32 = 500;

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let views = views(context, arguments)?;
    let seq = context.engine.last_seq()?;
    let mut folder = context
        .engine
        .begin_export(&context.path(&arguments.output))?;
    let mut left_out = Vec::new();
    for (index, view) in views.iter().enumerate() {
        let id = &view.session.id;
        let (number, all) = (index + 1, views.len());
        context.printer.note(format!("{id}  {number} of {all}"));
        one(context, view, &mut folder, &mut left_out)?;
    }
    let sessions: Vec<SessionId> = views.iter().map(|view| view.session.id.clone()).collect();
    let manifest = ExportManifest {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION"),
        seq,
        sessions: sessions.clone(),
        left_out: left_out.clone(),
    };
    write(&mut folder, "manifest.json", &manifest)?;
    let files = folder.files();
    let directory = folder.finish()?;
    for problem in left_out {
        context.printer.warn(problem);
    }
    if context.printer.json {
        context.printer.json(&DataExported {
            seq,
            directory,
            sessions,
            files,
        });
    } else {
        let place = screen::path(&directory);
        context.printer.line(format!("{files} file(s) in {place}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn views(context: &Context, arguments: &Arguments) -> Result<Vec<SessionView>, CliError> {
    if !arguments.all {
        let sessions = arguments.session.iter();
        return sessions.map(|text| context.session(text)).collect();
    }
    let request = ListRequest {
        archived: true,
        ..ListRequest::default()
    };
    Ok(context.engine.list_sessions(&request)?.sessions)
}

fn one(
    context: &Context,
    view: &SessionView,
    folder: &mut ExportFolder,
    left_out: &mut Vec<String>,
) -> Result<(), CliError> {
    let id = &view.session.id;
    match review::log(&context.engine, view) {
        Ok(log) => write(folder, &format!("{id}/session.json"), &log)?,
        Err(error) => {
            // The records are there even if git is not.
            left_out.push(format!("{id}: its commits: {}", chain::text(&error)));
            write(
                folder,
                &format!("{id}/session.json"),
                &wire::answer(&context.engine, id)?,
            )?;
        }
    }
    let operations = context.engine.operations(id)?;
    let operations: Vec<_> = operations
        .iter()
        .map(orchestra_api::Operation::from)
        .collect();
    write(folder, &format!("{id}/operations.json"), &operations)?;
    events(context, id, folder)?;
    transcript(context, id, folder)?;
    for kind in DataKind::ALL {
        for file in context.engine.amount_of(id, kind)?.files {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            folder.copy(&format!("{id}/output/{name}"), &file)?;
        }
    }
    let (artifacts, _) = context.engine.artifacts(id)?;
    let artifacts: Vec<_> = artifacts.iter().map(|artifact| &artifact.name).collect();
    write(folder, &format!("{id}/artifacts.json"), &artifacts)?;
    patch(context, id, folder, left_out)
}

fn events(context: &Context, id: &SessionId, folder: &mut ExportFolder) -> Result<(), CliError> {
    let mut file = folder.create(&format!("{id}/events.jsonl"))?;
    let mut after = 0;
    loop {
        let events = context.engine.events_after(id, after)?;
        let Some(last) = events.last() else {
            return Ok(());
        };
        after = last.seq;
        lines(&mut file, &events)?;
    }
}

fn transcript(
    context: &Context,
    id: &SessionId,
    folder: &mut ExportFolder,
) -> Result<(), CliError> {
    let mut file = folder.create(&format!("{id}/transcript.jsonl"))?;
    let mut position = 0;
    loop {
        let items = context.engine.transcript_after(id, position, PAGE)?;
        let Some(last) = items.last() else {
            return Ok(());
        };
        position = last.position;
        lines(&mut file, &items)?;
    }
}

/// The work itself, which is in the repository too.
fn patch(
    context: &Context,
    id: &SessionId,
    folder: &mut ExportFolder,
    left_out: &mut Vec<String>,
) -> Result<(), CliError> {
    let mut bytes = Vec::new();
    let exported = context
        .engine
        .export(id, None, &mut |chunk| bytes.extend_from_slice(chunk));
    match exported {
        Ok(_) => {
            let mut file = folder.create(&format!("{id}/work.patch"))?;
            file.write_all(&bytes).map_err(|source| failed(&source))
        }
        Err(error) => {
            left_out.push(format!("{id}: its patch: {}", chain::text(&error)));
            Ok(())
        }
    }
}

fn write(folder: &mut ExportFolder, name: &str, value: &impl Serialize) -> Result<(), CliError> {
    let mut file = folder.create(name)?;
    let text = serde_json::to_vec_pretty(value).map_err(|error| failed(&error.into()))?;
    file.write_all(&text).map_err(|source| failed(&source))
}

fn lines(file: &mut std::fs::File, values: &[impl Serialize]) -> Result<(), CliError> {
    let mut text = Vec::new();
    for value in values {
        serde_json::to_writer(&mut text, value).map_err(|error| failed(&error.into()))?;
        text.push(b'\n');
    }
    file.write_all(&text).map_err(|source| failed(&source))
}

fn failed(source: &std::io::Error) -> CliError {
    CliError::io("write the export", source)
}
