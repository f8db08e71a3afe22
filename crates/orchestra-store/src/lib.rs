//! The SQLite store: one file, versioned migrations, one module per aggregate.
//!
//! It owns every SQL statement of the product. It knows nothing of git, agents, processes or terminals. Every change runs
//! inside [`Store::write`], and the events that tell of it are appended in the same transaction.

#![warn(missing_docs)]

mod activity;
mod allowed_commands;
mod artifacts;
mod attempts;
mod backup;
mod columns;
mod controls;
mod databases;
mod disk_use;
mod error;
mod events;
mod intents;
mod iterations;
mod metrics;
mod new_file;
mod notifications;
mod operations;
mod pauses;
mod ports;
mod pushes;
mod questions;
mod repeated;
mod repositories;
mod requests;
mod schema;
mod scripts;
mod sessions;
mod store;
mod transcript;
mod transcript_search;

pub use activity::Activity;
pub use controls::{Control, ControlTarget, PendingControl};
pub use error::{StoreError, Unique};
pub use events::EventFilter;
pub use intents::{DONE, Effect, OpenIntent};
pub use iterations::NewIteration;
pub use metrics::{MetricsBy, MetricsFilter, MetricsRow};
pub use operations::NewOperation;
pub use questions::NewQuestion;
pub use repositories::CountedRepository;
pub use requests::KnownRequest;
pub use schema::LATEST_VERSION;
pub use scripts::NewScriptRun;
pub use sessions::{SessionField, SessionFilter};
pub use store::{Durability, Store, Tx};
pub use transcript::NewItem;
pub use transcript_search::{SEARCH_STEP, TranscriptHit, TranscriptHits, TranscriptSearch};
