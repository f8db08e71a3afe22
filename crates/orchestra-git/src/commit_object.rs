//! Commits as bytes, read and written whole, so that nothing of a commit that is made again is lost: odd authors, other
//! encodings, any message.

use orchestra_core::{CommitId, Timestamp, TreeId};

use crate::configuration::Identity;
use crate::error::GitError;
use crate::repository::Repository;

/// The parts of a commit. Signatures are left out: they are not true of a commit that is made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommitObject {
    pub(crate) tree: TreeId,
    pub(crate) parents: Vec<CommitId>,
    /// Name, address and time, as they are written.
    pub(crate) author: Vec<u8>,
    pub(crate) committer: Vec<u8>,
    /// How the message is written, if not in UTF-8.
    pub(crate) encoding: Option<Vec<u8>>,
    pub(crate) message: Vec<u8>,
}

impl CommitObject {
    /// A commit that only lends its files to a merge, always the same for the same files.
    pub(crate) fn placeholder(tree: TreeId, parent: Option<&CommitId>) -> Self {
        let nobody = b"Amp Orchestra <> 0 +0000".to_vec();
        Self {
            tree,
            parents: parent.into_iter().cloned().collect(),
            author: nobody.clone(),
            committer: nobody,
            encoding: None,
            message: Vec::new(),
        }
    }

    /// The first line of the message.
    pub(crate) fn subject(&self) -> String {
        let text = String::from_utf8_lossy(&self.message);
        let first = text.trim_start().lines().next().unwrap_or_default();
        first.trim_end().to_owned()
    }

    /// Who wrote it, as far as the line can be read.
    pub(crate) fn author_identity(&self) -> Option<Identity> {
        let text = String::from_utf8_lossy(&self.author);
        let (name, rest) = text.split_once('<')?;
        let (email, _) = rest.split_once('>')?;
        Some(Identity {
            name: name.trim().to_owned(),
            email: email.trim().to_owned(),
        })
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("tree {}\n", self.tree).into_bytes();
        for parent in &self.parents {
            bytes.extend(format!("parent {parent}\n").bytes());
        }
        let encoding = self.encoding.as_ref();
        let headers = [
            ("author", Some(&self.author)),
            ("committer", Some(&self.committer)),
            ("encoding", encoding),
        ];
        for (name, value) in headers {
            let Some(value) = value else { continue };
            bytes.extend(name.bytes());
            bytes.push(b' ');
            bytes.extend(value);
            bytes.push(b'\n');
        }
        bytes.push(b'\n');
        bytes.extend(&self.message);
        bytes
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (headers, message) = split_message(bytes);
        let mut tree = None;
        let (mut parents, mut author, mut committer, mut encoding) = (Vec::new(), None, None, None);
        for line in headers.split(|byte| *byte == b'\n') {
            let end = line.iter().position(|byte| *byte == b' ').unwrap_or(0);
            let value = line.get(end + 1..).unwrap_or_default();
            match &line[..end] {
                b"tree" => tree = std::str::from_utf8(value).ok()?.parse().ok(),
                b"parent" => parents.push(std::str::from_utf8(value).ok()?.parse().ok()?),
                b"author" => author = Some(value.to_vec()),
                b"committer" => committer = Some(value.to_vec()),
                b"encoding" => encoding = Some(value.to_vec()),
                _ => {}
            }
        }
        Some(Self {
            tree: tree?,
            parents,
            author: author?,
            committer: committer?,
            encoding,
            message: message.to_vec(),
        })
    }
}

/// The line that says who and when. What would end a name or the line is left out, as git does.
pub(crate) fn signature(identity: &Identity, at: Timestamp) -> Vec<u8> {
    let plain = |text: &str| {
        let ends = |char: char| matches!(char, '<' | '>' | '\n' | '\0');
        text.replace(ends, "").trim().to_owned()
    };
    let (name, email) = (plain(&identity.name), plain(&identity.email));
    format!("{name} <{email}> {} +0000", at.as_second()).into_bytes()
}

/// Headers end with an empty line. Continuations of a header start with a space, so they name nothing.
fn split_message(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.windows(2).position(|pair| pair == b"\n\n") {
        Some(end) => (&bytes[..end], &bytes[end + 2..]),
        None => (bytes.strip_suffix(b"\n").unwrap_or(bytes), &[]),
    }
}

impl Repository {
    pub(crate) fn read_commit(&self, id: &CommitId) -> Result<CommitObject, GitError> {
        let mut found = self.read_commits(std::slice::from_ref(id))?;
        found
            .pop()
            .ok_or_else(|| GitError::NoSuchRevision(id.to_string()))
    }

    /// Commits in the order they are asked for: in process where that is known to work, with one process elsewhere.
    pub(crate) fn read_commits(&self, ids: &[CommitId]) -> Result<Vec<CommitObject>, GitError> {
        #[cfg(target_os = "linux")]
        if let Some(found) = self.read_commits_directly(ids) {
            return Ok(found);
        }
        let list: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let call = self
            .objects()?
            .call("cat-file")
            .arg("--batch")
            .stdin(list.into_bytes());
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let answer = self.git().run(&call)?.require_success()?;
        let found = read_batch(&answer.stdout, ids)
            .map_err(|missing| GitError::NoSuchRevision(missing.to_string()))?;
        let parse = |bytes: &&[u8]| CommitObject::parse(bytes);
        found
            .iter()
            .map(parse)
            .collect::<Option<_>>()
            .ok_or_else(|| call.unreadable("it is not a commit"))
    }

