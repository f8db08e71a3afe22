//! The message of a commit that takes the place of several: the user's words, and everybody who wrote a part of it.

use orchestra_core::{last_paragraph, with_trailers};

use crate::configuration::Identity;

const CO_AUTHOR: &str = "Co-authored-by";

/// The message with a trailer for every author who is not the new one. Trailers it has already stay as they are.
pub(super) fn with_co_authors<'a>(
    message: &str,
    author: &Identity,
    others: impl IntoIterator<Item = &'a Identity>,
) -> String {
    let text = message.trim().replace('\0', "");
    let text = if text.is_empty() {
        "(no message)"
    } else {
        text.as_str()
    };
    let mut known = co_authors(text.as_bytes());
    known.push(author.clone());
    let mut added = Vec::new();
    for other in others {
        if other.email.is_empty() || known.iter().any(|one| is_same(one, other)) {
            continue;
        }
        added.push(format!("{CO_AUTHOR}: {} <{}>", other.name, other.email));
        known.push(other.clone());
    }
    format!("{}\n", with_trailers(text, &added))
}

/// Says on the first line which of several this is.
pub(super) fn numbered(message: &str, place: usize, count: usize) -> String {
    if count < 2 {
        return message.to_owned();
    }
    let text = message.trim_start();
    let (first, rest) = text.split_at(text.find('\n').unwrap_or(text.len()));
    format!("{} ({place}/{count}){rest}", first.trim_end())
}

/// Everybody whom trailers of a message name.
pub(super) fn co_authors(message: &[u8]) -> Vec<Identity> {
    let text = String::from_utf8_lossy(message);
    let Some(block) = last_paragraph(&text) else {
        return Vec::new();
    };
    block.lines().filter_map(co_author).collect()
}

fn co_author(line: &str) -> Option<Identity> {
    let (key, value) = line.split_once(':')?;
    let (name, rest) = value.split_once('<')?;
    let (email, _) = rest.split_once('>')?;
    key.eq_ignore_ascii_case(CO_AUTHOR).then(|| Identity {
        name: name.trim().to_owned(),
        email: email.trim().to_owned(),
    })
}

fn is_same(one: &Identity, other: &Identity) -> bool {
    one.email.eq_ignore_ascii_case(&other.email)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(name: &str, email: &str) -> Identity {
        Identity {
            name: name.to_owned(),
            email: email.to_owned(),
        }
    }

    fn written(message: &str, others: &[Identity]) -> String {
        with_co_authors(message, &person("Me", "me@x"), others)
    }

    #[test]
    fn others_become_trailers_once() {
        let others = [
            person("Me again", "ME@x"),
            person("Ann", "ann@x"),
            person("Ann B", "Ann@X"),
            person("nobody", ""),
        ];
        assert_eq!(
            written("fix: it\n", &others),
            "fix: it\n\nCo-authored-by: Ann <ann@x>\n"
        );
        assert_eq!(written("fix: it", &others[..1]), "fix: it\n");
        assert_eq!(written(" \n\0", &[]), "(no message)\n");
    }

    #[test]
    fn trailers_that_are_there_stay() {
        let message = "subject\n\nbody: of text\nmore\n\nIssue: 7\nco-authored-by: Ann <ann@x>";
        let others = [person("Ann", "ann@x"), person("Bob", "bob@x")];
        assert_eq!(
            written(message, &others),
            format!("{message}\nCo-authored-by: Bob <bob@x>\n")
        );
        assert_eq!(co_authors(written(message, &others).as_bytes()), others);
        assert_eq!(
            written("a\n\nno trailer here", &others[..1]),
            "a\n\nno trailer here\n\nCo-authored-by: Ann <ann@x>\n"
        );
    }

    #[test]
    fn several_are_numbered_on_the_first_line() {
        assert_eq!(numbered("one\n\nbody", 1, 2), "one (1/2)\n\nbody");
        assert_eq!(numbered("one", 2, 2), "one (2/2)");
        assert_eq!(numbered("one", 1, 1), "one");
    }

    #[test]
    fn only_the_last_paragraph_names_people() {
        assert!(co_authors(b"Co-authored-by: A <a@x>").is_empty());
        assert!(co_authors(b"s\n\nCo-authored-by: A <a@x>\n\nbody").is_empty());
        assert!(co_authors(b"s\n\nCo-authored-by: nobody").is_empty());
        assert_eq!(co_authors(b"s\n\nx\nCo-Authored-By: A <a@x>\n").len(), 1);
    }
}
