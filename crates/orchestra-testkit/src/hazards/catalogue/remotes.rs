//! Traps that spring when git talks to a remote.

use super::super::listener;
use super::super::site::Site;

pub(super) fn ssh(site: &Site, name: &'static str) -> bool {
    site.config("core", "sshCommand", &site.script(name, "exit 1"));
    site.config("remote \"trap-ssh\"", "url", "ssh://git@127.0.0.1/trap.git");
    true
}

pub(super) fn git_proxy(site: &Site, name: &'static str) -> bool {
    site.config("core", "gitProxy", &site.script(name, "exit 1"));
    site.config("remote \"trap-git\"", "url", "git://127.0.0.1/trap.git");
    true
}

pub(super) fn remote_ext(site: &Site, name: &'static str) -> bool {
    site.config("protocol \"ext\"", "allow", "always");
    let url = format!("ext::{}", site.script(name, "exit 1"));
    site.config("remote \"trap-ext\"", "url", &url);
    true
}

pub(super) fn remote_vcs(site: &Site, name: &'static str) -> bool {
    site.config("protocol \"ext\"", "allow", "always");
    site.config("remote \"trap-vcs\"", "vcs", "ext");
    site.config("remote \"trap-vcs\"", "url", &site.script(name, "exit 1"));
    true
}

/// The packs are also set on `origin`, where an engine would fetch from.
pub(super) fn upload_pack(site: &Site, name: &'static str) -> bool {
    let script = site.script(name, "exit 1");
    for remote in ["trap-pack", "origin"] {
        site.config(&format!("remote \"{remote}\""), "uploadpack", &script);
    }
    site.config(
        "remote \"trap-pack\"",
        "url",
        &site.common_dir.to_string_lossy(),
    );
    true
}

pub(super) fn receive_pack(site: &Site, name: &'static str) -> bool {
    let script = site.script(name, "exit 1");
    for remote in ["trap-receive", "origin"] {
        site.config(&format!("remote \"{remote}\""), "receivepack", &script);
    }
    site.config(
        "remote \"trap-receive\"",
        "url",
        &site.common_dir.to_string_lossy(),
    );
    true
}

pub(super) fn http_proxy(site: &Site, name: &'static str) -> bool {
    site.config("http", "proxy", &listener::start(&site.marker, Some(name)));
    site.config(
        "remote \"trap-proxy\"",
        "url",
        "http://git.invalid/trap.git",
    );
    true
}

pub(super) fn instead_of(site: &Site, name: &'static str) -> bool {
    let address = listener::start(&site.marker, Some(name));
    site.config(&format!("url \"{address}\""), "insteadOf", "https://");
    site.config(
        "remote \"trap-instead\"",
        "url",
        "https://git.invalid/trap.git",
    );
    true
}

pub(super) fn credential_helper(site: &Site, name: &'static str) -> bool {
    site.config("credential", "helper", &site.script(name, "exit 0"));
    password_remote(site);
    true
}

pub(super) fn ask_pass(site: &Site, name: &'static str) -> bool {
    site.config("core", "askPass", &site.script(name, "exit 1"));
    password_remote(site);
    true
}

fn password_remote(site: &Site) {
    let url = format!("{}trap.git", listener::start(&site.marker, None));
    site.config("remote \"trap-password\"", "url", &url);
}
