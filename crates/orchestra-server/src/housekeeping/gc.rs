//! Housekeeping: the engine's, and what somebody has to agree to.

use orchestra_api::ErrorBody;
use orchestra_engine::{Engine, EngineError, Gc, GcReport, RegenerableListing, SessionView};

use super::{Agreed, DatabasesLeft, Offer};
use crate::wire;

/// What is wanted beside the usual housekeeping.
#[derive(Debug, Clone, Copy)]
pub struct HouseOrder {
    /// Whether it is done.
    pub request: Gc,
    /// Remove directories that can be made again from sessions at rest.
    pub regenerable: bool,
    /// Drop databases of sessions that were deleted for good.
    pub delete_databases: bool,
}

/// Who agrees to what goes, and has the settings of every repository.
pub trait Housekeeper {
    /// Why nothing is done.
    type Error: From<EngineError>;

    /// Whether directories go that can be made again.
    ///
    /// # Errors
    /// If nobody can say.
    fn agrees_to_remove(&self, found: &RegenerableListing) -> Result<bool, Self::Error>;

    /// Which databases go.
    ///
    /// # Errors
    /// If nobody can say.
    fn agrees_to_drop(&self) -> Result<Agreed, Self::Error>;

    /// Drops the databases of a session by the settings of its repository.
    ///
    /// # Errors
    /// If that is not allowed or fails.
    fn drop_databases(&self, view: &SessionView) -> Result<(), ErrorBody>;
}

/// What was done, or would be.
#[derive(Debug)]
pub struct Housekeeping {
    /// Whether it was done.
    pub request: Gc,
    /// Directories that can be made again.
    pub offer: Offer,
    /// Databases of sessions that were deleted for good.
    pub left: DatabasesLeft,
    /// The rest.
    pub report: GcReport,
}

/// Keeps house in every repository. Whoever is asked is asked before anything is done.
///
/// # Errors
/// If nobody agrees, somebody else keeps house now, or the store fails.
pub fn keep_house<K: Housekeeper>(
    engine: &Engine,
    order: HouseOrder,
    keeper: &K,
) -> Result<Housekeeping, K::Error> {
    let is_done = order.request == Gc::Do;
    let mut offer = Offer::find(engine)?;
    if !order.regenerable {
        // Nothing is removed anywhere.
        offer.left.skipped.clear();
    } else if is_done
        && !offer.left.directories.is_empty()
        && keeper.agrees_to_remove(&offer.left)?
    {
        offer = offer.remove(engine);
    }
    let agreed = match order.delete_databases && is_done {
        true => Some(keeper.agrees_to_drop()?),
        false => None,
    };
    let mut report = engine.gc(order.request)?;
    let mut left = DatabasesLeft::find(engine)?;
    if let Some(agreed) = &agreed {
        left = left.drop_agreed(engine, agreed, keeper)?;
    }
    report.freed_bytes += match order.regenerable && !is_done {
        true => offer.left.own_bytes(),
        false => offer.removed.own_bytes(),
    };
    let problems: Vec<String> = offer.problems().chain(&left.problems).cloned().collect();
    report.problems.splice(0..0, problems);
    Ok(Housekeeping {
        request: order.request,
        offer,
        left,
        report,
    })
}

impl Housekeeping {
    /// The same on the wire.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn answer(&self, engine: &Engine) -> Result<orchestra_api::GcReport, EngineError> {
        let report = &self.report;
        Ok(orchestra_api::GcReport {
            seq: engine.last_seq()?,
            dry_run: self.request == Gc::Foretell,
            regenerable: self.offer.rows(),
            skipped: self.offer.skipped().cloned().collect(),
            databases: self.left.rows(),
            recovered: report.recovered.clone(),
            cleaned: report.cleaned.iter().map(|(id, _)| id.clone()).collect(),
            deleted: report.deleted.iter().map(wire::trash_row).collect(),
            finished_deletions: report.finished,
            snapshots: report.snapshots,
            prompts: report.prompts,
            caches: report.caches,
            data: report.data.iter().map(wire::removed_data).collect(),
            freed_bytes: report.freed_bytes,
            damaged: report.damaged.clone(),
            problems: report.problems.clone(),
        })
    }
}
