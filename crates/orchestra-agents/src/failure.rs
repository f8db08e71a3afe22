//! Why a turn failed, judged by the agent's words. Wording differs between builds, so matching ignores case.

use orchestra_core::FailureCause;

const CAUSES: &[(FailureCause, &[&str])] = &[
    (
        FailureCause::NotLoggedIn,
        &[
            "no api key found",
            "login timed out",
            "login failed",
            "run 'amp login'",
            "please run /login",
            "missing environment variable",
        ],
    ),
    (
        FailureCause::Unauthorized,
        &[
            "unauthorized",
            "invalid or missing api key",
            "invalid api key",
            "incorrect api key",
            "authentication_error",
            "invalid authentication",
        ],
    ),
    (
        FailureCause::OutOfCredit,
        &[
            "payment required",
            "out of credit",
            "insufficient credit",
            "insufficient balance",
            "credit balance is too low",
            "quota exceeded",
            "insufficient_quota",
            "402 {",
        ],
    ),
    (
        FailureCause::Overloaded,
        &[
            "overloaded",
            "rate limit",
            "rate_limit",
            "rate-limit",
            "too many requests",
            "usage limit",
            "hit your limit",
            "hour limit reached",
            "limit reached|",
            "503 service unavailable",
            "429 {",
            "529 {",
            "503 {",
            "status 429",
            "status 503",
            "status 529",
            "at capacity",
            "high demand",
        ],
    ),
    (
        FailureCause::Offline,
        &[
            "connection error",
            "couldn't connect",
            "cannot reach",
            "are you offline",
            "websocket connection failed",
            "waiting for network",
            "error sending request",
            "stream disconnected",
        ],
    ),
    (
        FailureCause::ApprovalRequired,
        &["require user approval", "isn't allowlisted"],
    ),
    (
        FailureCause::ThreadUnavailable,
        &[
            "archived and cannot be continued",
            "already open and active",
            "does not exist",
            "no such thread",
            "no rollout found",
            "no conversation found",
        ],
    ),
    (FailureCause::Stopped, &["user cancelled"]),
    (
        FailureCause::BadInput,
        &[
            "unknown option",
            "unexpected argument",
            "invalid json on stdin",
            "invalid message format",
            "must be provided",
            "not permitted with",
        ],
    ),
];

/// The cause that fits an agent's error text; [`FailureCause::Other`] if none does.
#[must_use]
pub fn classify(message: &str) -> FailureCause {
    let message = message.to_lowercase();
    CAUSES
        .iter()
        .find(|(_, phrases)| phrases.iter().any(|phrase| message.contains(phrase)))
        .map_or(FailureCause::Other, |(cause, _)| *cause)
}

/// The same for words that need not be an error, such as the end of an answer: an agent may speak of an overload without having
/// met one, and would be asked again and again.
pub(crate) fn classify_words(words: &str) -> FailureCause {
    match classify(words) {
        FailureCause::Overloaded if !words.lines().any(reports_overload) => FailureCause::Other,
        cause => cause,
    }
}

/// How a line begins that reports an overload.
const BEGINNINGS: &[&str] = &[
    "error",
    "api error",
    "fatal",
    "http",
    "status",
    "429",
    "503",
    "529",
    "overloaded",
    "rate limit",
    "too many requests",
    "usage limit",
    "model provider",
    "you've hit your",
];

/// What a line has that reports one, and nothing else says.
const REPORTS: &[&str] = &[
    "overloaded_error",
    "rate_limit_e",
    "429 too many requests",
    "503 service unavailable",
    "try again in",
    "try again at",
    "retry after",
    "hour limit reached",
];

fn reports_overload(line: &str) -> bool {
    let line = line.to_lowercase();
    let start = line.trim_start_matches(|char: char| !char.is_alphanumeric());
    let begins = BEGINNINGS.iter().any(|words| start.starts_with(words));
    let reports = REPORTS.iter().any(|words| line.contains(words));
    classify(&line) == FailureCause::Overloaded && (begins || reports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts_of_every_build_are_told_apart() {
        let cases = [
            ("Connection error.", FailureCause::Offline),
            (
                "Error: Couldn't connect to the Amp server at http://127.0.0.1:9/.",
                FailureCause::Offline,
            ),
            (
                "Unauthorized. Check your access token.",
                FailureCause::Unauthorized,
            ),
            (
                "Model provider overloaded. Try again in a few seconds.",
                FailureCause::Overloaded,
            ),
            (
                "Model Provider Overloaded Try again in a few seconds.",
                FailureCause::Overloaded,
            ),
            (
                "The following tools require user approval, which is not supported in stream JSON mode: Bash",
                FailureCause::ApprovalRequired,
            ),
            ("User cancelled (SIGINT/SIGTERM)", FailureCause::Stopped),
            ("Invalid JSON on stdin line 1: x", FailureCause::BadInput),
            (
                "Thread T-1 does not exist.",
                FailureCause::ThreadUnavailable,
            ),
            (
                "This thread is archived and cannot be continued.",
                FailureCause::ThreadUnavailable,
            ),
            ("Login failed: Login timed out", FailureCause::NotLoggedIn),
            (
                "Internal error: Invalid API key: {\"errorName\":\"APIError\"}",
                FailureCause::Unauthorized,
            ),
            ("402 {\"type\":\"error\"}", FailureCause::OutOfCredit),
            ("500 {\"type\":\"error\"}", FailureCause::Other),
        ];
        for (text, expected) in cases {
            assert_eq!(classify(text), expected, "{text}");
        }
    }

    #[test]
    fn an_overload_has_many_names() {
        for text in [
            "Overloaded",
            "503 Service Unavailable",
            "unexpected status 503 Service Unavailable: try later",
            "429 Too Many Requests",
            "API Error: 429 {\"error\":{\"type\":\"rate_limit_error\"}}",
            "API Error: 529 {\"type\":\"error\"}",
            "{\"type\":\"overloaded_error\",\"message\":\"x\"}",
            "exceeded retry limit, last status: 429 Too Many Requests",
            "You've hit your limit · resets 2am",
            "5-hour limit reached ∙ resets 3pm",
            "You've hit your usage limit. Try again at 3:45 PM.",
        ] {
            assert_eq!(classify(text), FailureCause::Overloaded, "{text}");
            assert_eq!(classify_words(text), FailureCause::Overloaded, "{text}");
        }
    }

    #[test]
    fn whoever_speaks_of_an_overload_has_not_met_one() {
        for text in [
            "The operator is overloaded twice, so I could not tell which one is called.",
            "I added a rate limit to the login.\nThe tests fail.",
            "warning: `print` is an overloaded name",
        ] {
            assert_eq!(classify_words(text), FailureCause::Other, "{text}");
        }
        let mixed = "warning: old\nError: Model provider overloaded\n";
        assert_eq!(classify_words(mixed), FailureCause::Overloaded);
        let other = "I read about rate limits.\nUnauthorized.";
        assert_eq!(classify_words(other), FailureCause::Unauthorized);
    }
}
