//! `fake-desktop`: the part of a Linux desktop that shows notifications and tray icons, on the session bus, without a screen.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    orchestra_testkit::fake_desktop::run()
}

#[cfg(not(target_os = "linux"))]
fn main() {}
