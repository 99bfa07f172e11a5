//! Who ended a command with 126 or 127, by the words of the command.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Programs that run commands out of a file of the folder they are in, and end with the code of those.
/// Sources: the documentation of `npm run`, `pnpm run`, `yarn run` and `bun run`.
const MANIFESTS: &[(&str, &str)] =
    &[("npm", "package.json"), ("pnpm", "package.json"), ("yarn", "package.json"), ("bun", "package.json")];

/// Programs that run what is written in a language, and end with no code of a shell: only what they run ends with 126 or 127.
const LANGUAGES: &[&str] = &["python", "pypy", "node", "ruby", "perl", "php", "lua", "deno", "java"];
/// Where the interpreter of a script is looked for, which is named behind these two bytes.
const SCRIPT: &[u8] = b"#!";

/// True if a command runs a file of a folder, with programs that are all there. If it then ends with 126 or 127, by
/// which a shell says that it could not start something, the author of the file must mend that. The same holds if an
/// interpreter, or a program in Python, runs: neither ends with these codes of its own. A command that is not found
/// before any such file is a program that this machine lacks.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("run.sh"), "exit 127")?;
/// let runs = |words: &[&str]| {
///     let words: Vec<_> = words.iter().map(Into::into).collect();
///     candor_process::runs_file_of(&words, folder.path())
/// };
/// assert!(runs(&["sh", "run.sh"]) && runs(&["env", "A=1", "sh", "-c", "sh run.sh"]));
/// assert!(!runs(&["sh", "-c", "no-such-program run.sh"]) && !runs(&["sh", "-c", "exit 127"]));
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn runs_file_of(command: &[OsString], folder: &Path) -> bool {
    let text: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let first = text.first().map(AsRef::as_ref).unwrap_or_default();
    if MANIFESTS.iter().any(|(program, manifest)| *program == first && folder.join(manifest).is_file()) {
        return is_program(first);
    }
    // An argument of several words is a script for a shell.
    let words = text.iter().flat_map(|argument| {
        let is_script = argument.contains(char::is_whitespace);
        argument.split_whitespace().map(move |word| (word, is_script))
    });
    for (word, is_script) in words {
        let word = word.trim_matches(['\'', '"', ';']);
        if word.is_empty() || word.starts_with('-') || is_assignment(word) || is_number(word) {
            continue;
        }
        let path = folder.join(word);
        if path.starts_with(folder) && path.is_file() {
            return true;
        }
        if !is_program(word) {
            return false;
        }
        if !is_script && runs_a_language(word) {
            return true;
        }
    }
    false
}

/// An interpreter, or a script whose interpreter is Python.
fn runs_a_language(word: &str) -> bool {
    let Some(program) = program(word) else { return false };
    let is_named = |path: &Path, names: &[&str]| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        names.contains(&name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.'))
    };
    let first_line = |path: &Path| {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(256).read_to_end(&mut bytes));
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        read.ok().map(|_| line.strip_prefix(SCRIPT).map(|line| String::from_utf8_lossy(line).into_owned()))
    };
    match first_line(&program) {
        Some(None) => is_named(&program, LANGUAGES),
        Some(Some(line)) => {
            let mut words = line.split_whitespace();
            let named = words.next().filter(|word| Path::new(word).file_name() != Some(OsStr::new("env")));
            let interpreter = named.or_else(|| words.next()).and_then(self::program);
            interpreter.is_some_and(|path| is_named(&path, &["python", "pypy"]) && first_line(&path) == Some(None))
        }
        None => false,
    }
}

/// `NAME=VALUE`, as for `env`.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

/// A number, or a time with its unit, as for `timeout`.
fn is_number(word: &str) -> bool {
    word.trim_end_matches(['s', 'm', 'h', 'd']).parse::<f64>().is_ok()
}

fn is_program(word: &str) -> bool {
    program(word).is_some()
}

/// The file of a program: at an absolute path, or the first on PATH.
fn program(word: &str) -> Option<PathBuf> {
    let executable =
        |path: &PathBuf| path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
    if word.contains('/') {
        return Some(PathBuf::from(word)).filter(|path| path.is_absolute() && executable(path));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(OsStr::new(word))).find(executable)
}
