//! Redaction: what is removed, what stays, and that pieces make no difference.

#![expect(clippy::unwrap_used, reason = "what cannot be set up fails the test")]

mod generated;
mod kinds;
mod ordinary;
mod pieces;

use std::sync::LazyLock;

use orchestra_core::redact::{Redactor, Secret};

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| {
    let secrets = ["hunter2-and-more", "pässwörd \"quoted\"\\x", "aaaaaaaaaaab"].map(Secret::new);
    Redactor::new(&secrets, [r"(?i)internal-[a-z0-9]{6,}", r"pin=\d+"]).unwrap()
});

fn redactor() -> Redactor {
    REDACTOR.clone()
}

fn plain_redactor() -> Redactor {
    Redactor::new(&[], [""; 0]).unwrap()
}

/// The text pushed through a stream in pieces of the given lengths, the rest in one.
fn streamed(redactor: &Redactor, text: &[u8], lengths: impl IntoIterator<Item = usize>) -> Vec<u8> {
    let mut stream = redactor.stream();
    let (mut rest, mut out) = (text, Vec::new());
    for length in lengths {
        let (piece, after) = rest.split_at(length.min(rest.len()));
        stream.push(piece, &mut out);
        rest = after;
    }
    stream.push(rest, &mut out);
    stream.finish(&mut out);
    out
}
