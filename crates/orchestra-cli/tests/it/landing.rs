//! Landing: what is done to a session on its way back to the base, and taking it back.

mod check;
mod cleanup;
mod disk;
mod gc;
mod land;
mod matrix;
mod merge;
mod push;
mod refused;
mod trash;
mod undo;
mod work;
