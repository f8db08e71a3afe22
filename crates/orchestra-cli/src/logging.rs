//! The product's own log: what went wrong inside, for whoever looks for the reason.
//!
//! Commands log to stderr and only when asked to, so that logs never mix with answers; a server tells of warnings there.
//! Runners have nobody who looks, so they log warnings to a file that cannot grow without end. Secrets are removed from both.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use orchestra_config::{Environment, variables};
use orchestra_core::redact::{RedactingStream, Redactor, RedactorError};
use orchestra_engine::open_append_only;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// A file that is larger loses its older half.
const MOST: u64 = 1024 * 1024;

/// Where the log goes.
#[derive(Debug, Clone)]
pub(crate) enum Destination {
    /// To whoever started the command.
    Stderr,
    /// The same, with warnings also if nobody asked for a log.
    Told,
    /// To a file; to stderr if that cannot be opened.
    File(PathBuf),
}

/// The log of this process, once it was started.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    redactor: Arc<OnceLock<Redactor>>,
    shapes: Redactor,
}

impl Log {
    /// Starts logging as `ORCHESTRA_LOG` says. Until the settings are known, secrets are found by their shapes alone.
    pub(crate) fn start(
        environment: &Environment,
        destination: &Destination,
    ) -> Result<Self, RedactorError> {
        let log = Self {
            redactor: Arc::default(),
            shapes: Redactor::new([], [""; 0])?,
        };
        let usual = match destination {
            Destination::Stderr => "off",
            Destination::Told | Destination::File(_) => "warn",
        };
        let wanted = wanted(environment).filter(|text| is_usable(text));
        let filter = EnvFilter::new(wanted.as_deref().unwrap_or(usual));
        let writer = LogWriter {
            log: log.clone(),
            file: open(destination),
        };
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(writer)
            .with_ansi(false)
            .finish();
        // A second call, in tests, keeps the first.
        tracing::subscriber::set_global_default(subscriber).ok();
        Ok(log)
    }

    /// From now on, the secrets that the settings and the environment name are removed too.
    pub(crate) fn learn(&self, redactor: &Redactor) {
        self.redactor.get_or_init(|| redactor.clone());
    }

    /// The text without secrets.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.redactor().redact(text).into_owned()
    }

    fn redactor(&self) -> &Redactor {
        self.redactor.get().unwrap_or(&self.shapes)
    }
}

/// What to tell whoever asked for a log in words that say nothing; such a filter is left out.
pub(crate) fn filter_warning(environment: &Environment) -> Option<String> {
    let wanted = wanted(environment).filter(|text| !is_usable(text))?;
    let (name, levels) = (variables::ORCHESTRA_LOG, LEVELS.join(", "));
    Some(format!(
        "{name} is `{wanted}` and left out; it takes a level ({levels}), also per part: info,orchestra_git=debug"
    ))
}

fn wanted(environment: &Environment) -> Option<String> {
    let wanted = environment.find(variables::ORCHESTRA_LOG)?;
    Some(wanted.to_string_lossy().into_owned()).filter(|text| !text.trim().is_empty())
}

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The filter itself would take any word for the name of a part of the program, and log nothing.
fn is_usable(filter: &str) -> bool {
    let says_level = |directive: &str| {
        let level = directive.rsplit('=').next().unwrap_or_default();
        LEVELS.contains(&level.trim().to_lowercase().as_str())
    };
    filter.split(',').all(says_level) && EnvFilter::try_new(filter).is_ok()
}

/// Writes entries, each without its secrets.
#[derive(Debug)]
struct LogWriter {
    log: Log,
    file: Option<Mutex<File>>,
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Entry<'a>;

