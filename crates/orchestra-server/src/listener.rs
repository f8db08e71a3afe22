//! A server on a port: accepts, limits, and stops gracefully. Agents go on whatever becomes of it.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::middleware::from_fn_with_state;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;

use crate::app::App;
use crate::gate::{Gate, gate};
use crate::token::Token;

/// Threads that answer; what takes time has others.
const THREADS: usize = 2;
/// The largest head of a request.
const HEAD_SIZE: usize = 16 * 1024;
/// How often it is looked whether anybody is there, when the server is to end without.
const SHORTEST_LOOK: Duration = Duration::from_millis(20);
const LONGEST_LOOK: Duration = Duration::from_secs(5);
/// How long a new connection waits until those that have nothing to say are asked to make room.
const CROWDED: Duration = Duration::from_millis(100);
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
    /// Connections at once. The others wait until one has ended; those that are silent then are closed.
    pub connections: u32,
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
        let limits = self.listen.limits;
        let room = Room::of(limits.connections);
        let idle = idle(&self.app, self.listen.idle_exit);
        tokio::pin!(idle, stop);
        loop {
            let next = async { (room.place().await, listener.accept().await) };
            tokio::select! {
                (place, accepted) = next => {
                    let Ok((stream, _)) = accepted else {
                        // Out of file descriptors: others end.
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    };
                    let connection = connect(stream, service.clone(), limits);
                    let enough = Arc::clone(&room.enough).notified_owned();
                    tokio::spawn(async move {
                        let mut connection = pin!(connection);
                        // A client that goes away is no failure.
                        tokio::select! {
                            _ = connection.as_mut() => {}
                            () = enough => {
                                connection.as_mut().graceful_shutdown();
                                connection.await.ok();
                            }
                        }
                        drop(place);
                    });
                }
                () = &mut stop => break,
                () = &mut idle => break,
            }
        }
        drop(listener);
        self.app.desk.feed.close();
        tokio::time::timeout(ENDING, room.empty()).await.ok();
        self.app.desk.jobs.wait_for_all(JOBS).await;
        Ok(())
    }
}

/// Room for connections.
struct Room {
    places: Arc<Semaphore>,
    size: u32,
    /// Asks connections to end once they have nothing more to answer.
    enough: Arc<Notify>,
}

impl Room {
    fn of(size: u32) -> Self {
        Self {
            places: Arc::new(Semaphore::new(size as usize)),
            size,
            enough: Arc::default(),
        }
    }

    /// A place, as soon as there is one.
    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        loop {
            let place = Arc::clone(&self.places).acquire_owned();
            match tokio::time::timeout(CROWDED, place).await {
                Ok(place) => return place.ok(),
                Err(_) => self.enough.notify_waiters(),
            }
        }
    }

    /// Returns once everybody is gone.
    async fn empty(&self) {
        self.enough.notify_waiters();
        // Nobody closes the places, so that all of them are free in the end.
        self.places.acquire_many(self.size).await.ok();
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
    let pause = (longest / 20).clamp(SHORTEST_LOOK, LONGEST_LOOK);
    let (mut asked, mut since) = (0, Instant::now());
    while since.elapsed() < longest {
        tokio::time::sleep(pause).await;
        let before = std::mem::replace(&mut asked, app.desk.asked.load(Ordering::Relaxed));
        if asked != before || app.desk.feed.has_listeners() || app.desk.jobs.any_runs() {
            since = Instant::now();
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
