//! A thousand generated secrets of twelve kinds, whole and split at every place.

use orchestra_core::redact::{Redactor, Secret};

use super::streamed;

const COUNT: usize = 1000;
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";

/// A small generator, so that every run sees the same secrets.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn pick<'choices>(&mut self, choices: &[&'choices str]) -> &'choices str {
        choices[self.below(choices.len())]
    }

    fn text(&mut self, length: usize, alphabet: &str) -> String {
        (0..length)
            .map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())]))
            .collect()
    }

    fn word(&mut self, length: usize, more: &str) -> String {
        self.text(length, &format!("{LETTERS}{DIGITS}{more}"))
    }
}

/// A secret as it is written, and the part of it nobody may see.
struct Sample {
    written: String,
    hidden: String,
}

fn sample(kind: usize, random: &mut Random) -> Sample {
    let length = 20 + random.below(60);
    let (before, hidden, after) = match kind {
        0 => (
            random
                .pick(&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"])
                .to_owned(),
            random.word(length, ""),
            "",
        ),
        1 => ("github_pat_".to_owned(), random.word(length, "_"), ""),
        2 => (
            random.pick(&["sgamp_", "sgamp_user_"]).to_owned(),
            random.word(length, "_-"),
            "",
        ),
        3 => ("sk-".to_owned(), random.word(length, ""), ""),
        4 => (
            random.pick(&["sk-ant-api03-", "sk-proj-"]).to_owned(),
            random.word(length, "_-"),
            "",
        ),
        5 => (
            random
                .pick(&["xoxa-", "xoxb-", "xoxp-", "xoxs-"])
                .to_owned(),
            random.word(length, "-"),
            "",
        ),
        6 => (
            random.pick(&["AKIA", "ASIA"]).to_owned(),
            random.text(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
            "",
        ),
        7 => (
            format!("eyJ{}.eyJ", random.word(20, "")),
            format!("{}.{}", random.word(length, ""), random.word(43, "-_")),
            "",
        ),
        8 => return private_key(random),
        9 => (
            format!("https://{}:", random.word(6, "")),
            random.word(length, "!$&*+,;=%~._-"),
            "@example.com",
        ),
        10 => (
            random
                .pick(&["Authorization: Bearer ", "authorization: Basic "])
                .to_owned(),
            random.word(length, "+/="),
            "",
        ),
        _ => (String::new(), random.word(length, " \"\\/!?&=+"), ""),
    };
    Sample {
        written: format!("{before}{hidden}{after}"),
        hidden,
    }
}

fn private_key(random: &mut Random) -> Sample {
    let line_break = random.pick(&["\n", "\\n", "\r\n", "\n    "]);
    let label = random.pick(&[
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "EC PRIVATE KEY",
    ]);
    let lines: Vec<_> = (0..2 + random.below(3))
        .map(|_| random.word(64, "+/"))
        .collect();
    let hidden = lines.join(line_break);
    let length = 1 + random.below(40);
    let last = random.word(length, "+/");
    let written = format!(
        "-----BEGIN {label}-----{line_break}{hidden}{line_break}{last}=={line_break}-----END {label}-----"
    );
    Sample { written, hidden }
}

/// The secret within a line, with what often stands around secrets.
fn line(sample: &Sample, random: &mut Random) -> String {
    let before = random.pick(&[
        "",
        "token=",
        "{\"text\":\"a\\n",
        "\u{1b}[32m",
        "export KEY='",
        "x%3D",
        "> ",
    ]);
    let after = random.pick(&[
        "",
        "\n",
        "\"}\n",
        " and more text",
        "\u{1b}[0m",
        "\\nnext",
        "'",
    ]);
    format!("{before}{}{after}", sample.written)
}

/// Twelve bytes of a secret in a row count as a leak.
fn has_leaked(output: &[u8], hidden: &str) -> bool {
    let parts: std::collections::HashSet<_> = hidden.as_bytes().windows(12).collect();
    output.windows(12).any(|part| parts.contains(part))
}

#[test]
fn no_secret_comes_through() {
    let mut random = Random(11);
    let samples: Vec<_> = (0..COUNT)
        .map(|index| sample(index % 12, &mut random))
        .collect();
    let known: Vec<_> = samples
        .iter()
        .skip(11)
        .step_by(12)
        .map(|known| Secret::new(known.hidden.as_str()))
        .collect();
    let redactor = Redactor::new(&known, [""; 0]).unwrap();
    let (mut positions, mut leaked) = (0, 0);
    for sample in &samples {
        let line = line(sample, &mut random);
        let whole = redactor.redact_bytes(line.as_bytes()).into_owned();
        leaked += usize::from(has_leaked(&whole, &sample.hidden));
        for position in 1..line.len() {
            let output = streamed(&redactor, line.as_bytes(), [position]);
            leaked += usize::from(output != whole && has_leaked(&output, &sample.hidden));
            assert_eq!(output, whole, "split at {position}");
            positions += 1;
        }
        let by_byte = streamed(&redactor, line.as_bytes(), vec![1; line.len()]);
        assert_eq!(by_byte, whole);
    }
    println!("secrets {COUNT}, split positions {positions}, leaked {leaked}");
    assert_eq!(leaked, 0);
}
