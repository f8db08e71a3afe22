//! A server of a world, and a client that speaks just enough HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::product::Product;
use crate::sampling::millis_since;
use crate::world::World;

const PATIENCE: Duration = Duration::from_secs(30);

/// A server that runs; dropped, it ends.
pub(super) struct Server {
    process: Child,
    pub(super) client: Client,
    /// Milliseconds from its start to its first answer.
    pub(super) ready: f64,
}

/// Where a server is, and what it knows requests by.
#[derive(Debug, Clone)]
pub(super) struct Client {
    address: String,
    token: String,
}

impl Server {
    pub(super) fn start(product: &Product, world: &World) -> Outcome<Self> {
        let token = product.run(world, &["serve", "--token"])?;
        let begun = Instant::now();
        let mut process = product
            .command(world, &["serve", "--port", "0", "--json"])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let output = process.stdout.take().ok_or("the server has no output")?;
        BufReader::new(output).read_line(&mut line)?;
        let told: serde_json::Value = serde_json::from_str(&line)?;
        let url = told["url"].as_str().ok_or("the server has no address")?;
        let client = Client {
            address: url.trim_start_matches("http://").to_owned(),
            token: token.trim().to_owned(),
        };
        client.get("/api/v1/jobs")?;
        Ok(Self {
            process,
            client,
            ready: millis_since(begun),
        })
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is this benchmark's own, and may have ended by itself.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

impl Client {
    /// A server that wants no token.
    pub(super) fn at(address: String) -> Self {
        Self {
            address,
            token: String::new(),
        }
    }

    /// The body of an answer that went well.
    pub(super) fn get(&self, path: &str) -> Outcome<Vec<u8>> {
        let mut stream = self.ask(path)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.ok_or("the answer has no head")?;
        if !answer.starts_with(b"HTTP/1.1 200") {
            return Err(String::from_utf8_lossy(&answer[..end]).into_owned().into());
        }
        Ok(answer.split_off(end + 4))
    }

    /// Lines of a stream, without its head.
    pub(super) fn stream(&self, path: &str) -> Outcome<BufReader<TcpStream>> {
        let mut reader = BufReader::new(self.ask(path)?);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line)?;
        }
        Ok(reader)
    }

    fn ask(&self, path: &str) -> Outcome<TcpStream> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
            self.address, self.token
        )?;
        Ok(stream)
    }
}
