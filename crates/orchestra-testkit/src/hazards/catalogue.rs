//! The traps, one by one.

mod local;
mod remotes;
mod submodules;

use super::site::Site;

/// A trap and how it is set; setting answers whether there was a place for it.
pub(super) struct Trap {
    pub(super) name: &'static str,
    pub(super) set: fn(&Site, &'static str) -> bool,
}

/// Every hook git knows.
pub const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// Submodules come first: they are made with git, which must not fall into the other traps meanwhile.
pub(super) const TRAPS: &[Trap] = &[
    Trap {
        name: "submodule.config",
        set: submodules::submodule_config,
    },
    Trap {
        name: "submodule.update",
        set: submodules::submodule_update,
    },
    Trap {
        name: "hooks",
        set: local::hooks,
    },
    Trap {
        name: "core.hooksPath",
        set: local::hooks_path,
    },
    Trap {
        name: "core.fsmonitor",
        set: local::fsmonitor,
    },
    Trap {
        name: "include.path",
        set: local::include,
    },
    Trap {
        name: "includeIf.path",
        set: local::include_if,
    },
    Trap {
        name: "config.worktree",
        set: local::worktree_config,
    },
    Trap {
        name: "diff.external",
        set: local::diff_external,
    },
    Trap {
        name: "diff.driver.command",
        set: local::diff_command,
    },
    Trap {
        name: "diff.driver.textconv",
        set: local::diff_textconv,
    },
    Trap {
        name: "filter.clean",
        set: local::filter_clean,
    },
    Trap {
        name: "filter.smudge",
        set: local::filter_smudge,
    },
    Trap {
        name: "filter.process",
        set: local::filter_process,
    },
    Trap {
        name: "merge.driver",
        set: local::merge_driver,
    },
    Trap {
        name: "gpg.program",
        set: local::gpg,
    },
    Trap {
        name: "core.sshCommand",
        set: remotes::ssh,
    },
    Trap {
        name: "core.gitProxy",
        set: remotes::git_proxy,
    },
    Trap {
        name: "remote.ext",
        set: remotes::remote_ext,
    },
    Trap {
        name: "remote.vcs",
        set: remotes::remote_vcs,
    },
    Trap {
        name: "remote.uploadpack",
        set: remotes::upload_pack,
    },
    Trap {
        name: "remote.receivepack",
        set: remotes::receive_pack,
    },
    Trap {
        name: "http.proxy",
        set: remotes::http_proxy,
    },
    Trap {
        name: "url.insteadOf",
        set: remotes::instead_of,
    },
    Trap {
        name: "credential.helper",
        set: remotes::credential_helper,
    },
    Trap {
        name: "core.askPass",
        set: remotes::ask_pass,
    },
    Trap {
        name: "core.editor",
        set: local::editor,
    },
    Trap {
        name: "sequence.editor",
        set: local::sequence_editor,
    },
    Trap {
        name: "core.pager",
        set: local::pager,
    },
    Trap {
        name: "alias",
        set: local::alias,
    },
    Trap {
        name: "rebase.todo",
        set: local::rebase_todo,
    },
];
