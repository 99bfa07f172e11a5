//! Files that a program cannot read, and their times.

use std::time::{Duration, SystemTime};

use rustix::io::Errno;

use crate::system::{Unread, nearest, unreadable};

#[test]
fn an_outage_is_not_charged_to_the_work() {
    let is_work = |errno: Errno| matches!(unreadable("report.md", &errno.into()), Unread::Work(_));
    for errno in [Errno::NOENT, Errno::NOTDIR, Errno::ISDIR, Errno::LOOP, Errno::ACCESS, Errno::NAMETOOLONG] {
        assert!(is_work(errno), "{errno}");
    }
    for errno in [Errno::IO, Errno::STALE, Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::TIMEDOUT, Errno::INTR] {
        assert!(!is_work(errno), "{errno}");
    }
}

#[test]
fn every_time_has_a_text_in_its_order() {
    let years = |count: u64| Duration::from_secs(count * 31_556_952);
    let (before, after) = (SystemTime::UNIX_EPOCH - years(3_000_000), SystemTime::UNIX_EPOCH + years(3_000_000));
    let texts = [before, SystemTime::UNIX_EPOCH, SystemTime::now(), after].map(|time| format!("{:.3}", nearest(time)));
    assert!(texts.is_sorted(), "{texts:?}");
}
