//! A folder of a sandbox: what is listed, what is refused, what is never followed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::fs;
use std::path::Path;

use candor_check::records::Fault;
use candor_check::sandbox::Folder;
use candor_check::{Obstacle, Sandbox, Source, Unverifiable};

fn folder(root: &Path) -> Folder {
    Sandbox::open(root, &[]).unwrap().folder("files").unwrap()
}

fn sandbox_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("files")).unwrap();
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

#[test]
fn files_come_in_order_of_path_with_their_hash() {
    let root = sandbox_with(&[("files/b.txt", "b"), ("files/a/z.txt", "abc"), ("files/a.txt", "")]);
    let folder = folder(root.path());
    let listing = folder.list().unwrap();
    let paths: Vec<&str> = listing.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(paths, ["a.txt", "a/z.txt", "b.txt"]);
    assert_eq!(listing.files[1].locator, "files/a/z.txt");
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(folder.read(&listing.files[1]).unwrap().sha256(), sha256);
    assert_eq!(folder.sha256(&listing.files[1]).unwrap(), sha256);
    assert_eq!(folder.list_below("a").unwrap().files.len(), 1);
    assert_eq!(folder.list_below("nowhere").unwrap().files.len(), 0);
    assert_eq!(folder.list_below("../").unwrap().files.len(), 0);
}

#[test]
fn a_file_is_read_as_it_is_then() {
    let root = sandbox_with(&[("files/a", "a".repeat(3_000_000).as_str())]);
    let folder = folder(root.path());
    let file = folder.list().unwrap().files.remove(0);
    for length in [3_000_000, 2_500_000, 4_000_000, 1 << 20, 1, 0] {
        fs::write(root.path().join("files/a"), "b".repeat(length)).unwrap();
        let read = folder.read(&file).unwrap();
        assert!(read.bytes == "b".repeat(length).into_bytes(), "{length}");
        let sha256 = folder.sha256(&file).unwrap();
        // The hash is that of what was read, whatever the file holds when it is asked for.
        fs::write(root.path().join("files/a"), "c").unwrap();
        assert_eq!(read.sha256(), sha256);
        assert_eq!(read.without_bytes().sha256(), sha256);
    }
}

#[test]
fn limits_hold() {
    let limits = "[limits]\nmax_bytes = \"4B\"\nmax_files = 2\n";
    let root = sandbox_with(&[("files/a", "12345"), ("files/b", "1234"), ("sandbox.toml", limits)]);
    let folder = folder(root.path());
    let files = folder.list().unwrap().files;
    let error = folder.read(&files[0]).unwrap_err();
    assert_eq!(error.obstacle, Obstacle::LimitExceeded);
    assert!(error.details.contains("files/a is larger than 4 bytes"), "{}", error.details);
    assert!(folder.read(&files[1]).is_ok());
    // A file that grew since it was listed is not a way around the limit.
    fs::write(root.path().join("files/b"), "123456").unwrap();
    assert_eq!(folder.read(&files[1]).unwrap_err().obstacle, Obstacle::LimitExceeded);
    fs::write(root.path().join("files/c"), "").unwrap();
    assert_eq!(folder.list().unwrap_err().obstacle, Obstacle::LimitExceeded);
}

#[cfg(unix)]
#[test]
fn links_stay_within_and_pipes_are_not_read() {
    use std::os::unix::fs::symlink;
    let root = sandbox_with(&[("files/real/a.txt", "a"), ("secret.txt", "s")]);
    let at = |name: &str| root.path().join("files").join(name);
    symlink("real/a.txt", at("inside")).unwrap();
    symlink("../secret.txt", at("outside")).unwrap();
    symlink("/", at("root")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    symlink("..", at("real/up")).unwrap();
    symlink("loop", at("loop")).unwrap();
    pipe(&at("pipe"));
    let listing = folder(root.path()).list().unwrap();
    let paths: Vec<&str> = listing.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(paths, ["inside", "real/a.txt"]);
    // A link to the part's own folder leads to what is listed already.
    assert_eq!(listing.outside_links, ["files/dangling", "files/loop", "files/outside", "files/root"]);
    let records = folder(root.path()).list_records().unwrap();
    let unread: Vec<&str> = records.unreadable.iter().map(|(place, _)| place.as_str()).collect();
    assert_eq!(unread, ["files/dangling", "files/loop", "files/pipe"]);
    assert_eq!(records.unreadable[2].1.obstacle, Obstacle::SourceUnavailable);
    let nowhere = |path: &&str| folder(root.path()).leads_nowhere(path);
    assert_eq!(
        ["dangling", "loop", "outside", "root", "inside"].iter().map(nowhere).collect::<Vec<_>>(),
        [true, true, false, false, false]
    );
}

#[cfg(unix)]
fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success()));
}

/// A link that leads nowhere, a folder, a file and a pipe, each made at a path.
#[cfg(unix)]
const MADE: [fn(&Path); 4] = [
    |path| std::os::unix::fs::symlink("nowhere", path).unwrap(),
    |path| fs::create_dir(path).unwrap(),
    |path| fs::write(path, "").unwrap(),
    pipe,
];

