//! Addresses that belong to this machine or its network, and not to the world.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is one of the world's.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_for_protocols = (a, b, c) == (192, 0, 0);
    let is_for_measuring = a == 198 && (b == 18 || b == 19);
    !(a == 0
        || a >= 224
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || is_shared
        || is_for_protocols
        || is_for_measuring)
}

/// Only what is given out for the world, without addresses that stand for one of version 4.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let is_global = first & 0xe000 == 0x2000;
    let is_translated = first == 0x2002 || (first == 0x2001 && second < 0x200);
    let is_documentation = first == 0x2001 && second == 0xdb8;
    is_global && !is_translated && !is_documentation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worlds_addresses_are_told_from_our_own() {
        let is_public = |text: &str| is_public(text.parse().unwrap());
        for public in ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700::1111"] {
            assert!(is_public(public), "{public}");
        }
        let own = [
            "127.0.0.1",
            "127.8.8.8",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "198.18.0.1",
            "192.0.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
        ];
        for own in own {
            assert!(!is_public(own), "{own}");
        }
    }
}
