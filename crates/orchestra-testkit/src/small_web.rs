//! A small web application, of the kind that developers run in each of their worktrees: it listens on `PORT`, keeps rows in the
//! SQLite file that `ORCHESTRA_DATABASE_MAIN` names, and says whose it is.
//!
//! `GET /` answers with all it knows, `POST /<text>` adds a row.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::ExitCode;

use rusqlite::Connection;

use crate::bin;

/// The settings of a repository that runs it as the server `dev`, with a port and a database for each session; and more lines
/// for its scripts and for the server.
#[must_use]
pub fn settings(scripts: &str, server: &str) -> String {
    let command = format!("exec '{}'", bin("small-web").display());
    format!(
        "[ports]\nweb = 1\n\n[databases.main]\nkind = \"sqlite\"\n\n[scripts]\ndev = {command:?}\n{scripts}\n[servers.dev]\nport = \"web\"\n{server}"
    )
}

/// Serves until it is ended.
pub fn run() -> ExitCode {
    match Application::open().and_then(|application| application.serve()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            say(&mut io::stderr(), &problem);
            ExitCode::FAILURE
        }
    }
}

struct Application {
    session: String,
    database: String,
    rows: Connection,
    listener: TcpListener,
}

impl Application {
    fn open() -> Result<Self, String> {
        let database = variable("ORCHESTRA_DATABASE_MAIN")?;
        let rows = Connection::open(&database).map_err(|error| format!("{database}: {error}"))?;
        let table = "CREATE TABLE IF NOT EXISTS rows (text TEXT NOT NULL)";
        rows.execute(table, []).map_err(|error| error.to_string())?;
        let port = variable("PORT")?;
        let number = port.parse().map_err(|_| format!("`{port}` is no port"))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, number))
            .map_err(|error| format!("port {port}: {error}"))?;
        say(&mut io::stdout(), &format!("listening on port {port}"));
        Ok(Self {
            session: variable("ORCHESTRA_SESSION")?,
            database,
            rows,
            listener,
        })
    }

    fn serve(&self) -> Result<(), String> {
        for stream in self.listener.incoming() {
            // Whoever only asks whether somebody listens says nothing.
            let answered = stream.and_then(|stream| self.answer(&stream));
            if let Err(error) = answered {
                say(&mut io::stderr(), &format!("a request failed: {error}"));
            }
        }
        Ok(())
    }

    fn answer(&self, mut stream: &TcpStream) -> io::Result<()> {
        let mut lines = BufReader::new(stream).lines();
        let Some(request) = lines.next().transpose()? else {
            return Ok(());
        };
        while lines
            .next()
            .transpose()?
            .is_some_and(|line| !line.is_empty())
        {}
        let mut words = request.split(' ');
        let (method, path) = (words.next(), words.next().unwrap_or_default());
        let body = match method {
            Some("POST") => self.add(path.trim_start_matches('/')),
            _ => self.describe(),
        };
        let (status, body) = match body {
            Ok(body) => ("200 OK", body),
            Err(error) => ("500 Internal Server Error", error.to_string()),
        };
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
    }

    fn add(&self, text: &str) -> rusqlite::Result<String> {
        self.rows.execute("INSERT INTO rows VALUES (?1)", [text])?;
        self.describe()
    }

    fn describe(&self) -> rusqlite::Result<String> {
        let mut statement = self.rows.prepare("SELECT text FROM rows ORDER BY rowid")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        let rows: Vec<String> = rows.collect::<Result<_, _>>()?;
        let known = serde_json::json!({
            "session": self.session,
            "database": self.database,
            "rows": rows,
        });
        Ok(known.to_string())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program under test reads what it is told"
)]
fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|_| format!("{name} is not set"))
}

/// Nobody reads the words of a program whose reader is gone.
fn say(stream: &mut impl Write, text: &str) {
    writeln!(stream, "{text}")
        .and_then(|()| stream.flush())
        .ok();
}
