//! Tests of the scripted agent as a program, and of the sandbox and the fakes that other tests stand on.

#[cfg(unix)]
mod hazards;
mod sandbox;

mod acp;
mod agent;
mod builds;
mod default_edit;
mod dialects;
mod failures;
mod guide;
mod output;
mod provider;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod spawned;
mod steps;
mod threads;
