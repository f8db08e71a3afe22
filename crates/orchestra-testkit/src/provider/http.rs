//! As much of HTTP as agents need: one request a connection, bodies of a known length.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use super::answer::Answer;

/// No request of an agent comes near.
const LARGEST_BODY: u64 = 64 << 20;

/// A request.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// Reads a request; `None` if the caller said nothing.
pub(super) fn read(stream: &TcpStream) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let length = content_length(&mut reader)?;
    let mut body = Vec::new();
    reader
        .take(length.min(LARGEST_BODY))
        .read_to_end(&mut body)?;
    Ok(Some(Request { path, body }))
}

fn content_length(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else {
            return Ok(length);
        };
        if name.eq_ignore_ascii_case("content-length") {
            let number = value.trim().parse();
            length = number.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        }
    }
}

/// Writes an answer; one that is cut promises more than it sends.
pub(super) fn write(mut stream: &TcpStream, answer: &Answer) -> io::Result<()> {
    match answer {
        Answer::Whole {
            status,
            headers,
            body,
        } => {
            write!(stream, "HTTP/1.1 {status} Scripted\r\n")?;
            for (name, value) in headers {
                write!(stream, "{name}: {value}\r\n")?;
            }
            let length = body.len();
            write!(
                stream,
                "Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            )
        }
        Answer::Cut { body } => {
            let length = 2 * body.len() + 1;
            write!(
                stream,
                "HTTP/1.1 200 Scripted\r\nContent-Type: text/event-stream\r\nContent-Length: {length}\r\n\r\n{body}"
            )
        }
        Answer::Silence => Ok(()),
    }
}
