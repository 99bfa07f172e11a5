//! OpenSSH's SFTP server.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use candor_tests::sshd::{Sshd, USER, shared};

use crate::files_live::folder::{append, put};
use crate::files_live::suite::{Place, conforms, nothing_is_told_of};

/// A folder of its own on a server.
pub(crate) struct Drop<'a> {
    pub(crate) server: &'a Sshd,
    pub(crate) port: u16,
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
}

impl<'a> Drop<'a> {
    pub(crate) fn on(server: &'a Sshd) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("drop {}", NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = server.root().join(&name);
        std::fs::create_dir(&folder).unwrap();
        Self { server, port: server.address.port(), name, folder }
    }

    pub(crate) fn url(&self) -> String {
        format!("url = \"sftp://{USER}@127.0.0.1:{}/{}\"\n", self.port, self.name.replace(' ', "%20"))
    }
}

fn new() -> Drop<'static> {
    Drop::on(shared())
}

impl Place for Drop<'_> {
    fn files(&self) -> String {
        format!("{}known_hosts = \"known_hosts\"\nidentity_file = \"key\"", self.url())
    }

    fn lay(&self, sandbox: &Path) {
        std::fs::write(sandbox.join("known_hosts"), self.server.known_hosts(self.port)).unwrap();
        std::fs::copy(self.server.key(), sandbox.join("key")).unwrap();
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        put(&self.folder, path, bytes);
    }

    fn append(&self, path: &str, bytes: &[u8]) {
        append(&self.folder, path, bytes);
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.folder)
    }
}

conforms!(super::new, with links);

#[test]
fn a_folder_that_is_not_there_tells_nothing() {
    let drop = new();
    nothing_is_told_of(&drop, &drop.files().replace("/drop", "/nowhere/drop"));
    std::fs::remove_dir(&drop.folder).unwrap();
    nothing_is_told_of(&drop, &drop.files());
}
