//! The stream of JSON lines that Amp and Claude Code print. Every field that any build of either leaves out is optional.

mod decode;
mod line;
mod loose;

pub(crate) use decode::StreamDecoder;
