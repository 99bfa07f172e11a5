//! Detects test suites that are the delegate's own: named by a program, a script or an argument of the workspace.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use candor::verification::CommandWords;

/// Programs that read the files they are given, and run none of them. Source: POSIX.1-2017, utilities; `jq` manual.
const READS: &[&str] = &[
    "test",
    "[",
    "grep",
    "egrep",
    "fgrep",
    "diff",
    "cmp",
    "cat",
    "wc",
    "ls",
    "stat",
    "head",
    "tail",
    "file",
    "cksum",
    "jq",
    "sha256sum",
];
/// Programs that run the first file they are given. Source: their manuals.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "dash", "ash", "zsh", "ksh", "python", "python3", "node", "ruby", "perl", "php", "lua", "deno",
    "bun", "Rscript", "source", ".",
];
/// Programs that run the command behind their own options. Source: POSIX.1-2017, GNU coreutils manual.
const WRAPPERS: &[&str] = &["env", "timeout", "nice", "nohup", "time", "stdbuf", "setsid", "exec", "command", "xargs"];
/// Options by which an interpreter is given a program and not a file.
const PROGRAM: &[&str] = &["-c", "-m", "-e", "-r", "--eval"];

/// Where a test suite runs, and which files there are not the delegate's.
pub(super) struct Ground<'a> {
    pub(super) workspace: &'a Path,
    /// Relative to the workspace.
    pub(super) folder: &'a Path,
    pub(super) is_operators: &'a dyn Fn(&str) -> bool,
}

/// The first file of the workspace that a command runs, or hands to what it runs, and that is the delegate's.
pub(super) fn delegates_file(words: &CommandWords, ground: &Ground<'_>) -> Option<String> {
    let words: Vec<String> = words.0.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    of_words(&words, ground, 0)
}

fn of_words(words: &[String], ground: &Ground<'_>, depth: usize) -> Option<String> {
    let mut rest = words.iter().map(String::as_str).peekable();
    // The program behind wrappers, their options, numbers and variables.
    let mut program = rest.next()?;
    while is_assignment(program) || WRAPPERS.contains(&name(program)) {
        program = rest.find(|word| !word.starts_with('-') && !is_assignment(word) && !is_time(word))?;
    }
    let found = ground.file(program, program.contains('/'));
    if let Some(file) = found.or_else(|| ground.on_path(program, std::env::var_os("PATH")?.as_os_str())) {
        return Some(file);
    }
    let name = name(program);
    let mut runs_next = INTERPRETERS.contains(&name);
    while let Some(word) = rest.next() {
        if runs_next && PROGRAM.contains(&word) {
            runs_next = false;
            // The script of a shell is commands, too.
            if word == "-c" && depth < 4 {
                let script = rest.next()?;
                let within = script.split([';', '&', '|', '\n', '(', ')', '{', '}']).find_map(|command| {
                    let words: Vec<String> = match CommandWords::parse(command) {
                        Ok(words) => words.0.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
                        Err(_) => command.split_whitespace().map(str::to_owned).collect(),
                    };
                    of_words(&words, ground, depth + 1)
                });
                if within.is_some() {
                    return within;
                }
            }
            continue;
        }
        if word.starts_with('-') || is_assignment(word) {
            continue;
        }
        let found = ground.file(word, runs_next).filter(|_| runs_next || !READS.contains(&name));
        if found.is_some() {
            return found;
        }
        runs_next = false;
    }
    None
}

impl Ground<'_> {
    /// The file of the workspace to which the first program of this name leads, where it is the delegate's.
    pub(super) fn on_path(&self, program: &str, path: &OsStr) -> Option<String> {
        let mut programs = std::env::split_paths(path).map(|folder| folder.join(program));
        let program = programs.find(|program| !program.as_os_str().is_empty() && program.is_file())?;
        let inside = program.canonicalize().ok()?.strip_prefix(self.workspace.canonicalize().ok()?).ok()?.to_owned();
        let text = inside.to_string_lossy().into_owned();
        (!(self.is_operators)(&text)).then_some(text)
    }

    /// The file of the workspace that a word names, where it is the delegate's. `or_later` also where there is no such file
    /// yet: the delegate may write it.
    fn file(&self, word: &str, or_later: bool) -> Option<String> {
        let inside = match Path::new(word).is_absolute() {
            true => Path::new(word).strip_prefix(self.workspace).ok()?.to_owned(),
            false => plain(&self.folder.join(word))?,
        };
        let text = inside.to_string_lossy().into_owned();
        let is_there = self.workspace.join(&inside).is_file();
        (!text.is_empty() && (is_there || or_later) && !(self.is_operators)(&text)).then_some(text)
    }
}

/// A relative path without `.` and `..`; `None` for one that leads out.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir if plain.pop() => {}
            _ => return None,
        }
    }
    Some(plain)
}

fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn is_time(word: &str) -> bool {
    word.trim_end_matches(['s', 'm', 'h', 'd']).parse::<f64>().is_ok()
}
