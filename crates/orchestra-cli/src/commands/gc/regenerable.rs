//! Directories that can be made again: offered by every `gc`, removed with `--regenerable`.

use orchestra_core::visible_line;
use orchestra_engine::{Regenerable, RegenerableListing, size_in_words};
use orchestra_server::housekeeping::Offer;

use crate::ask::{self, Preset};
use crate::context::Context;
use crate::error::CliError;
use crate::render::{screen, summary};

/// One line for each; those that stay with the way to remove them.
pub(super) fn show(context: &Context, offer: &Offer) {
    for skipped in offer.skipped() {
        context.printer.warn(skipped);
    }
    for it in &offer.removed.directories {
        let what = in_short(it);
        context.printer.line(format!("{what}: removed"));
    }
    for it in &offer.left.directories {
        let what = in_short(it);
        context.printer.line(format!("{what}: can be made again"));
    }
    if !offer.left.directories.is_empty() {
        let size = size_in_words(offer.left.own_bytes());
        context.printer.note(format!(
            "  `orchestra gc --regenerable` removes what can be made again and frees {size}"
        ));
    }
    if !offer.removed.directories.is_empty() {
        context.printer.note(
            "  `orchestra session setup <session>` makes it again, where the repository has a set-up",
        );
    }
}

fn in_short(it: &Regenerable) -> String {
    let (id, name) = (&it.session, visible_line(it.name.as_str()));
    let space = it.space;
    let space = summary::space(space.own_bytes, space.shared_bytes, space.is_sharing_known);
    format!("{id} {name}: {} ({space})", screen::path(&it.path))
}

pub(super) fn confirm(context: &Context, left: &RegenerableListing) -> Result<bool, CliError> {
    let lines: Vec<String> = left.directories.iter().map(in_short).collect();
    let question = format!(
        "{}\nRemove these, {} together? What they hold has to be made again before work goes on.",
        lines.join("\n"),
        size_in_words(left.own_bytes())
    );
    let answer = ask::yes_or_no(&context.printer, &question, Preset::No)?;
    answer.ok_or_else(|| {
        CliError::refused(
            "gc.not_confirmed",
            "directories that can be made again are removed only if somebody agrees",
            "pass --yes if that is what you want; --dry-run shows them",
        )
    })
}
