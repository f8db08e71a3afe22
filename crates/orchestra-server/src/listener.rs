//! A server on a port: accepts, limits, and stops gracefully. Agents go on whatever becomes of it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::middleware::from_fn_with_state;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

use crate::app::App;
use crate::gate::{Gate, gate};
use crate::token::Token;

/// Threads that answer; what takes time has others.
const THREADS: usize = 2;
/// The largest head of a request.
const HEAD_SIZE: usize = 16 * 1024;
/// How long requests may take to end when the server stops.
const ENDING: Duration = Duration::from_secs(5);
/// How long work that was asked for may take to end then. What is cut off is put right by whoever looks next.
const JOBS: Duration = Duration::from_secs(30);

/// How a server listens.
#[derive(Debug, Clone)]
pub struct Listen {
    /// Where.
    pub address: SocketAddr,
    /// Other names that lead to it.
    pub names: Vec<String>,
    /// What requests are known by.
    pub token: Token,
    /// End when nobody asked for so long.
    pub idle_exit: Option<Duration>,
    /// What a client can use up.
    pub limits: Limits,
}

/// What a client can use up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once; the others wait.
    pub connections: usize,
    /// How long the head of a request may take to arrive.
    pub head: Duration,
    /// How long a client may take no byte of its answer: a stream that nobody reads is closed.
    pub stalled: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 256,
            head: Duration::from_secs(30),
            stalled: Duration::from_secs(30),
        }
    }
}

/// A server that listens.
pub struct Server {
    app: App,
    listener: std::net::TcpListener,
    address: SocketAddr,
    listen: Listen,
}

impl Server {
    /// Takes the port.
    ///
    /// # Errors
    /// If it cannot be had.
    pub fn bind(app: App, listen: Listen) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(listen.address)?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            app,
            address: listener.local_addr()?,
            listener,
            listen,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until somebody asks this process to end, or nobody asks the server anything any more.
    ///
    /// # Errors
    /// If the system refuses the threads.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .enable_all()
            .build()?;
        let served = runtime.block_on(self.run_until(signalled()));
        // Work that did not end in time is put right by whoever looks next.
        runtime.shutdown_background();
        served
    }

    /// Serves until `stop` returns or nobody asks any more, then lets requests and jobs end.
    ///
    /// # Errors
    /// If the system takes the port back.
    pub async fn run_until(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let listener = TcpListener::from_std(self.listener)?;
        let gate_of = Gate::new(
            self.listen.token.clone(),
            self.address,
            "http",
            &self.listen.names,
        );
        let router = self
            .app
            .router()
            .layer(from_fn_with_state(Arc::new(gate_of), gate));
        let service = TowerToHyperService::new(router);
        let room = Arc::new(Semaphore::new(self.listen.limits.connections));
        let graceful = GracefulShutdown::new();
        let idle = idle(&self.app, self.listen.idle_exit);
        tokio::pin!(idle, stop);
        loop {
            let place = Arc::clone(&room).acquire_owned();
            let next = async { (place.await, listener.accept().await) };
            tokio::select! {
                (place, accepted) = next => {
                    let Ok((stream, _)) = accepted else {
                        // Out of file descriptors: others end.
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    };
                    let connection = connect(stream, service.clone(), self.listen.limits);
                    let connection = graceful.watch(connection);
                    tokio::spawn(async move {
                        // A client that goes away is no failure.
                        connection.await.ok();
                        drop(place);
                    });
                }
                () = &mut stop => break,
                () = &mut idle => break,
            }
        }
        drop(listener);
        self.app.desk.feed.close();
        tokio::time::timeout(ENDING, graceful.shutdown()).await.ok();
        self.app.desk.jobs.wait_for_all(JOBS).await;
        Ok(())
    }
}

type Service = TowerToHyperService<axum::Router>;

fn connect(
    stream: TcpStream,
    service: Service,
    limits: Limits,
) -> hyper::server::conn::http1::Connection<
    TokioIo<std::pin::Pin<Box<TimeoutStream<TcpStream>>>>,
    Service,
> {
    // Small answers are not held back; where that cannot be said, they are only later.
    stream.set_nodelay(true).ok();
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.stalled));
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(HEAD_SIZE)
        .serve_connection(TokioIo::new(Box::pin(stream)), service)
}

/// Ends when nobody asked or listened for a time.
async fn idle(app: &App, longest: Option<Duration>) {
    let Some(longest) = longest else {
        return std::future::pending().await;
    };
    loop {
        let asked = app.desk.asked.load(Ordering::Relaxed);
        tokio::time::sleep(longest).await;
        let is_quiet = app.desk.asked.load(Ordering::Relaxed) == asked;
        if is_quiet && !app.desk.feed.has_listeners() && !app.desk.jobs.any_runs() {
            return;
        }
    }
}

/// Returns once somebody asks this process to end: with Ctrl-C, or as systems do when they shut down.
async fn signalled() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // Without it, only killing ends the server, which loses nothing.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
