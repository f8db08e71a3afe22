//! The server: who listens, what it was asked, and which answer is due.

use std::collections::HashMap;
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

use super::amp;
use super::answer::Answer;
use super::dialect::{Dialect, dialect};
use super::http::{self, Request};
use super::script::{Item, Place, Reply, due, place};

/// How often a connection without an answer looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// A server on loopback that ends with the test.
#[derive(Debug)]
pub struct Provider {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    known: Mutex<Known>,
    is_over: AtomicBool,
}

#[derive(Debug, Default)]
struct Known {
    scripts: HashMap<String, Vec<Reply>>,
    /// Requests per script and number of results.
    asked: HashMap<(String, usize), usize>,
    /// What the user had said when a script was asked for last.
    heard: HashMap<String, Vec<String>>,
}

impl Provider {
    /// Listens on a free port.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("a bound port");
        let shared = Arc::new(Shared::default());
        let served = Arc::clone(&shared);
        let listener = std::thread::spawn(move || serve(&listener, &served));
        Self {
            address,
            shared,
            listener: Some(listener),
        }
    }

    /// Its address, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What the model does for prompts with the line `script: <name>`.
    pub fn script(&self, name: &str, replies: impl IntoIterator<Item = Reply>) {
        let replies = replies.into_iter().collect();
        self.shared.known().scripts.insert(name.to_owned(), replies);
    }

    /// How many requests a script answered so far, titles aside.
    #[must_use]
    pub fn asked(&self, name: &str) -> usize {
        let known = self.shared.known();
        let of_script = known.asked.iter().filter(|((script, _), _)| script == name);
        of_script.map(|(_, count)| count).sum()
    }

    /// All that the user had said in the conversation when a script was asked for last.
    #[must_use]
    pub fn heard(&self, name: &str) -> Vec<String> {
        let known = self.shared.known();
        known.heard.get(name).cloned().unwrap_or_default()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Wakes the listener, which then sees that it is over. One that is gone needs no waking.
        TcpStream::connect(self.address).ok();
        if let Some(listener) = self.listener.take() {
            listener.join().ok();
        }
    }
}

fn serve(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_over() {
            return;
        }
        if let Ok(stream) = stream {
            let shared = Arc::clone(shared);
            // An agent that went away needs no answer.
            std::thread::spawn(move || shared.converse(&stream).ok());
        }
    }
}

impl Shared {
    /// A test that failed while it held the lock has said so already.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    fn converse(&self, stream: &TcpStream) -> io::Result<()> {
        let Some(request) = http::read(stream)? else {
            return Ok(());
        };
        match self.answer(&request) {
            Answer::Silence => self.keep_silent(stream),
            answer => http::write(stream, &answer),
        }
    }

    /// Until the agent gives up, or the test is over.
    fn keep_silent(&self, mut stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(LOOK))?;
        let mut byte = [0];
        while !self.is_over() {
            match stream.read(&mut byte) {
                Ok(0) => break,
                Err(error) if !is_timeout(&error) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn answer(&self, request: &Request) -> Answer {
        if request.path.starts_with("/api/internal") {
            return amp::internal();
        }
        let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        match dialect(&request.path) {
            Some(dialect) if dialect.wants_title(&body) => dialect.title(&body),
            Some(dialect) => self.reply(dialect, &body),
            None => Answer::with_status(404, &serde_json::json!({ "error": "not found" })),
        }
    }

    fn reply(&self, dialect: &dyn Dialect, body: &Value) -> Answer {
        let items = dialect.items(body);
        let Some(place) = place(&items) else {
            return dialect.say(body, "No script was named.");
        };
        let reply = self.known().take(&place, items);
        match reply {
            Some(Reply::Say(text)) => dialect.say(body, &text),
            Some(Reply::Call(call)) => {
                let id = format!("call_{}_{}", place.script, place.results);
                dialect.call(body, &id, &call)
            }
            Some(Reply::Fault { fault, .. }) => {
                dialect.say(body, "This answer is spoiled.").spoiled(fault)
            }
            None => dialect.say(body, "The script is over."),
        }
    }
}

impl Known {
    /// Notes that a reply was asked for, and gives it.
    fn take(&mut self, place: &Place, items: Vec<Item>) -> Option<Reply> {
        let said = items.into_iter().filter_map(|item| match item {
            Item::User(text) => Some(text),
            Item::ToolResult => None,
        });
        self.heard.insert(place.script.clone(), said.collect());
        let key = (place.script.clone(), place.results);
        let count = self.asked.entry(key).or_default();
        let before = *count;
        *count += 1;
        let replies = self.scripts.get(&place.script)?;
        due(replies, place.results, before).cloned()
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}
