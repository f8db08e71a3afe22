//! What this machine has to hold agents, as wire types.

use orchestra_api::{MissingLayer, SandboxAnswer, SandboxTrial};
use orchestra_engine::{MachineSandbox, TriedLayers, chain};

pub fn answer(found: &MachineSandbox) -> SandboxAnswer {
    SandboxAnswer {
        holds: found.refusal.is_none(),
        refusal: found.refusal.as_ref().map(|error| chain::text(error)),
        tried: found.tried.iter().map(trial).collect(),
        missing: found
            .missing
            .iter()
            .map(|(layer, hint)| MissingLayer {
                layer: layer.clone(),
                hint: hint.clone(),
            })
            .collect(),
    }
}

fn trial(tried: &TriedLayers) -> SandboxTrial {
    let (count, stopped) = tried.counts();
    SandboxTrial {
        layers: tried.layers.clone(),
        tried: count,
        stopped,
        escapes: tried.escapes.clone(),
        commit_failure: tried.commit_failure.clone(),
        milliseconds: tried.milliseconds,
    }
}
