//! The files that every command can read.

use crate::system::{SYSTEM, System, TOOLCHAINS, rows};

#[test]
fn tables_have_a_source_in_every_row() {
    for row in rows(SYSTEM) {
        assert!(row.len() == 2 && row.iter().all(|cell| !cell.is_empty()), "{row:?}");
    }
    for row in rows(TOOLCHAINS) {
        assert!(row.len() == 4 && row.last().is_some_and(|source| !source.is_empty()), "{row:?}");
    }
}

#[test]
fn a_home_is_never_granted_by_path_or_a_variable() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    for folder in ["bin", ".local/bin", ".cargo/bin", "tools/node/bin"] {
        std::fs::create_dir_all(home.join(folder)).unwrap();
    }
    std::fs::write(home.join(".cargo/credentials.toml"), "token").unwrap();
    let path = ["bin", ".local/bin", ".cargo/bin", "tools/node/bin", ""].map(|folder| home.join(folder));
    let path = path.into_iter().chain([".".into(), "relative".into()]);
    let system = System::of(Some(&home), path, |name| (name == "GOPATH").then(|| home.clone().into()));
    assert!(!system.read.contains(&home) && !system.read.contains(&home.join(".local")), "{:?}", system.read);
    assert!(system.read.contains(&home.join("tools/node")) && system.read.contains(&home.join(".cargo")));
    assert_eq!(system.secrets, [home.join(".cargo/credentials.toml")]);
    assert!(system.path.iter().all(|folder| folder.is_absolute()));
}
