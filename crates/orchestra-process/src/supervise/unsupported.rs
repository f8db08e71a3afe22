//! Systems without a guardian.

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::{Guardian, OnLoss, ProcessEvent, Stop};
use crate::error::ProcessError;
use crate::limits::LimitLayers;
use crate::marker::Marker;
use crate::sandbox::Bounds;
use crate::spec::CommandSpec;

/// An agent; none can be started here.
#[derive(Debug)]
pub struct Supervised(Infallible);

/// Stops an agent from another thread.
#[derive(Debug, Clone)]
pub struct Stopper(Infallible);

impl Supervised {
    pub fn limit_layers(&self) -> LimitLayers {
        match self.0 {}
    }

    pub fn environment(&self) -> &[(OsString, OsString)] {
        match self.0 {}
    }

    pub fn pid(&self) -> u32 {
        match self.0 {}
    }

    pub fn next(&mut self, _wait: Duration) -> Option<ProcessEvent> {
        match self.0 {}
    }

    pub fn send(&mut self, _bytes: &[u8]) {
        match self.0 {}
    }

    pub fn close_input(&mut self) {
        match self.0 {}
    }

    pub fn stop(&self, _how: Stop) {
        match self.0 {}
    }

    pub fn let_go(self) {
        match self.0 {}
    }

    pub fn stopper(&self) -> Stopper {
        match self.0 {}
    }
}

impl Stopper {
    pub fn stop(&self, _how: Stop) {
        match self.0 {}
    }
}

pub fn guardian_main() -> ExitCode {
    ExitCode::FAILURE
}

pub(super) fn launch(
    _guardian: &Guardian,
    _spec: &CommandSpec,
    _bounds: &Bounds,
    _marker: &Marker,
    _on_loss: OnLoss,
) -> Result<Supervised, ProcessError> {
    let what = "running agents under a guardian";
    Err(ProcessError::Unsupported { what })
}

pub(super) fn take_over(
    _meeting: &Path,
    _marker: &Marker,
) -> Result<Option<Supervised>, ProcessError> {
    Ok(None)
}

pub(super) fn has_ended(_meeting: &Path) -> bool {
    false
}

pub(super) fn forget(_meeting: &Path) -> std::io::Result<()> {
    Ok(())
}
