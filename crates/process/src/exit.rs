//! Who ended a command, by its exit code or signal.

/// Signals by which a program ends through a fault of its own: ILL, ABRT, BUS (Linux, BSD), FPE, SEGV.
const OWN_FAULT: [i32; 6] = [4, 6, 7, 10, 8, 11];
/// Exit codes by which a shell says that a command could not be started. Source: POSIX, Shell Command Language, 2.8.2.
const NOT_STARTED: [i32; 2] = [126, 127];
/// The number that a shell adds to the signal that ended its command.
const BY_SIGNAL: i32 = 128;
/// The signal for a process that uses more of the processor than it may.
pub const XCPU: i32 = 24;
/// The signal for a process that writes a larger file than it may.
pub const XFSZ: i32 = 25;
/// HUP, INT, KILL, TERM and those of limits: signals that come from outside, as where memory is short.
const FROM_OUTSIDE: [i32; 6] = [1, 2, 9, 15, XCPU, XFSZ];

/// Signals by name. Source: POSIX.1-2017, kill; the numbers are those of Linux and the BSDs.
const NAMES: [(i32, &str); 14] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (XCPU, "SIGXCPU"),
    (XFSZ, "SIGXFSZ"),
];

/// A signal by number, and by name where it has the same number everywhere.
///
/// ```
/// assert_eq!(candor_process::signal_name(9), "signal 9 (SIGKILL)");
/// assert_eq!(candor_process::signal_name(35), "signal 35");
/// ```
#[must_use]
pub fn signal_name(signal: i32) -> String {
    match NAMES.iter().find(|(number, _)| *number == signal) {
        Some((_, name)) => format!("signal {signal} ({name})"),
        None => format!("signal {signal}"),
    }
}

/// True if a system sends this signal to a program for a fault of the program's own.
///
/// ```
/// assert!(candor_process::is_own_fault(11));
/// assert!(!candor_process::is_own_fault(9));
/// ```
#[must_use]
pub fn is_own_fault(signal: i32) -> bool {
    OWN_FAULT.contains(&signal)
}

/// True if a shell reports by this exit code that it could not start a program.
#[must_use]
pub fn is_not_started(code: i32) -> bool {
    NOT_STARTED.contains(&code)
}

/// The signal from outside that ended what a shell ran, where it says so by its exit code.
///
/// ```
/// assert_eq!(candor_process::ended_from_outside(137), Some(9));
/// assert_eq!(candor_process::ended_from_outside(139), None);
/// ```
#[must_use]
pub fn ended_from_outside(code: i32) -> Option<i32> {
    code.checked_sub(BY_SIGNAL).filter(|signal| FROM_OUTSIDE.contains(signal))
}
