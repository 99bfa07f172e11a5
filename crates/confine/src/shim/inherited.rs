//! The things of its caller that a command does not inherit: open descriptors and keyrings.

use seccompiler::{BpfProgram, apply_filter, sock_filter};

use crate::plan::{KEYRINGS, Plan};

/// The first descriptor behind standard input, output and error.
const FIRST: i32 = 3;

/// Keeps open descriptors, but for the standard ones, from all programs that this process starts. Callers leave some open: a
/// lock, the pipe of a job server, a folder. A folder's descriptor leads to the whole disk.
pub(super) fn withhold_descriptors() {
    close_fds::set_fds_cloexec(FIRST, &[]);
}

/// Keeps this process and all that it starts from keyrings. Those of the caller's session and user hold tickets and keys,
/// and a key that is put into one of them stays.
///
/// # Errors
/// Why the system does not, unless the plan is to start the command nonetheless.
pub(super) fn leave_keyrings(plan: &Plan) -> Result<(), String> {
    // An empty one of its own, for the kernel, which looks for keys itself when a file of a network is opened. Where this is
    // refused, there are no keyrings, or they are refused to whatever runs here. No call names any afterwards.
    let _ = keyutils_raw::keyctl_join_session_keyring(None);
    match apply_filter(&refusing()) {
        Err(error) if !plan.keeps_keyrings => Err(format!("{KEYRINGS}: {error}")),
        _ => Ok(()),
    }
}

/// The calls that name keyrings (`add_key`, `request_key`, `keyctl`) by the architectures whose programs one kernel runs, as
/// `linux/audit.h` numbers these. Sources: `syscall_64.tbl` and `syscall_32.tbl` of x86, `syscall.tbl` of Arm, and
/// `asm-generic/unistd.h` of Linux.
pub(super) const CALLS: &[(u32, [u32; 3])] = &[
    // x86-64 and x32.
    (0xc000_003e, [248, 249, 250]),
    // i386.
    (0x4000_0003, [286, 287, 288]),
    // AArch64.
    (0xc000_00b7, [217, 218, 219]),
    // Arm.
    (0x4000_0028, [309, 310, 311]),
    // RISC-V of 64 bits.
    (0xc000_00f3, [217, 218, 219]),
];
/// Set in the numbers of x32, which are those of x86-64 otherwise. No other architecture has numbers so high.
pub(super) const X32: u32 = 0x4000_0000;
/// Where a filter finds the number of a call, and its architecture. Source: `struct seccomp_data`.
pub(super) const NUMBER: u32 = 0;
pub(super) const ARCHITECTURE: u32 = 4;
/// Instructions of a filter. Source: `linux/bpf_common.h`.
pub(super) const LOAD: u16 = 0x20;
pub(super) const AND: u16 = 0x54;
pub(super) const IF_EQUAL: u16 = 0x15;
pub(super) const RETURN: u16 = 0x06;
/// The value by which a filter allows a call. Source: `linux/seccomp.h`.
pub(super) const ALLOW: u32 = 0x7fff_0000;
/// `ENOSYS`, as on a system without keyrings: programs that would use them do without.
pub(super) const REFUSE: u32 = 0x0005_0000 | 38;

/// The call that sets the limits of any process (`prlimit64`), as [`CALLS`] has its own. Those of this process's user can be
/// reached by their numbers.
pub(super) const LIMITS: &[(u32, u32)] =
    &[(0xc000_003e, 302), (0x4000_0003, 340), (0xc000_00b7, 261), (0x4000_0028, 369), (0xc000_00f3, 261)];
/// Where a filter finds the process of that call, 0 for the caller, and the two halves of the address of the new limit.
pub(super) const PROCESS: u32 = 16;
pub(super) const LIMIT: [u32; 2] = [32, 36];
/// `EPERM`.
pub(super) const FORBID: u32 = 0x0005_0000 | 1;

/// Keeps this process and all that it starts from setting the limits of a process by its number. Landlock does not hold it,
/// and one with no time of the processor left is ended. Where the system has no such filter, this is not held.
pub(super) fn leave_limits() {
    let _ = apply_filter(&forbidding());
}

pub(super) fn forbidding() -> BpfProgram {
    let step = |code, k| sock_filter { code, jt: 0, jf: 0, k };
    let if_equal = |k, jt, jf| sock_filter { code: IF_EQUAL, jt, jf, k };
    let mut program = vec![step(LOAD, ARCHITECTURE)];
    for (architecture, call) in LIMITS {
        program.extend([
            if_equal(*architecture, 0, 11),
            step(LOAD, NUMBER),
            step(AND, !X32),
            if_equal(*call, 0, 7),
            step(LOAD, PROCESS),
            if_equal(0, 5, 0),
            step(LOAD, LIMIT[0]),
            if_equal(0, 0, 2),
            step(LOAD, LIMIT[1]),
            if_equal(0, 1, 0),
            step(RETURN, FORBID),
            step(RETURN, ALLOW),
        ]);
    }
    program.push(step(RETURN, ALLOW));
    program
}

/// The filter that refuses the calls of [`CALLS`] and lets all others be.
pub(super) fn refusing() -> BpfProgram {
    let step = |code, k| sock_filter { code, jt: 0, jf: 0, k };
    let if_equal = |k, jt, jf| sock_filter { code: IF_EQUAL, jt, jf, k };
    let mut program = vec![step(LOAD, ARCHITECTURE)];
    for (architecture, [add, request, control]) in CALLS {
        program.extend([
            if_equal(*architecture, 0, 7),
            step(LOAD, NUMBER),
            step(AND, !X32),
            if_equal(*add, 3, 0),
            if_equal(*request, 2, 0),
            if_equal(*control, 1, 0),
            step(RETURN, ALLOW),
            step(RETURN, REFUSE),
        ]);
    }
    program.push(step(RETURN, ALLOW));
    program
}
