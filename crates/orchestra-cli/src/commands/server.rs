//! Servers, as `run` starts, follows and ends them.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use orchestra_config::quantity::format_duration;
use orchestra_core::{ScriptResult, ScriptRun, ServerState, visible_line};
use orchestra_engine::{Consent, SessionView, SetupNeed, StartedServer};

use super::follow::{self, Interrupts};
use super::{allowed, run as script, setup};
use crate::Done;
use crate::context::Context;
use crate::error::{CliError, FAILED};
use crate::printer::{GREEN, YELLOW};
use crate::render::script_log::{ShownLog, last_lines};
use crate::render::{screen, summary};
use orchestra_server::review;

/// How many lines are shown of a server that died or is not ready.
const LAST_LINES: usize = 20;

/// What is wanted of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// Start it and show what it says; Ctrl-C ends it.
    Run,
    /// Start it and return when it is ready.
    Detach,
    /// End it and do the same.
    Restart,
    /// End it.
    Stop,
    /// Show what it says; Ctrl-C leaves it.
    Follow,
}

/// What is asked of which server.
pub(super) struct Order<'a> {
    pub(super) view: &'a SessionView,
    pub(super) name: &'a str,
    pub(super) wish: Wish,
    pub(super) setup: SetupNeed,
    pub(super) consent: Consent,
}

/// What Ctrl-C does to a server that is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnInterrupt {
    Stop,
    Leave,
}

pub(super) fn run(context: &Context, order: &Order<'_>) -> Done {
    match order.wish {
        Wish::Stop => stop(context, order),
        Wish::Follow => follow_running(context, order),
        Wish::Restart => restart(context, order),
        Wish::Run | Wish::Detach => {
            let started = start_unless_running(context, order)?;
            match next_step(order.wish, started.was_running, is_ready(&started.run)) {
                NextStep::Wait => until_ready(context, &started),
                NextStep::Tell => tell_running(context, &started),
                NextStep::Follow => follow(context, &started.run, OnInterrupt::Stop),
            }
        }
    }
}

/// What comes after a server was started, or found running.
#[derive(Debug, PartialEq, Eq)]
enum NextStep {
    /// Come back when it is ready.
    Wait,
    /// Say that it runs already.
    Tell,
    /// Stay with it.
    Follow,
}

/// A quick server is ready before anybody looks; one that is to be left alone is not stayed with for that.
fn next_step(wish: Wish, was_running: bool, is_ready: bool) -> NextStep {
    match (wish, was_running, is_ready) {
        (Wish::Detach, false, _) | (Wish::Detach, true, false) => NextStep::Wait,
        (_, true, _) => NextStep::Tell,
        (_, false, _) => NextStep::Follow,
    }
}

/// One that runs is not ended for one that could not begin.
fn restart(context: &Context, order: &Order<'_>) -> Done {
    let id = &order.view.session.id;
    require_allowed(context, order)?;
    setup::wait(context, id)?;
    context
        .engine
        .require_startable(id, order.name, order.setup)?;
    let before = context.engine.stop_server(id, order.name)?;
    let started = start(context, order)?;
    until_ready(
        context,
        &StartedServer {
            was_running: before.is_some(),
            ..started
        },
    )
}

/// One that runs is found whatever its settings say by now.
fn start_unless_running(context: &Context, order: &Order<'_>) -> Result<StartedServer, CliError> {
    match order.view.running_server(order.name) {
        Some(run) => Ok(StartedServer {
            run: run.clone(),
            was_running: true,
            notes: Vec::new(),
        }),
        None => start(context, order),
    }
}

/// One that runs is not ended for one that must not begin.
fn require_allowed(context: &Context, order: &Order<'_>) -> Result<(), CliError> {
    let SessionView {
        session,
        repository,
        ..
    } = order.view;
    let command = context.engine.script_command(session, Some(order.name))?;
    // Another process runs it, so that it is recorded now.
    let asked = allowed::ask(context, &repository.root, vec![command], order.consent)?;
    match asked.into_iter().find(|it| !it.is_allowed()) {
        Some(command) => Err(allowed::refusal(context, command)),
        None => Ok(()),
    }
}

