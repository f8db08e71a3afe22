//! The token that requests are known by: in a file that only its owner reads.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// 256 random bits, in hex. It never appears in what is logged.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The token in a file, which is made if there is none.
    ///
    /// # Errors
    /// If the file cannot be read or made, others could read it, or it holds no token.
    pub fn in_file(path: &Path) -> io::Result<Self> {
        match make(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read(path),
            made => made,
        }
    }

    /// The token itself, for whoever may know it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a text is the token. The time it takes says nothing about how much of it fits.
    pub(crate) fn is(&self, text: &str) -> bool {
        blake3::hash(self.0.as_bytes()) == blake3::hash(text.as_bytes())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(***)")
    }
}

fn make(path: &Path) -> io::Result<Token> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(token.as_bytes())?;
    file.sync_all()?;
    Ok(Token(token))
}

fn read(path: &Path) -> io::Result<Token> {
    let is_link = path.symlink_metadata()?.file_type().is_symlink();
    let file = File::open(path)?;
    if is_link || !is_private(&file)? {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "others than you could read or replace the token; remove the file, and a new one is made",
        ));
    }
    let mut token = String::new();
    (&file).take(128).read_to_string(&mut token)?;
    let token = token.trim();
    if token.len() != 64 || !token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the file holds no token; remove it, and a new one is made",
        ));
    }
    Ok(Token(token.to_owned()))
}

#[cfg(unix)]
fn is_private(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = file.metadata()?;
    Ok(metadata.is_file() && metadata.permissions().mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn is_private(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.is_file())
}
