//! Tokens known by their first characters.

/// A family of tokens: a prefix, then a run of characters that may go on for ever.
pub(super) struct TokenRule {
    pub(super) prefixes: &'static [&'static str],
    pub(super) body: fn(u8) -> bool,
    pub(super) min_len: usize,
    pub(super) glued: Glued,
}

/// What to think of a prefix that continues a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Glued {
    /// No word ends like this prefix.
    Accept,
    /// Some words do (`highs_and_lows`), but they go on in lower case.
    UnlessWords,
    /// Many words do (`task-`), and anything may follow.
    Refuse,
}

pub(super) const TOKENS: &[TokenRule] = &[
    // GitHub; the newer installation tokens contain dots and are longer than the old 36 characters.
    TokenRule {
        prefixes: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        body: |byte| is_word(byte) || matches!(byte, b'.' | b'-'),
        min_len: 20,
        glued: Glued::UnlessWords,
    },
    TokenRule {
        prefixes: &["github_pat_"],
        body: is_word,
        min_len: 16,
        glued: Glued::Accept,
    },
    // Amp.
    TokenRule {
        prefixes: &["sgamp_"],
        body: |byte| is_word(byte) || matches!(byte, b'.' | b'-'),
        min_len: 12,
        glued: Glued::Accept,
    },
    // Links by which a browser is asked to log in a program.
    TokenRule {
        prefixes: &[
            "?authToken=",
            "&authToken=",
            "?auth_token=",
            "&auth_token=",
            "?access_token=",
            "&access_token=",
            "?user_code=",
            "&user_code=",
            "?code_challenge=",
            "&code_challenge=",
        ],
        body: |byte| is_word(byte) || matches!(byte, b'.' | b'-' | b'%' | b'~'),
        min_len: 6,
        glued: Glued::Accept,
    },
    // OpenAI, Anthropic (`sk-ant-`) and those who copied them.
    TokenRule {
        prefixes: &["sk-"],
        body: |byte| is_word(byte) || byte == b'-',
        min_len: 20,
        glued: Glued::Refuse,
    },
    // Slack.
    TokenRule {
        prefixes: &["xoxa-", "xoxb-", "xoxp-", "xoxo-", "xoxr-", "xoxs-"],
        body: |byte| byte.is_ascii_alphanumeric() || byte == b'-',
        min_len: 10,
        glued: Glued::Accept,
    },
    // Amazon.
    TokenRule {
        prefixes: &["AKIA", "ASIA"],
        body: |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        min_len: 16,
        glued: Glued::Accept,
    },
];

/// Whether the byte could not be part of plain words in lower case.
pub(super) fn is_beyond_words(byte: u8) -> bool {
    !matches!(byte, b'a'..=b'z' | b'_' | b'.' | b'-')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
