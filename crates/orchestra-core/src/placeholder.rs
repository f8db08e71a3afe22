//! Text with placeholders such as `{slug}`.

/// Replaces every placeholder of a text. The closure gets it with its braces; one that is never closed is the whole rest.
///
/// # Errors
/// What the closure refuses.
pub fn fill_placeholders<E>(
    text: &str,
    mut value: impl FnMut(&str) -> Result<String, E>,
) -> Result<String, E> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, from_brace) = rest.split_at(start);
        let length = from_brace.find('}').map_or(from_brace.len(), |end| end + 1);
        let (placeholder, after) = from_brace.split_at(length);
        filled.push_str(before);
        filled.push_str(&value(placeholder)?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_is_replaced() {
        let known = |placeholder: &str| match placeholder {
            "{a}" => Ok("1".to_owned()),
            "{}" => Ok("nothing".to_owned()),
            other => Err(other.to_owned()),
        };
        let fill = |text| fill_placeholders(text, known);
        assert_eq!(fill("x{a}y{a}").unwrap(), "x1y1");
        assert_eq!(fill("plain }").unwrap(), "plain }");
        assert_eq!(fill("{}").unwrap(), "nothing");
        assert_eq!(fill("{b}").unwrap_err(), "{b}");
        assert_eq!(fill("x {a").unwrap_err(), "{a");
    }
}
