//! Conflict markers in a file.

const LENGTH: usize = 7;

/// The numbers of the lines that git put there. A line of equal signs alone may be a heading, so it counts beside others only.
pub(super) fn lines(content: &[u8]) -> Vec<usize> {
    let found: Vec<(usize, u8)> = content
        .split(|byte| *byte == b'\n')
        .enumerate()
        .filter_map(|(index, line)| Some((index + 1, sign(line)?)))
        .collect();
    if found.iter().all(|(_, sign)| *sign == b'=') {
        return Vec::new();
    }
    found.into_iter().map(|(number, _)| number).collect()
}

/// The sign that a line begins with seven times, and then nothing or a space.
fn sign(line: &[u8]) -> Option<u8> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let first = *line.first()?;
    let count = line.iter().take_while(|byte| **byte == first).count();
    let is_marker = b"<=>|".contains(&first) && count == LENGTH;
    let ends = line.get(LENGTH).is_none_or(|byte| *byte == b' ');
    (is_marker && ends).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_found_with_their_lines() {
        let text = b"a\n<<<<<<< main\nb\n||||||| base\n=======\r\nc\n>>>>>>> abc\n";
        assert_eq!(lines(text), [2, 4, 5, 7]);
        assert_eq!(lines(b"x\n>>>>>>>"), [2]);
    }

    #[test]
    fn other_lines_are_no_markers() {
        let text = b"Heading\n=======\n\n <<<<<<< x\n<<<<<<<< y\n<<<<<< z\n<<<<<<<z\n";
        assert!(lines(text).is_empty());
        assert!(lines(b"").is_empty());
    }
}
