//! Plain tables: columns, no lines, as wide as their content.

use std::fmt;

use comfy_table::{Cell, ContentArrangement, presets};
use orchestra_core::visible_line;

pub(crate) struct Table(comfy_table::Table);

impl Table {
    pub(crate) fn new(header: &[&str]) -> Self {
        let mut table = comfy_table::Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(header.iter().map(Cell::new));
        Self(table)
    }

    pub(crate) fn add(&mut self, row: impl IntoIterator<Item = String>) {
        self.0
            .add_row(row.into_iter().map(|cell| visible_line(&cell)));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.0.lines().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            formatter.write_str(line.trim_start_matches(' ').trim_end())?;
        }
        Ok(())
    }
}
