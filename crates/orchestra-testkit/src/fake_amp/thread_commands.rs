//! `amp threads ...` except `continue`.

use std::process::ExitCode;

use serde_json::json;

use super::build::Build;
use super::cli::{Invocation, ThreadsCommand};
use super::knobs::Knobs;
use super::login;
use super::terminal;
use super::threads::{self, Store, Thread, ThreadError};

pub(crate) fn run(knobs: &Knobs, invocation: &Invocation, command: &ThreadsCommand) -> ExitCode {
    let build = invocation.build;
    if !knobs.is_signed_in() {
        return login::refuse(knobs, build);
    }
    if build == Build::New && matches!(command, ThreadsCommand::Fork(_)) {
        return terminal::fail(build, "The `threads fork` command has been deprecated.");
    }
    let store = match Store::open(&knobs.home(), build) {
        Ok(store) => store,
        Err(error) => return refuse(build, &error.into()),
    };
    match answer(&store, invocation, command) {
        Ok(text) => terminal::answer(&text),
        Err(error) => refuse(build, &error),
    }
}

/// Prints why a thread cannot be used.
pub(crate) fn refuse(build: Build, error: &ThreadError) -> ExitCode {
    terminal::complain(build, &error.line(build));
    ExitCode::FAILURE
}

fn answer(
    store: &Store,
    invocation: &Invocation,
    command: &ThreadsCommand,
) -> Result<String, ThreadError> {
    match command {
        ThreadsCommand::New => {
            let visibility = invocation.value("--visibility").unwrap_or("private");
            let thread = store.create(visibility)?;
            Ok(created(invocation.build, &thread))
        }
        ThreadsCommand::List => list(store, invocation),
        ThreadsCommand::Fork(name) => fork(store, name),
        ThreadsCommand::Markdown(name) => Ok(markdown(&store.load(name)?)),
        ThreadsCommand::Export(name) => Ok(export(&store.load(name)?)),
        ThreadsCommand::Usage(name) => Ok(usage(&store.load(name)?)),
        ThreadsCommand::Share(name) => change(store, name, |thread| {
            if let Some(visibility) = invocation.value("--visibility") {
                thread.visibility = visibility.to_owned();
            }
        }),
        ThreadsCommand::Archive(name) => change(store, name, |thread| {
            thread.archived = !invocation.has("--unarchive");
        }),
        ThreadsCommand::Delete(name) => store.delete(name).map(|()| String::new()),
    }
}

fn created(build: Build, thread: &Thread) -> String {
    if build == Build::New {
        format!("{}\n", threads::url(thread))
    } else {
        format!("{}\n", thread.id)
    }
}

fn change(
    store: &Store,
    name: &str,
    edit: impl FnOnce(&mut Thread),
) -> Result<String, ThreadError> {
    let mut thread = store.load(name)?;
    edit(&mut thread);
    store.save(&thread)?;
    Ok(String::new())
}

fn fork(store: &Store, name: &str) -> Result<String, ThreadError> {
    let original = store.load(name)?;
    let id = store.create(&original.visibility)?.id;
    store.save(&Thread {
        id: id.clone(),
        ..original
    })?;
    Ok(format!("{id}\n"))
}

fn list(store: &Store, invocation: &Invocation) -> Result<String, ThreadError> {
    let number = |flag| invocation.value(flag).and_then(|text| text.parse().ok());
    let shown: Vec<Thread> = store
        .list()?
        .into_iter()
        .filter(|thread| !thread.archived || invocation.has("--include-archived"))
        .skip(number("--offset").unwrap_or(0))
        .take(number("--limit").unwrap_or(usize::MAX))
        .collect();
    if invocation.has("--json") {
        let entries: Vec<_> = shown.iter().map(summary).collect();
        return Ok(format!("{:#}\n", serde_json::Value::from(entries)));
    }
    let rows = shown.iter().map(|thread| {
        format!(
            "{:<40} {:<10} {:>4}  {}\n",
            thread.title,
            thread.visibility,
            thread.messages.len(),
            thread.id
        )
    });
    Ok(rows.collect())
}

fn summary(thread: &Thread) -> serde_json::Value {
    json!({
        "id": thread.id,
        "title": thread.title,
        "visibility": thread.visibility,
        "archived": thread.archived,
        "labels": thread.labels,
        "messageCount": thread.messages.len(),
    })
}

fn markdown(thread: &Thread) -> String {
    let heading = format!(
        "# {}\n\n[{}]({})\n",
        thread.title,
        thread.id,
        threads::url(thread)
    );
    let messages = thread.messages.iter();
    let messages = messages.map(|message| format!("\n## {}\n\n{}\n", message.role, message.text));
    std::iter::once(heading).chain(messages).collect()
}

fn export(thread: &Thread) -> String {
    let messages: Vec<_> = thread
        .messages
        .iter()
        .map(|message| json!({ "role": message.role, "content": [{ "type": "text", "text": message.text }] }))
        .collect();
    let mut value = summary(thread);
    value["messages"] = messages.into();
    format!("{value:#}\n")
}

fn usage(thread: &Thread) -> String {
    format!(
        "Thread {}\nTokens: {}\nCost: $0.00\n",
        thread.id, thread.tokens
    )
}
