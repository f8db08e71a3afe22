//! Lists that are cut: how many more there are.

/// `and 3 more`, if a list of `all` things shows only the first `shown`.
#[must_use]
pub fn and_more(all: usize, shown: usize) -> Option<String> {
    let more = all.checked_sub(shown).filter(|more| *more > 0)?;
    Some(format!("and {more} more"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_shown_counts() {
        assert_eq!(and_more(5, 2).as_deref(), Some("and 3 more"));
        for (all, shown) in [(2, 2), (1, 2), (0, 0)] {
            assert_eq!(and_more(all, shown), None);
        }
    }
}
