//! Everything that is kept of sessions, in a directory of its own.

use std::io::{self, Write};
use std::path::Path;

use orchestra_api::{DataExported, ExportManifest, Operation};
use orchestra_core::{DataKind, SessionId};
use orchestra_engine::{Engine, EngineError, ExportFolder, SessionBundle, SessionView, chain};
use serde::Serialize;

use crate::{review, wire};

const FORMAT: u32 = 1;
const PAGE: u32 = 500;

/// Writes everything that is kept of sessions into a new directory. Says before each session how many there were before it.
/// Answers what could not be part of it, too.
pub fn export(
    engine: &Engine,
    views: &[SessionView],
    target: &Path,
    mut begins: impl FnMut(&SessionId, usize),
) -> Result<(DataExported, Vec<String>), EngineError> {
    let seq = engine.last_seq()?;
    let mut writing = Writing {
        engine,
        folder: engine.begin_export(target)?,
        left_out: Vec::new(),
    };
    for (index, view) in views.iter().enumerate() {
        begins(&view.session.id, index);
        writing.session(view)?;
    }
    let sessions: Vec<SessionId> = views.iter().map(|view| view.session.id.clone()).collect();
    let manifest = ExportManifest {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION"),
        seq,
        sessions: sessions.clone(),
        left_out: writing.left_out.clone(),
    };
    writing.write("manifest.json", &manifest)?;
    let files = writing.folder.files();
    let exported = DataExported {
        seq,
        directory: writing.folder.finish()?,
        sessions,
        files,
    };
    Ok((exported, writing.left_out))
}

/// An export that is being written.
struct Writing<'a> {
    engine: &'a Engine,
    folder: ExportFolder,
    left_out: Vec<String>,
}

impl Writing<'_> {
    fn session(&mut self, view: &SessionView) -> Result<(), EngineError> {
        let id = &view.session.id;
        self.log(view)?;
        let operations = self.engine.operations(id)?;
        let operations: Vec<_> = operations.iter().map(Operation::from).collect();
        self.write(&format!("{id}/operations.json"), &operations)?;
        self.events(id)?;
        self.transcript(id)?;
        for kind in DataKind::ALL {
            for file in self.engine.amount_of(id, kind)?.files {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                self.folder.copy(format!("{id}/output/{name}"), &file)?;
            }
        }
        let (artifacts, _) = self.engine.artifacts(id)?;
        let artifacts: Vec<_> = artifacts.iter().map(|artifact| &artifact.name).collect();
        self.write(&format!("{id}/artifacts.json"), &artifacts)?;
        self.patch(id)?;
        self.bundle(id)?;
        for (name, place) in self.engine.snapshots_of(id)? {
            let to = format!("{id}/snapshots/{}", name.as_str());
            self.folder.copy_folder(to, &place)?;
        }
        Ok(())
    }

    fn log(&mut self, view: &SessionView) -> Result<(), EngineError> {
        let id = &view.session.id;
        let name = format!("{id}/session.json");
        match review::log(self.engine, view) {
            Ok(log) => self.write(&name, &log),
            Err(error) => {
                // The records are there even if git is not.
                let why = chain::text(&error);
                self.left_out.push(format!("{id}: its commits: {why}"));
                let answer = wire::answer(self.engine, id)?;
                self.write(&name, &answer)
            }
        }
    }

    fn events(&mut self, id: &SessionId) -> Result<(), EngineError> {
        let mut file = self.folder.create(format!("{id}/events.jsonl"))?;
        let mut after = 0;
        loop {
            let events = self.engine.events_after(id, after)?;
            let Some(last) = events.last() else {
                return Ok(());
            };
            after = last.seq;
            lines(&mut file, &events)?;
        }
    }

    fn transcript(&mut self, id: &SessionId) -> Result<(), EngineError> {
        let mut file = self.folder.create(format!("{id}/transcript.jsonl"))?;
        let mut position = 0;
        loop {
            let items = self.engine.transcript_after(id, position, PAGE)?;
            let Some(last) = items.last() else {
                return Ok(());
            };
            position = last.position;
            lines(&mut file, &items)?;
        }
    }

    /// The work itself, which is in the repository too.
    fn patch(&mut self, id: &SessionId) -> Result<(), EngineError> {
        let mut bytes = Vec::new();
        let exported = self
            .engine
            .export(id, None, &mut |chunk| bytes.extend_from_slice(chunk));
        match exported {
            Ok(_) => {
                let mut file = self.folder.create(format!("{id}/work.patch"))?;
                file.write_all(&bytes).map_err(failed)
            }
            Err(error) => {
                let why = chain::text(&error);
                self.left_out.push(format!("{id}: its patch: {why}"));
                Ok(())
            }
        }
    }

    /// The commits themselves, those that only snapshots have too.
    fn bundle(&mut self, id: &SessionId) -> Result<(), EngineError> {
        let mut bytes = Vec::new();
        let made = self
            .engine
            .bundle_session(id, &mut |chunk| bytes.extend_from_slice(chunk));
        let bundle = made.unwrap_or_else(|error| SessionBundle {
            names: Vec::new(),
            left_out: vec![chain::text(&error)],
        });
        let not_in_it = bundle.left_out.iter();
        let not_in_it = not_in_it.map(|why| format!("{id}: its bundle: {why}"));
        self.left_out.extend(not_in_it);
        if bundle.names.is_empty() {
            return Ok(());
        }
        let mut file = self.folder.create(format!("{id}/commits.bundle"))?;
        file.write_all(&bytes).map_err(failed)
    }

    fn write(&mut self, name: &str, value: &impl Serialize) -> Result<(), EngineError> {
        let mut file = self.folder.create(name)?;
        let text = serde_json::to_vec_pretty(value).map_err(|error| failed(error.into()))?;
        file.write_all(&text).map_err(failed)
    }
}

fn lines(file: &mut std::fs::File, values: &[impl Serialize]) -> Result<(), EngineError> {
    let mut text = Vec::new();
    for value in values {
        serde_json::to_writer(&mut text, value).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
    }
    file.write_all(&text).map_err(failed)
}

fn failed(source: io::Error) -> EngineError {
    EngineError::Io {
        action: "write the export".to_owned(),
        source,
    }
}
