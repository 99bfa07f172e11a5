//! Capabilities: the rights of a process beyond those of its user.

use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, configure_capability_in_ambient_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

/// The capabilities that a command of root keeps: for the changes of tar, npm and pip to files, for another user, and
/// for signals to its own processes.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::KILL);
/// More than any system numbers.
const MOST: u32 = 63;

/// Hands to the next program what it needs to mount, for a user who is not root.
pub(super) fn hand_on() -> rustix::io::Result<()> {
    // The first two mount and drop; a layer is written with the others, whoever writes it.
    let needed = CapabilitySet::SYS_ADMIN
        | CapabilitySet::SETPCAP
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::FOWNER
        | CapabilitySet::FSETID
        | CapabilitySet::CHOWN;
    // No more than that for this process, too: whoever has less than another may not look into it.
    set_capabilities(None, CapabilitySets { effective: needed, permitted: needed, inheritable: needed })?;
    for capability in needed.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// Drops everything but [`KEPT`], of this process and of all that it starts.
pub(super) fn drop_all() -> rustix::io::Result<()> {
    for number in 0..=MOST {
        let one = CapabilitySet::from_bits_retain(1 << number);
        if !KEPT.contains(one) {
            // The system does not have this capability, or this process may not drop it, and then does not have any.
            let _ = remove_capability_from_bounding_set(one);
        }
    }
    let _ = clear_ambient_capability_set();
    let own = capabilities(None)?;
    let kept = own.permitted & KEPT;
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() })?;
    set_no_new_privs(true)
}
