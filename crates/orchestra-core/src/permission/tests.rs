use super::*;

fn bash(command: &str) -> ToolUse {
    ToolUse {
        tool: "Bash".to_owned(),
        kind: ToolKind::of_tool("Bash"),
        input: serde_json::json!({"cmd": command}),
    }
}

fn worktree() -> &'static Path {
    Path::new("/w/one")
}

fn rules(lines: &[&str]) -> Vec<PermissionRule> {
    lines.iter().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn the_first_rule_that_fits_decides() {
    let rules = rules(&[
        "allow execute git status*",
        "reject bash git push*",
        "ask *",
    ]);
    let judged = |command| judge(PermissionPolicy::Rules, &rules, &bash(command), worktree());
    assert_eq!(judged("git status -s"), Verdict::Allow);
    assert!(matches!(judged("git push origin/main"), Verdict::Reject(_)));
    assert_eq!(judged("rm -rf /"), Verdict::Ask);
}

#[test]
fn an_allowed_command_brings_no_other_with_it() {
    let rule: PermissionRule = "allow execute git status*".parse().unwrap();
    for command in [
        "git status; make",
        "git status && make",
        "git status | sh",
        "git status > /etc/x",
        "git status $(make)",
        "git status `make`",
        "git status\nmake",
    ] {
        assert!(!rule.applies_to(&bash(command), worktree()), "{command}");
    }
    let rejects: PermissionRule = "reject execute *rm *".parse().unwrap();
    assert!(rejects.applies_to(&bash("true; rm -rf x"), worktree()));
    let piped: PermissionRule = "allow execute ls * | wc*".parse().unwrap();
    assert!(piped.applies_to(&bash("ls -a | wc -l"), worktree()));
    assert!(!piped.applies_to(&bash("ls -a | sh | wc -l"), worktree()));
    let open: PermissionRule = "allow execute make[;x]*".parse().unwrap();
    assert!(open.applies_to(&bash("makex all"), worktree()));
    assert!(!open.applies_to(&bash("makex; rm y"), worktree()));
    let mut unknown = bash("git status; make");
    unknown.kind = ToolKind::Other;
    let any: PermissionRule = "allow * git status*".parse().unwrap();
    assert!(
        !any.applies_to(&unknown, worktree()),
        "a command of any tool"
    );
}

#[test]
fn a_decision_for_always_speaks_of_that_use_alone() {
    for command in ["echo '*' {a,b} [c] \\?", "a | b\nc; d", "make"] {
        let rule = bash(command).rule(Decision::Allow).unwrap();
        let again: PermissionRule = rule.to_string().parse().unwrap();
        assert!(again.applies_to(&bash(command), worktree()), "{rule}");
        assert!(
            !again.applies_to(&bash("echo 'x' a c y"), worktree()),
            "{rule}"
        );
    }
    let mut odd = bash("make");
    odd.tool = "Run a thing".to_owned();
    odd.kind = ToolKind::Other;
    odd.input = Value::Null;
    assert_eq!(odd.rule(Decision::Allow), None, "it could be any use");
    odd.input = serde_json::json!({"query": "q"});
    let rule = odd.rule(Decision::Reject).unwrap();
    assert_eq!(rule.to_string(), "reject run?a?thing q");
    assert!(rule.applies_to(&odd, worktree()) && !rule.applies_to(&bash("make"), worktree()));
}

#[test]
fn the_kind_of_a_tool_says_which_argument_counts() {
    use serde_json::json;
    let subject = |kind, input| {
        let tool = "t".to_owned();
        let tool_use = ToolUse { tool, kind, input };
        tool_use.subject().map(Cow::into_owned)
    };
    for (kind, input, expected) in [
        (
            ToolKind::Execute,
            json!({"path": "a", "command": "make"}),
            Some("make"),
        ),
        (
            ToolKind::Execute,
            json!({"command": ["git", "status"]}),
            Some("git status"),
        ),
        (ToolKind::Execute, json!({"command": ["git", 1]}), None),
        (
            ToolKind::Execute,
            json!({"cmd": "ls", "command": "make"}),
            None,
        ),
        (
            ToolKind::Execute,
            json!({"cmd": "ls", "command": "ls"}),
            Some("ls"),
        ),
        (ToolKind::Execute, json!({"url": "https://x"}), None),
        (
            ToolKind::Edit,
            json!({"cmd": "ls", "filePath": "b"}),
            Some("b"),
        ),
        (ToolKind::Edit, json!({"path": "a", "file_path": "b"}), None),
        (ToolKind::Read, json!({"path": ["a", "b"]}), None),
        (
            ToolKind::Fetch,
            json!({"query": "q", "url": "u"}),
            Some("u"),
        ),
        (
            ToolKind::Search,
            json!({"path": "p", "pattern": "x"}),
            Some("x"),
        ),
    ] {
        let told = input.to_string();
        assert_eq!(subject(kind, input).as_deref(), expected, "{kind:?} {told}");
    }
}

#[test]
fn a_use_is_told_in_words() {
    assert_eq!(bash("git push").in_words(), "run `git push`");
    let long = "x".repeat(400);
    let whole = bash(&format!("echo {long}\nrm y")).in_words();
    assert_eq!(whole, format!("run `echo {long} \u{23ce} rm y`"));
    let mut other = bash("x");
    other.kind = ToolKind::Other;
    assert_eq!(other.in_words(), "use Bash with `x`");
    other.input = serde_json::json!({"script": "make"});
    assert_eq!(other.in_words(), r#"use Bash with `{"script":"make"}`"#);
    other.input = Value::Null;
    assert_eq!(other.in_words(), "use Bash");
}

#[test]
fn what_no_rule_speaks_of_depends_on_the_policy() {
    let rules = rules(&["allow read"]);
    let judged = |policy| judge(policy, &rules, &bash("make"), worktree());
    assert_eq!(judged(PermissionPolicy::Allow), Verdict::Allow);
    assert_eq!(judged(PermissionPolicy::Ask), Verdict::Ask);
    assert!(matches!(
        judged(PermissionPolicy::Rules),
        Verdict::Reject(_)
    ));
}

#[test]
fn a_pattern_needs_something_to_look_at() {
    let rule: PermissionRule = "allow * git*".parse().unwrap();
    let mut nothing = bash("git");
    assert!(rule.applies_to(&nothing, worktree()));
    nothing.input = Value::Null;
    assert!(!rule.applies_to(&nothing, worktree()));
}

#[test]
fn what_is_no_rule_is_refused() {
    for text in ["", "allow", "permit read", "allow [", "allow read ["] {
        assert!(text.parse::<PermissionRule>().is_err(), "{text}");
    }
    assert_eq!(
        "  allow read "
            .parse::<PermissionRule>()
            .unwrap()
            .to_string(),
        "allow read"
    );
}

#[test]
fn a_rule_for_all_files_means_those_of_the_worktree() {
    let edit = |tool: &str, input: Value| ToolUse {
        tool: tool.to_owned(),
        kind: ToolKind::of_tool(tool),
        input,
    };
    let path = |path: &str| edit("edit_file", serde_json::json!({ "path": path }));
    let fits = |rule: &str, tool_use: &ToolUse| {
        let rule: PermissionRule = rule.parse().unwrap();
        rule.applies_to(tool_use, worktree())
    };
    for inside in ["src/a", "/w/one/src/a", "./src/../src/a"] {
        assert!(fits("allow edit", &path(inside)), "{inside}");
        assert!(fits("allow edit src/*", &path(inside)), "{inside}");
    }
    for outside in [
        "src/../../x",
        "/w/one.permission",
        "~/x",
        ".amp/settings.json",
    ] {
        for rule in ["allow edit", "allow edit *", "allow edit src/*"] {
            assert!(!fits(rule, &path(outside)), "{rule}: {outside}");
        }
        assert!(fits("reject edit", &path(outside)), "{outside}");
    }
    assert!(fits("allow edit /w/x", &path("src/../../x")));
    assert!(fits("allow edit .amp/*", &path(".amp/settings.json")));
    assert!(fits(
        "allow read",
        &edit("Read", serde_json::json!({"path": ".git/config"}))
    ));
    assert!(!fits(
        "allow read",
        &edit("Read", serde_json::json!({"path": "/etc/passwd"}))
    ));
    let patch = |file: &str| {
        let text = format!("*** Begin Patch\n*** Update File: {file}\n@@\n");
        edit("apply_patch", serde_json::json!({ "patchText": text }))
    };
    assert!(fits("allow edit", &patch("src/a")));
    assert!(!fits("allow edit", &patch("../a")));
    assert!(!fits("allow edit", &edit("apply_patch", Value::Null)));
}
