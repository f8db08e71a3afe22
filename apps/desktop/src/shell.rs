//! Puts the app together: the engine, the window, the tray, and what the desktop passes on.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use serde::Deserialize;
use tauri::{App, AppHandle, Manager, RunEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

use crate::arguments::Arguments;
use crate::commands::{self, Streams};
use crate::engine::Engine;
use crate::error::StartError;
use crate::glance::{self, News};
use crate::menu::{self, Zoom};
use crate::orders::Orders;
use crate::quit::{self, Told};
use crate::{program, scheme, tray, update, window};

/// Runs the app until it is quit.
pub(crate) fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(told) => return told_by_clap(&told),
    };
    log();
    #[expect(clippy::exit, reason = "in what the macro makes")]
    let context = tauri::generate_context!();
    let mut builder = tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, words, _| {
            started_again(app, &words);
        }))
        .plugin(tauri_plugin_dialog::init())
        .plugin(
            tauri_plugin_autostart::Builder::new()
                .args(["--background"])
                .app_name(window::TITLE)
                .build(),
        )
        .plugin(
            tauri_plugin_window_state::Builder::new()
                .with_state_flags(window::remembered())
                .skip_initial_state(window::LABEL)
                .build(),
        );
    if update::is_set(context.config()) {
        builder = builder.plugin(tauri_plugin_updater::Builder::new().build());
    }
    let built = builder
        .register_asynchronous_uri_scheme_protocol(scheme::NAME, scheme::answer)
        .invoke_handler(tauri::generate_handler![
            commands::follow_events,
            commands::stop_following,
            commands::hear_orders,
            commands::open_outside,
            commands::pick_folder,
            commands::save_file,
        ])
        .manage(News::default())
        .manage(Orders::default())
        .manage(Streams::default())
        .manage(Zoom::default())
        .on_menu_event(|app, event| menu::chosen(app, event.id().as_ref()))
        .on_window_event(|window, event| quit::window_event(window.app_handle(), event))
        .setup(move |app| {
            begin(app, &arguments);
            Ok(())
        })
        .build(context);
    match built {
        Ok(app) => {
            app.run(handle);
            ExitCode::SUCCESS
        }
        Err(error) => say(&error),
    }
}

/// Opens the engine and shows the window. An engine that cannot be opened is told in a dialog: there may be no terminal.
fn begin(app: &mut App, arguments: &Arguments) {
    let handle = app.handle();
    if let Err(error) = open(handle) {
        let handle = handle.clone();
        app.dialog()
            .message(error.to_string())
            .title("Amp Orchestra cannot start")
            .kind(MessageDialogKind::Error)
            .show(move |_| handle.exit(1));
        return;
    }
    if !arguments.background || !tray::is_there(handle) {
        window::show(handle, arguments.page());
    }
}

fn open(app: &AppHandle) -> Result<(), StartError> {
    let data = orchestra_server::data_directory()?;
    let program = program::prepare(&data)?;
    let engine = Engine::open(program.clone())?;
    let presence = tauri::async_runtime::block_on(engine.announce())?;
    app.manage(presence.ok_or(StartError::OtherApp)?);
    app.manage(Told::of(&data));
    app.manage(engine.clone());
    tray::build(app);
    tauri::async_runtime::spawn(tidy(engine.clone(), program));
    tauri::async_runtime::spawn(glance::follow(app.clone(), engine));
    Ok(())
}

/// Programs of other builds go when nothing runs that could need one.
async fn tidy(engine: Engine, program: PathBuf) {
    if !is_quiet(&engine).await {
        return;
    }
    if let Err(error) = program::forget_others(&program) {
        tracing::info!(%error, "programs of other builds stay");
    }
}

/// Whether neither an agent nor a script is at work. If that cannot be told, they may be.
async fn is_quiet(engine: &Engine) -> bool {
    let mut cursor = String::new();
    loop {
        let address = format!("/sessions?archived=true&limit=1000{cursor}");
        let Some(page) = engine.look::<Page>(&address).await else {
            return false;
        };
        if page.sessions.iter().any(Work::may_go_on) {
            return false;
        }
        let Some(next) = page.next else {
            return true;
        };
        cursor = format!("&cursor={next}");
    }
}

/// Sessions, and what may run in them.
#[derive(Deserialize)]
struct Page {
    sessions: Vec<Work>,
    next: Option<String>,
}

#[derive(Deserialize)]
struct Work {
    status: String,
    script_run: Option<Run>,
    setup_run: Option<Run>,
    servers: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    state: String,
}

/// Statuses in which no process is left of an agent. One that waits for a permission or a provider is still there.
const AT_REST: [&str; 5] = ["idle", "completed", "error", "interrupted", "conflicted"];

impl Work {
    fn may_go_on(&self) -> bool {
        let single = self.script_run.iter().chain(&self.setup_run);
        let mut runs = single.chain(&self.servers);
        !AT_REST.contains(&self.status.as_str()) || runs.any(|run| run.state == "running")
    }
}

fn handle(app: &AppHandle, event: RunEvent) {
    match event {
        // Nothing is open, and the tray is still there.
        RunEvent::ExitRequested {
            api, code: None, ..
        } if tray::is_there(app) => api.prevent_exit(),
        #[cfg(target_os = "macos")]
        RunEvent::Opened { urls } => {
            for url in urls {
                window::show(app, crate::link::page(url.as_str()));
            }
        }
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => window::show(app, None),
        _ => {}
    }
}

/// Somebody started the app while it is open.
fn started_again(app: &AppHandle, words: &[String]) {
    let arguments = Arguments::try_parse_from(words).unwrap_or_default();
    if !arguments.background {
        window::show(app, arguments.page());
    }
}

fn log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("ORCHESTRA_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}

/// Help and version are answers, mistakes are not.
fn told_by_clap(told: &clap::Error) -> ExitCode {
    // Without a terminal nobody reads it.
    told.print().ok();
    u8::try_from(told.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

fn say(told: &dyn std::fmt::Display) -> ExitCode {
    #[expect(
        clippy::print_stderr,
        reason = "whoever started it at a terminal reads it there"
    )]
    {
        eprintln!("{told}");
    }
    ExitCode::from(2)
}
