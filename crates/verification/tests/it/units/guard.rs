//! Grants and evidence that must not meet.

use candor_verification::independent;

#[test]
fn a_grant_and_evidence_never_meet() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["work", "sandbox/portal", "sandbox-notes"] {
        std::fs::create_dir_all(at(name)).unwrap();
    }
    std::os::unix::fs::symlink(at("sandbox/portal"), at("shortcut")).unwrap();
    std::os::unix::fs::symlink("sandbox/new", at("nowhere")).unwrap();
    std::os::unix::fs::symlink("nowhere", at("by-two")).unwrap();
    std::os::unix::fs::symlink("round", at("round")).unwrap();
    let evidence = [at("sandbox")];
    for fine in ["work", "sandbox-notes", "work/new", "round"] {
        assert!(independent(&[at(fine)], &evidence).is_ok(), "{fine}");
    }
    let links = ["shortcut", "nowhere", "by-two", "by-two/deeper"];
    let refused = ["sandbox", "sandbox/portal", "sandbox/new/deeper", "", "work/../sandbox", "work/.."];
    for refused in refused.into_iter().chain(links) {
        assert!(independent(&[at("work"), at(refused)], &evidence).is_err(), "{refused}");
    }
}
