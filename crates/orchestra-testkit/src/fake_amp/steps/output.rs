//! Steps about output: odd lines, floods, secrets.

use std::time::Duration;

use super::super::cancel::Halt;
use super::super::scenario::{SecretSink, Step};
use super::super::terminal;
use super::super::turn::Ending;
use super::{Performer, shell_result};
use crate::secrets::PlantedSecret;

/// Floods are written in pieces of about this size.
const PIECE: usize = 64 * 1024;

impl Performer<'_> {
    pub(super) fn print_or_end(&mut self, step: &Step) -> Result<Option<Ending>, Halt> {
        match step {
            Step::EmitRaw { escaped } => self
                .transcript
                .raw(&unescape(escaped).map_err(Halt::Failed)?)?,
            Step::BrokenLine => self
                .transcript
                .raw(b"{\"type\":\"assistant\",\"message\":{\"type\":\"mess\n")?,
            Step::HugeLine { bytes } => self.huge_line(*bytes)?,
            Step::Flood { bytes, line_length } => self.flood(*bytes, *line_length)?,
            Step::Stderr { text } => terminal::write_stderr(format!("{text}\n").as_bytes()),
            Step::PrintSecret { .. } => self.print_secret(step)?,
            Step::CloseStdout => close_stdout().map_err(|error| Halt::Failed(error.to_string()))?,
            _ => return self.end(step).map(Some),
        }
        Ok(None)
    }

    fn huge_line(&self, bytes: u64) -> Result<(), Halt> {
        let length = usize::try_from(bytes).map_err(|error| Halt::Failed(error.to_string()))?;
        self.transcript.raw(&self.padded_line(length))
    }

    fn flood(&self, bytes: u64, line_length: usize) -> Result<(), Halt> {
        let line = self.padded_line(line_length);
        let piece = line.repeat((PIECE / line.len()).max(1));
        let mut left = bytes;
        while left > 0 {
            self.cancel.check()?;
            self.transcript.raw(&piece)?;
            left = left.saturating_sub(piece.len() as u64);
        }
        Ok(())
    }

    /// A message whose line is this long, or bare letters where that is too short for a message.
    fn padded_line(&self, length: usize) -> Vec<u8> {
        let envelope = self.transcript.message_line("").len();
        match length.checked_sub(envelope) {
            Some(padding) => self.transcript.message_line(&"x".repeat(padding)),
            None => format!("{}\n", "x".repeat(length.saturating_sub(1))).into_bytes(),
        }
    }

    fn print_secret(&mut self, step: &Step) -> Result<(), Halt> {
        let Step::PrintSecret {
            kind,
            seed,
            text,
            to,
            split,
        } = step
        else {
            return Ok(());
        };
        let secret = match (text, kind) {
            (Some(text), _) => text.clone(),
            (None, Some(kind)) => PlantedSecret::generate(*kind, *seed).text,
            (None, None) => {
                return Err(Halt::Failed(
                    "print_secret needs a kind or a text".to_owned(),
                ));
            }
        };
        if *split {
            return self.print_split(&secret, *to);
        }
        match to {
            SecretSink::Message => self.transcript.say(&format!("The token is {secret} here.")),
            SecretSink::ToolResult => {
                let input = self.shell_input("cat credentials");
                let result = shell_result(&format!("token = {secret}\n"), 0);
                self.tool(self.build.shell_tool(), &input, result, false)
            }
            SecretSink::Stdout | SecretSink::Stderr => {
                self.write(*to, format!("token = {secret}\n").as_bytes())
            }
        }
    }

    /// The pause makes it likely that a reader sees the two halves in two reads.
    fn print_split(&self, secret: &str, to: SecretSink) -> Result<(), Halt> {
        let line = match to {
            SecretSink::Stdout | SecretSink::Stderr => format!("token = {secret}\n").into_bytes(),
            SecretSink::Message | SecretSink::ToolResult => self
                .transcript
                .message_line(&format!("The token is {secret} here.")),
        };
        let start = find(&line, secret.as_bytes().get(..1).unwrap_or_default());
        for border in start..line.len() {
            self.cancel.check()?;
            self.write(to, &line[..border])?;
            std::thread::sleep(Duration::from_micros(500));
            self.write(to, &line[border..])?;
        }
        Ok(())
    }

    fn write(&self, to: SecretSink, bytes: &[u8]) -> Result<(), Halt> {
        if to == SecretSink::Stderr {
            terminal::write_stderr(bytes);
            return Ok(());
        }
        self.transcript.raw(bytes)
    }
}

fn find(line: &[u8], start: &[u8]) -> usize {
    let place = line
        .windows(start.len().max(1))
        .position(|window| window == start);
    place.unwrap_or(0).max(1)
}

/// Bytes with `\n`, `\r`, `\t`, `\0`, `\\` and `\xNN`.
fn unescape(escaped: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(index) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..index]);
        let (byte, used) = escape(&rest[index + 1..])?;
        bytes.push(byte);
        rest = &rest[index + 1 + used..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

fn escape(text: &str) -> Result<(u8, usize), String> {
    match text.as_bytes().first() {
        Some(b'n') => Ok((b'\n', 1)),
        Some(b'r') => Ok((b'\r', 1)),
        Some(b't') => Ok((b'\t', 1)),
        Some(b'0') => Ok((0, 1)),
        Some(b'\\') => Ok((b'\\', 1)),
        Some(b'x') => {
            let digits = text.get(1..3).ok_or("\\x needs two digits")?;
            let byte =
                u8::from_str_radix(digits, 16).map_err(|_bad| format!("bad escape \\x{digits}"))?;
            Ok((byte, 3))
        }
        _ => Err("unknown escape in emit_raw".to_owned()),
    }
}

#[cfg(unix)]
fn close_stdout() -> std::io::Result<()> {
    let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdout(nowhere)?)
}

#[cfg(not(unix))]
fn close_stdout() -> std::io::Result<()> {
    Err(std::io::Error::from(std::io::ErrorKind::Unsupported))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_bytes() {
        assert_eq!(unescape(r"a\xff\0\n\\é").unwrap(), b"a\xff\0\n\\\xc3\xa9");
        assert!(unescape(r"\q").is_err());
        assert!(unescape(r"\xf").is_err());
    }
}
