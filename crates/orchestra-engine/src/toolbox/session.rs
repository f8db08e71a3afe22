//! The toolboxes of a session, put together in a folder of its own.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orchestra_config::{child_env, variables};
use orchestra_core::{EventBody, Session, SessionId};
use orchestra_process::Marker;

use super::ToolRunner;
use super::gather::{Gathered, gather};
use super::manifest::{DescribedTool, Manifest, RefusedFile, TOOLS, TakenFile, manifest_of};
use super::rules::Rules;
use crate::{Engine, EngineError};

/// Where files are taken to before they are used.
const NEXT: &str = "tools.next";
/// How the folder of a look begins.
pub(super) const LOOK: &str = "look-";
/// A look that takes longer was cut off.
const LONGEST_LOOK: Duration = Duration::from_secs(3600);
/// So many tools may need all the time they have to tell what they are.
const SLOW_TOOLS: u32 = 3;

impl Engine {
    /// The folder of a session's tools.
    pub(crate) fn toolbox_folder(&self, id: &SessionId) -> PathBuf {
        self.config().core.runtime_toolboxes_root.join(id.as_str())
    }

    /// The directory of a session's tools, put together anew; `None` if it has no toolboxes. What is as it was is not asked
    /// again.
    pub(crate) fn resolve_toolboxes(
        &self,
        session: &Session,
    ) -> Result<Option<(PathBuf, Manifest)>, EngineError> {
        let folder = self.toolbox_folder(&session.id);
        let toolboxes = self.toolboxes_of(session)?;
        if toolboxes.is_empty() {
            self.let_toolbox_go(&session.id);
            return Ok(None);
        }
        let before = manifest_of(&folder.join(TOOLS)).unwrap_or_default();
        let now = self.put_together(&toolboxes, &folder, &before.tools, &session.worktree)?;
        if now != before {
            self.write(|tx| Ok(tx.append_event(Some(&session.id), &resolved(&now))?))?;
        }
        Ok(Some((folder.join(TOOLS), now)))
    }

    /// Takes the files of toolboxes into a folder and asks the tools what they are.
    pub(super) fn put_together(
        &self,
        toolboxes: &[PathBuf],
        folder: &Path,
        known: &[DescribedTool],
        directory: &Path,
    ) -> Result<Manifest, EngineError> {
        let failed = |source| EngineError::io("put the toolboxes together", source);
        self.create_private_dir(folder)?;
        let next = folder.join(NEXT);
        remove(&next).map_err(failed)?;
        self.create_private_dir(&next)?;
        let home = self.environment.home();
        let rules = Rules::of(self.config(), self.dirs.root(), home);
        let Gathered {
            files,
            shadowed,
            mut refused,
        } = gather(toolboxes, &next, &rules);
        let tools = self.describe_all(&next, &files, known, &mut refused)?;
        let timeout = self.config().equipment.tool_timeout;
        let manifest = Manifest {
            timeout_ms: u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
            directory: directory.to_owned(),
            files,
            tools,
            shadowed,
            refused,
        };
        let tools = folder.join(TOOLS);
        remove(&tools)
            .and_then(|()| fs::rename(&next, tools))
            .and_then(|()| manifest.write(folder))
            .map_err(failed)?;
        Ok(manifest)
    }

    /// Asks every tool what it is. One that cannot tell is no tool: Amp would not find it either.
    fn describe_all(
        &self,
        tools: &Path,
        files: &[TakenFile],
        known: &[DescribedTool],
        refused: &mut Vec<RefusedFile>,
    ) -> Result<Vec<DescribedTool>, EngineError> {
        let runner = self.tool_runner(tools)?;
        let limit = self.config().equipment.describe_timeout;
        let until = Instant::now() + limit * SLOW_TOOLS;
        let mut names = HashSet::new();
        let mut described = Vec::new();
        for file in files.iter().filter(|file| file.is_tool) {
            let as_known = known
                .iter()
                .find(|tool| tool.file == file.path && tool.stamp == file.stamp);
            let told = match as_known {
                Some(tool) => Ok(tool.described.clone()),
                None if Instant::now() >= until => {
                    Err("too many tools before it took too long to tell what they are".to_owned())
                }
                None => runner.describe(&tools.join(&file.path), limit),
            };
            let told = told.and_then(|tool| match names.insert(tool.name.clone()) {
                true => Ok(tool),
                false => Err(format!("another tool is called `{}` already", tool.name)),
            });
            match told {
                Ok(tool) => described.push(DescribedTool {
                    file: file.path.clone(),
                    toolbox: file.toolbox.clone(),
                    stamp: file.stamp,
                    described: tool,
                }),
                Err(why) => {
                    let path = file.toolbox.join(&file.path);
                    refused.push(RefusedFile { path, why });
                    remove(&tools.join(&file.path))
                        .map_err(|source| EngineError::io("leave a tool out", source))?;
                }
            }
        }
        Ok(described)
    }

    /// Runs tools that no agent asks for.
    pub(super) fn tool_runner(&self, directory: &Path) -> Result<ToolRunner, EngineError> {
        let epoch = self.store.epoch()?;
        let mark = format!("{epoch}:toolbox:{}", std::process::id());
        Ok(ToolRunner {
            guardian: self.guardian(),
            environment: child_env::script_environment(&self.environment, self.config()),
            directory: directory.to_owned(),
            marker: Marker::new(variables::ORCHESTRA_RUN, mark),
            timeout: self.config().equipment.tool_timeout,
        })
    }

    /// Removes the folder of a session's tools. Who does something else is not kept from it.
    pub(crate) fn let_toolbox_go(&self, id: &SessionId) {
        if let Err(error) = remove(&self.toolbox_folder(id)) {
            tracing::warn!(session = %id, %error, "its toolbox stays");
        }
    }

    /// Removes what nobody needs any more: tools of sessions without a worktree, and what a look that was cut off left.
    pub(crate) fn drop_useless_toolboxes(
        &self,
        problems: &mut Vec<String>,
    ) -> Result<(), EngineError> {
        let root = &self.config().core.runtime_toolboxes_root;
        let Ok(entries) = fs::read_dir(root) else {
            return Ok(());
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if !self.is_useless(&entry)? {
                continue;
            }
            if let Err(error) = remove(&path) {
                problems.push(format!("{}: {error}", path.display()));
            }
        }
        Ok(())
    }

    fn is_useless(&self, entry: &fs::DirEntry) -> Result<bool, EngineError> {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(LOOK) {
            let changed = entry.metadata().and_then(|facts| facts.modified());
            let age = changed.ok().and_then(|changed| changed.elapsed().ok());
            return Ok(age.is_some_and(|age| age > LONGEST_LOOK));
        }
        let Ok(id) = name.parse::<SessionId>() else {
            return Ok(false);
        };
        let known = self.store.read(|tx| tx.find_session(&id))?;
        Ok(known.is_none_or(|session| !session.worktree.exists()))
    }
}

fn resolved(manifest: &Manifest) -> EventBody {
    let tools = manifest.tools.iter();
    let shadowed = manifest.shadowed.iter();
    let refused = manifest.refused.iter();
    EventBody::ToolboxResolved {
        tools: tools.map(|tool| tool.described.name.clone()).collect(),
        files: manifest.files.len(),
        shadowed: shadowed
            .map(|file| file.path.display().to_string())
            .collect(),
        refused: refused
            .map(|file| format!("{}: {}", file.path.display(), file.why))
            .collect(),
    }
}

/// Removes what is there; no link is followed.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(facts) if facts.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
