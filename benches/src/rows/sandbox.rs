//! What a sandbox costs: each program that is started in one, and a whole iteration whose agent is done at once.

use std::path::Path;
use std::time::{Duration, Instant};

use orchestra_process::{
    Bounds, CommandSpec, Guardian, Marker, Network, OnLoss, ProcessEvent, ResourceLimits, Sandbox,
    SandboxLayers, home_secrets, supervise_within,
};

use crate::plan::MEDIUM;
use crate::product::{Product, missing};
use crate::sampling::{Sample, millis_since, samples};
use crate::table::{Figure, Measured, Reference, Row};
use crate::world::World;
use crate::{Bench, Outcome};

const SCENARIO: &str = "[[step]]\ndo = \"append\"\npath = \"journal.txt\"\ntext = \"entry\\n\"\n\
    [[step]]\ndo = \"git\"\nargs = [\"commit\", \"--quiet\", \"--all\", \"--allow-empty\", \"-m\", \"own\"]\n";
const NAME: &str = "busy";
const GUARDIAN_MODE: &str = "__guardian";
/// What a home directory may have that no agent has to read.
const SECRETS: [&str; 6] = [".ssh", ".gnupg", ".aws", ".kube", ".docker", ".config/gh"];
/// The most that one start may take more, in milliseconds.
const MOST: f64 = 50.0;
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let product = bench.product.as_ref().ok_or_else(missing)?;
    let layers = SandboxLayers::present(std::env::var_os("PATH").as_deref());
    if layers.bubblewrap.is_none() {
        return Err("no bubblewrap works here, so that no sandbox can be measured".into());
    }
    let mut world = World::generate(bench, "sandbox", MEDIUM)?;
    product.prepare_agent(&mut world, SCENARIO)?;
    std::fs::create_dir_all(world.path("agent"))?;
    world.set("ORCHESTRA_SECURITY_SANDBOX_WRITABLE", world.path("agent"));
    for secret in SECRETS {
        std::fs::create_dir_all(world.path("home").join(secret))?;
    }
    let new = ["session", "new", "--name", NAME, "--prompt", "Wait"];
    product.run(&world, &new)?;
    let start = Start {
        product,
        sandbox: sandbox(product, &world, layers),
        directory: world.repository(),
    };
    let spawns = start.compare(bench)?;
    let whole = compare(bench, product, &world)?;
    let millis = |sample| Measured::new(Figure::Millis, sample);
    let against = |what: &str, sample| Reference::new(what, millis(sample));
    let files = MEDIUM.files;
    let iteration = format!("an instant iteration in a sandbox (M, {files} files)");
    let without = against("the same without", &whole[1]);
    let plain = against("the same without", &spawns[1]);
    Ok(vec![
        Row::compared(
            "sandbox",
            "a program that ends at once",
            &millis(&spawns[0]),
            &plain,
        ),
        Row::limited(
            "sandbox",
            "what a sandbox adds to each start",
            &millis(&spawns[2]),
            MOST,
        ),
        Row::compared("sandbox", iteration, &millis(&whole[0]), &without),
    ])
}

/// As sessions have it.
fn sandbox(product: &Product, world: &World, layers: SandboxLayers) -> Sandbox {
    let home = world.path("home");
    let mut hidden = home_secrets(&home);
    hidden.push(world.path("data"));
    Sandbox {
        writable: vec![world.repository().join(".worktrees")],
        hidden,
        readable: vec![world.repository(), home],
        replaced: Vec::new(),
        network: Network::Off,
        layers,
        helper: product.orchestra.clone(),
    }
}

/// A program that ends at once, and where it is started.
struct Start<'a> {
    product: &'a Product,
    sandbox: Sandbox,
    directory: std::path::PathBuf,
}

impl Start<'_> {
    /// With a sandbox, without, and what one after the other differ by.
    fn compare(&self, bench: &Bench) -> Outcome<[Sample; 3]> {
        let mut held = || self.time(Some(&self.sandbox));
        let mut plain = || self.time(None);
        let mut more = || Ok(self.time(Some(&self.sandbox))? - self.time(None)?);
        samples(bench.plan.repetitions, [&mut held, &mut plain, &mut more])
    }

    fn time(&self, sandbox: Option<&Sandbox>) -> Outcome<f64> {
        let guardian = Guardian {
            program: self.product.orchestra.clone(),
            args: vec![GUARDIAN_MODE.into()],
        };
        let bounds = Bounds {
            limits: ResourceLimits::default(),
            sandbox: sandbox.cloned(),
        };
        let spec = CommandSpec::new(Path::new("/bin/true"), &self.directory);
        let marker = Marker::new("ORCHESTRA_RUN", "benchmark");
        let start = Instant::now();
        let mut running = supervise_within(&guardian, &spec, &bounds, &marker, OnLoss::End)?;
        loop {
            match running.next(PATIENCE) {
                Some(ProcessEvent::Exited(ended)) if ended.exit.is_success() => {
                    return Ok(millis_since(start));
                }
                Some(ProcessEvent::Exited(ended)) => {
                    return Err(format!("it ended with {}", ended.exit).into());
                }
                Some(ProcessEvent::Stdout(_) | ProcessEvent::Stderr(_)) => {}
                None => return Err("it does not end".into()),
            }
        }
    }
}

fn compare(bench: &Bench, product: &Product, world: &World) -> Outcome<[Sample; 2]> {
    let mut held = || {
        bench.ground.settle();
        iterate(product, world, "sandbox", "ways out were stopped")
    };
    let mut free = || {
        bench.ground.settle();
        iterate(product, world, "none", "nobody looked")
    };
    samples(bench.plan.repetitions, [&mut held, &mut free])
}

/// It counts only if the record says what it should.
fn iterate(product: &Product, world: &World, isolation: &str, says: &str) -> Outcome<f64> {
    let mut command = product.command(world, &["session", "iterate", NAME]);
    command.env("ORCHESTRA_SECURITY_ISOLATION", isolation);
    let start = Instant::now();
    let output = command.output()?;
    let taken = millis_since(start);
    let report = product.run(world, &["session", "guard", NAME])?;
    match output.status.success() && report.contains(says) {
        true => Ok(taken),
        false => Err(format!("the record says: {report}").into()),
    }
}
