//! Traps that spring while git works on files: hooks, filters, drivers, editors.

use super::super::site::{Site, append, append_config};
use super::HOOKS;

pub(super) fn hooks(site: &Site, _name: &'static str) -> bool {
    for hook in HOOKS {
        let path = site.common_dir.join("hooks").join(hook);
        site.write_script(&path, &format!("hook.{hook}"), "exit 0");
    }
    true
}

pub(super) fn hooks_path(site: &Site, name: &'static str) -> bool {
    let folder = site.folder("hooks");
    for hook in HOOKS {
        site.write_script(&folder.join(hook), name, "exit 0");
    }
    site.config("core", "hooksPath", &folder.to_string_lossy());
    true
}

pub(super) fn fsmonitor(site: &Site, name: &'static str) -> bool {
    site.config("core", "fsmonitor", &site.script(name, "printf '/\\0'"));
    true
}

/// Content passes through unchanged.
const PASS: &str = "exec cat";

pub(super) fn include(site: &Site, name: &'static str) -> bool {
    let file = site.folder("included");
    append_config(
        &file,
        "filter \"trap-included\"",
        "clean",
        &site.script(name, PASS),
    );
    site.config("include", "path", &file.to_string_lossy());
    site.attributes("*.txt filter=trap-included");
    true
}

pub(super) fn include_if(site: &Site, name: &'static str) -> bool {
    let file = site.folder("included-if");
    append_config(
        &file,
        "filter \"trap-included-if\"",
        "clean",
        &site.script(name, PASS),
    );
    site.config("includeIf \"gitdir:/\"", "path", &file.to_string_lossy());
    site.attributes("*.json filter=trap-included-if");
    true
}

pub(super) fn worktree_config(site: &Site, name: &'static str) -> bool {
    site.config("extensions", "worktreeConfig", "true");
    let file = site.git_dir.join("config.worktree");
    append_config(
        &file,
        "filter \"trap-worktree\"",
        "clean",
        &site.script(name, PASS),
    );
    site.attributes("*.yml filter=trap-worktree");
    true
}

pub(super) fn diff_external(site: &Site, name: &'static str) -> bool {
    site.config("diff", "external", &site.script(name, "exit 0"));
    true
}

pub(super) fn diff_command(site: &Site, name: &'static str) -> bool {
    site.config(
        "diff \"trap-command\"",
        "command",
        &site.script(name, "exit 0"),
    );
    site.attributes("*.rs diff=trap-command");
    true
}

pub(super) fn diff_textconv(site: &Site, name: &'static str) -> bool {
    site.config(
        "diff \"trap-textconv\"",
        "textconv",
        &site.script(name, "exec cat \"$1\""),
    );
    site.attributes("*.md diff=trap-textconv");
    true
}

pub(super) fn filter_clean(site: &Site, name: &'static str) -> bool {
    site.config("filter \"trap\"", "clean", &site.script(name, PASS));
    site.attributes("*.md filter=trap");
    true
}

pub(super) fn filter_smudge(site: &Site, name: &'static str) -> bool {
    site.config("filter \"trap\"", "smudge", &site.script(name, PASS));
    site.attributes("*.md filter=trap");
    true
}

pub(super) fn filter_process(site: &Site, name: &'static str) -> bool {
    site.config(
        "filter \"trap-process\"",
        "process",
        &site.script(name, "exit 1"),
    );
    site.attributes("*.rs filter=trap-process");
    true
}

pub(super) fn merge_driver(site: &Site, name: &'static str) -> bool {
    let script = site.script(name, "exit 0");
    site.config("merge \"trap\"", "driver", &format!("{script} %O %A %B"));
    site.attributes("* merge=trap");
    true
}

pub(super) fn gpg(site: &Site, name: &'static str) -> bool {
    site.config("gpg", "program", &site.script(name, "exit 1"));
    for (section, key) in [
        ("commit", "gpgSign"),
        ("tag", "gpgSign"),
        ("log", "showSignature"),
    ] {
        site.config(section, key, "true");
    }
    true
}

pub(super) fn editor(site: &Site, name: &'static str) -> bool {
    site.config("core", "editor", &site.script(name, "exit 1"));
    true
}

pub(super) fn sequence_editor(site: &Site, name: &'static str) -> bool {
    site.config("sequence", "editor", &site.script(name, "exit 1"));
    true
}

pub(super) fn pager(site: &Site, name: &'static str) -> bool {
    let script = site.script(name, PASS);
    site.config("core", "pager", &script);
    for command in ["branch", "diff", "log", "show", "status"] {
        site.config("pager", command, &script);
    }
    true
}

pub(super) fn alias(site: &Site, name: &'static str) -> bool {
    let script = site.script(name, "exit 0");
    for command in ["ci", "co", "st", "trap", "wt"] {
        site.config("alias", command, &format!("!{script}"));
    }
    true
}

pub(super) fn rebase_todo(site: &Site, name: &'static str) -> bool {
    let todo = site.git_dir.join("rebase-merge/git-rebase-todo");
    if !todo.exists() {
        return false;
    }
    append(&todo, &format!("exec {}", site.script(name, "exit 0")));
    true
}
