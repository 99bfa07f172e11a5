//! Laying one folder over another: what is in it wins.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::caches::is_cache;
use crate::copied::CopyError;

/// Copies what is in `overlay` into `folder`, in the place of what is there under the same names. A file where the overlay
/// has a folder, a folder where it has a file and a link where it has either are replaced and never followed. A link of the
/// overlay stands for the file that it leads to. Caches of tools in a folder that the overlay has too are removed: one that
/// says that it needs no check would be run in the file's place. The path of each file, relative to the overlay, is returned.
///
/// # Errors
/// When something cannot be read or written, or a link leads to a folder.
pub fn lay_over(overlay: &Path, folder: &Path) -> Result<Vec<PathBuf>, CopyError> {
    let mut laid = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let wrong = |error: io::Error| CopyError::Io(below.clone(), error);
        without_caches(folder, &below).map_err(wrong)?;
        for entry in fs::read_dir(overlay.join(&below)).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            let below = below.join(entry.file_name());
            let wrong = |error: io::Error| CopyError::Io(below.clone(), error);
            let kind = entry.file_type().map_err(wrong)?;
            let (from, into) = (entry.path(), folder.join(&below));
            if kind.is_dir() {
                replaced_by_folder(&into).map_err(wrong)?;
                open.push(below);
            } else if fs::metadata(&from).map_err(wrong)?.is_file() {
                cleared(&into).and_then(|()| fs::copy(&from, &into).map(drop)).map_err(wrong)?;
                laid.push(below);
            } else {
                return Err(wrong(io::Error::other("it is neither a file nor a folder")));
            }
        }
    }
    laid.sort();
    Ok(laid)
}

fn without_caches(folder: &Path, below: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder.join(below))? {
        let entry = entry?;
        if is_cache(&below.join(entry.file_name())) {
            cleared(&entry.path())?;
        }
    }
    Ok(())
}

fn replaced_by_folder(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => Ok(()),
        Ok(_) => fs::remove_file(path).and_then(|()| fs::create_dir(path)),
        Err(_) => fs::create_dir(path),
    }
}

fn cleared(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_in_the_overlay_wins_and_no_link_is_followed() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for folder in ["over/tests", "over/.cargo", "over/deep", "copy/Makefile", "copy/deep/__pycache__", "outside"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in
            ["over/tests/test_a.py", "over/Makefile", "over/.cargo/config.toml", "over/deep/a", "over/conftest.py"]
        {
            fs::write(at(file), "operator").unwrap();
        }
        symlink("conftest.py", at("over/linked.py")).unwrap();
        fs::write(at("outside/test_a.py"), "outside").unwrap();
        fs::write(at("copy/.cargo"), "a file").unwrap();
        fs::write(at("copy/deep/b"), "delegate").unwrap();
        symlink(at("outside"), at("copy/tests")).unwrap();
        symlink(at("outside/test_a.py"), at("copy/conftest.py")).unwrap();
        let laid = lay_over(&at("over"), &at("copy")).unwrap();
        assert_eq!(laid.len(), 6);
        assert!(!at("copy/deep/__pycache__").exists());
        for path in laid {
            assert_eq!(fs::read_to_string(at("copy").join(&path)).unwrap(), "operator", "{}", path.display());
            assert!(fs::symlink_metadata(at("copy").join(&path)).unwrap().is_file());
        }
        assert_eq!(fs::read_to_string(at("outside/test_a.py")).unwrap(), "outside");
        assert_eq!(fs::read_to_string(at("copy/deep/b")).unwrap(), "delegate");
    }
}
