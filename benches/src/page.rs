//! Puts the table into the page for users.

use std::path::Path;

use crate::Outcome;
use crate::table::Table;

const BEGIN: &str = "<!-- figures: begin, written by `cargo xtask bench -- --write` -->\n";
const END: &str = "<!-- figures: end -->";

/// Replaces the figures in `docs/performance.md`.
pub(crate) fn write(table: &Table) -> Outcome<()> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/performance.md");
    let text = std::fs::read_to_string(&page)?;
    let replaced =
        replaced(&text, &table.text()).ok_or("docs/performance.md has no place for figures")?;
    Ok(std::fs::write(&page, replaced)?)
}

fn replaced(page: &str, figures: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{figures}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_figures_change() {
        let page = format!("# Title\n{BEGIN}old\n{END}\nmore\n");
        assert_eq!(
            replaced(&page, "new"),
            Some(format!("# Title\n{BEGIN}\nnew\n{END}\nmore\n"))
        );
        assert_eq!(replaced("# Title\n", "new"), None);
    }
}
