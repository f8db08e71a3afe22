//! The settings file that is proposed: what was found, and in comments why.

use super::{ProposedEnvironment, TestCommand};

const START: &str =
    "# Settings of this repository for Amp Orchestra. `orchestra config list` shows all of them.\n";

pub(super) fn content(
    branch: Option<&str>,
    test: Option<&TestCommand>,
    environment: &ProposedEnvironment,
) -> String {
    let branch = branch.filter(|branch| *branch != "main");
    let sections = [
        branch.map(|branch| format!("[git]\ndefault_base_branch = {}\n", quoted(branch))),
        commands(environment),
        worktree(environment),
        Some(scripts(test, environment)),
        environment.dev.as_ref().map(|_| SERVER.to_owned()),
    ];
    let sections: Vec<_> = sections.into_iter().flatten().collect();
    [&[START.to_owned()], sections.as_slice()]
        .concat()
        .join("\n")
}

const SERVER: &str = "\
# Every session has a port of its own, which programs find in the variable PORT.
[ports]
web = 1

# A script that stays: `orchestra session run <session> dev --detach`.
[servers.dev]
port = \"web\"
";

fn commands(environment: &ProposedEnvironment) -> Option<String> {
    let setup = environment.setup.as_ref()?;
    let (value, why) = (quoted(&setup.value), &setup.why);
    Some(format!(
        "# What makes a new worktree ready.\n[commands]\n# {why}\nsetup = {value}\n"
    ))
}

fn worktree(environment: &ProposedEnvironment) -> Option<String> {
    let mut lines = Vec::new();
    if !environment.reuse.is_empty() {
        lines.push(
            "# New worktrees get these without taking space, where the file system can.".to_owned(),
        );
        lines.extend(
            environment
                .reuse
                .iter()
                .map(|reuse| format!("# {}", reuse.why)),
        );
        let directories = environment.reuse.iter().map(|reuse| quoted(&reuse.value));
        lines.push(format!(
            "reuse = [{}]",
            directories.collect::<Vec<_>>().join(", ")
        ));
    }
    if !environment.env_files.is_empty() {
        let files = environment
            .env_files
            .iter()
            .map(|file| quoted(&file.to_string_lossy()));
        lines.push("# Git ignores these, and they are there. They may have secrets: name only what agents may see.".to_owned());
        lines.push(format!(
            "# copy = [{}]",
            files.collect::<Vec<_>>().join(", ")
        ));
    }
    (!lines.is_empty()).then(|| format!("[worktree]\n{}\n", lines.join("\n")))
}

fn scripts(test: Option<&TestCommand>, environment: &ProposedEnvironment) -> String {
    let mut text = String::from(
        "# Commands you can run in a session: `orchestra session run <session> test`.\n[scripts]\n",
    );
    match test {
        Some(test) => text.push_str(&format!(
            "# {}\ntest = {}\n",
            test.why,
            quoted(&test.command)
        )),
        None => text.push_str("# test = \"make test\"\n"),
    }
    if let Some(dev) = &environment.dev {
        text.push_str(&format!("# {}\ndev = {}\n", dev.why, quoted(&dev.value)));
    }
    text
}

/// Text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::Proposed;

    fn proposed(value: &str) -> Proposed {
        Proposed {
            value: value.to_owned(),
            why: format!("why {value}"),
        }
    }

    #[test]
    fn the_proposal_fits_what_was_found() {
        let cargo = TestCommand {
            command: "cargo test".to_owned(),
            why: "Cargo.lock belongs to cargo".to_owned(),
        };
        let nothing = ProposedEnvironment::default();
        let text = content(Some("trunk"), Some(&cargo), &nothing);
        assert!(
            text.contains("default_base_branch = \"trunk\"")
                && text.contains("# Cargo.lock belongs to cargo\ntest = \"cargo test\""),
            "{text}"
        );
        let text = content(Some("main"), None, &nothing);
        assert!(
            !text.contains("[git]") && text.contains("# test = "),
            "{text}"
        );
        assert!(
            !text.contains("[worktree]") && !text.contains("[ports]"),
            "{text}"
        );
    }

    #[test]
    fn everything_that_is_proposed_is_toml_and_env_files_are_only_a_comment() {
        let all = ProposedEnvironment {
            setup: Some(proposed("npm ci && echo \"x\"")),
            reuse: vec![proposed("node_modules"), proposed("target")],
            env_files: vec![".env".into(), "apps/it's/.env.local".into()],
            dev: Some(proposed("npm run dev")),
        };
        let text = content(None, None, &all);
        let table: toml::Table = toml::from_str(&text).unwrap();
        assert_eq!(
            table["commands"]["setup"].as_str(),
            Some("npm ci && echo \"x\"")
        );
        assert_eq!(table["worktree"]["reuse"][1].as_str(), Some("target"));
        assert_eq!(table["servers"]["dev"]["port"].as_str(), Some("web"));
        assert_eq!(table["scripts"]["dev"].as_str(), Some("npm run dev"));
        assert!(table["worktree"].get("copy").is_none(), "{text}");
        let uncommented = text.replace("# copy", "copy");
        let table: toml::Table = toml::from_str(&uncommented).unwrap();
        assert_eq!(
            table["worktree"]["copy"][1].as_str(),
            Some("apps/it's/.env.local")
        );
    }
}
