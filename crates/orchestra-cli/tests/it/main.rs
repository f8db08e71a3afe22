//! The commands as users run them: the real binary, real git, a real store, the scripted agent.

mod agents;
mod concurrency;
mod crash;
mod dice;
mod doctor;
mod environments;
mod hazards;
mod help;
mod iterate;
mod landing;
mod logs;
mod lost;
mod made;
mod moved;
mod notifications;
mod oracle;
mod processes;
mod ran;
mod review;
mod rubbish;
mod screen;
mod secrets;
mod sessions;
mod settings;
mod thoroughness;
mod world;
