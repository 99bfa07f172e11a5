//! Sockets in deep folders.

use std::os::unix::net::{UnixListener, UnixStream};

use crate::socket::by_short_path;

#[test]
fn sockets_are_reached_in_folders_of_any_depth() {
    let top = tempfile::tempdir().unwrap();
    let mut folder = top.path().to_owned();
    for depth in 0..6 {
        let socket = folder.join("control");
        let _listener = by_short_path(&socket, |path| UnixListener::bind(path)).unwrap();
        by_short_path(&socket, |path| UnixStream::connect(path)).unwrap_or_else(|e| panic!("{depth}: {e}"));
        folder.push("d".repeat(100));
        std::fs::create_dir(&folder).unwrap();
    }
}
