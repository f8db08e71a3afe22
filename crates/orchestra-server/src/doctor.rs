//! The doctor's report as a wire type.

use orchestra_api::{Diagnosis, DoctorReport};
use orchestra_engine::Health;

pub fn report(checks: &[orchestra_engine::Diagnosis]) -> DoctorReport {
    DoctorReport {
        healthy: checks.iter().all(|check| check.health != Health::Bad),
        checks: checks.iter().map(diagnosis).collect(),
    }
}

fn diagnosis(check: &orchestra_engine::Diagnosis) -> Diagnosis {
    let health = match check.health {
        Health::Good => "good",
        Health::Fixed => "fixed",
        Health::Note => "note",
        Health::Bad => "bad",
    };
    Diagnosis {
        name: check.name.clone(),
        health,
        detail: check.detail.clone(),
        hint: check.hint.clone(),
    }
}
