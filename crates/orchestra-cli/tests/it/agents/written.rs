//! `transcript --json` leaves out nothing of what an agent wrote and was told.

use std::fs;
use std::path::PathBuf;

use orchestra_testkit::{Sandbox, write_program};
use serde_json::Value;

use super::command::described;
use crate::dice::Dice;
use crate::made::Made;
use crate::world::World;

/// Writes what stands in files beside it.
const AGENT: &str = "#!/bin/sh\ncat > /dev/null\ncat \"$0.out\"\ncat \"$0.err\" >&2\n";

struct Written {
    world: World,
    made: Made,
    agent: PathBuf,
}

impl Written {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let agent = sandbox.path("agent");
        write_program(&agent, AGENT);
        let world = World::of(described(sandbox, agent.to_str().unwrap()));
        let made = world.session("one");
        Self { world, made, agent }
    }

    /// Lets the agent write this.
    fn iterate(&self, stdout: &[u8], stderr: &[u8]) {
        for (extension, bytes) in [("out", stdout), ("err", stderr)] {
            let file = format!("{}.{extension}", self.agent.display());
            fs::write(file, bytes).unwrap();
        }
        self.world.run(&["iterate", "one"]);
    }

    fn file(&self, name: &str) -> PathBuf {
        let output = self.world.sandbox.data_dir().join("output");
        output.join(&self.made.id).join(name)
    }

    fn told(&self, words: &[&str]) -> Vec<Value> {
        let words = [&["transcript", "one", "--json"], words].concat();
        let answer = self.world.run(&words).ok().stdout;
        let values = answer
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        values.collect()
    }
}

/// The bytes of a line or of a part of one.
fn bytes(line: &Value) -> Vec<u8> {
    let mut bytes = match (&line["text"], &line["base64"]) {
        (Value::String(text), Value::Null) => text.clone().into_bytes(),
        (Value::Null, Value::String(digits)) => from_base64(digits),
        _ => panic!("neither text nor bytes: {line}"),
    };
    bytes.extend(line["ends_line"].as_bool().unwrap().then_some(b'\n'));
    bytes
}

fn from_base64(digits: &str) -> Vec<u8> {
    use base64::Engine;
    base64::prelude::BASE64_STANDARD.decode(digits).unwrap()
}

fn joined(told: &[Value], iteration: usize, stream: &str) -> Vec<u8> {
    let is_of = |line: &&Value| line["iteration"] == iteration && line["stream"] == stream;
    told.iter().filter(is_of).flat_map(bytes).collect()
}

fn random_bytes(dice: &mut Dice, most: usize) -> Vec<u8> {
    let length = dice.below(most);
    let pieces: [&[u8]; 7] = [
        b"\n",
        b"\r\n",
        b"word ",
        b"\0",
        b"\xff\xfe",
        "\u{e9}\u{1f600}".as_bytes(),
        b" ",
    ];
    (0..length)
        .flat_map(|_| dice.one_of(&pieces).to_vec())
        .collect()
}

#[test]
fn every_byte_of_the_output_comes_back() {
    let written = Written::new();
    let mut dice = Dice::new(5);
    let long = [
        &b"start\n"[..],
        "\u{e9}".repeat(1_500_000).as_bytes(),
        b"\xff\nend",
    ]
    .concat();
    let mut cases: Vec<_> = (0..6).map(|_| random_bytes(&mut dice, 400)).collect();
    cases.extend([Vec::new(), b"\n\n \n".to_vec(), long]);
    for case in &cases {
        written.iterate(case, &random_bytes(&mut dice, 100));
    }
    let told = written.told(&[]);
    for number in 1..=cases.len() {
        let only = written.told(&["--iteration", &number.to_string()]);
        for (stream, extension) in [("stdout", "jsonl"), ("stderr", "err")] {
            let file = fs::read(written.file(&format!("{number}.{extension}"))).unwrap();
            assert!(joined(&told, number, stream) == file, "{number}: {stream}");
            assert!(joined(&only, number, stream) == file, "{number}: {stream}");
        }
    }
    let plain = fs::read(written.file("8.jsonl")).unwrap();
    assert_eq!(plain, b"\n\n \n", "blank lines are kept");
}

#[test]
fn an_item_names_its_line_and_the_prompt_is_one() {
    let written = Written::new();
    written.iterate(b"One.\n\nTwo.\n", b"");
    let told = written.told(&[]);
    let said = |text: &str| {
        let is_it = |item: &&Value| item["event"]["text"] == text;
        told.iter().find(is_it).expect("it is in the transcript")
    };
    assert_eq!(said("One.")["line"], 1);
    assert_eq!(said("Two.")["line"], 3);
    assert_eq!(said("Greet amp")["event"]["role"], "user");
    assert_eq!(said("Greet amp")["line"], Value::Null);
    let line = told
        .iter()
        .find(|line| line["line"] == 3 && line["text"] == "Two.");
    assert_eq!(line.expect("the line")["stream"], "stdout");
}

/// As little memory as for a small one: read where the program waits for its reader, at the end.
#[cfg(target_os = "linux")]
#[test]
fn an_output_larger_than_memory_is_streamed() {
    use std::io::Read;
    let written = Written::new();
    written.iterate(b"", b"");
    let mut output = "x\u{e9}".repeat(16_000_000).into_bytes();
    output.extend("\nshort".repeat(10_000).into_bytes());
    fs::write(written.file("1.jsonl"), &output).unwrap();
    let mut child = written.world.start(&["transcript", "one", "--json"]);
    let mut stdout = child.stdout.take().unwrap();
    std::io::copy(
        &mut stdout.by_ref().take(output.len() as u64),
        &mut std::io::sink(),
    )
    .unwrap();
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let kilobytes = |name: &str| -> usize {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|it| it.trim().strip_suffix(" kB"));
        number.unwrap().parse().unwrap()
    };
    // The program's own code is no part of what it holds.
    let peak = kilobytes("VmHWM:") - kilobytes("RssFile:");
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(peak * 1024 < output.len(), "{peak} kB of memory");
    println!("{} bytes of output, {peak} kB of memory", output.len());
}
