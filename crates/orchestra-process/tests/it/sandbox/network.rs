//! What a program in a sandbox reaches: nothing, itself, or what a proxy lets through.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::thread;

use orchestra_process::{HostList, Network, NetworkProxy, ProxyPlace, Sandbox, SandboxLayers};

use super::world::{BOTH, World, layers};
use crate::supervise::finish;
use crate::support::{agent, eventually, example};

/// A server on loopback that answers every connection.
fn server() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            // One that only connects sends nothing.
            if client.read(&mut [0; 4096]).is_ok() {
                client
                    .write_all(b"HTTP/1.1 200 OK\r\n\r\nfrom outside")
                    .ok();
            }
        }
    });
    port
}

fn said(world: &World, sandbox: Sandbox, words: &[&str]) -> String {
    let spec = agent(&example("sandboxed"), &world.path("workspace")).args(words);
    let (stdout, stderr, _) = finish(&mut world.start(&spec, sandbox));
    assert_eq!(stderr, "");
    stdout
}

fn each_way() -> Vec<SandboxLayers> {
    let ways = [&BOTH[..1], &BOTH[1..], &BOTH[..]];
    let ways = ways.into_iter().filter_map(layers);
    ways.filter(|it| it.bubblewrap.is_some() || it.landlock >= Some(4))
        .collect()
}

#[test]
fn a_proxy_is_the_only_way_out() {
    for layers in each_way() {
        let world = World::new();
        let port = server();
        let listed = HostList::parse([format!("127.0.0.1:{port}")]).unwrap();
        let place = ProxyPlace::within_reach_of(&layers, &world.path("data/proxy.sock"));
        let proxy = NetworkProxy::start(listed, &place).unwrap();
        let sandbox = || Sandbox {
            network: proxy.network(),
            ..world.sandbox(layers.clone())
        };
        let address = format!("127.0.0.1:{port}");
        let through = said(&world, sandbox(), &["ask", &address]);
        assert!(through.ends_with("from outside\n"), "{through}");
        let other = said(&world, sandbox(), &["ask", "example.com"]);
        assert!(other.starts_with("HTTP/1.1 403 "), "{other}");
        // With Landlock alone it can connect to the proxy's port and to no other.
        let straight = said(&world, sandbox(), &["connect", &address]);
        assert_eq!(straight == "connected\n", layers.bubblewrap.is_some());
        let unlisted = format!("127.0.0.1:{}", server());
        let around = said(&world, sandbox(), &["connect", &unlisted]);
        assert!(around.starts_with("failed"), "{around}");
        drop(proxy);
        assert!(!world.path("data/proxy.sock").exists());
        assert!(eventually(|| world.left().is_empty()), "{:?}", world.left());
    }
}

/// Its words are in the script only in pieces, so that the script does not find itself.
const END_CARRIER: &str = "word=car; for process in /proc/[0-9]*; do \
    case $(tr '\\0' ' ' < $process/cmdline 2>/dev/null) in *${word}ry*) \
    echo found; kill -9 ${process#/proc/} 2>/dev/null && echo ended;; esac; done; true";

#[test]
fn with_landlock_what_carries_to_the_proxy_cannot_be_ended() {
    let Some(layers) = layers(&BOTH).filter(|it| it.landlock >= Some(6)) else {
        return;
    };
    let world = World::new();
    let place = ProxyPlace::within_reach_of(&layers, &world.path("data/proxy.sock"));
    let proxy = NetworkProxy::start(HostList::default(), &place).unwrap();
    let sandbox = Sandbox {
        network: proxy.network(),
        ..world.sandbox(layers)
    };
    let (stdout, ..) = finish(&mut world.start(&world.shell(END_CARRIER), sandbox));
    assert_eq!(stdout, "found\n");
}

#[test]
fn the_network_is_off_or_open() {
    for layers in each_way() {
        let world = World::new();
        let address = format!("127.0.0.1:{}", server());
        let sandbox = |network| Sandbox {
            network,
            ..world.sandbox(layers.clone())
        };
        let words = ["connect", &address];
        let open = said(&world, sandbox(Network::Open), &words);
        assert_eq!(open, "connected\n");
        let off = said(&world, sandbox(Network::Off), &words);
        assert!(off.starts_with("failed"), "{off}");
        // With Landlock alone there is one loopback for all.
        let alone = said(&world, sandbox(Network::Off), &["alone"]);
        assert_eq!(alone == "hello\n", layers.bubblewrap.is_some());
    }
}

#[test]
fn a_proxy_out_of_reach_is_refused() {
    for layers in each_way() {
        let world = World::new();
        let place = match layers.bubblewrap {
            Some(_) => ProxyPlace::Loopback,
            None => ProxyPlace::Socket(world.path("data/proxy.sock")),
        };
        let proxy = NetworkProxy::start(HostList::default(), &place).unwrap();
        let sandbox = Sandbox {
            network: proxy.network(),
            ..world.sandbox(layers)
        };
        let bounds = orchestra_process::Bounds {
            sandbox: Some(sandbox),
            ..Default::default()
        };
        let error = orchestra_process::supervise_within(
            &crate::support::guardian(),
            &world.shell("exit 0"),
            &bounds,
            &world.marker(),
            orchestra_process::OnLoss::End,
        );
        assert_eq!(error.unwrap_err().code(), "sandbox.proxy_out_of_reach");
    }
}
