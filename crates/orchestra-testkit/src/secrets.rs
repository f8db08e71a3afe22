//! Generated secrets of the kinds that leak in practice. They look real, are unique, and open nothing.

use serde::{Deserialize, Serialize};

const ALPHANUMERIC: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64_URL: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &[u8] = b"0123456789abcdef";

/// What a secret looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretKind {
    /// `ghp_`: a GitHub personal token.
    GithubPersonal,
    /// `gho_`: a GitHub OAuth token.
    GithubOauth,
    /// `ghs_` in the newer form, longer and with dots.
    GithubServer,
    /// `github_pat_`: a fine-grained GitHub token.
    GithubFineGrained,
    /// `sgamp_`: an Amp access token.
    Amp,
    /// `sk-`: a model provider's key.
    ModelProvider,
    /// `sk-ant-`: another model provider's key.
    Anthropic,
    /// `xoxb-`: a Slack bot token.
    Slack,
    /// `AKIA`: an AWS access key id.
    Aws,
    /// `eyJ...`: a JSON web token.
    JsonWebToken,
    /// A PEM block with a private key.
    PrivateKey,
    /// A password inside an address.
    UrlPassword,
    /// An `Authorization` header.
    BearerHeader,
}

impl SecretKind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::GithubPersonal,
        Self::GithubOauth,
        Self::GithubServer,
        Self::GithubFineGrained,
        Self::Amp,
        Self::ModelProvider,
        Self::Anthropic,
        Self::Slack,
        Self::Aws,
        Self::JsonWebToken,
        Self::PrivateKey,
        Self::UrlPassword,
        Self::BearerHeader,
    ];
}

/// A secret to plant, and the part of it that must never be seen again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlantedSecret {
    /// What it looks like.
    pub kind: SecretKind,
    /// The text to plant.
    pub text: String,
    /// A unique part of the text on one line; finding these bytes anywhere is a leak.
    pub needle: String,
}

impl PlantedSecret {
    /// The same kind and seed always give the same secret; different seeds give different ones.
    pub fn generate(kind: SecretKind, seed: u64) -> Self {
        let mut random = Random::new(kind, seed);
        let (text, needle) = match kind {
            SecretKind::GithubPersonal => {
                whole(format!("ghp_{}", random.letters(ALPHANUMERIC, 36)))
            }
            SecretKind::GithubOauth => whole(format!("gho_{}", random.letters(ALPHANUMERIC, 36))),
            SecretKind::GithubServer => github_server(&mut random),
            SecretKind::GithubFineGrained => whole(format!(
                "github_pat_{}_{}",
                random.letters(ALPHANUMERIC, 22),
                random.letters(ALPHANUMERIC, 59)
            )),
            SecretKind::Amp => whole(format!(
                "sgamp_user_{}_{}",
                random.letters(ALPHANUMERIC, 26),
                random.letters(HEX, 64)
            )),
            SecretKind::ModelProvider => whole(format!("sk-{}", random.letters(ALPHANUMERIC, 48))),
            SecretKind::Anthropic => {
                whole(format!("sk-ant-api03-{}AA", random.letters(BASE64_URL, 93)))
            }
            SecretKind::Slack => slack(&mut random),
            SecretKind::Aws => whole(format!("AKIA{}", random.letters(BASE32, 16))),
            SecretKind::JsonWebToken => json_web_token(&mut random),
            SecretKind::PrivateKey => private_key(&mut random),
            SecretKind::UrlPassword => url_password(&mut random),
            SecretKind::BearerHeader => bearer_header(&mut random),
        };
        Self { kind, text, needle }
    }

    /// This many secrets, all kinds in turn.
    pub fn many(count: usize, seed: u64) -> Vec<Self> {
        let kinds = SecretKind::ALL.iter().cycle();
        let numbered = kinds.zip(seed..).take(count);
        numbered
            .map(|(kind, seed)| Self::generate(*kind, seed))
            .collect()
    }

    /// Whether bytes hold the part that must not be seen.
    pub fn leaks_into(&self, bytes: &[u8]) -> bool {
        let needle = self.needle.as_bytes();
        bytes.windows(needle.len()).any(|window| window == needle)
    }
}

fn whole(text: String) -> (String, String) {
    (text.clone(), text)
}

fn github_server(random: &mut Random) -> (String, String) {
    let parts: Vec<String> = [20, 60, 43]
        .iter()
        .map(|length| random.letters(BASE64_URL, *length))
        .collect();
    (format!("ghs_{}", parts.join(".")), parts[1].clone())
}

fn slack(random: &mut Random) -> (String, String) {
    let secret = random.letters(ALPHANUMERIC, 24);
    let digits = |random: &mut Random| random.letters(b"0123456789", 12);
    (
        format!("xoxb-{}-{}-{secret}", digits(random), digits(random)),
        secret,
    )
}

fn json_web_token(random: &mut Random) -> (String, String) {
    let signature = random.letters(BASE64_URL, 43);
    let payload = random.letters(BASE64_URL, 60);
    (
        format!("eyJhbGciOiJIUzI1NiJ9.eyJ{payload}.{signature}"),
        signature,
    )
}

fn private_key(random: &mut Random) -> (String, String) {
    let lines: Vec<String> = (0..6).map(|_| random.letters(ALPHANUMERIC, 64)).collect();
    let body = lines.join("\n");
    let text = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n");
    (text, lines[3].clone())
}

fn url_password(random: &mut Random) -> (String, String) {
    let password = random.letters(ALPHANUMERIC, 24);
    (
        format!("https://builder:{password}@git.example.com/team/app.git"),
        password,
    )
}

fn bearer_header(random: &mut Random) -> (String, String) {
    let token = random.letters(BASE64_URL, 40);
    (format!("Authorization: Bearer {token}"), token)
}

/// A small generator: tests must plant the same secrets every time.
struct Random(u64);

impl Random {
    fn new(kind: SecretKind, seed: u64) -> Self {
        let start = (seed << 8) | (kind as u64 + 1);
        let mut random = Self(start.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn letters(&mut self, alphabet: &[u8], count: usize) -> String {
        let size = alphabet.len() as u64;
        let letter = |random: &mut Self| {
            let index = usize::try_from(random.next() % size).unwrap_or(0);
            char::from(alphabet[index])
        };
        (0..count).map(|_| letter(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_thousand_are_unique_and_repeatable() {
        let secrets = PlantedSecret::many(1_000, 7);
        let needles: BTreeSet<&str> = secrets
            .iter()
            .map(|secret| secret.needle.as_str())
            .collect();
        assert_eq!(needles.len(), 1_000);
        assert_eq!(secrets, PlantedSecret::many(1_000, 7));
        assert!(
            secrets
                .iter()
                .all(|secret| secret.leaks_into(secret.text.as_bytes()))
        );
        assert!(
            secrets
                .iter()
                .all(|secret| secret.needle.len() >= 20 && !secret.needle.contains('\n'))
        );
    }

    #[test]
    fn kinds_look_like_themselves() {
        let text = |kind| PlantedSecret::generate(kind, 1).text;
        assert!(text(SecretKind::GithubFineGrained).starts_with("github_pat_"));
        assert_eq!(text(SecretKind::Aws).len(), 20);
        assert_eq!(text(SecretKind::JsonWebToken).split('.').count(), 3);
        assert!(text(SecretKind::PrivateKey).contains("BEGIN PRIVATE KEY"));
    }
}
