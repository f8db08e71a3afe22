//! One commit as a mail. `git am` reads the subject and the body of a mail in its own way, and drops carriage returns, so a
//! commit that would come out differently gets another form.

use orchestra_core::CommitId;

use super::FIXED;
use crate::commit_object::CommitObject;
use crate::error::GitError;
use crate::repository::Repository;

/// Which message lines `git am` cannot be given as they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailForm {
    /// How many lines of the message are indented by a space, because `git am` would take them for the beginning of the patch.
    pub indented: usize,
}

impl Repository {
    /// Writes one commit as a mail from which `git am` makes the same files and the same message.
    ///
    /// # Errors
    /// If the commit is missing or git fails.
    pub fn mail_patch(
        &self,
        commit: &CommitId,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<MailForm, GitError> {
        let object = self.read_commit(commit)?;
        let message = std::str::from_utf8(&object.message).ok();
        let message = message.filter(|_| object.encoding.is_none());
        let Some(message) = message.filter(|message| !survives(message)) else {
            let mail = self.format_patch(commit)?;
            sink(&if has_carriage_returns(&mail) {
                quoted(&mail)
            } else {
                mail
            });
            return Ok(MailForm::default());
        };
        let stand_in = self.write_commit(&CommitObject {
            message: b"x\n".to_vec(),
            ..object.clone()
        })?;
        let mail = self.format_patch(&stand_in)?;
        let (message, indented) = readable(message);
        sink(&quoted(&without_subject(&mail, commit, &message)));
        Ok(MailForm { indented })
    }

    fn format_patch(&self, commit: &CommitId) -> Result<Vec<u8>, GitError> {
        let call = self
            .objects()?
            .call("format-patch")
            .args(["--stdout", "--no-signature", "--no-attach", "--no-thread"])
            .args(["--no-numbered", "--no-notes", "--no-base"])
            .args(FIXED)
            .args(["--max-count=1", commit.as_str(), "--"]);
        Ok(self.git().run(&call)?.require_success()?.stdout)
    }
}

/// Whether `git am` gets the same message out of the subject and the body of a mail.
fn survives(message: &str) -> bool {
    let mut lines = message.trim().lines();
    let subject = lines.next().unwrap_or_default();
    let is_one_line = lines.next().is_none_or(|line| line.trim().is_empty());
    let mut body = lines.clone().skip_while(|line| line.trim().is_empty());
    let begins_plainly = body.next().is_none_or(|line| !is_header(line));
    is_one_line
        && is_plain_subject(subject)
        && begins_plainly
        && !lines.any(|line| ends_message(line) || line.starts_with("From "))
}

/// A subject is cleaned of what mail programs put before it, and of white space.
fn is_plain_subject(subject: &str) -> bool {
    let is_reply = subject
        .get(..3)
        .is_some_and(|start| start.eq_ignore_ascii_case("re:"));
    let words: Vec<_> = subject.split_whitespace().collect();
    !is_reply && !subject.starts_with(['[', ':']) && words.join(" ") == subject
}

/// Whether the first line of a body is taken for a header.
fn is_header(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    let is_name = ["From", "Subject", "Date"]
        .iter()
        .any(|header| header.eq_ignore_ascii_case(name));
    is_name || line.starts_with(">From") || line.starts_with("[PATCH]")
}

/// Whether a line of a message is taken for the beginning of the patch.
fn ends_message(line: &str) -> bool {
    let after_dashes = line.strip_prefix("---");
    let is_separator = after_dashes.is_some_and(|rest| {
        let is_file = rest
            .strip_prefix(' ')
            .is_some_and(|name| name.starts_with(|first: char| !first.is_ascii_whitespace()));
        is_file || rest.trim().is_empty()
    });
    is_separator || line.starts_with("diff -") || line.starts_with("Index: ")
}

/// The message with a space before lines that would end it, and how many those are.
fn readable(message: &str) -> (String, usize) {
    let (mut text, mut indented) = (String::new(), 0);
    for line in message.trim().lines() {
        if ends_message(line) {
            text.push(' ');
            indented += 1;
        }
        text.push_str(line);
        text.push('\n');
    }
    (text, indented)
}

/// A mail whose message is all in its body: without a subject, `git am` takes that word for word. That the body begins with a
/// header ends the search for headers.
fn without_subject(mail: &[u8], commit: &CommitId, message: &str) -> Vec<u8> {
    let (head, rest) = split_head(mail);
    let mut made = format!("From {commit} Mon Sep 17 00:00:00 2001\n").into_bytes();
    let from = fields(head)
        .into_iter()
        .find(|it| it.starts_with(b"From: "));
    for field in fields(head).into_iter().skip(1) {
        if !field.starts_with(b"Subject: ") {
            made.extend(field);
        }
    }
    made.push(b'\n');
    made.extend(from.unwrap_or_default());
    made.extend(b"\n".iter().chain(message.as_bytes()).chain(rest));
    made
}

fn has_carriage_returns(mail: &[u8]) -> bool {
    mail.windows(2).any(|pair| pair == b"\r\n")
}

/// The same mail, with its body written as "quoted-printable": nothing that carries it changes a byte.
fn quoted(mail: &[u8]) -> Vec<u8> {
    let (head, body) = split_head(mail);
    let own = [
        &b"MIME-Version:"[..],
        b"Content-Type:",
        b"Content-Transfer-Encoding:",
    ];
    let is_own = |field: &&[u8]| own.iter().any(|name| field.starts_with(name));
    let mut made: Vec<u8> = fields(head)
        .into_iter()
        .filter(|it| !is_own(it))
        .flatten()
        .copied()
        .collect();
    made.extend(b"MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n");
    made.extend(b"Content-Transfer-Encoding: quoted-printable\n\n");
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        quote_line(line, &mut made);
    }
    made
}

