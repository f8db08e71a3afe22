//! The generated pages of the documentation: commands, settings and the HTTP API. `cargo xtask test` fails when they are out of date.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};

use crate::args::Orchestra;

/// Writes all generated pages into a directory.
pub(crate) fn write(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    fs::write(directory.join("commands.md"), commands())?;
    fs::write(
        directory.join("settings.md"),
        orchestra_config::reference_markdown(),
    )?;
    fs::write(
        directory.join("api.md"),
        orchestra_server::reference_markdown(),
    )?;
    fs::write(
        directory.join("openapi.json"),
        orchestra_server::openapi_json()?,
    )?;
    let schema = serde_json::to_string_pretty(&orchestra_config::schema())?;
    fs::write(directory.join("settings.schema.json"), schema + "\n")
}

fn commands() -> String {
    let mut page = String::from(
        "# Commands\n\nThis page is generated from the program: `cargo xtask reference`.\n\n\
         `amp-sessions <command>` and `ampsm <command>` are the same as `orchestra session <command>`;\n\
         they have `completions` besides.\n",
    );
    let mut root = Orchestra::command().term_width(100);
    root.build();
    describe(&mut page, &root, "orchestra");
    page
}

fn describe(page: &mut String, command: &Command, path: &str) {
    let help = command.clone().render_long_help().to_string();
    let trimmed: Vec<&str> = help.lines().map(str::trim_end).collect();
    // Writing to a string cannot fail.
    write!(
        page,
        "\n## `{path}`\n\n```text\n{}\n```\n",
        trimmed.join("\n").trim_end()
    )
    .ok();
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        describe(page, sub, &format!("{path} {}", sub.get_name()));
    }
}
