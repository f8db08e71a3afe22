//! Landing: what is done to a session on its way back to the base, and taking it back.

mod cleanup;
mod disk;
mod gc;
mod push;
mod trash;
mod undo;
