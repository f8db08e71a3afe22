//! The benchmarks: Orchestra against the floor it stands on (bare git, SQLite, serde_json), in one run and in random order.
//!
//! A group measures one part of the product and answers rows of the table. Ratios within a run mean something; milliseconds
//! only on the machine they were taken on.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program for a person at a terminal that times other programs"
)]

mod bare_git;
mod chance;
mod content;
mod ground;
mod page;
mod plan;
mod product;
mod rows;
mod sampling;
mod table;
mod world;

use std::process::ExitCode;

use clap::Parser;

use ground::Ground;
use plan::{Arguments, Plan};
use product::Product;
use table::Table;

/// Any failure ends its group; the others go on.
pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// What every group is measured with.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) ground: Ground,
    pub(crate) plan: Plan,
    pub(crate) product: Option<Product>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Outcome<()> {
    sampling::stop_on_interrupt()?;
    let bench = Bench {
        ground: Ground::prepare(arguments.directory.as_deref())?,
        plan: Plan::of(arguments),
        product: Product::find(arguments.orchestra.as_deref())?,
    };
    let mut table = Table::new(bench.circumstances()?);
    for group in rows::GROUPS
        .iter()
        .filter(|group| bench.plan.wants(group.name))
    {
        eprintln!("measuring: {}", group.title);
        match (group.measure)(&bench) {
            Ok(rows) => table.extend(rows),
            Err(error) => table.failed(group.title, &error.to_string()),
        }
        if sampling::is_interrupted() {
            return Err("interrupted; everything that was made is removed".into());
        }
    }
    print!("{}", table.text());
    if arguments.write {
        page::write(&table)?;
    }
    Ok(())
}

impl Bench {
    /// What a reader must know to judge the figures.
    fn circumstances(&self) -> Outcome<Vec<String>> {
        let cores = std::thread::available_parallelism()?;
        Ok(vec![
            format!("{cores} cores, {}", std::env::consts::OS),
            bare_git::version()?,
            self.ground.description().to_owned(),
            format!("{} repetitions, medians", self.plan.repetitions),
        ])
    }
}
