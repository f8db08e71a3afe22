//! Fakes of the HTTP interfaces behind real agents: Amp's server, OpenAI's responses and chat completions.
//!
//! One scripted model answers all three. A line `script: <name>` in a prompt chooses what it does; how many results of tools came
//! since chooses the reply. So real agents run whole turns on loopback, without an account.
//!
//! ```no_run
//! use orchestra_testkit::provider::{Provider, Reply};
//!
//! let provider = Provider::start();
//! provider.script("greet", [Reply::write("hello.txt", "hello\n"), Reply::say("Done.")]);
//! println!("AMP_URL={}", provider.url());
//! ```

mod amp;
mod answer;
mod chat;
mod dialect;
mod http;
mod responses;
mod script;
mod server;

pub use script::Reply;
pub use server::Provider;
