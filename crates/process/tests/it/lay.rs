//! An overlay that is laid over a copy.

use std::fs;
use std::os::unix::fs::symlink;

use candor_process::lay_over;

#[test]
fn what_is_in_the_overlay_wins_and_no_link_is_followed() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    for folder in ["over/tests", "over/.cargo", "over/deep", "copy/Makefile", "copy/deep/__pycache__", "outside"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    for file in ["over/tests/test_a.py", "over/Makefile", "over/.cargo/config.toml", "over/deep/a", "over/conftest.py"]
    {
        fs::write(at(file), "operator").unwrap();
    }
    symlink("conftest.py", at("over/linked.py")).unwrap();
    fs::write(at("outside/test_a.py"), "outside").unwrap();
    fs::write(at("copy/.cargo"), "a file").unwrap();
    fs::write(at("copy/deep/b"), "delegate").unwrap();
    symlink(at("outside"), at("copy/tests")).unwrap();
    symlink(at("outside/test_a.py"), at("copy/conftest.py")).unwrap();
    fs::write(at("copy/deep/a"), "delegate").unwrap();
    for (target, link) in
        [("deep/a", "copy/same"), ("deep", "copy/folder"), (".", "copy/self"), ("deep/b", "copy/other")]
    {
        symlink(target, at(link)).unwrap();
    }
    // A link to a file that is almost all hole takes no room, and no memory.
    fs::write(at("over/hole"), "operator").unwrap();
    fs::File::create(at("copy/hole")).unwrap().set_len(1 << 36).unwrap();
    symlink("hole", at("copy/to-hole")).unwrap();
    let laid = lay_over(&at("over"), &at("copy")).unwrap();
    // What the overlay lays is there under its own names alone.
    assert_eq!(fs::read_to_string(at("copy/same")).unwrap(), "delegate");
    assert_eq!(fs::read_to_string(at("copy/other")).unwrap(), "delegate");
    for link in ["copy/folder", "copy/self"] {
        assert!(fs::symlink_metadata(at(link)).is_err(), "{link}");
    }
    assert_eq!(fs::metadata(at("copy/to-hole")).unwrap().len(), 1 << 36);
    assert_eq!(laid.len(), 7);
    assert!(!at("copy/deep/__pycache__").exists());
    for path in laid {
        assert_eq!(fs::read_to_string(at("copy").join(&path)).unwrap(), "operator", "{}", path.display());
        assert!(fs::symlink_metadata(at("copy").join(&path)).unwrap().is_file());
    }
    assert_eq!(fs::read_to_string(at("outside/test_a.py")).unwrap(), "outside");
    assert_eq!(fs::read_to_string(at("copy/deep/b")).unwrap(), "delegate");
}
