//! The programs of the tests, as many at a time as there are cores. Cargo starts them one after the other, and most of them
//! end with a long test that leaves the other cores idle.
//!
//! Cargo starts [`crate::test::one_program`] in place of each. It leaves the program, its arguments, folder and environment
//! in a file ([`leave`]), from which the program is started here ([`Programs`]).

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::say;

/// Names the folder of the files to those whom cargo starts.
pub(crate) const FOLDER: &str = "CANDOR_TEST_PROGRAMS";

/// Variables that must not reach a test: a cargo that it calls would lint.
pub(crate) const NOT_FOR_TESTS: [&str; 3] = ["RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS", FOLDER];

/// Leaves a program of the tests in the folder. Cargo starts one after the other, so their number is their name.
pub(crate) fn leave(folder: &Path, words: &[String]) -> io::Result<()> {
    let mut content = words.len().to_string().into_bytes();
    let mut add = |item: &OsStr| {
        content.push(0);
        content.extend_from_slice(item.as_bytes());
    };
    words.iter().for_each(|word| add(OsStr::new(word)));
    add(std::env::current_dir()?.as_os_str());
    for (name, value) in std::env::vars_os() {
        add(&name);
        add(&value);
    }
    let number = fs::read_dir(folder)?.count();
    let unfinished = folder.with_extension("unfinished");
    fs::write(&unfinished, content)?;
    fs::rename(unfinished, folder.join(number.to_string()))
}

/// A program that was left and has run.
pub(crate) struct Ran {
    /// The package and the file of the program.
    pub(crate) name: String,
    pub(crate) seconds: f64,
    pub(crate) output: String,
    /// How it ended, unless all of its tests passed.
    pub(crate) failed: Option<String>,
}

/// The programs that are left in a folder of this process.
pub(crate) struct Programs {
    folder: PathBuf,
    taken: Mutex<BTreeSet<String>>,
    /// No further one comes.
    pub(crate) all_left: AtomicBool,
}

impl Programs {
    /// Makes its folder below the one of the build.
    pub(crate) fn new(target: &Path) -> io::Result<Self> {
        let folder = std::path::absolute(target)?.join(format!("programs-{}", std::process::id()));
        let programs = Self { folder, taken: Mutex::default(), all_left: AtomicBool::new(false) };
        fs::create_dir_all(programs.left())?;
        Ok(programs)
    }

    /// The folder where [`leave`] leaves them.
    pub(crate) fn left(&self) -> PathBuf {
        self.folder.join("left")
    }

    /// Runs programs as they come until the last one, and hands each result on. Several threads may do so.
    pub(crate) fn run(&self, mut done: impl FnMut(Ran)) -> Result<(), String> {
        loop {
            // Read first: once it is set, the folder has the last program.
            let all_left = self.all_left.load(Ordering::SeqCst);
            let ran = self.next().and_then(|next| {
                next.map(|(number, content)| one(&content, &self.folder.join(format!("{number}.out")))).transpose()
            });
            match ran {
                Ok(Some(ran)) => done(ran),
                Ok(None) if all_left => return Ok(()),
                Ok(None) => thread::sleep(Duration::from_millis(50)),
                Err(error) => return Err(format!("a program of the tests could not be run: {error}")),
            }
        }
    }

    /// Takes the largest program, which likely takes the longest: at the end it would run alone.
    fn next(&self) -> io::Result<Option<(String, Vec<u8>)>> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut largest: Option<(u64, String, Vec<u8>)> = None;
        for entry in fs::read_dir(self.left())? {
            let number = entry?.file_name().to_string_lossy().into_owned();
            if taken.contains(&number) {
                continue;
            }
            let content = fs::read(self.left().join(&number))?;
            let program = content.split(|&byte| byte == 0).nth(1).unwrap_or_default();
            let size = fs::metadata(OsStr::from_bytes(program)).map_or(0, |program| program.len());
            if largest.as_ref().is_none_or(|(most, ..)| size > *most) {
                largest = Some((size, number, content));
            }
        }
        Ok(largest.map(|(_, number, content)| {
            taken.insert(number.clone());
            (number, content)
        }))
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            say(&format!("{}: {error}\n", self.folder.display()));
        }
    }
}

/// Starts a program that was left, waits for it, and reads its output from that file.
fn one(content: &[u8], output: &Path) -> io::Result<Ran> {
    let incomplete = || io::Error::other("it was not left whole");
    let mut items = content.split(|&byte| byte == 0).map(|item| OsString::from_vec(item.to_vec()));
    let words = items.next().and_then(|count| count.to_str()?.parse::<usize>().ok()).ok_or_else(incomplete)?;
    let mut words: Vec<OsString> = items.by_ref().take(words).collect();
    let package = PathBuf::from(items.next().ok_or_else(incomplete)?);
    let program = PathBuf::from(if words.is_empty() { return Err(incomplete()) } else { words.remove(0) });
    let name = format!("{} {}", last(&package), last(&program));
    let mut command = Command::new(&program);
    command.args(words).current_dir(&package).env_clear();
    while let (Some(name), Some(value)) = (items.next(), items.next()) {
        command.env(name, value);
    }
    for name in NOT_FOR_TESTS {
        command.env_remove(name);
    }
    if std::env::var_os("RUST_TEST_THREADS").is_none() {
        command.env("RUST_TEST_THREADS", threads(&last(&program)).to_string());
    }
    let began = Instant::now();
    // A file holds any amount of output, of both streams in their order.
    let streams = File::create(output)?;
    let status = command.stdin(Stdio::null()).stdout(streams.try_clone()?).stderr(streams).status()?;
    let seconds = began.elapsed().as_secs_f64();
    let output = String::from_utf8_lossy(&fs::read(output)?).into_owned();
    let failed = (!status.success()).then(|| format!("{name} failed: {status}"));
    Ok(Ran { name, seconds, output, failed })
}

fn last(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Most tests wait for programs, and those of `live` for servers.
fn threads(program: &str) -> usize {
    cores() * if program.starts_with("live-") { 4 } else { 2 }
}

pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::{Programs, leave};

    #[test]
    fn each_program_that_is_left_runs_once_and_its_end_is_seen() {
        let target = std::env::temp_dir().join(format!("candor-programs-{}", std::process::id()));
        let programs = Programs::new(&target).expect("a folder");
        let scripts = ["echo one; echo two >&2", "exit 3", "test -z \"$CANDOR_TEST_PROGRAMS\" && pwd", "kill -9 $$"];
        for script in scripts {
            leave(&programs.left(), &["sh", "-c", script].map(str::to_owned)).expect("left");
        }
        programs.all_left.store(true, Ordering::SeqCst);
        let mut ran = std::thread::scope(|scope| {
            let run = || {
                let mut ran = Vec::new();
                programs.run(|program| ran.push((program.output, program.failed))).expect("run");
                ran
            };
            let other = scope.spawn(run);
            let mut all = run();
            all.extend(other.join().expect("a thread"));
            all
        });
        ran.sort();
        let folder = std::env::current_dir().expect("a folder");
        let failed = |how: &str| Some(format!("xtask sh failed: {how}"));
        let expected = [
            (String::new(), failed("exit status: 3")),
            (String::new(), failed("signal: 9 (SIGKILL)")),
            (format!("{}\n", folder.display()), None),
            ("one\ntwo\n".to_owned(), None),
        ];
        assert_eq!(ran, expected);
        drop(programs);
        std::fs::remove_dir(&target).expect("nothing is left in the folder");
    }
}
