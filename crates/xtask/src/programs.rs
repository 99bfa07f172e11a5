//! The programs of the tests, more at a time than there are cores. Cargo starts them one after the other, and most of them
//! wait, or end with a long test that leaves the other cores idle.
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

/// The programs that take longest, in this order: a package, and the beginning of a program's name. They wait for other
/// programs, so that their size does not tell.
const LONGEST: [(&str, &str); 7] = [
    ("tests", "alone-"),
    ("tests", "it-"),
    ("server", "it-"),
    ("tests", "live-"),
    ("confine", "it-"),
    ("python", "it-"),
    ("workspace-checks", "it-"),
];

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

    /// Takes the program that likely takes the longest: at the end it would run alone.
    fn next(&self) -> io::Result<Option<(String, Vec<u8>)>> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut longest: Option<((usize, u64), String, Vec<u8>)> = None;
        for entry in fs::read_dir(self.left())? {
            let number = entry?.file_name().to_string_lossy().into_owned();
            if taken.contains(&number) {
                continue;
            }
            let content = fs::read(self.left().join(&number))?;
            let rank = rank(&content);
            if longest.as_ref().is_none_or(|(most, ..)| rank > *most) {
                longest = Some((rank, number, content));
            }
        }
        Ok(longest.map(|(_, number, content)| {
            taken.insert(number.clone());
            (number, content)
        }))
    }
}

/// The place in [`LONGEST`] from its end, and the size: the greater, the longer it likely takes.
fn rank(content: &[u8]) -> (usize, u64) {
    let Some(Left { program, package, .. }) = Left::read(content) else { return (0, 0) };
    let (own, folder) = (last(&program), last(&package));
    let known = LONGEST.iter().rev().position(|(package, name)| folder == *package && own.starts_with(name));
    let size = fs::metadata(&program).map_or(0, |program| program.len());
    (known.map_or(0, |place| place + 1), size)
}

/// A program that was left, with the rest of its words, its folder and its environment.
struct Left {
    program: PathBuf,
    words: Vec<OsString>,
    package: PathBuf,
    environment: Vec<OsString>,
}

impl Left {
    fn read(content: &[u8]) -> Option<Self> {
        let mut items = content.split(|&byte| byte == 0).map(|item| OsString::from_vec(item.to_vec()));
        let count = items.next()?.to_str()?.parse::<usize>().ok()?;
        let program = PathBuf::from(items.next()?);
        let words = items.by_ref().take(count.checked_sub(1)?).collect();
        Some(Self { program, words, package: PathBuf::from(items.next()?), environment: items.collect() })
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
    let Left { program, words, package, environment } =
        Left::read(content).ok_or_else(|| io::Error::other("it was not left whole"))?;
    let name = format!("{} {}", last(&package), last(&program));
    let mut command = Command::new(&program);
    command.args(words).current_dir(&package).env_clear();
    let mut environment = environment.into_iter();
    while let (Some(name), Some(value)) = (environment.next(), environment.next()) {
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

/// Most tests wait for programs, those of `live` for servers, and those of `alone` for loops that wait themselves.
fn threads(program: &str) -> usize {
    cores() * if ["live-", "alone-"].iter().any(|name| program.starts_with(name)) { 4 } else { 2 }
}

/// How many programs run at a time: half as many again as there are cores, because half of the longest ones wait.
pub(crate) fn lanes() -> usize {
    (cores() * 3).div_ceil(2)
}

fn cores() -> usize {
    thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::{Programs, leave, rank};

    #[test]
    fn what_takes_longest_comes_first_and_then_what_is_largest() {
        let own = std::env::current_exe().expect("a program");
        let rank = |program: &str, package: &str| rank(format!("1\0{program}\0{package}\0A\0b").as_bytes());
        let own = rank(&own.to_string_lossy(), "/p/glob");
        assert!(own.1 > 0);
        let [alone, it, confine] =
            [("/d/alone-1", "/p/tests"), ("/d/it-1", "/p/tests"), ("/d/it-2", "/p/confine")].map(|(a, b)| rank(a, b));
        assert!(alone > it && it > confine && confine > own && own > rank("/d/it-3", "/p/glob"));
    }

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