#[cfg(unix)]
#[test]
fn a_name_that_leads_to_no_content_is_not_absent() {
    let [link, folder, file, pipe] = MADE;
    for make in [link, folder, pipe] {
        for name in ["sandbox.toml", "capture.json"] {
            let root = sandbox_with(&[]);
            make(&root.path().join(name));
            let error = Sandbox::open(root.path(), &[]).unwrap_err();
            assert!(error.path.ends_with(name), "{error}");
        }
        let root = sandbox_with(&[]);
        make(&root.path().join("events.ndjson"));
        let error = Sandbox::open(root.path(), &[]).unwrap().recorded_events().unwrap_err();
        assert_eq!(error.obstacle, Obstacle::SourceUnavailable);
    }
    for make in [link, file, pipe] {
        let root = sandbox_with(&[]);
        make(&root.path().join("hl7"));
        let folder = Sandbox::open(root.path(), &[]).unwrap().folder("hl7").unwrap();
        assert_eq!(folder.list().unwrap_err().obstacle, Obstacle::SourceUnavailable);
        assert_eq!(folder.entry("a.hl7").unwrap_err().obstacle, Obstacle::SourceUnavailable);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_with_two_names_is_listed_by_both() {
    use std::os::unix::fs::symlink;
    let root = sandbox_with(&[("files/out/a.json", "a"), ("files/out/deep/b.json", "b")]);
    let at = |name: &str| root.path().join("files").join(name);
    symlink("out", at("latest")).unwrap();
    symlink("out", at("a-link")).unwrap();
    symlink("/", at("elsewhere")).unwrap();
    let folder = folder(root.path());
    let paths: Vec<String> = folder.list().unwrap().files.into_iter().map(|f| f.path).collect();
    let names = ["a-link", "latest", "out"];
    let expected: Vec<String> =
        names.iter().flat_map(|n| [format!("{n}/a.json"), format!("{n}/deep/b.json")]).collect();
    assert_eq!(paths, expected);
    assert_eq!(folder.list_below("latest/deep").unwrap().files.len(), 1);
    let outside = folder.list_below("elsewhere/etc").unwrap();
    assert_eq!((outside.files.len(), outside.outside_links), (0, vec!["files/elsewhere/etc".to_owned()]));
}

struct Opened(u32);

static OPENINGS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

impl Source for Opened {
    const READS: &'static [&'static str] = &[];

    async fn open(_: &Sandbox) -> Result<Self, Unverifiable> {
        tokio::task::yield_now().await;
        Ok(Self(OPENINGS.fetch_add(1, std::sync::atomic::Ordering::SeqCst)))
    }
}

struct Refused;

impl Source for Refused {
    const READS: &'static [&'static str] = &[];

    async fn open(_: &Sandbox) -> Result<Self, Unverifiable> {
        Err(Unverifiable::new(Obstacle::SourceDenied, "no"))
    }
}

#[test]
fn a_source_is_opened_once_whoever_asks() {
    let root = sandbox_with(&[]);
    let sandbox = Sandbox::open(root.path(), &[]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let tasks: Vec<_> = (0..10)
            .map(|_| {
                let sandbox = sandbox.clone();
                tokio::spawn(async move { sandbox.source::<Opened>().await.unwrap().0 })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap(), 0);
        }
        assert_eq!(sandbox.source::<Refused>().await.err().unwrap().obstacle, Obstacle::SourceDenied);
    });
}

#[test]
fn a_read_that_takes_too_long_is_a_timeout() {
    let root = sandbox_with(&[("sandbox.toml", "[limits]\ntimeout = \"50ms\"\n")]);
    let sandbox = Sandbox::open(root.path(), &[]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    // Only cancelling ends it.
    let slow = || {
        while !candor_check::work::cancelled() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Ok(())
    };
    let error = runtime.block_on(sandbox.blocking("files/", slow)).unwrap_err();
    assert_eq!(error.obstacle, Obstacle::Timeout);
}

#[test]
fn a_reader_that_breaks_is_no_failure_of_the_work() {
    let root = sandbox_with(&[]);
    let sandbox = Sandbox::open(root.path(), &[]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let broken = || -> Result<(), Unverifiable> { panic!("on purpose") };
    let error = runtime.block_on(sandbox.blocking("files/", broken)).unwrap_err();
    assert_eq!(error.obstacle, Obstacle::Undecidable);
    assert!(error.details.contains("a defect of this program"), "{}", error.details);
}

#[test]
fn a_file_proves_no_absence_if_it_may_be_packed() {
    let limits = "[limits]\nmax_bytes = \"8B\"\n";
    let root = sandbox_with(&[
        ("files/gone.dat", "text"),
        ("files/large.dat", "BZh, and more than max_bytes"),
        ("files/large.txt", "more than max_bytes"),
        ("files/text.dat", "text"),
        ("sandbox.toml", limits),
    ]);
    let folder = folder(root.path());
    let files = folder.list().unwrap().files;
    fs::remove_file(root.path().join("files/gone.dat")).unwrap();
    let unreadable = folder.not_unpacked(&files);
    let places: Vec<&str> = unreadable.iter().map(|file| file.place.locator.as_str()).collect();
    assert_eq!(places, ["files/gone.dat", "files/large.dat"]);
    assert_eq!(unreadable[0].fault, Fault::Obstacle(Obstacle::SourceUnavailable));
    assert!(unreadable[0].what.starts_with("cannot be read: "), "{}", unreadable[0].what);
    assert_eq!(unreadable[1].fault, Fault::Recording);
}
