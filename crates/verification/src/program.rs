//! Which program a command runs, whatever path leads to it: an evaluator is not the delegate under another name.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Programs that run what their arguments name, so that they say nothing about who works. A version may follow the name.
/// Source: the shells, interpreters and wrappers in the standard folders of Debian 13, and the runners that come with
/// Python, Node.js, Deno and Bun.
const RUNNERS: &[&str] = &[
    "ash", "bash", "bun", "bunx", "busybox", "chroot", "dash", "deno", "doas", "env", "fish", "ionice", "java", "ksh",
    "lua", "nice", "node", "nodejs", "nohup", "npx", "perl", "php", "pypy", "python", "pythonw", "ruby", "setsid",
    "sh", "stdbuf", "sudo", "taskset", "time", "timeout", "tsx", "unshare", "uv", "uvx", "xargs", "zsh",
];

/// The option by which a runner names a program that is not a file: `python3 -m NAME`.
const MODULE: &str = "-m";

/// A program: a file by device and inode, or the words that name it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Program {
    File(u64, u64),
    Words(Vec<OsString>),
}

/// Checks whether two commands run the same program, whatever its arguments are and whatever path leads to it.
///
/// Links are followed. Of a shell, an interpreter or a wrapper (`sh`, `python3`, `env`, `timeout`, …) the script or program
/// that it runs is compared. `folders` are where relative paths may lead from.
///
/// ```
/// use candor_verification::same_program;
/// let words = |line: &str| line.split(' ').map(Into::into).collect::<Vec<_>>();
/// let here = [std::path::Path::new(".")];
/// assert!(same_program(&words("/bin/cat a"), &words("env X=1 cat -n"), &here));
/// assert!(!same_program(&words("sh -c true"), &words("sh -c false"), &here));
/// ```
#[must_use]
pub fn same_program(a: &[OsString], b: &[OsString], folders: &[&Path]) -> bool {
    !programs(a, folders).is_disjoint(&programs(b, folders))
}

fn programs(command: &[OsString], folders: &[&Path]) -> BTreeSet<Program> {
    let mut found = BTreeSet::new();
    let mut words = command;
    while let Some((program, arguments)) = words.split_first() {
        if !is_runner(program, folders) {
            found.extend(files(program, folders, true));
            if found.is_empty() {
                found.insert(Program::Words(vec![program.clone()]));
            }
            return found;
        }
        match run_by(arguments, folders) {
            Run::Command(rest) => words = rest,
            Run::Programs(programs) if !programs.is_empty() => return programs,
            Run::Programs(_) => break,
        }
    }
    // Nothing of it names a program: the same words are the same.
    found.insert(Program::Words(command.to_vec()));
    found
}

enum Run<'a> {
    Command(&'a [OsString]),
    Programs(BTreeSet<Program>),
}

fn run_by<'a>(arguments: &'a [OsString], folders: &[&Path]) -> Run<'a> {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.to_string_lossy();
        let next = arguments.get(at + 1);
        let value = next.map(|next| next.to_string_lossy()).unwrap_or_default();
        if text == MODULE && next.is_some() {
            return Run::Programs([Program::Words(vec![MODULE.into(), value.as_ref().into()])].into());
        }
        // The code that a shell is given: the files that it names by a path.
        if is_code(&text) && next.is_some() {
            let apart = |character: char| character.is_whitespace() || ";&|()<>\"'`$={}".contains(character);
            let named = value.split(apart).filter(|name| name.contains('/') && is_executable(Path::new(name), folders));
            return Run::Programs(named.flat_map(|name| files(OsStr::new(name), folders, false)).collect());
        }
        let is_setting = text.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
        if !text.starts_with('-') && !is_setting {
            if is_runner(word, folders) {
                return Run::Command(arguments.get(at..).unwrap_or_default());
            }
            let here = files(word, folders, false);
            let files = if here.is_empty() { files(word, folders, true) } else { here };
            if !files.is_empty() {
                return Run::Programs(files);
            }
        }
        at += 1;
    }
    Run::Programs(BTreeSet::new())
}

/// `-c`, `-ec`, `-lc` and the like.
fn is_code(text: &str) -> bool {
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    letters.is_some_and(|letters| letters.len() <= 4 && letters.ends_with('c'))
}

fn is_runner(program: &OsStr, folders: &[&Path]) -> bool {
    let named = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let name = name.trim_end_matches(|character: char| character.is_ascii_digit() || ".-".contains(character));
        RUNNERS.contains(&name)
    };
    // A link to an interpreter under another name is one, too.
    named(Path::new(program))
        || found(program, folders, true).iter().any(|path| path.canonicalize().is_ok_and(|path| named(&path)))
}

fn is_executable(path: &Path, folders: &[&Path]) -> bool {
    let executable =
        |path: PathBuf| path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.mode() & 0o111 != 0);
    folders.iter().any(|folder| executable(folder.join(path)))
}

fn files(name: &OsStr, folders: &[&Path], on_path: bool) -> BTreeSet<Program> {
    let identity = |path: PathBuf| path.metadata().ok().filter(std::fs::Metadata::is_file);
    let identities = found(name, folders, on_path).into_iter().filter_map(identity);
    identities.map(|metadata| Program::File(metadata.dev(), metadata.ino())).collect()
}

/// The paths that a name may lead to: from each folder, or on PATH.
fn found(name: &OsStr, folders: &[&Path], on_path: bool) -> Vec<PathBuf> {
    let is_name = Path::new(name).components().count() == 1 && !name.to_string_lossy().contains('/');
    if is_name && on_path {
        let path = std::env::var_os("PATH").unwrap_or_default();
        return std::env::split_paths(&path)
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())
            .into_iter()
            .collect();
    }
    folders.iter().map(|folder| folder.join(name)).filter(|path| path.is_file()).collect()
}
