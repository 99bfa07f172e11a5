//! Programs that confine, and those that do not.

use std::path::Path;

use crate::found::{by_program, closed, is_refused, own_folder};

#[test]
fn the_folder_that_is_closed_is_named() {
    let below = |folder: &'static str| move |path: &Path| path != Path::new(folder) && path.starts_with(folder);
    let program = Path::new("/home/ann/candor/target/candor");
    assert_eq!(
        closed(program, 65534, below("/home/ann")).as_deref(),
        Some(
            "the user with id 65534 cannot run /home/ann/candor/target/candor: the folder /home/ann is closed to others"
        )
    );
    assert_eq!(closed(program, 65534, below("/home/bob")), None);
    assert_eq!(closed(Path::new("candor"), 65534, is_refused), None);
}

#[test]
fn a_program_that_does_not_confine_is_refused() {
    for program in ["", "/", "/no/candor-confine", "/bin/true", "/bin/sh", "/bin/echo", "/usr/bin/env", "/etc/passwd"] {
        let found = by_program(Path::new(program), "advice");
        let why = found.strongest().map(|boundary| boundary.map(|boundary| boundary.mode)).unwrap_err();
        assert!(why.starts_with("no command is started, because ") && why.ends_with("; advice"), "{program}: {why}");
        assert_eq!(found.best(), None, "{program}");
    }
}

#[test]
fn the_own_folder_is_the_one_of_this_program() {
    let own = std::env::current_exe().unwrap();
    assert_eq!(own_folder().as_deref(), own.parent());
}