    /// Nobody looks at what is written here: an odd author was accepted once and must not be lost now.
    pub(crate) fn write_commit(&self, commit: &CommitObject) -> Result<CommitId, GitError> {
        #[cfg(target_os = "linux")]
        if let Some(id) = self.write_commit_directly(commit) {
            return Ok(id);
        }
        let call = self
            .objects()?
            .call("hash-object")
            .args(["-t", "commit", "-w", "--literally", "--stdin"])
            .stdin(commit.to_bytes());
        self.git()
            .line(&call)?
            .parse()
            .map_err(|_| call.unreadable("it is not a commit id"))
    }
}

#[cfg(target_os = "linux")]
impl Repository {
    fn read_commits_directly(&self, ids: &[CommitId]) -> Option<Vec<CommitObject>> {
        self.directly(|store| {
            let objects = store.objects();
            let read = |id: &CommitId| CommitObject::parse(&objects.commit(id).ok()?);
            ids.iter().map(read).collect()
        })
    }

    fn write_commit_directly(&self, commit: &CommitObject) -> Option<CommitId> {
        let bytes = commit.to_bytes();
        let kind = gix_object::Kind::Commit;
        let id = self.directly(|store| store.write(kind, &bytes).ok())?;
        id.to_string().parse().ok()
    }
}

/// Reads `id kind size LF content LF` for each commit. An error is the first one that is missing or no commit.
fn read_batch<'a, 'b>(
    mut bytes: &'a [u8],
    ids: &'b [CommitId],
) -> Result<Vec<&'a [u8]>, &'b CommitId> {
    let mut found = Vec::new();
    for id in ids {
        let (content, rest) = read_record(bytes).ok_or(id)?;
        found.push(content);
        bytes = rest;
    }
    Ok(found)
}

fn read_record(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let size: usize = header.split_once(" commit ")?.1.parse().ok()?;
    let content = bytes.get(end + 1..end + 1 + size)?;
    Some((content, bytes.get(end + 2 + size..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: &str) -> CommitId {
        digit.repeat(40).parse().unwrap()
    }

    #[test]
    fn everything_but_signatures_comes_back() {
        let text = format!(
            "tree {0}\nparent {1}\nparent {2}\nauthor Ann <a@x> 1 +0200\ncommitter  <> 2 -0000\n\
             gpgsig -----BEGIN\n tree x\n -----END\nencoding ISO-8859-1\n\nbody \u{e9}\n\nmore",
            "a".repeat(40),
            id("1"),
            id("2")
        );
        let commit = CommitObject::parse(text.as_bytes()).unwrap();
        assert_eq!(commit.parents, [id("1"), id("2")]);
        assert_eq!(commit.author, b"Ann <a@x> 1 +0200");
        assert_eq!(commit.committer, b" <> 2 -0000");
        assert_eq!(commit.encoding.as_deref(), Some(&b"ISO-8859-1"[..]));
        let start = text.find("gpgsig").unwrap();
        let end = text.find("encoding").unwrap();
        let unsigned = [&text[..start], &text[end..]].concat();
        assert_eq!(commit.to_bytes(), unsigned.as_bytes());
    }

    #[test]
    fn a_commit_may_have_no_message() {
        let head = format!("tree {}\nauthor a\ncommitter c\n", "a".repeat(40));
        for text in [head.clone(), format!("{head}\n")] {
            let commit = CommitObject::parse(text.as_bytes()).unwrap();
            assert_eq!((commit.message.len(), commit.subject()), (0, String::new()));
            assert_eq!(commit.author_identity(), None);
        }
        for cut in ["", "tree x\n", &head[..60]] {
            assert_eq!(CommitObject::parse(cut.as_bytes()), None);
        }
    }

    #[test]
    fn people_and_subjects_are_read() {
        let mut commit = CommitObject::placeholder("b".repeat(40).parse().unwrap(), None);
        commit.author = b"Ann B  <a@x> 1 +0200".to_vec();
        commit.message = b"\n amp: one \nmore".to_vec();
        assert_eq!(commit.subject(), "amp: one");
        let author = commit.author_identity().unwrap();
        assert_eq!(
            (author.name.as_str(), author.email.as_str()),
            ("Ann B", "a@x")
        );
    }

    #[test]
    fn a_name_cannot_end_its_line() {
        let identity = Identity {
            name: " A\ntree x <b> ".to_owned(),
            email: "a@x>\0".to_owned(),
        };
        let line = signature(&identity, Timestamp::from_second(7).unwrap());
        assert_eq!(line, b"Atree x b <a@x> 7 +0000");
    }

    #[test]
    fn missing_commits_are_named() {
        let (one, two) = (id("1"), id("2"));
        let text = format!("{one} commit 3\nabc\n{two} missing\n");
        let ids = [one.clone(), two.clone()];
        assert_eq!(read_batch(text.as_bytes(), &ids), Err(&two));
        assert_eq!(
            read_batch(text.as_bytes(), &ids[..1]),
            Ok(vec![&b"abc"[..]])
        );
        let blob = format!("{one} blob 3\nabc\n");
        assert_eq!(read_batch(blob.as_bytes(), &ids), Err(&one));
        let cut = format!("{one} commit 9\nabc\n");
        assert_eq!(read_batch(cut.as_bytes(), &ids), Err(&one));
    }
}