fn quote_line(line: &[u8], into: &mut Vec<u8>) {
    let content = line.strip_suffix(b"\n").unwrap_or(line);
    for (place, byte) in content.iter().enumerate() {
        let is_last = place + 1 == content.len();
        let is_plain = match byte {
            b'=' => false,
            b' ' | b'\t' => !is_last,
            // A line that begins so would begin the next mail.
            b'F' => place > 0 || !content.starts_with(b"From "),
            byte => byte.is_ascii_graphic(),
        };
        match is_plain {
            true => into.push(*byte),
            false => into.extend(format!("={byte:02X}").bytes()),
        }
    }
    into.extend(&line[content.len()..]);
}

/// The head of a mail with its last line end, and what follows the blank line.
fn split_head(mail: &[u8]) -> (&[u8], &[u8]) {
    let end = mail.windows(2).position(|pair| pair == b"\n\n");
    let end = end.map_or(mail.len(), |end| end + 1);
    (&mail[..end], mail.get(end + 1..).unwrap_or_default())
}

/// The lines of a head, each with those that go on with it.
fn fields(head: &[u8]) -> Vec<&[u8]> {
    let mut fields = Vec::new();
    let mut start = 0;
    for place in 1..=head.len() {
        let goes_on = matches!(head.get(place), Some(b' ' | b'\t'));
        if head[place - 1] == b'\n' && !goes_on {
            fields.push(&head[start..place]);
            start = place;
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_messages_are_ordinary_mails() {
        for message in [
            "Fix the form",
            "ui: fix\n\nWhy, -- and how.\n--\n- from: here\nFrom: nobody\n",
        ] {
            assert!(survives(message), "{message}");
        }
        for message in [
            "[ui] fix",
            "Re: fix",
            ": fix",
            "two  spaces",
            "one\ntwo",
            "x\n\nFrom: x <a@b>",
            "x\n\ntext\n---\nmore",
            "x\n\ndiff --git a/x b/x",
            "x\n\ny\nIndex: z",
            "x\n\ny\n--- file",
            "x\n\ny\nFrom here",
        ] {
            assert!(!survives(message), "{message}");
        }
    }

    #[test]
    fn nothing_of_a_quoted_line_is_lost_on_the_way() {
        let quote = |line: &[u8]| {
            let mut into = Vec::new();
            quote_line(line, &mut into);
            String::from_utf8(into).unwrap()
        };
        assert_eq!(quote(b"+a = b\r\n"), "+a =3D b=0D\n");
        assert_eq!(quote(b"From x \n"), "=46rom x=20\n");
        assert_eq!(quote("\u{e4}".as_bytes()), "=C3=A4");
    }

    #[test]
    fn fields_go_on_in_the_next_line() {
        let head = b"From 1\nFrom: a\n b\nSubject: x\n";
        let expected: [&[u8]; 3] = [b"From 1\n", b"From: a\n b\n", b"Subject: x\n"];
        assert_eq!(fields(head), expected);
    }
}
