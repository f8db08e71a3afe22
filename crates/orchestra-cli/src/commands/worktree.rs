//! `worktree`: list, adopt and prune worktrees.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use orchestra_api::{Pruned, WorktreeList};
use orchestra_core::{BranchName, SessionName, visible_line};
use orchestra_engine::{AdoptWorktree, main_checkout_of};

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::{screen, table::Table};
use orchestra_server::{repository, wire};

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
            default_value = repository::CONTINUE
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
            let found = repository::worktrees(&context.engine, &context.path(repo))?;
            list(context, &found);
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

fn list(context: &Context, found: &WorktreeList) {
    if context.printer.json {
        context.printer.json(found);
        return;
    }
    let mut table = Table::new(&["PATH", "BRANCH", "SESSION"]);
    for row in &found.worktrees {
        let session = row.session_id.as_ref().zip(row.session_name.as_ref());
        let session = session.map(|(id, name)| format!("{id} {name}"));
        let branch = row.branch.clone();
        let gone = if row.prunable.is_some() {
            " (gone)"
        } else {
            ""
        };
        table.add([
            format!("{}{gone}", row.path.display()),
            branch.unwrap_or_else(|| "(detached)".to_owned()),
            session.unwrap_or_default(),
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
