//! Laying one folder over another: what is in it wins.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::copied::CopyError;

/// Copies the content of `overlay` into `folder`, in the place of files and folders of the same names. Returns the path
/// of each file, relative to the overlay.
///
/// - A file where the overlay has a folder, a folder where it has a file and a link where it has either are replaced
///   and never followed.
/// - A link of the overlay becomes the file that it leads to.
/// - A link of the folder to a file that is replaced becomes another name of the file before it is replaced, and one
///   to a folder that the overlay has is removed. So no content of the overlay gets another name.
/// - Bytecode of Python in a folder that the overlay has too is removed: Python runs bytecode that says that it needs
///   no check in the file's place.
///
/// # Errors
/// When something cannot be read or written, or a link leads to a folder.
pub fn lay_over(overlay: &Path, folder: &Path) -> Result<Vec<PathBuf>, CopyError> {
    let mut laid = Vec::new();
    cut_links(overlay, folder)?;
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let wrong = |error: io::Error| CopyError::Io(below.clone(), error);
        without_bytecode(folder, &below).map_err(wrong)?;
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

fn cut_links(overlay: &Path, folder: &Path) -> Result<(), CopyError> {
    let root = fs::canonicalize(folder).map_err(|error| CopyError::Io(PathBuf::new(), error))?;
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let wrong = |error: io::Error| CopyError::Io(below.clone(), error);
        for entry in fs::read_dir(folder.join(&below)).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            let kind = entry.file_type().map_err(wrong)?;
            let below = below.join(entry.file_name());
            if kind.is_dir() {
                open.push(below);
            } else if kind.is_symlink() {
                let wrong = |error: io::Error| CopyError::Io(below.clone(), error);
                let Ok(target) = fs::canonicalize(entry.path()) else { continue };
                let Ok(within) = target.strip_prefix(&root) else { continue };
                let over = overlay.join(within);
                if over.is_dir() {
                    fs::remove_file(entry.path()).map_err(wrong)?;
                } else if over.exists() && target.is_file() {
                    // Another name of the file, which takes no room, however large the file is.
                    let kept =
                        || fs::hard_link(&target, entry.path()).or_else(|_| fs::copy(&target, entry.path()).map(drop));
                    fs::remove_file(entry.path()).and_then(|()| kept()).map_err(wrong)?;
                }
            }
        }
    }
    Ok(())
}

fn without_bytecode(folder: &Path, below: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder.join(below))? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "__pycache__" || name.to_string_lossy().ends_with(".pyc") {
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

/// Removes the file, folder or link at a path, and follows no link. Nothing there is fine.
///
/// # Errors
/// When it cannot be removed.
pub fn cleared(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}
