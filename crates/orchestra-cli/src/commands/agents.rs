//! `agents`: which there are, what they can do, and whether they work.

use orchestra_server::agent::{self, login_word};
use orchestra_server::time;
use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;
use orchestra_api::AgentList;
use orchestra_core::{AgentEvent, CostSource, FailureCause, visible_line};
use orchestra_engine::AgentDetails;

use super::new::duration;
use crate::Done;
use crate::context::Context;
use crate::error::AGENT_FAILED;
use crate::printer::{BOLD, DIM};
use crate::render::{screen, table::Table, transcript};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The agents: whether they are installed and logged in, and what they can do
    #[command(after_help = "\
Examples:
  orchestra agents list
  orchestra agents list --json

An agent of your own needs `agents.<name>.protocol` and `agents.<name>.command` in your settings.")]
    List,
    /// One agent in full, and how to log in
    #[command(after_help = "Example:\n  orchestra agents show amp")]
    Show {
        /// Its name
        agent: String,
    },
    /// Let an agent answer once, in an empty repository that is thrown away
    #[command(after_help = "\
Examples:
  orchestra agents test amp
  orchestra agents test codex --timeout 1m

It is a real turn: it may cost what a short question costs. Exit code 4 if the agent fails.")]
    Test {
        /// Its name
        agent: String,
        /// How long it may take
        #[arg(long, value_name = "TIME", default_value = "3m", value_parser = duration)]
        timeout: Duration,
    },
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    match command {
        Command::List => list(context),
        Command::Show { agent } => show(context, agent),
        Command::Test { agent, timeout } => test(context, agent, *timeout),
    }
}

fn list(context: &Context) -> Done {
    let agents = context.engine.agent_details();
    if context.printer.json {
        let agents = agents.into_iter().map(agent::agent);
        context.printer.json(&AgentList {
            agents: agents.collect(),
        });
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["AGENT", "VERSION", "LOGIN", "CAN", "PROGRAM"]);
    for agent in &agents {
        let program = agent.report.program.as_ref();
        table.add([
            name(agent),
            agent
                .version
                .as_deref()
                .map_or("-".to_owned(), visible_line),
            login_word(agent.report.login).to_owned(),
            abilities(agent),
            program.map_or("not installed".to_owned(), |program| screen::path(program)),
        ]);
    }
    context.printer.line(table);
    Ok(ExitCode::SUCCESS)
}

fn name(agent: &AgentDetails) -> String {
    let name = visible_line(&agent.report.name);
    match agent.is_default {
        true => format!("{name} (default)"),
        false => name,
    }
}

fn abilities(agent: &AgentDetails) -> String {
    let cost = agent.abilities.cost;
    let all = [
        (agent.abilities.resume, "resume"),
        (agent.abilities.approvals, "approvals"),
        (cost == Some(CostSource::Reported), "cost"),
        (cost == Some(CostSource::Estimated), "estimated cost"),
        (agent.abilities.input, "input"),
    ];
    let can: Vec<&str> = all
        .iter()
        .filter_map(|(can, word)| can.then_some(*word))
        .collect();
    match can.is_empty() {
        true => "-".to_owned(),
        false => can.join(", "),
    }
}

fn show(context: &Context, name: &str) -> Done {
    let agent = context.engine.agent_details_of(name)?;
    if context.printer.json {
        context.printer.json(&agent::agent(agent));
        return Ok(ExitCode::SUCCESS);
    }
    let program = agent.report.program.as_ref();
    let command: Vec<String> = agent
        .command
        .iter()
        .map(|word| visible_line(word))
        .collect();
    let rows = [
        ("protocol", agent.protocol.to_string()),
        ("command", command.join(" ")),
        (
            "program",
            program.map_or("not installed".to_owned(), |program| screen::path(program)),
        ),
        (
            "version",
            agent
                .version
                .as_deref()
                .map_or("-".to_owned(), visible_line),
        ),
        (
            "model",
            agent
                .model
                .as_deref()
                .map_or("its own choice".to_owned(), visible_line),
        ),
        ("login", login_word(agent.report.login).to_owned()),
        ("log in", agent.report.login_hint.to_owned()),
        ("can", abilities(&agent)),
    ];
    context
        .printer
        .line(format!("{BOLD}{}{BOLD:#}", self::name(&agent)));
    for (label, value) in rows {
        context
            .printer
            .line(format!("  {DIM}{label:<9}{DIM:#} {value}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn test(context: &Context, name: &str, timeout: Duration) -> Done {
    let printer = &context.printer;
    printer.note(format!("asking {} ...", visible_line(name)));
    let trial = context.engine.try_agent(name, timeout, &mut |event| {
        if !printer.json {
            transcript::event(printer, event);
        }
    })?;
    let trial = agent::trial(name, trial);
    let passed = trial.passed;
    if printer.json {
        printer.json(&trial);
    } else {
        let how = match &trial.end {
            AgentEvent::Failed { message, .. } => {
                format!("did not answer: {}", visible_line(message))
            }
            _ => "answered".to_owned(),
        };
        printer.line(format!(
            "{} {how} ({})",
            visible_line(name),
            time::span(trial.duration_ms)
        ));
        if let Some(helps) = what_helps(name, &trial.end) {
            printer.note(format!("  {helps}"));
        }
    }
    Ok(match passed {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(AGENT_FAILED),
    })
}

/// What helps against the failure of a test turn, where that is known.
fn what_helps(name: &str, end: &AgentEvent) -> Option<String> {
    let AgentEvent::Failed { cause, .. } = end else {
        return None;
    };
    Some(match cause {
        FailureCause::NotLoggedIn | FailureCause::Unauthorized => {
            let name = visible_line(name);
            format!("orchestra agents show {name}   says how to log in")
        }
        FailureCause::TimedOut => "give it longer with --timeout".to_owned(),
        cause => cause.way_out()?.to_owned(),
    })
}
