//! Where output goes and how: answer or narration, text or JSON, colour or not.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use anstyle::{AnsiColor, Style};
use orchestra_api::{ErrorBody, ErrorReport};
use orchestra_config::ColorChoice;
use orchestra_core::visible;
use orchestra_core::visible::is_obeyed;
use serde::Serialize;

use crate::error::CliError;
use crate::render::screen::ScreenFilter;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const RED: Style = AnsiColor::Red.on_default();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(crate) const BLUE: Style = AnsiColor::Blue.on_default();

/// Decides what is printed where.
#[derive(Debug, Clone)]
pub(crate) struct Printer {
    pub(crate) json: bool,
    /// Why the answer could not be written, at its first part that could not.
    unwritten: Arc<OnceLock<io::Error>>,
}

impl Printer {
    pub(crate) fn new(json: bool) -> Self {
        Self {
            json,
            unwritten: Arc::default(),
        }
    }

    /// From now on, everything is coloured as the user wants it; `auto` leaves it to the terminal and to `NO_COLOR`.
    pub(crate) fn choose_color(choice: ColorChoice) {
        match choice {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }

    /// Part of the answer.
    pub(crate) fn line(&self, text: impl Display) {
        self.note_written(writeln!(anstream::stdout(), "{text}"));
    }

    /// Part of the answer, as it is.
    pub(crate) fn bytes(&self, bytes: &[u8]) {
        self.note_written(io::stdout().write_all(bytes));
    }

    /// Part of the answer that another program wrote: as it is, but a terminal is not at its mercy.
    pub(crate) fn foreign(&self, filter: &mut ScreenFilter, bytes: &[u8]) {
        if self.is_terminal() {
            self.note_written(anstream::stdout().write_all(&filter.push(bytes)));
        } else {
            self.bytes(bytes);
        }
    }

    /// An order to the terminal, which is no colour and is obeyed without colours too.
    pub(crate) fn order(&self, sequence: &str) {
        self.bytes(sequence.as_bytes());
    }

    /// Narration.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.json {
            writeln!(anstream::stderr(), "{text}").ok();
        }
    }

    pub(crate) fn warn(&self, text: impl Display) {
        let text = visible(&text.to_string());
        writeln!(anstream::stderr(), "{YELLOW}warning:{YELLOW:#} {text}").ok();
    }

    /// The whole answer as JSON.
    pub(crate) fn json(&self, value: &impl Serialize) {
        match serde_json::to_string_pretty(value) {
            Ok(text) => self.line(escaped(&text)),
            Err(error) => self.warn(error),
        }
    }

    /// One JSON value per line, for what has no end.
    pub(crate) fn json_line(&self, value: &impl Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => self.line(escaped(&text)),
            Err(error) => self.warn(error),
        }
    }

    /// Whether a person looks at the answer.
    pub(crate) fn is_terminal(&self) -> bool {
        std::io::stdout().is_terminal()
    }

    /// Whether a person can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal() && !self.json
    }

    /// Whether the answer is coloured.
    pub(crate) fn has_color(&self) -> bool {
        anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
    }

    /// Ends the program: shows a failure and chooses the exit code.
    pub(crate) fn finish(&self, done: Result<ExitCode, CliError>) -> ExitCode {
        self.note_written(io::stdout().flush());
        let error = match (done, self.unwritten.get()) {
            (Ok(code), None) => return code,
            (Ok(_), Some(source)) => CliError::io("write the answer", source),
            (Err(error), _) => error,
        };
        if self.json && self.unwritten.get().is_none() {
            self.json_line(&ErrorReport {
                error: ErrorBody {
                    code: error.code,
                    message: error.message,
                    hint: error.hint,
                },
            });
        } else {
            let mut stderr = anstream::stderr();
            let message = visible(&error.message);
            writeln!(stderr, "{RED}error:{RED:#} {message}").ok();
            if let Some(hint) = error.hint {
                writeln!(stderr, "\n{BLUE}hint:{BLUE:#} {}", visible(&hint)).ok();
            }
        }
        ExitCode::from(error.exit)
    }

    /// A reader that went away is not an error; anything else that keeps the answer from it is.
    fn note_written(&self, written: io::Result<()>) {
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.unwritten.get_or_init(|| error);
            }
            Ok(()) | Err(_) => {}
        }
    }
}

/// JSON escapes only some of the characters a terminal obeys; the others can stand in strings alone, where they may be
/// written as numbers too.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for char in json.chars() {
        if char != '\n' && is_obeyed(char) {
            text.push_str(&format!("\\u{:04x}", u32::from(char)));
        } else {
            text.push(char);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_the_same_value_with_nothing_a_terminal_obeys() {
        let value = serde_json::json!({ "text": "a\u{1b}[2J\u{9b}\u{7f}\u{202e}\n\u{e9}" });
        let text = escaped(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!text.chars().any(|char| char != '\n' && is_obeyed(char)));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }
}