fn start(context: &Context, order: &Order<'_>) -> Result<StartedServer, CliError> {
    let session = &order.view.session;
    require_allowed(context, order)?;
    setup::wait(context, &session.id)?;
    let started = context
        .engine
        .start_server(&session.id, order.name, order.setup)?;
    for note in &started.notes {
        context.printer.warn(visible_line(note));
    }
    Ok(started)
}

fn stop(context: &Context, order: &Order<'_>) -> Done {
    let (id, name) = (&order.view.session.id, visible_line(order.name));
    let stopped = context.engine.stop_server(id, order.name)?;
    if context.printer.json {
        let stopped = stopped.as_ref();
        let answer = review::stopped_server(&context.engine, order.view, order.name, stopped)?;
        context.printer.json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    context.printer.line(match stopped {
        Some(run) => format!("{name} of {id} {}", state_words(&run)),
        None => format!("{name} of {id} does not run"),
    });
    Ok(ExitCode::SUCCESS)
}

fn follow_running(context: &Context, order: &Order<'_>) -> Done {
    match order.view.running_server(order.name) {
        Some(run) => follow(context, run, OnInterrupt::Leave),
        None => {
            let (id, name) = (&order.view.session.id, visible_line(order.name));
            Err(CliError::refused(
                "server.not_running",
                format!("the server `{name}` of {id} does not run"),
                format!("start it with `orchestra session run {id} {name}`"),
            ))
        }
    }
}

/// It runs already, and is left alone.
fn tell_running(context: &Context, running: &StartedServer) -> Done {
    report(context, running)?;
    if !context.printer.json {
        context.printer.note("it ran already");
        tell_next(context, &running.run);
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits until a server is ready, its time for that is over, or it ended.
fn until_ready(context: &Context, started: &StartedServer) -> Done {
    let current = follow::script_run(context, &started.run, |current| {
        Ok(match ServerState::of(&current) {
            Some(ServerState::Starting) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(current),
        })
    })?;
    match ServerState::of(&current) {
        Some(ServerState::Ready) => settled(context, started, current),
        Some(ServerState::NotReady) => Err(late(context, &current)),
        _ => Err(died(context, &current)),
    }
}

fn settled(context: &Context, started: &StartedServer, run: ScriptRun) -> Done {
    let started = StartedServer {
        run,
        ..started.clone()
    };
    report(context, &started)?;
    if !context.printer.json {
        tell_next(context, &started.run);
    }
    Ok(ExitCode::SUCCESS)
}

/// A server that runs and was not ready in time. Nobody can rely on it, so that is no success.
fn late(context: &Context, run: &ScriptRun) -> CliError {
    let log = show_last_lines(context, run);
    let (id, name) = (&run.session, visible_line(&run.script));
    let settings = &context.engine.settings().settings.servers;
    let within = settings.get(&run.script).map_or_else(
        || "in time".to_owned(),
        |server| format!("within {}", format_duration(server.ready_within)),
    );
    CliError {
        code: "server.not_ready".to_owned(),
        message: format!("the server `{name}` runs, but was not ready {within}"),
        hint: Some(format!(
            "it goes on: `orchestra session run {id} {name} --follow` watches it, --stop ends it; servers.{name}.ready_within gives it longer; its log is {}",
            screen::path(&log)
        )),
        exit: FAILED,
        finished: None,
    }
}

/// What a server said last is what the user wants to see of one that is not as it should be. Answers where its log is.
fn show_last_lines(context: &Context, run: &ScriptRun) -> PathBuf {
    let log = context.engine.script_log(run);
    if let Ok(lines) = last_lines(&log, LAST_LINES) {
        context.printer.note(lines);
    }
    log
}

/// A server that ended before it was ready.
fn died(context: &Context, run: &ScriptRun) -> CliError {
    let log = show_last_lines(context, run);
    let name = visible_line(&run.script);
    let how = match run.finished.map(|end| end.result) {
        Some(ScriptResult::Exited(code)) => format!("ended with exit code {code}"),
        Some(ScriptResult::Signalled(signal)) => format!("was ended by signal {signal}"),
        Some(ScriptResult::Stopped) => "was stopped".to_owned(),
        Some(ScriptResult::Unrunnable) => format!("could not be run{}", summary::why(run)),
        _ => "was interrupted".to_owned(),
    };
    let hint = run
        .problem
        .as_ref()
        .and_then(|problem| problem.hint.clone());
    let log = format!("its log is {}", screen::path(&log));
    CliError {
        code: "server.died".to_owned(),
        message: match run.problem {
            Some(_) => format!("the server `{name}` {how}"),
            None => format!("the server `{name}` {how} before it was ready"),
        },
        hint: Some(hint.map_or_else(|| log.clone(), |hint| format!("{hint}; {log}"))),
        exit: FAILED,
        finished: None,
    }
}

/// Shows the log of a server as it grows, and says when it is ready.
fn follow(context: &Context, run: &ScriptRun, on_interrupt: OnInterrupt) -> Done {
    let interrupts = Interrupts::listen()?;
    let mut log = match on_interrupt {
        OnInterrupt::Stop => ShownLog::new(context, run),
        OnInterrupt::Leave => ShownLog::of_the_last_lines(context, run),
    };
    let (mut asked, mut told) = (interrupts.count(), None);
    follow::script_run(context, run, |current| {
        log.show_new(context)?;
        let state = ServerState::of(&current);
        if state != told {
            announce(context, &current);
            told = state;
        }
        if current.finished.is_some() {
            tell_followed(context, &current, on_interrupt)?;
            return Ok(ControlFlow::Break(script::exit_code(&current)));
        }
        if interrupts.count() == asked {
            return Ok(ControlFlow::Continue(()));
        }
        asked = interrupts.count();
        match on_interrupt {
            OnInterrupt::Stop => interrupts.stop_script(context, run, "server")?,
            OnInterrupt::Leave => {
                let name = visible_line(&run.script);
                context.printer.note(format!("{name} goes on"));
                tell_followed(context, &current, on_interrupt)?;
                return Ok(ControlFlow::Break(ExitCode::SUCCESS));
            }
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// How a server that was followed stands when it is over, or left.
fn tell_followed(
    context: &Context,
    run: &ScriptRun,
    on_interrupt: OnInterrupt,
) -> Result<(), CliError> {
    if context.printer.json {
        let was_running = on_interrupt == OnInterrupt::Leave;
        let engine = &context.engine;
        let answer = review::server(engine, &run.session, Some(run), was_running, &[])?;
        context.printer.json(&answer);
    }
    Ok(())
}

/// Says how a server that is followed stands now.
fn announce(context: &Context, run: &ScriptRun) {
    if !context.printer.json && ServerState::of(run) != Some(ServerState::Starting) {
        context.printer.note(line(run));
    }
}

fn report(context: &Context, started: &StartedServer) -> Result<(), CliError> {
    let StartedServer {
        run,
        was_running,
        notes,
    } = started;
    if context.printer.json {
        let engine = &context.engine;
        let answer = review::server(engine, &run.session, Some(run), *was_running, notes)?;
        context.printer.json(&answer);
    } else {
        context.printer.line(line(run));
    }
    Ok(())
}

fn tell_next(context: &Context, run: &ScriptRun) {
    let (id, name) = (&run.session, visible_line(&run.script));
    context.printer.note(format!(
        "  orchestra session run {id} {name} --follow   watch it\n  orchestra session run {id} {name} --stop     stop it"
    ));
}

fn line(run: &ScriptRun) -> String {
    let text = summary::server_line(run);
    match ServerState::of(run) {
        Some(ServerState::Ready) => format!("{GREEN}{text}{GREEN:#}"),
        Some(ServerState::Starting | ServerState::Stopped) | None => text,
        Some(_) => format!("{YELLOW}{text}{YELLOW:#}"),
    }
}

fn is_ready(run: &ScriptRun) -> bool {
    ServerState::of(run) == Some(ServerState::Ready)
}

fn state_words(run: &ScriptRun) -> &'static str {
    ServerState::of(run).map_or("", ServerState::in_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_left_alone_is_never_stayed_with() {
        for (was_running, is_ready) in [(false, false), (false, true), (true, false), (true, true)]
        {
            let step = next_step(Wish::Detach, was_running, is_ready);
            assert_ne!(step, NextStep::Follow);
        }
        assert_eq!(next_step(Wish::Detach, true, true), NextStep::Tell);
        assert_eq!(next_step(Wish::Run, false, true), NextStep::Follow);
        assert_eq!(next_step(Wish::Run, true, true), NextStep::Tell);
    }
}
