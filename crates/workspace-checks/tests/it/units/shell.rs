//! Commands of which the words alone decide the exit code.

use proptest::prelude::*;

use crate::shell::ends_with;

fn of(command: &[&str]) -> Option<u8> {
    ends_with(&command.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
}

fn sh(script: &str) -> Option<u8> {
    of(&["sh", "-c", script])
}

#[test]
fn each_gate_that_cannot_fail_has_a_twin_that_can() {
    for (always, can_fail) in [
        ("cargo test || true", "cargo test || false"),
        ("cargo test || exit 0", "cargo test || exit 1"),
        ("cargo test; true", "true; cargo test"),
        ("cargo test; exit 0", "cargo test; exit"),
        ("cargo test\necho done", "cargo test && echo done"),
        ("cargo test | tee log", "set -o pipefail; cargo test | tee log"),
        ("cargo test 2>&1 | tail -n 5", "cargo test > log 2>&1"),
        ("cargo test &", "cargo test & cargo clippy"),
        ("cargo test || echo \"failed; again\"", "cargo test || sh again.sh"),
        ("cargo test || :", "cargo test # || true"),
        ("cd api; npm test; echo ok", "set -e; cd api; npm test; echo ok"),
        ("set +e; make; true", "set -euo pipefail; make; true"),
        ("make && make test || true", "make || make test && true"),
        ("bash -c 'pytest || true'", "bash -c 'pytest'"),
        ("true", "pytest"),
        ("CI=1 echo ok", "CI=1 pytest"),
        ("cd api &&\n echo ok || true", "cd api &&\n pytest"),
        ("pylint --exit-zero src", "pylint src"),
        ("python -m pylint --exit-zero src", "python -m pylint src"),
        ("uv run ruff check --exit-zero", "uv run ruff check"),
        ("make -i test", "make -k test"),
        ("./mvnw -fn test", "./mvnw test"),
        ("golangci-lint run --issues-exit-code=0", "golangci-lint run --issues-exit-code=1"),
        ("cppcheck src", "cppcheck --error-exitcode=1 src"),
        ("script -q -c 'pytest' log", "script -qe -c pytest --return log"),
        ("find . -name '*.py' -exec pylint {} \\;", "find . -name '*.py' -exec pylint {} +"),
        ("timeout 60 true", "timeout 60 pytest"),
        ("! false", "! grep -r TODO src"),
        ("(cargo test; true)", "set -e; (cargo test; true)"),
        ("cd api && (pytest || true) || true", "cd api && (true && pytest)"),
        ("cargo test |& tee log", "cargo test |& grep -q ok"),
        ("sudo -u ci sh -c 'pytest; true'", "sudo -u ci pytest"),
        ("setsid true", "setsid pytest"),
        ("ruff check -e", "ruff check"),
        ("pytest; test 1", "pytest; test -f ok"),
        ("pytest; [ 1 ]", "pytest; [ -f ok ]"),
        ("pytest || python -c pass", "pytest || python -c 'import app'"),
        ("pytest; node -e ''", "pytest; node -e 'check()'"),
        ("eval 'pytest || true'", "eval 'pytest'"),
        ("eval pytest '||' true", "eval 'exit 1'; true"),
    ] {
        assert_eq!(sh(always), Some(0), "{always}");
        assert_eq!(sh(can_fail), None, "{can_fail}");
    }
    for other in [
        "if cargo test; then true; fi",
        "cargo test || $(false)",
        "f() (true); pytest",
        "trap 'exit 1' ERR; cargo test; true",
        "cargo test && exit 1; true",
        "cargo test || exit 1; true",
        "cat <<E | sh\ntrue\nE",
        "cargo test; exit $?",
        "f() { true; }; f",
    ] {
        assert_eq!(sh(other), None, "{other}");
    }
    assert_eq!((sh("false"), sh("true && false"), sh("exit 3"), sh("")), (Some(1), Some(1), Some(3), Some(0)));
}

#[test]
fn however_the_shell_is_started() {
    for (command, code) in [
        (&["bash", "-lc", "pytest; true"][..], Some(0)),
        (&["bash", "-ec", "pytest; true"], None),
        (&["bash", "-e", "-c", "pytest; true"], None),
        (&["bash", "-euo", "pipefail", "-c", "pytest | tee log"], None),
        (&["bash", "-o", "pipefail", "-c", "pytest | tee log"], None),
        (&["/bin/sh", "-c", "pytest || true"], Some(0)),
        (&["env", "CI=1", "bash", "-c", "pytest || true"], Some(0)),
        (&["timeout", "60", "sh", "-c", "pytest || true"], Some(0)),
        (&["busybox", "sh", "-c", "pytest || true"], Some(0)),
        (&["sh", "run.sh"], None),
        (&["./true"], None),
        (&["pytest", "--version"], Some(0)),
        (&["false"], Some(1)),
    ] {
        assert_eq!(of(command), code, "{command:?}");
    }
    assert_eq!(of(&["env"].repeat(100_000)), None);
}

proptest! {
    #[test]
    fn nothing_panics(script in "[a-z0 ;&|<>(){}'\"\\\\$`#\n=!-]{0,40}") {
        let _ = sh(&script);
    }

    #[test]
    fn what_the_shell_says_is_what_is_read(
        parts in prop::collection::vec((prop::sample::select(vec!["true", "false", "echo x", ": y", "exit 0", "exit 2", "set -e", "! true"]), prop::sample::select(vec![";", "&&", "||", "\n", "|"])), 1..6),
    ) {
        let mut script: String = parts.iter().map(|(command, joint)| format!("{command} {joint} ")).collect();
        script.push_str("true");
        if let Some(code) = sh(&script) {
            let ended = std::process::Command::new("sh").args(["-c", &script]).output().unwrap().status.code();
            prop_assert_eq!(ended, Some(i32::from(code)), "{}", script);
        }
    }
}
