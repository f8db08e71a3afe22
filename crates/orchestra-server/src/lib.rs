//! The engine over HTTP, and engine values as wire types, which every face shows.

pub mod wire;
