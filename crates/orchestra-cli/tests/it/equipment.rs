//! What agents work with besides their own tools: toolboxes and MCP servers.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod attacks;
mod check;
mod round_trip;
mod served;
mod toolbox;

use std::fs;
use std::path::Path;

use orchestra_testkit::write_program;

/// Greets, with words that it brings along.
const GREET: &str = r#"#!/bin/sh
if [ "$TOOLBOX_ACTION" = describe ]; then
  printf 'name: greet\ndescription: Greets somebody\nwho: string whom to greet\n'
  exit
fi
. "$(dirname "$0")/lib/words.sh"
read -r line
echo "$word ${line#who: }"
"#;

/// A toolbox with one tool.
fn make_toolbox(directory: &Path, word: &str) {
    fs::create_dir_all(directory.join("lib")).unwrap();
    fs::write(directory.join("lib/words.sh"), format!("word={word}\n")).unwrap();
    write_program(&directory.join("greet"), GREET);
}
