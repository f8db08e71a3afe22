//! A program that runs another one and collects every orphan below it, as the first process of a
//! system does.
//!
//! `nursery <program> [arguments]`

use std::process::Command;

use rustix::process::{WaitOptions, getpid, set_child_subreaper, wait};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    set_child_subreaper(Some(getpid()))?;
    let mut args = std::env::args_os().skip(1);
    let program = args.next().ok_or("the program is missing")?;
    #[expect(
        clippy::disallowed_methods,
        reason = "a process of the test, not of the product"
    )]
    let mut command = Command::new(program);
    command.args(args).spawn()?;
    while wait(WaitOptions::empty()).is_ok() {}
    Ok(())
}
