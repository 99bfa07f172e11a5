//! Sandboxes in memory, and their settings.

use candor_check::Sandbox;
use candor_check::sandbox::Environment;

#[test]
fn what_is_no_path_of_a_file_is_refused() {
    for path in ["", "/etc/passwd", "../x", "x12/../../y", "x12/", "."] {
        let error = Sandbox::builder().file(path, *b"").build(&[]).unwrap_err();
        assert!(error.to_string().contains("is not the path of a file in a sandbox"), "{path}: {error}");
    }
    let error = Sandbox::builder().file("x12/a", *b"").file("x12/a/b", *b"").build(&[]).unwrap_err();
    assert!(error.to_string().contains("\"x12/a\" is the path of a file and of a folder"), "{error}");
    let error = Sandbox::builder().file("x12/a", *b"").folder("x12/a").build(&[]).unwrap_err();
    assert!(error.to_string().contains("is the path of a file and of a folder"), "{error}");
}

#[test]
fn settings_are_placed() {
    let error = Sandbox::builder().settings("\n[limits]\ntimeot = \"3s\"").build(&[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sandbox.toml (in memory):3:1: [limits] unknown limit `timeot`; did you mean `timeout`?"
    );
}

#[test]
fn the_environment_is_test_or_production() {
    let environment = |text: &str| {
        let sandbox = Sandbox::builder().settings(text).build(&[]).map_err(|error| error.to_string())?;
        Ok::<_, String>(sandbox.environment())
    };
    assert_eq!(environment(""), Ok(Environment::Test));
    assert_eq!(environment("environment = \"test\""), Ok(Environment::Test));
    assert_eq!(environment("environment = \"production\""), Ok(Environment::Production));
    for (text, expected) in [
        (
            "\nenvironment = \"prod\"",
            "sandbox.toml (in memory):2:1: `environment` is `prod`; expected one of `test`, `production`",
        ),
        (
            "environment = true",
            "sandbox.toml (in memory):1:1: `environment` is true; expected \"production\" or \"test\"",
        ),
        (
            "[environment]\nname = \"test\"",
            "sandbox.toml (in memory):1:1: `environment` is { name = \"test\" }; expected \"production\" or \"test\"",
        ),
        (
            "enviroment = \"test\"",
            "sandbox.toml (in memory):1:1: unknown key `enviroment`; did you mean `environment`?",
        ),
    ] {
        assert_eq!(environment(text), Err(expected.to_owned()));
    }
}
