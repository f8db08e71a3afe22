//! What root can do beyond other users. A capability can read other processes whatever the rules of Landlock say.

use std::io;

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set,
    set_capabilities,
};

/// Gives up every capability, also those that a program of root gets when it starts.
pub(super) fn give_up() -> io::Result<()> {
    if capabilities(None)?.permitted.is_empty() {
        return Ok(());
    }
    for number in 0..u64::BITS {
        match remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << number)) {
            Ok(()) => {}
            // The first number that the kernel does not know.
            Err(Errno::INVAL) => break,
            Err(error) => return Err(error.into()),
        }
    }
    let none = CapabilitySet::empty();
    Ok(set_capabilities(
        None,
        CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        },
    )?)
}
