//! One server per data directory: the first one says where it is, the next ones find it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use orchestra_api::RunningServer;

use crate::token::Token;

const FOLDER: &str = "server";
const LOCK: &str = "lock";
const PLACE: &str = "running.json";
const TOKEN: &str = "token";
const DOOR: &str = "open.html";

/// The folder of a data directory in which servers note where they are.
#[derive(Debug, Clone)]
pub struct Registry {
    folder: PathBuf,
}

/// Whether this is the first server.
#[derive(Debug)]
pub enum Claim {
    /// It is; held until dropped, or until the process ends.
    First(Registration),
    /// Another one runs, or begins to: it says where once it listens.
    Second(Option<RunningServer>),
}

/// The first server's claim.
#[derive(Debug)]
pub struct Registration {
    registry: Registry,
    _lock: File,
}

impl Registry {
    /// In a data directory.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn of(data: &Path) -> io::Result<Self> {
        let folder = data.join(FOLDER);
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt;
            builder.mode(0o700);
        }
        builder.create(&folder)?;
        Ok(Self { folder })
    }

    /// Claims to be the only server.
    ///
    /// # Errors
    /// If the lock cannot be asked.
    pub fn claim(&self) -> io::Result<Claim> {
        let lock = private()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.folder.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => {
                // What is left of a server that died says where it was.
                remove(&self.folder.join(PLACE))?;
                Ok(Claim::First(Registration {
                    registry: self.clone(),
                    _lock: lock,
                }))
            }
            Err(TryLockError::WouldBlock) => Ok(Claim::Second(self.running())),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Where the running server is, as far as it said.
    #[must_use]
    pub fn running(&self) -> Option<RunningServer> {
        let text = fs::read_to_string(self.folder.join(PLACE)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The file with the token.
    #[must_use]
    pub fn token_file(&self) -> PathBuf {
        self.folder.join(TOKEN)
    }

    /// The token, which is made if there is none.
    ///
    /// # Errors
    /// If it cannot be read or made.
    pub fn token(&self) -> io::Result<Token> {
        Token::in_file(&self.token_file())
    }

    /// A page that only its owner reads and that leads to an address: the arguments of a browser are for everybody to see.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn door_to(&self, address: &str) -> io::Result<PathBuf> {
        let path = self.folder.join(DOOR);
        let page = format!(
            "<!doctype html><meta charset=\"utf-8\"><title>Amp Orchestra</title>\
             <meta http-equiv=\"refresh\" content=\"0; url={address}\"><a href=\"{address}\">Amp Orchestra</a>\n"
        );
        write_private(&path, page.as_bytes())?;
        Ok(path)
    }
}

impl Registration {
    /// Says where the server listens.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn announce(&self, server: &RunningServer) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(server)?;
        write_private(&self.registry.folder.join(PLACE), &text)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        for file in [PLACE, DOOR] {
            // The next server removes what stays.
            remove(&self.registry.folder.join(file)).ok();
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whole or not at all.
fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    use io::Write;
    let new = path.with_extension("new");
    remove(&new)?;
    let mut file = private().create_new(true).write(true).open(&new)?;
    file.write_all(content)?;
    fs::rename(new, path)
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}
