//! What an agent reaches over the network: nothing, the hosts of a list through a proxy, or everything.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::thread;

use super::shell_world;
use crate::world::World;

/// A server that answers every connection.
fn server() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let mut client = client;
            if client.read(&mut [0; 4096]).is_ok() {
                let answer = b"HTTP/1.0 200 OK\r\nContent-Length: 12\r\n\r\nfrom outside";
                client.write_all(answer).ok();
            }
        }
    });
    port
}

/// Asks a port of this machine straight, and a proxy for another one.
fn asking(listed: u16, unlisted: u16) -> String {
    format!(
        r#"cat > /dev/null
ask() {{ bash -c "exec 3<>/dev/tcp/127.0.0.1/$1 && printf 'GET / HTTP/1.0\r\n\r\n' >&3 && cat <&3" 2>/dev/null | tr -d '\r' | tail -1; echo; }}
proxy=${{HTTP_PROXY##*:}}
echo "listed: $(ask {listed})"
echo "unlisted: $(ask {unlisted})"
echo "proxy: $(bash -c "exec 3<>/dev/tcp/127.0.0.1/${{proxy:-1}} && printf 'GET http://127.0.0.1:{unlisted}/ HTTP/1.0\r\n\r\n' >&3 && cat <&3" 2>/dev/null | tr -d '\r' | tail -1)"
echo "temporary: $(mktemp -u)"
"#
    )
}

fn said(network: &str, listed: u16, unlisted: u16) -> (World, String) {
    let (world, _) = shell_world(&asking(listed, unlisted));
    let set = ["config", "set", "security.sandbox_network", network];
    world.orchestra(&set).ok();
    world.session("one");
    let said = world.run(&["iterate", "one"]).ok().stdout;
    (world, said)
}

#[test]
fn nothing_is_reached_with_the_network_off() {
    let (world, said) = said("off", server(), server());
    for what in ["listed:\n", "unlisted:\n", "proxy:\n", "temporary: /tmp/"] {
        assert!(said.contains(what), "no {what:?} in {said}");
    }
    let record = world.json(&["guard", "one"])["isolation"]["sandbox"].clone();
    assert_eq!(record["network"], serde_json::json!(["off"]));
}

#[test]
fn a_list_lets_its_hosts_through() {
    let listed = server();
    let hosts = format!("127.0.0.1:{listed},example.com");
    let (world, said) = said(&hosts, listed, server());
    let refused = "proxy: the sandbox does not allow this host";
    for what in ["listed: from outside", "unlisted:\n", refused] {
        assert!(said.contains(what), "no {what:?} in {said}");
    }
    world.wait_until_quiet();
}

#[test]
fn everything_is_reached_where_somebody_says_so() {
    let (world, said) = said("open", server(), server());
    for what in ["\nlisted: from outside", "unlisted: from outside"] {
        assert!(said.contains(what), "no {what:?} in {said}");
    }
    let record = world.json(&["guard", "one"])["isolation"]["sandbox"].clone();
    assert_eq!(record["network"], serde_json::json!(["open"]));
    let connection = &record["escapes"][8];
    assert_eq!(
        connection["end"], "succeeded",
        "it is told, and was asked for: {connection}"
    );
}

#[test]
fn words_that_make_no_sense_are_refused() {
    let (world, _) = shell_world("cat > /dev/null");
    for words in ["off,example.com", "http://example.com/", "example.com:port"] {
        let set = ["config", "set", "security.sandbox_network", words];
        let why = "or `off` or `open` alone";
        world.orchestra(&set).refuses(2, why);
    }
    for (words, port) in [("example.com,127.0.0.1:80", 80), ("localhost:443", 443)] {
        let set = ["config", "set", "security.sandbox_network", words];
        world.orchestra(&set).ok();
        let new = ["new", "--name", "one", "--prompt", "x"];
        let why = format!("port {port} of this machine cannot be reached from a sandbox");
        world.run(&new).refuses(3, &why);
    }
}
