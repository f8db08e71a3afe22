//! Traps in a repository inside the worktree.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::site::{Site, append, append_config, git};

/// A repository inside the worktree, linked as a submodule, with a trap in its own configuration.
pub(super) fn submodule_config(site: &Site, name: &'static str) -> bool {
    let module = make_submodule(site);
    append_config(
        &module.join(".git/config"),
        "core",
        "fsmonitor",
        &site.script(name, "printf '/\\0'"),
    );
    fs::write(module.join("changed.md"), "changed\n").expect("the module is ours");
    true
}

pub(super) fn submodule_update(site: &Site, name: &'static str) -> bool {
    make_submodule(site);
    let script = site.script(name, "exit 0");
    let section = "submodule \"trap-module\"";
    site.config(
        section,
        "url",
        &site.worktree.join("trap-module").to_string_lossy(),
    );
    site.config(section, "active", "true");
    site.config(section, "update", &format!("!{script}"));
    true
}

fn make_submodule(site: &Site) -> PathBuf {
    let module = site.worktree.join("trap-module");
    if module.join(".git").exists() {
        return module;
    }
    fs::create_dir_all(&module).expect("the worktree is writable");
    git(&module, &["init", "--quiet"]);
    let first = commit(&module, "first");
    commit(&module, "second");
    let link = format!("160000,{first},trap-module");
    git(
        &site.worktree,
        &["update-index", "--add", "--cacheinfo", &link],
    );
    let entry = "[submodule \"trap-module\"]\n\tpath = trap-module\n\turl = ./trap-module";
    append(&site.worktree.join(".gitmodules"), entry);
    module
}

fn commit(module: &Path, text: &str) -> String {
    fs::write(module.join("file.md"), text).expect("the module is ours");
    git(module, &["add", "file.md"]);
    git(module, &["commit", "--quiet", "--message", text]);
    git(module, &["rev-parse", "HEAD"])
}
