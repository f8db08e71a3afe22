//! Writes over HTTP that came with a key are done once.

use orchestra_store::KnownRequest;

use crate::{Engine, EngineError};

/// What becomes of a request with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BegunRequest {
    /// It is to be done.
    New,
    /// It was done before, and answered with this.
    Answered(KeptAnswer),
    /// It is being worked on.
    Running,
    /// The server that worked on it ended in between.
    Unknown,
    /// The key belongs to another request.
    Other,
}

/// An answer that is kept for whoever asks the same again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: String,
}

impl Engine {
    /// Notes that a server works on the request with a key, unless it is known already.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn begin_request(
        &self,
        key: &str,
        print: &str,
        server: &str,
    ) -> Result<BegunRequest, EngineError> {
        self.write(|tx| {
            let Some(known) = tx.find_request(key)? else {
                tx.put_request(key, print, server)?;
                return Ok(BegunRequest::New);
            };
            Ok(known_before(known, print, server))
        })
    }

    /// Keeps what was answered to the request with a key; `None` forgets it, so that it can be tried again.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn end_request(&self, key: &str, answer: Option<&KeptAnswer>) -> Result<(), EngineError> {
        let answer = answer.map(|answer| (answer.status, answer.body.as_str()));
        self.write(|tx| Ok(tx.end_request(key, answer)?))
    }
}

fn known_before(known: KnownRequest, print: &str, server: &str) -> BegunRequest {
    match known.answer {
        _ if known.print != print => BegunRequest::Other,
        Some((status, body)) => BegunRequest::Answered(KeptAnswer { status, body }),
        None if known.server == server => BegunRequest::Running,
        None => BegunRequest::Unknown,
    }
}
