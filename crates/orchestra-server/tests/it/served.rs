//! A server on a port of this machine, for tests that speak to it byte by byte.

use std::net::SocketAddr;
use std::time::Duration;

use orchestra_server::{Limits, Listen, Server, Token};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::world::{PATIENCE, World};

pub(crate) struct Served {
    pub(crate) world: World,
    pub(crate) address: SocketAddr,
    pub(crate) token: Token,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<std::io::Result<()>>,
}

impl Served {
    pub(crate) fn new() -> Self {
        Self::with(Limits::default())
    }

    pub(crate) fn with(limits: Limits) -> Self {
        Self::listening(limits, None)
    }

    pub(crate) fn listening(limits: Limits, idle_exit: Option<Duration>) -> Self {
        let world = World::new();
        let token = Token::in_file(&world.sandbox.path("token")).unwrap();
        let listen = Listen {
            address: ([127, 0, 0, 1], 0).into(),
            names: vec!["orchestra.test".to_owned()],
            token: token.clone(),
            idle_exit,
            limits,
        };
        let server = Server::bind(world.app.clone(), listen).unwrap();
        let address = server.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(server.run_until(async {
            stopped.await.ok();
        }));
        Self {
            world,
            address,
            token,
            stop: Some(stop),
            running,
        }
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// The head of a request as a well-behaved client sends it, without the empty line.
    pub(crate) fn head(&self, method: &str, path: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n",
            self.address,
            self.token.reveal()
        )
    }

    /// What is answered to these bytes.
    pub(crate) async fn exchange(&self, bytes: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
        // A server that closes while bytes are on their way resets the connection.
        read.expect("an answer").ok();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The status of that answer.
    pub(crate) async fn status(&self, bytes: &str) -> u16 {
        let answer = self.exchange(bytes).await;
        let status = answer.split(' ').nth(1).and_then(|it| it.parse().ok());
        status.unwrap_or_else(|| panic!("no status: {answer:?}"))
    }

    /// Whether the server has ended by itself.
    pub(crate) fn has_ended(&self) -> bool {
        self.running.is_finished()
    }

    /// Asks the server to end and waits for that.
    pub(crate) async fn stop(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(40), &mut self.running).await;
        ended.expect("it ends").unwrap().unwrap();
    }
}
