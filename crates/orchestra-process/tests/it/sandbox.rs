//! Programs in a sandbox: what they can do, what they cannot, and that they end like any other.

mod escapes;
mod held;
mod network;
mod world;
