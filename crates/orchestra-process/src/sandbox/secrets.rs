//! What of a home directory no agent has to read.

use std::fs;
use std::path::{Path, PathBuf};

/// Keys, tokens, passwords, cookies and what was typed: of the system, of clouds and of other tools.
const SECRETS: &[&str] = &[
    // Keys and passwords.
    ".ssh",
    ".gnupg",
    ".pki",
    ".password-store",
    ".netrc",
    "_netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".git-credentials",
    ".config/git/credentials",
    ".vault-token",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    "Library/Keychains",
    ".config/1Password",
    ".config/Bitwarden",
    ".config/op",
    ".config/sops",
    ".config/age",
    // Clouds and clusters.
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/doctl",
    ".config/hcloud",
    ".config/rclone",
    ".config/openstack",
    ".config/flyctl",
    ".fly",
    ".oci",
    ".s3cfg",
    ".boto",
    ".kube",
    ".docker",
    ".config/containers/auth.json",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".pulumi",
    // Hosts of code and registries of packages.
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".config/pypoetry/auth.toml",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".bundle/config",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".nuget/NuGet/NuGet.Config",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".huggingface",
    ".cache/huggingface/token",
    ".config/heroku",
    ".config/netlify",
    ".config/vercel",
    ".local/share/com.vercel.cli",
    // Agents: the one that runs is given its own again by the caller.
    ".amp",
    ".config/amp",
    ".local/share/amp",
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".qwen",
    ".cursor",
    ".continue",
    ".aider.conf.yml",
    ".config/opencode",
    ".local/share/opencode",
    ".config/goose",
    ".config/github-copilot",
    // Databases.
    ".pgpass",
    ".my.cnf",
    ".mongodb",
    ".config/redis-cli",
    // Browsers and mail.
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    "snap/firefox",
    "snap/chromium",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    "Library/Application Support/BraveSoftware",
    "Library/Application Support/Microsoft Edge",
    "Library/Safari",
    "Library/Cookies",
    "Library/Mail",
    "Library/Messages",
    ".config/Slack",
    ".config/Signal",
    ".config/discord",
    // What was typed.
    ".bash_history",
    ".zsh_history",
    ".zhistory",
    ".histfile",
    ".local/share/fish/fish_history",
    ".local/share/atuin",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".lesshst",
    ".viminfo",
];

/// What is hidden in a home directory, as far as it exists.
///
/// The product's own data directory is for the caller to add. Where an agent keeps its own token is hidden too: the caller names
/// it as readable or writable as well, which outranks hiding the same path.
pub fn home_secrets(home: &Path) -> Vec<PathBuf> {
    let named = SECRETS.iter().map(|secret| home.join(secret));
    let mut found: Vec<PathBuf> = named
        .filter(|path| fs::symlink_metadata(path).is_ok())
        .collect();
    found.extend(environment_files(home));
    found
}

/// `.env` and its kin, right in the home directory.
fn environment_files(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home).into_iter().flatten().flatten();
    let is_environment = |name: &str| name == ".env" || name.starts_with(".env.");
    entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_environment))
        .map(|entry| entry.path())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_exists_is_hidden() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".config/gh")).unwrap();
        for file in [".netrc", ".env.local", ".bashrc", ".environment"] {
            fs::write(home.path().join(file), "").unwrap();
        }
        let mut found = home_secrets(home.path());
        found.sort();
        let expected = [".config/gh", ".env.local", ".netrc"];
        assert_eq!(found, expected.map(|it| home.path().join(it)));
    }
}
