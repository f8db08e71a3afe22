//! Paths in JSON. A name need not be text; it is shown as well as it can be, and an answer that names it is never lost.

use std::path::PathBuf;

use serde::ser::{Serialize, SerializeSeq, Serializer};

/// Writes one path, or several, as text. For `#[serde(serialize_with = "...")]`.
///
/// # Errors
/// If the serializer fails.
pub fn path_as_text<P: PathText, S: Serializer>(
    paths: &P,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    paths.write(serializer)
}

/// What holds paths.
pub trait PathText {
    /// Writes them as text.
    ///
    /// # Errors
    /// If the serializer fails.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

impl PathText for PathBuf {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_string_lossy())
    }
}

impl PathText for Option<PathBuf> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.as_ref().map(|path| path.to_string_lossy());
        text.serialize(serializer)
    }
}

impl PathText for Vec<PathBuf> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for path in self {
            list.serialize_element(&path.to_string_lossy())?;
        }
        list.end()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[derive(serde::Serialize)]
    struct Named<P: PathText>(#[serde(serialize_with = "path_as_text")] P);

    #[test]
    fn a_name_that_is_no_text_is_shown() {
        let path = PathBuf::from(OsStr::from_bytes(b"caf\xe9.txt"));
        let text = |named: serde_json::Result<String>| named.unwrap();
        let shown = "\"caf\u{fffd}.txt\"";
        assert_eq!(text(serde_json::to_string(&Named(path.clone()))), shown);
        let several = vec![path.clone(), "a b".into()];
        let listed = text(serde_json::to_string(&Named(several)));
        assert_eq!(listed, format!("[{shown},\"a b\"]"));
        assert_eq!(text(serde_json::to_string(&Named(Some(path)))), shown);
        assert_eq!(text(serde_json::to_string(&Named(None::<PathBuf>))), "null");
    }
}
