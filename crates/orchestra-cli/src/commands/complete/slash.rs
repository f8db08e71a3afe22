//! Slash commands complete where a text for a session stands: the program is asked, because repositories have their own.

use clap_complete::Shell;

/// What is added to the completions of a shell; `None` where only the grammar is completed.
pub(super) fn addition(shell: Shell, program: &str) -> Option<String> {
    let text = match shell {
        Shell::Bash => BASH,
        Shell::Zsh => ZSH,
        Shell::Fish => FISH,
        _ => return None,
    };
    let function = program.replace('-', "__");
    Some(
        text.replace("@FUNCTION@", &format!("_{function}"))
            .replace("@PROGRAM@", program),
    )
}

const BASH: &str = r#"
@FUNCTION@_slash() {
    local word="${COMP_WORDS[COMP_CWORD]}"
    word="${word#[\"\']}"
    case " ${COMP_WORDS[*]:0:COMP_CWORD} " in
        *" iterate "*|*" answer "*)
            if [[ "$word" == /* ]]; then
                local line
                COMPREPLY=()
                while IFS= read -r line; do
                    COMPREPLY+=("$line")
                done < <(@PROGRAM@ slash list --names --begin="$word" 2>/dev/null)
                return 0
            fi
            ;;
    esac
    @FUNCTION@ "$@"
}
complete -F @FUNCTION@_slash -o bashdefault -o default @PROGRAM@
"#;

const ZSH: &str = r#"
_@PROGRAM@_slash() {
    if (( ${words[(I)(iterate|answer)]} )) && [[ ${PREFIX#[\"\']} == /* ]]; then
        compadd -- ${(f)"$(@PROGRAM@ slash list --names 2>/dev/null)"}
        return
    fi
    _@PROGRAM@ "$@"
}
compdef _@PROGRAM@_slash @PROGRAM@
"#;

const FISH: &str = "
complete -c @PROGRAM@ -n '__fish_seen_subcommand_from iterate answer' -f -a '(@PROGRAM@ slash list --names 2>/dev/null)'
";
