//! `worktree`: list, adopt and prune worktrees.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use orchestra_api::{Pruned, Worktree, WorktreeList};
use orchestra_core::{BranchName, SessionName, visible_line};
use orchestra_engine::{AdoptWorktree, WorktreeRow, main_checkout_of};

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::{screen, table::Table};
use orchestra_server::wire;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// All worktrees of a repository, and the sessions they belong to
    #[command(after_help = "Example:\n  orchestra worktree list --repo ~/code/app")]
    List {
        /// A directory in the repository
        #[arg(long, value_name = "PATH", default_value = ".")]
        repo: PathBuf,
    },
    /// Make a session of a worktree that exists; nothing in it is changed
    #[command(
        after_help = "Example:\n  orchestra worktree adopt ../app-login --name login --base main"
    )]
    Adopt {
        /// The worktree
        path: PathBuf,
        /// The session's name [default: the folder's name]
        #[arg(long)]
        name: Option<SessionName>,
        /// What the agent should do
        #[arg(
            long,
            allow_hyphen_values = true,
            default_value = "Continue the work on this branch."
        )]
        prompt: String,
        /// The branch to land on [default: setting git.default_base_branch]
        #[arg(long)]
        base: Option<BranchName>,
        /// The agent [default: setting agents.default]
        #[arg(long)]
        agent: Option<String>,
    },
    /// Forget registrations of sessions' worktrees whose directory is gone; branches stay
    #[command(after_help = "Example:\n  orchestra worktree prune")]
    Prune {
        /// A directory in the repository
        #[arg(long, value_name = "PATH", default_value = ".")]
        repo: PathBuf,
    },
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    match command {
        Command::List { repo } => {
            let seq = context.engine.last_seq()?;
            let rows = context.engine.worktrees(&context.path(repo))?;
            list(context, seq, &rows);
        }
        Command::Adopt {
            path,
            name,
            prompt,
            base,
            agent,
        } => {
            let request = AdoptWorktree {
                path: context.path(path),
                name: name.clone(),
                prompt: prompt.clone(),
                base: base.clone(),
                agent: agent.clone(),
            };
            return match main_checkout_of(&request.path) {
                Some(root) => context.in_repository(&root, |there| adopt(there, &request)),
                None => adopt(context, &request),
            };
        }
        Command::Prune { repo } => prune(context, &context.path(repo))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn adopt(context: &Context, request: &AdoptWorktree) -> Done {
    let adopted = context.engine.adopt_worktree(request)?;
    context.warn_secret("the prompt", &request.prompt);
    if context.printer.json {
        context
            .printer
            .json(&wire::answer(&context.engine, &adopted.session.id)?);
    } else {
        context.printer.line(format!(
            "{}  {} on {}",
            adopted.session.id,
            visible_line(adopted.session.name.as_str()),
            adopted.session.branch
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn list(context: &Context, seq: u64, rows: &[WorktreeRow]) {
    if context.printer.json {
        context.printer.json(&WorktreeList {
            seq,
            worktrees: rows.iter().map(wire_row).collect(),
        });
        return;
    }
    let mut table = Table::new(&["PATH", "BRANCH", "SESSION"]);
    for row in rows {
        let session = row
            .session
            .as_ref()
            .map(|(id, name)| format!("{id} {name}"))
            .unwrap_or_default();
        let branch = row
            .entry
            .branch
            .clone()
            .unwrap_or_else(|| "(detached)".to_owned());
        let gone = if row.entry.prunable.is_some() {
            " (gone)"
        } else {
            ""
        };
        table.add([
            format!("{}{gone}", row.entry.path.display()),
            branch,
            session,
        ]);
    }
    context.printer.line(table);
}

fn prune(context: &Context, repo: &std::path::Path) -> Result<(), CliError> {
    let pruned = context.engine.prune_worktrees(repo)?;
    if context.printer.json {
        let seq = context.engine.last_seq()?;
        context.printer.json(&Pruned { seq, pruned });
    } else if pruned.is_empty() {
        context.printer.note("nothing to forget");
    } else {
        for path in pruned {
            context.printer.line(screen::path(&path));
        }
    }
    Ok(())
}

fn wire_row(row: &WorktreeRow) -> Worktree {
    Worktree {
        path: row.entry.path.clone(),
        branch: row.entry.branch.clone(),
        head: row.entry.head.as_ref().map(ToString::to_string),
        session_id: row.session.as_ref().map(|(id, _)| id.clone()),
        session_name: row.session.as_ref().map(|(_, name)| name.to_string()),
        prunable: row.entry.prunable.clone(),
    }
}
