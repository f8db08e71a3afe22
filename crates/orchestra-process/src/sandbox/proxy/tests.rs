//! Real connections through a real proxy, to a server of the test.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

use super::{HostList, NetworkProxy, ProxyAddress, ProxyPlace};

/// A server that answers one connection with what it was sent first.
fn echo() -> (u16, JoinHandle<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut buffer = [0; 4096];
        let count = client.read(&mut buffer).unwrap();
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\nhello").unwrap();
        String::from_utf8_lossy(&buffer[..count]).into_owned()
    });
    (port, heard)
}

/// Every name leads to this machine: what somebody who owns a name can do.
fn home(_host: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
    Ok(vec![SocketAddr::from((Ipv4Addr::LOCALHOST, port))])
}

fn proxy(hosts: &[String]) -> NetworkProxy {
    let hosts = HostList::parse(hosts).unwrap();
    NetworkProxy::start_resolving(hosts, &ProxyPlace::Loopback, home).unwrap()
}

fn ask(proxy: &NetworkProxy, request: &[u8]) -> String {
    let ProxyAddress::Loopback(port) = proxy.address() else {
        panic!("the proxy is elsewhere");
    };
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).unwrap();
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    // A proxy that closes before it read everything resets the connection after its answer.
    stream.read_to_end(&mut answer).ok();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_host_in_the_list_is_reached_in_both_forms() {
    let (port, heard) = echo();
    let listed = [
        format!("friend.example:{port}"),
        format!("127.0.0.1:{port}"),
    ];
    let plain = format!(
        "GET http://friend.example:{port}/a HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n"
    );
    let answer = ask(&proxy(&listed), plain.as_bytes());
    assert!(answer.ends_with("hello"), "{answer}");
    let sent = heard.join().unwrap();
    assert_eq!(
        sent,
        format!("GET /a HTTP/1.1\r\nHost: friend.example:{port}\r\nConnection: close\r\n\r\n")
    );
    let (port, heard) = echo();
    let listed = [format!("127.0.0.1:{port}")];
    let connect = format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nraw bytes");
    let answer = ask(&proxy(&listed), connect.as_bytes());
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("hello"),
        "{answer}"
    );
    assert_eq!(heard.join().unwrap(), "raw bytes");
}

#[test]
fn another_host_is_refused() {
    let proxy = proxy(&["friend.example".to_owned()]);
    for host in [
        "enemy.example",
        "friend.example.enemy.example",
        "127.0.0.1",
        "[::1]",
    ] {
        let answer = ask(
            &proxy,
            format!("CONNECT {host}:443 HTTP/1.1\r\n\r\n").as_bytes(),
        );
        assert!(answer.starts_with("HTTP/1.1 403 "), "{host}: {answer}");
        assert!(answer.contains("does not allow this host"), "{answer}");
    }
}

#[test]
fn a_name_that_leads_to_this_machine_is_refused() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let proxy = proxy(&["*.example".to_owned()]);
    let answer = ask(
        &proxy,
        format!("CONNECT rebound.example:{port} HTTP/1.1\r\n\r\n").as_bytes(),
    );
    assert!(
        answer.starts_with("HTTP/1.1 403 ") && answer.contains("of this machine"),
        "{answer}"
    );
    let reached = listener.accept();
    assert!(reached.is_err(), "the proxy connected");
}

#[test]
fn garbage_and_endless_heads_are_answered_and_the_proxy_goes_on() {
    let proxy = proxy(&["friend.example".to_owned()]);
    for garbage in [
        &b"\x16\x03\x01\x02\x00\r\n\r\n"[..],
        b"GET / HTTP/1.1\r\n\r\n",
        b"\r\n\r\n",
    ] {
        let answer = ask(&proxy, garbage);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }
    let endless = [
        &b"GET http://friend.example/ HTTP/1.1\r\nX: "[..],
        &vec![b'x'; 64 * 1024],
    ]
    .concat();
    let answer = ask(&proxy, &endless);
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 431 "),
        "{answer}"
    );
    let answer = ask(&proxy, b"CONNECT enemy.example:1 HTTP/1.1\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
}

#[test]
fn a_proxy_that_is_over_listens_no_more() {
    let proxy = proxy(&[]);
    let ProxyAddress::Loopback(port) = *proxy.address() else {
        panic!("the proxy is elsewhere");
    };
    drop(proxy);
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err());
}
