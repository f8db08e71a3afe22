//! Amp: its command line and its stream-json output.

mod command;
mod decode;
mod question;
mod tool_text;

pub use command::command;
pub use decode::AmpDecoder;
