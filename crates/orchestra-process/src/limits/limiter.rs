//! The limits of one tree while it runs, in its guardian.

use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Pid, getpriority_process, setpriority_pgrp, setpriority_process};

#[cfg(target_os = "linux")]
use super::group::Group;
use super::{Exceeded, LimitLayer, LimitLayers, ResourceLimits, resource, sample};
use crate::table::Entry;

/// How often the tree is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// As polite as a compiler in the background.
const LOW_PRIORITY: i32 = 10;

pub(crate) struct Limiter {
    limits: ResourceLimits,
    layers: LimitLayers,
    #[cfg(target_os = "linux")]
    group: Option<Group>,
    next_look: Instant,
}

impl Limiter {
    /// Holds this process to the limits, and what it starts until [`Limiter::step_out`].
    pub(crate) fn step_in(limits: &ResourceLimits) -> io::Result<Self> {
        resource::apply(limits)?;
        let asked = |is_asked: bool, layer| is_asked.then_some(layer);
        let mut limiter = Self {
            limits: limits.clone(),
            layers: LimitLayers {
                files: Some(LimitLayer::ProcessLimits),
                memory: asked(limits.memory.is_some(), LimitLayer::Sampling),
                processes: asked(limits.processes.is_some(), LimitLayer::Sampling),
                cpu: asked(limits.cpu_percent.is_some(), LimitLayer::Priority),
            },
            #[cfg(target_os = "linux")]
            group: None,
            next_look: Instant::now() + LOOK,
        };
        limiter.join_group();
        Ok(limiter)
    }

    #[cfg(target_os = "linux")]
    fn join_group(&mut self) {
        let Some(mut group) = Group::make(&self.limits) else {
            return;
        };
        if let Err(error) = group.enter() {
            tracing::debug!(%error, "a control group cannot be entered");
            group.remove();
            return;
        }
        let holds = |layer: &mut Option<LimitLayer>, is_held: bool| {
            if is_held && layer.is_some() {
                *layer = Some(LimitLayer::ControlGroup);
            }
        };
        holds(&mut self.layers.memory, group.holds("memory"));
        holds(&mut self.layers.processes, group.holds("pids"));
        holds(&mut self.layers.cpu, group.holds("cpu"));
        self.group = Some(group);
    }

    #[cfg(not(target_os = "linux"))]
    fn join_group(&mut self) {}

    /// The tree is started: this process goes back to where it was.
    pub(crate) fn step_out(&mut self, agent: Pid) {
        #[cfg(target_os = "linux")]
        if let Some(group) = &mut self.group {
            group.leave();
        }
        if self.layers.cpu == Some(LimitLayer::Priority) {
            lower_priority(agent);
        }
    }

    pub(crate) fn layers(&self) -> LimitLayers {
        self.layers
    }

    /// How long until the tree has to be looked at; `None` when it never has.
    pub(crate) fn until_look(&self) -> Option<Duration> {
        let looks = self.limits.memory.is_some() || self.limits.processes.is_some();
        looks.then(|| self.next_look.saturating_duration_since(Instant::now()))
    }

    /// Looks at the tree, if it is time to.
    pub(crate) fn look(&mut self, tree: impl FnOnce() -> Vec<Entry>) -> Option<Exceeded> {
        self.until_look().filter(Duration::is_zero)?;
        let found = self
            .told_by_kernel()
            .or_else(|| sample::exceeded(&self.limits, &tree()));
        self.next_look = Instant::now() + LOOK;
        found
    }

    /// A limit that the kernel enforced by itself.
    #[cfg(target_os = "linux")]
    pub(crate) fn told_by_kernel(&self) -> Option<Exceeded> {
        self.group.as_ref()?.exceeded(&self.limits)
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn told_by_kernel(&self) -> Option<Exceeded> {
        None
    }

    /// The tree is gone.
    pub(crate) fn end(&self) {
        #[cfg(target_os = "linux")]
        if let Some(group) = &self.group {
            group.remove();
        }
    }
}

/// What the agent started meanwhile is in its process group. One that is even lower stays there.
fn lower_priority(agent: Pid) {
    let lowered = getpriority_process(Some(agent)).and_then(|now| {
        let priority = now.max(LOW_PRIORITY);
        setpriority_process(Some(agent), priority)?;
        setpriority_pgrp(Some(agent), priority)
    });
    if let Err(error) = lowered {
        tracing::debug!(%error, "the agent ended before its priority was lowered");
    }
}
