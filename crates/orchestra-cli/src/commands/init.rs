//! `init`: look at a repository and propose its settings.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::visible_line;
use orchestra_engine::InitProposal;
use orchestra_server::agent::login_word;
use orchestra_server::repository;

use crate::Done;
use crate::ask::{self, Preset};
use crate::context::Context;
use crate::error::CliError;
use crate::printer::BOLD;
use crate::render::screen;

/// Look at this repository and propose its settings file
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra init
  orchestra init --yes            writes the file without asking")]
pub(crate) struct Arguments {
    /// Write the proposed file without asking
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let proposal = context.engine.propose_init(&context.directory)?;
    if context.printer.json {
        context.printer.json(&repository::init(&proposal));
    } else {
        show(context, &proposal);
    }
    if proposal.exists {
        context.printer.note(format!(
            "{} exists already and is left as it is",
            screen::path(&proposal.file)
        ));
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.yes || confirm(context)? {
        context.engine.write_init(&proposal)?;
        context
            .printer
            .note(format!("wrote {}", screen::path(&proposal.file)));
    } else {
        context
            .printer
            .note("nothing was written; `orchestra init --yes` writes the file");
    }
    Ok(ExitCode::SUCCESS)
}

fn show(context: &Context, proposal: &InitProposal) {
    let printer = &context.printer;
    printer.line(format!(
        "{BOLD}Repository{BOLD:#} {}",
        screen::path(&proposal.root)
    ));
    for lockfile in &proposal.lockfiles {
        printer.line(format!("  {} ({})", lockfile.path(), lockfile.manager));
    }
    if let Some(test) = &proposal.test {
        printer.line(format!("  tests: {} ({})", test.command, test.why));
    }
    printer.line(format!("{BOLD}Agents{BOLD:#}"));
    for agent in &proposal.agents {
        let program = agent
            .program
            .as_ref()
            .map_or("not installed".to_owned(), |program| screen::path(program));
        printer.line(format!(
            "  {:<8} {program}, {}",
            agent.name,
            login_word(agent.login)
        ));
    }
    printer.line(format!("{BOLD}{}{BOLD:#}", screen::path(&proposal.file)));
    for line in proposal.content.lines() {
        printer.line(format!("  {}", visible_line(line)));
    }
}

fn confirm(context: &Context) -> Result<bool, CliError> {
    let answer = ask::yes_or_no(&context.printer, "Write this file?", Preset::Yes)?;
    Ok(answer == Some(true))
}