    fn make_writer(&'a self) -> Entry<'a> {
        Entry {
            writer: self,
            stream: self.log.redactor().stream(),
            clean: Vec::new(),
        }
    }
}

impl LogWriter {
    fn keep(&self, entry: &[u8]) -> io::Result<()> {
        let Some(file) = &self.file else {
            return io::stderr().write_all(entry);
        };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(entry)?;
        trim(&mut file, MOST)
    }
}

/// One entry, which may be written in pieces: a secret that is cut by them is still found.
struct Entry<'a> {
    writer: &'a LogWriter,
    stream: RedactingStream,
    clean: Vec<u8>,
}

impl Write for Entry<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.stream.push(piece, &mut self.clean);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.stream.finish(&mut self.clean);
        // There is nowhere left to say that the log cannot be written.
        self.writer.keep(&self.clean).ok();
    }
}

fn open(destination: &Destination) -> Option<Mutex<File>> {
    let Destination::File(path) = destination else {
        return None;
    };
    open_trimmed(path).map(Mutex::new).ok()
}

fn open_trimmed(path: &Path) -> io::Result<File> {
    let mut file = open_append_only(path)?;
    trim(&mut file, MOST)?;
    Ok(file)
}

/// Keeps the newer half of a file that has grown too large, from the beginning of a line on. Whoever appends to it goes on.
fn trim(file: &mut File, most: u64) -> io::Result<()> {
    if file.metadata()?.len() <= most {
        return Ok(());
    }
    let half = i64::try_from(most / 2).unwrap_or(i64::MAX);
    file.seek(SeekFrom::End(-half))?;
    let mut newer = Vec::new();
    file.read_to_end(&mut newer)?;
    let line = newer.iter().position(|byte| *byte == b'\n');
    file.set_len(0)?;
    file.write_all(&newer[line.map_or(0, |end| end + 1)..])
}

#[cfg(test)]
mod tests {
    use orchestra_core::redact::Secret;

    use super::*;

    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    fn writer(file: &Path) -> LogWriter {
        let log = Log {
            redactor: Arc::default(),
            shapes: Redactor::new([], [""; 0]).unwrap(),
        };
        LogWriter {
            log,
            file: open(&Destination::File(file.to_owned())),
        }
    }

    #[test]
    fn a_secret_in_an_entry_is_not_kept_however_it_is_cut() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let writer = writer(&path);
        writer
            .log
            .learn(&Redactor::new(&[Secret::new("hunter2-hunter2")], [""; 0]).unwrap());
        let text = format!("DEBUG sent {TOKEN} and hunter2-hunter2 away\n");
        for size in 1..text.len() {
            let mut entry = writer.make_writer();
            for piece in text.as_bytes().chunks(size) {
                entry.write_all(piece).unwrap();
            }
        }
        let kept = std::fs::read_to_string(&path).unwrap();
        assert_eq!(kept.lines().count(), text.len() - 1);
        assert!(
            kept.lines()
                .all(|line| line == "DEBUG sent *** and *** away"),
            "{kept}"
        );
    }

    #[test]
    fn a_filter_says_a_level() {
        for filter in [
            "info",
            "DEBUG",
            "warn,orchestra_git=debug",
            "orchestra_git=off",
        ] {
            assert!(is_usable(filter), "{filter}");
        }
        for filter in [
            "banana",
            "orchestra_git",
            "info,banana",
            "x=loud",
            "a=b=",
            ",",
        ] {
            assert!(!is_usable(filter), "{filter}");
        }
    }

    #[test]
    fn shapes_are_known_from_the_start() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let writer = writer(&path);
        writeln!(writer.make_writer(), "early {TOKEN}").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "early ***\n");
        assert_eq!(writer.log.redact(TOKEN), "***");
    }

    #[test]
    fn the_older_half_goes_when_the_file_is_too_large() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let mut file = open_trimmed(&path).unwrap();
        for number in 0..100 {
            writeln!(file, "line {number}").unwrap();
            trim(&mut file, 200).unwrap();
            assert!(file.metadata().unwrap().len() <= 200);
        }
        let kept = std::fs::read_to_string(&path).unwrap();
        assert!(
            kept.starts_with("line ") && kept.ends_with("line 98\nline 99\n"),
            "{kept}"
        );
    }
}
