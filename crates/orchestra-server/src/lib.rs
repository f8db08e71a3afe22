//! The engine over HTTP, and engine values as wire types, which every face shows.
//!
//! A router over the engine (`routes`), with nothing of its own to decide: what requests share is at the `desk`, what
//! happens is in the `feed`. Who may ask is decided where a connection comes in, not in the router: the desktop app sends the
//! same requests in process.

mod answer;
mod app;
mod body;
mod consent;
mod described;
mod desk;
mod document;
mod error;
mod extract;
mod feed;
mod gate;
mod listener;
mod page;
mod plain_text;
mod reference;
mod registration;
mod routes;
mod spoken;
mod token;
mod watch;
mod web;

pub mod agent;
pub mod base_note;
pub mod data;
pub mod doctor;
pub mod housekeeping;
pub mod landing;
pub mod lease;
pub mod project_command;
pub mod repository;
pub mod review;
pub mod sandbox;
pub mod session_detail;
pub mod session_field;
pub mod settings;
pub mod slash;
pub mod template;
pub mod time;
pub mod wire;

pub use app::{App, data_directory, document};
pub use error::ApiError;
pub use listener::{Limits, Listen, Server};
pub use orchestra_engine::AppPresence;
pub use reference::{openapi_json, reference_markdown};
pub use registration::{Claim, Registration, Registry};
pub use token::Token;
