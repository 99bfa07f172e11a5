//! The settings of a workspace, and where its folder is.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_check::sandbox::Section;
use candor_check::{Part as _, PartType, Sandbox};

use crate::source::{PART, Workspace, WorkspacePart};

/// The part of the module that is compiled here.
const WORKSPACE: PartType = PartType::of::<WorkspacePart>();

fn described(text: &str) -> Result<Workspace, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("project")).unwrap();
    let section = Section::from_toml(PART, text, folder.path()).unwrap();
    WorkspacePart::settings(&section).map_err(|error| format!("{}: {}", error.key, error.message))
}

#[test]
fn every_setting_is_read() {
    let workspace = described(
        "path = \"project\"\nendpoint = \"http://127.0.0.1:8080/\"\nenv = [\"A\"]\ntimeout = \"3m\"\n\
         max_output = \"64KiB\"",
    )
    .unwrap();
    assert_eq!(workspace.endpoint.as_deref(), Some("http://127.0.0.1:8080"));
    assert_eq!(workspace.environment, ["A"]);
    assert_eq!((workspace.timeout.as_secs(), workspace.max_output), (180, 64 << 10));
    assert_eq!(described("").unwrap(), Workspace::default());
}

#[test]
fn every_slip_is_named() {
    for (text, expected) in [
        ("paht = \"x\"", "unknown setting `paht`; did you mean `path`?"),
        ("path = \"nowhere\"", "there is no folder"),
        ("path = 1", "`path` is 1; expected a string"),
        ("endpoint = \"127.0.0.1:8080\"", "`endpoint` is not an http:// or https:// URL"),
        ("endpoint = \"http://u:p@a.example\"", "holds credentials"),
        ("env = \"A\"", "write the names of variables"),
        ("env = [\"A=1\"]", "write the names of variables"),
        ("timeout = \"soon\"", "is not a duration"),
        ("max_output = \"1GiB\"", "is not a size from 1B to 64MiB"),
    ] {
        let error = described(text).unwrap_err();
        assert!(error.contains(expected), "{text}\n{error}");
    }
}

#[test]
fn a_workspace_is_read_where_it_is_or_handed_in() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["sandbox", "project", "copy"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    let open = || Sandbox::open(&at("sandbox"), &[WORKSPACE]).unwrap();
    assert!(Workspace::of(&open()).unwrap().is_none() && open().folder(PART).is_none());
    std::fs::write(at("sandbox/sandbox.toml"), "[workspace]\npath = \"../project\"\nenv = [\"A\"]\n").unwrap();
    let sandbox = open();
    assert_eq!(Workspace::of(&sandbox).unwrap().unwrap().environment, ["A"]);
    let reads = |sandbox: &Sandbox, name: &str| {
        let real = at(name).canonicalize().unwrap();
        sandbox.evidence_paths().iter().any(|path| path.canonicalize().is_ok_and(|path| path == real))
    };
    assert!(reads(&sandbox, "project"));
    std::fs::write(at("copy/a"), "").unwrap();
    let handed = sandbox.with_folder(PART, at("copy"));
    assert!(!reads(&handed, "project") && !reads(&handed, "copy") && reads(&handed, "sandbox"));
    assert_eq!(handed.folder(PART).unwrap().list().unwrap().files.len(), 1);
    assert_eq!(Workspace::of(&handed).unwrap().unwrap().environment, ["A"]);
    assert_eq!(sandbox.folder(PART).unwrap().list().unwrap().files.len(), 0);
    std::fs::write(at("sandbox/sandbox.toml"), "[workspace]\nendpont = \"x\"").unwrap();
    let error = Sandbox::open(&at("sandbox"), &[WORKSPACE]).unwrap_err().to_string();
    assert!(error.contains("sandbox.toml:2:1: [workspace] unknown setting `endpont`"), "{error}");
}
