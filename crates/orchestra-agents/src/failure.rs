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
            "too many requests",
            "usage limit",
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
}
