//! Lists that are cut: how many more there are.

use std::fmt::Display;

/// `and 3 more`, if a list of `all` things shows only the first `shown`.
#[must_use]
pub fn and_more(all: usize, shown: usize) -> Option<String> {
    let more = all.checked_sub(shown).filter(|more| *more > 0)?;
    Some(format!("and {more} more"))
}

/// The first few names in one line, and how many more there are: `a, b and 3 more`.
#[must_use]
pub fn first_of<T: Display>(names: impl IntoIterator<Item = T>, most: usize) -> String {
    let names: Vec<_> = names.into_iter().map(|name| name.to_string()).collect();
    let first = names[..most.min(names.len())].join(", ");
    match and_more(names.len(), most) {
        Some(more) => format!("{first} {more}"),
        None => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_cut_and_says_so() {
        assert_eq!(first_of(["a", "b"], 2), "a, b");
        assert_eq!(first_of(["a", "b", "c", "d"], 2), "a, b and 2 more");
        assert_eq!(first_of(Vec::<String>::new(), 2), "");
    }

    #[test]
    fn only_what_is_not_shown_counts() {
        assert_eq!(and_more(5, 2).as_deref(), Some("and 3 more"));
        for (all, shown) in [(2, 2), (1, 2), (0, 0)] {
            assert_eq!(and_more(all, shown), None);
        }
    }
}
