//! Directories that can be made again: offered by every `gc`, removed with `--regenerable`.

use orchestra_api::RegenerableRow;
use orchestra_core::visible_line;
use orchestra_engine::{Consent, Regenerable, RegenerableListing, size_in_words};

use crate::ask::{self, Preset};
use crate::context::Context;
use crate::error::CliError;
use crate::render::{screen, summary};

/// What became of directories that can be made again.
pub(super) struct Offer {
    /// Those that were removed.
    pub(super) removed: RegenerableListing,
    /// Those that stay.
    pub(super) left: RegenerableListing,
}

/// What is there, and nothing done to it.
pub(super) fn find(context: &Context) -> Result<Offer, CliError> {
    Ok(Offer {
        removed: RegenerableListing::default(),
        left: context.engine.regenerable()?,
    })
}

/// Removes what is there, if the user agrees.
pub(super) fn remove(context: &Context, offer: Offer, consent: Consent) -> Result<Offer, CliError> {
    let mut left = offer.left;
    if left.directories.is_empty() || !(consent == Consent::Given || confirm(context, &left)?) {
        return Ok(Offer { left, ..offer });
    }
    let wanted = std::mem::take(&mut left.directories);
    let removed = context.engine.remove_regenerable(wanted.clone());
    let is_left = |it: &Regenerable| {
        let is_it = |gone: &Regenerable| gone.session == it.session && gone.path == it.path;
        !removed.directories.iter().any(is_it)
    };
    left.directories = wanted.into_iter().filter(is_left).collect();
    Ok(Offer { removed, left })
}

impl Offer {
    pub(super) fn problems(&self) -> impl Iterator<Item = &String> {
        self.left.problems.iter().chain(&self.removed.problems)
    }

    pub(super) fn skipped(&self) -> impl Iterator<Item = &String> {
        self.left.skipped.iter().chain(&self.removed.skipped)
    }

    pub(super) fn rows(&self) -> Vec<RegenerableRow> {
        let removed = self.removed.directories.iter().map(|it| row(it, true));
        let left = self.left.directories.iter().map(|it| row(it, false));
        removed.chain(left).collect()
    }

    /// One line for each; those that stay with the way to remove them.
    pub(super) fn show(&self, context: &Context) {
        for skipped in self.skipped() {
            context.printer.warn(skipped);
        }
        for it in &self.removed.directories {
            let what = in_short(it);
            context.printer.line(format!("{what}: removed"));
        }
        for it in &self.left.directories {
            let what = in_short(it);
            context.printer.line(format!("{what}: can be made again"));
        }
        if !self.left.directories.is_empty() {
            let size = size_in_words(self.left.own_bytes());
            context.printer.note(format!(
                "  `orchestra gc --regenerable` removes what can be made again and frees {size}"
            ));
        }
        if !self.removed.directories.is_empty() {
            context.printer.note(
                "  `orchestra session setup <session>` makes it again, where the repository has a set-up",
            );
        }
    }
}

fn row(it: &Regenerable, removed: bool) -> RegenerableRow {
    RegenerableRow {
        session_id: it.session.clone(),
        session_name: it.name.to_string(),
        path: it.worktree.join(&it.path),
        own_bytes: it.space.own_bytes,
        shared_bytes: it.space.shared_bytes,
        is_sharing_known: it.space.is_sharing_known,
        removed,
    }
}

fn in_short(it: &Regenerable) -> String {
    let (id, name) = (&it.session, visible_line(it.name.as_str()));
    let space = it.space;
    let space = summary::space(space.own_bytes, space.shared_bytes, space.is_sharing_known);
    format!("{id} {name}: {} ({space})", screen::path(&it.path))
}

fn confirm(context: &Context, left: &RegenerableListing) -> Result<bool, CliError> {
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
