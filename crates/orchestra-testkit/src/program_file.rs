//! Programs that a test writes and then starts.

use std::path::Path;

/// Writes a program that can be started at once.
///
/// Another process does the writing. What this one has open for writing is open, for a moment, in every child that another
/// test starts meanwhile, and the system does not start a program that somebody can write to.
///
/// # Panics
/// When the file cannot be written.
#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "the file must be open in another process only"
)]
pub fn write_program(path: &Path, text: &str) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let writer = Command::new("sh")
        .args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn();
    let mut writer = writer.expect("every unix has a shell");
    let input = writer.stdin.take();
    let mut input = input.expect("its input is a pipe");
    input
        .write_all(text.as_bytes())
        .expect("it reads its input");
    drop(input);
    let ended = writer.wait().expect("it is our child");
    assert!(ended.success(), "cannot write {}", path.display());
}

/// Writes a program. Nothing makes it executable but its name.
///
/// # Panics
/// When the file cannot be written.
#[cfg(not(unix))]
pub fn write_program(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the folder is writable");
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_what_was_written_and_starts() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("a program");
        write_program(&path, "#!/bin/sh\nexit 1\n");
        write_program(&path, "#!/bin/sh\nexit 7\n");
        #[expect(clippy::disallowed_methods, reason = "the test starts what it wrote")]
        let ended = std::process::Command::new(&path).status();
        assert_eq!(ended.expect("it starts").code(), Some(7));
    }
}
