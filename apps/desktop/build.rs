//! What the page may ask of the shell: each command needs a permission, and `capabilities/` grants them.

fn main() {
    let commands = tauri_build::AppManifest::new().commands(&[
        "follow_events",
        "stop_following",
        "hear_orders",
        "open_outside",
        "pick_folder",
        "save_file",
    ]);
    let attributes = tauri_build::Attributes::new().app_manifest(commands);
    if let Err(error) = tauri_build::try_build(attributes) {
        panic!("{error:#}");
    }
}
