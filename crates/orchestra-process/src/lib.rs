//! The only place that starts other programs.
//!
//! [`capture`] is for short children such as git, [`Dialogue`] for one that is talked with, [`run_attached`] for an editor or a shell on the
//! user's terminal, [`supervise`] for agents and scripts (through a guardian that leaves no process
//! behind), and [`spawn_detached`] for the runner that outlives the face which started it. [`on_cores`] and [`WorkQueue`] share work
//! among threads of this process.
//! [`supervise_within`] also holds it in a [`Sandbox`], and [`probe`] finds out what that stops; at a [`Door`] the program in it can ask something.
//! What a child is asked to do, and when it is stopped, is decided by the callers.

mod attached;
mod capture;
mod children;
mod detach;
mod dialogue;
mod door;
mod error;
mod exit;
mod identity;
mod limits;
mod listening;
mod marker;
#[cfg(unix)]
mod near;
#[cfg(unix)]
mod poll;
mod program;
mod sandbox;
mod spec;
#[cfg(unix)]
mod subreaper;
mod supervise;
mod sweep;
mod table;
mod threads;
#[cfg(unix)]
mod tree;
mod using;

pub use attached::run_attached;
pub use capture::{Captured, Limits, capture, capture_to};
pub use detach::{become_session_leader, spawn_apart, spawn_detached};
pub use dialogue::{Dialogue, Farewell, Reply};
pub use door::{Door, ask_at};
pub use error::ProcessError;
pub use exit::Exit;
pub use identity::ProcessIdentity;
pub use limits::{Exceeded, LimitLayer, LimitLayers, ResourceLimits, TreeLimit};
pub use listening::{Listener, ProcessListening, listener, processes_listening};
pub use marker::Marker;
pub use program::find_program;
pub use sandbox::{
    Attempt, Bounds, Bubblewrap, Escape, HostList, NestedNamespaces, Network, NetworkProxy,
    Outcome, Probe, ProbeRecord, ProxyAddress, ProxyPlace, Replaced, SANDBOX_MODE, Sandbox,
    SandboxError, SandboxLayer, SandboxLayers, Targets, home_secrets, probe, proxy_variables,
    sandbox_main,
};
pub use spec::{CommandSpec, Stdin};
pub use supervise::{
    Ended, Guardian, Meeting, OnLoss, ProcessEvent, Stop, StopSignal, Stopper, Supervised,
    forget_meeting, guardian_main, has_ended, supervise, supervise_within, take_over,
};
pub use sweep::{Marked, Swept, processes_with_marker_prefix, sweep_marked};
pub use threads::{WorkQueue, on_cores};
pub use using::{ProcessUsing, Use, processes_using, processes_using_each};
