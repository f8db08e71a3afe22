//! A stranger on the loopback address who notes that somebody talked to it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use super::site::append;

/// Asks for a password, so that credential helpers are called too.
const ANSWER: &[u8] = b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"trap\"\r\n\
                        Content-Length: 0\r\nConnection: close\r\n\r\n";

/// Listens for the rest of the test's life and returns the address. With a name, each visit is noted.
pub(super) fn start(marker: &Path, name: Option<&'static str>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback address is free");
    let address = listener
        .local_addr()
        .expect("a bound listener has an address");
    let marker = marker.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            note(&marker, name);
            answer(stream);
        }
    });
    format!("http://{address}/")
}

fn note(marker: &Path, name: Option<&'static str>) {
    if let Some(name) = name {
        append(marker, name);
    }
}

/// A visitor that hangs up early has been noted already.
fn answer(mut stream: TcpStream) {
    let mut request = [0; 4096];
    let heard = stream
        .set_read_timeout(Some(Duration::from_secs(2)))
        .and_then(|()| stream.read(&mut request));
    if heard.is_ok() {
        stream.write_all(ANSWER).ok();
    }
}
