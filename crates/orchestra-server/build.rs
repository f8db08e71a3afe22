//! Tells cargo what the embedded page is made of.

use std::fs;
use std::path::Path;

/// Where `cargo xtask web` writes the page.
const PAGE: &str = "../../apps/web/dist";

fn main() {
    // A directory that is not there would count as changed in every build. Where it cannot be made, that is all there is to it.
    if !Path::new(PAGE).exists() {
        fs::create_dir(PAGE).ok();
    }
    println!("cargo::rerun-if-changed={PAGE}");
}
