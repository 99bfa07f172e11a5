//! What the words of a command say about who ended it with 126 or 127.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Programs that run commands out of a file of the folder they are in, and end with the code of those.
/// Sources: the documentation of `npm run`, `pnpm run`, `yarn run` and `bun run`.
const MANIFESTS: &[(&str, &str)] =
    &[("npm", "package.json"), ("pnpm", "package.json"), ("yarn", "package.json"), ("bun", "package.json")];

/// Whether a command runs a file of a folder, with programs that are all there. If it then ends with 126 or 127, by which a
/// shell says that it could not start something, whoever wrote the file is to mend that. A command that is not found before
/// any such file is a program that this machine lacks.
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
    for word in text.iter().flat_map(|argument| argument.split_whitespace()) {
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
    }
    false
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
    let executable =
        |path: &Path| path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
    if word.contains('/') {
        return Path::new(word).is_absolute() && executable(Path::new(word));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| executable(&folder.join(OsStr::new(word))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_behind_programs_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("tests")).unwrap();
        for file in ["run.sh", "tests/test_a.py"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let at = folder.path().join("run.sh").display().to_string();
        for (command, expected) in [
            (&["sh", "run.sh"][..], true),
            (&["./run.sh"], true),
            (&["sh", "-eu", &at], true),
            (&["timeout", "5s", "sh", "./run.sh"], true),
            (&["env", "X=1", "sh", "run.sh"], true),
            (&["sh", "-c", "'sh' run.sh; true"], true),
            // The program is not installed, whatever files it is given.
            (&["sh", "-c", "candor-no-such tests/test_a.py"], false),
            (&["env", "candor-no-such", "tests/test_a.py"], false),
            (&["candor-no-such", "run.sh"], false),
            // No file of the folder has a say.
            (&["sh", "-c", "exit 127"], false),
            (&["sh", "/etc/passwd"], false),
            (&["sh", "tests"], false),
            (&["npm", "test"], false),
            (&[], false),
        ] {
            let words: Vec<OsString> = command.iter().map(OsString::from).collect();
            assert_eq!(runs_file_of(&words, folder.path()), expected, "{command:?}");
        }
    }
}
