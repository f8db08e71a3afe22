//! Reads the lcov format: per source file, how often each line ran.

use std::collections::BTreeMap;
use std::path::Path;

/// Hits per line number, per file relative to the root with `/` between its parts.
pub(super) type Lines = BTreeMap<String, BTreeMap<u32, u64>>;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LcovError {
    #[error("line {number}: a record before any file")]
    NoFile { number: usize },
    #[error("line {number}: `{text}` is not `DA:<line>,<hits>`")]
    Malformed { number: usize, text: String },
}

/// Records of the same file are added up; files outside the root are left out.
pub(super) fn parse(text: &str, root: &Path) -> Result<Lines, LcovError> {
    let mut lines = Lines::new();
    let mut current: Option<Option<String>> = None;
    for (index, record) in text.lines().enumerate() {
        let number = index + 1;
        if let Some(path) = record.strip_prefix("SF:") {
            current = Some(relative(path, root));
        } else if let Some(data) = record.strip_prefix("DA:") {
            let file = current.as_ref().ok_or(LcovError::NoFile { number })?;
            let (line, hits) = data_record(data).ok_or_else(|| LcovError::Malformed {
                number,
                text: record.to_owned(),
            })?;
            if let Some(file) = file {
                *lines
                    .entry(file.clone())
                    .or_default()
                    .entry(line)
                    .or_default() += hits;
            }
        } else if record == "end_of_record" {
            current = None;
        }
    }
    Ok(lines)
}

fn relative(path: &str, root: &Path) -> Option<String> {
    let path = Path::new(path);
    let path = if path.is_absolute() {
        path.strip_prefix(root).ok()?
    } else {
        path
    };
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    Some(parts.join("/"))
}

/// A checksum may follow the hits.
fn data_record(data: &str) -> Option<(u32, u64)> {
    let mut fields = data.split(',');
    let line = fields.next()?.trim().parse().ok()?;
    let hits = fields.next()?.trim().parse().ok()?;
    Some((line, hits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Lines, LcovError> {
        parse(text, Path::new("/top"))
    }

    #[test]
    fn hits_are_read_per_file() {
        let text = "TN:\nSF:/top/a/b.rs\nFN:1,main\nFNDA:1,main\nDA:1,3\nDA:2,0,hash\nLF:2\nLH:1\n\
                    end_of_record\nSF:c.rs\nDA:7,1\nend_of_record\n";
        let expected = Lines::from([
            ("a/b.rs".to_owned(), BTreeMap::from([(1, 3), (2, 0)])),
            ("c.rs".to_owned(), BTreeMap::from([(7, 1)])),
        ]);
        assert_eq!(parsed(text), Ok(expected));
    }

    #[test]
    fn records_of_one_file_are_added_up() {
        let text = "SF:/top/a.rs\nDA:1,1\nDA:2,0\nend_of_record\nSF:/top/a.rs\nDA:1,2\nDA:2,0\n";
        let expected = Lines::from([("a.rs".to_owned(), BTreeMap::from([(1, 3), (2, 0)]))]);
        assert_eq!(parsed(text), Ok(expected));
    }

    #[test]
    fn files_elsewhere_are_left_out() {
        assert_eq!(
            parsed("SF:/other/a.rs\nDA:1,1\nend_of_record\n"),
            Ok(Lines::new())
        );
    }

    #[test]
    fn broken_records_are_named() {
        assert_eq!(parsed("DA:1,1"), Err(LcovError::NoFile { number: 1 }));
        let closed = "SF:/top/a.rs\nend_of_record\nDA:1,1";
        assert_eq!(parsed(closed), Err(LcovError::NoFile { number: 3 }));
        let expected = LcovError::Malformed {
            number: 2,
            text: "DA:1".to_owned(),
        };
        assert_eq!(parsed("SF:/top/a.rs\nDA:1"), Err(expected));
    }
}
