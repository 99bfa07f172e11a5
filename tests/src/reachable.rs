//! Places that another user can reach, wherever the clone and `TMPDIR` lie: a folder above those may be closed to
//! everyone else.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// A folder that every user may pass through and make folders in.
///
/// # Panics
/// When this machine has neither `/tmp` nor `/var/tmp` for everyone.
#[must_use]
pub fn place() -> &'static Path {
    let is_open = |place: &&Path| fs::metadata(place).is_ok_and(|there| there.mode() & 0o003 == 0o003);
    ["/tmp", "/var/tmp"].map(Path::new).into_iter().find(is_open).expect("everyone may use /tmp or /var/tmp")
}

/// The `candor` binary where every user may run it. It is removed once this process has ended.
///
/// # Panics
/// When it does not build, or cannot be copied.
#[must_use]
pub fn candor() -> &'static Path {
    // This process does not wait for the keeper, which ends when its pipe closes: the pipe is open for as long as this
    // process runs.
    static COPY: OnceLock<(PathBuf, Child)> = OnceLock::new();
    let (path, _) = COPY.get_or_init(|| {
        let from = crate::candor();
        let folder = tempfile::Builder::new().prefix("candor-program-").tempdir_in(place()).unwrap().keep();
        let mut keeper = Command::new("sh");
        keeper.args(["-c", "cat >/dev/null; rm -rf \"$1\"", "sh"]).arg(&folder).stdin(Stdio::piped());
        let keeper = keeper.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        let path = folder.join("candor");
        let is_open = fs::metadata(from).unwrap().mode() & 0o005 == 0o005;
        // A link takes no room, where the file system and the mode allow one.
        if !is_open || fs::hard_link(from, &path).is_err() {
            fs::copy(from, &path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        (path, keeper)
    });
    path
}
