//! The cost of the boundary for one command: `true` without it, with namespaces, with Landlock, and, if it is installed,
//! with bubblewrap, which a user would pick instead.

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use candor_confine::{Found, Mode};

const RUNS: usize = 200;

fn main() {
    let shim: Vec<OsString> = vec![candor_benches::binary().into(), "confine".into()];
    let found = Found::by(shim, None);
    let plain = median(&["true".into()]);
    println!("plain: {plain:.2?}");
    for mode in [Mode::Namespaces, Mode::Landlock] {
        match found.boundary(mode) {
            Ok(boundary) => {
                let words = boundary.launched(&["true".into()]).expect("a command line");
                let took = median(&words);
                println!("{}: {took:.2?}, {:.2?} more", mode.name(), took.saturating_sub(plain));
            }
            Err(why) => println!("{}: {why}", mode.name()),
        }
    }
    let bubblewrap = "bwrap --unshare-pid --unshare-ipc --die-with-parent --ro-bind /usr /usr --symlink usr/bin /bin \
                      --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp true";
    match Command::new("bwrap").arg("--version").output() {
        Ok(_) => {
            let words: Vec<OsString> = bubblewrap.split_whitespace().map(OsString::from).collect();
            println!("bubblewrap: {:.2?}", median(&words));
        }
        Err(error) => println!("bubblewrap: {error}"),
    }
}

fn median(words: &[OsString]) -> Duration {
    let (program, arguments) = words.split_first().expect("a command");
    let mut all: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let began = Instant::now();
            // The folder of this program is not granted to what is confined; this one is.
            let mut command = Command::new(program);
            let status = command.args(arguments).current_dir("/usr").stdin(Stdio::null()).status();
            assert!(status.expect("it starts").success());
            began.elapsed()
        })
        .collect();
    all.sort();
    all.get(RUNS / 2).copied().unwrap_or_default()
}
