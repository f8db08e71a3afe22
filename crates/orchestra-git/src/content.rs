//! The content of versions of files, by what git calls them.

use orchestra_core::ObjectId;

use crate::error::GitError;
use crate::repository::Repository;

/// The content of a version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// All of it.
    Whole(Vec<u8>),
    /// It has more bytes than somebody wants to see: so many.
    TooLarge(u64),
}

impl Repository {
    /// The content of files as git keeps it, in the order they are asked for. Two processes at most, however many there are.
    ///
    /// # Errors
    /// If one is missing, is no file, or git fails.
    pub fn contents(&self, objects: &[ObjectId], largest: u64) -> Result<Vec<Content>, GitError> {
        let sizes = self.sizes(objects)?;
        let small = objects.iter().zip(&sizes);
        let small: Vec<ObjectId> = small
            .filter(|(_, size)| **size <= largest)
            .map(|(object, _)| object.clone())
            .collect();
        let mut whole = self.whole(&small)?.into_iter();
        let contents = sizes.into_iter().map(|size| match size <= largest {
            true => whole.next().map(Content::Whole),
            false => Some(Content::TooLarge(size)),
        });
        contents
            .collect::<Option<_>>()
            .ok_or_else(|| GitError::NoSuchRevision(listed(objects)))
    }

    fn sizes(&self, objects: &[ObjectId]) -> Result<Vec<u64>, GitError> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let call = self
            .objects()?
            .call("cat-file")
            .arg("--batch-check=%(objecttype) %(objectsize)")
            .stdin(listed(objects).into_bytes());
        let text = self.git().run(&call)?.require_success()?.text()?;
        let size = |line: &str| line.strip_prefix("blob ")?.parse().ok();
        let sizes: Option<Vec<u64>> = text.lines().map(size).collect();
        sizes
            .filter(|sizes| sizes.len() == objects.len())
            .ok_or_else(|| GitError::NoSuchRevision(listed(objects)))
    }

    fn whole(&self, objects: &[ObjectId]) -> Result<Vec<Vec<u8>>, GitError> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let call = self
            .objects()?
            .call("cat-file")
            .arg("--batch=%(objectsize)")
            .stdin(listed(objects).into_bytes());
        let answer = self.git().run(&call)?.require_success()?;
        records(&answer.stdout).ok_or_else(|| call.unreadable("a file is cut off"))
    }
}

fn listed(objects: &[ObjectId]) -> String {
    objects.iter().map(|object| format!("{object}\n")).collect()
}

/// A line with the size, the content, and an end of line, again and again.
fn records(mut bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let (size, rest) = bytes.split_at_checked(end)?;
        let size: usize = std::str::from_utf8(size).ok()?.parse().ok()?;
        let (content, rest) = rest.get(1..)?.split_at_checked(size)?;
        found.push(content.to_vec());
        bytes = rest.get(1..)?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_follow_each_other_whatever_is_in_them() {
        let found = records(b"3\na\nb\n0\n\n1\n\n\n").unwrap();
        assert_eq!(found, [b"a\nb".to_vec(), Vec::new(), b"\n".to_vec()]);
        assert_eq!(records(b"5\nab\n"), None);
        assert_eq!(records(b"x\n"), None);
    }
}
