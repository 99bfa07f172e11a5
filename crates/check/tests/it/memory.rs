//! Sandboxes in memory, files laid over sandboxes, and the tables of parts.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use candor_check::sandbox::{EventKind, Folder, Section, SectionError};
use candor_check::{EVENTS, Obstacle, Part, PartType, Sandbox, Source, Unverifiable};

/// The names of a part's files, read when it is opened.
struct Names<const PART: char>(Vec<String>);

impl Source for Names<'l'> {
    const READS: &'static [&'static str] = &["lab", EVENTS];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let folder = sandbox.folder("lab").ok_or_else(|| sandbox.no_source("lab"))?;
        sandbox.settings::<Self>()?;
        Ok(Self(paths(&folder)))
    }
}

impl Source for Names<'f'> {
    const READS: &'static [&'static str] = &["files"];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let folder = sandbox.folder("files").ok_or_else(|| sandbox.no_source("files"))?;
        Ok(Self(paths(&folder)))
    }
}

impl Part for Names<'l'> {
    const NAME: &'static str = "lab";
    const KEYS: &'static [&'static str] = &["path", "url", "analyser"];
    type Settings = Option<String>;

    fn settings(section: &Section) -> Result<Option<String>, SectionError> {
        if section.text("url")?.is_some_and(|url| url.starts_with("lab://")) {
            return Ok(None);
        }
        section.without(&["analyser"]).folder_only(&["lab://host"])?;
        section.text("analyser")
    }

    fn is_live(settings: &Option<String>) -> bool {
        settings.is_none()
    }
}

const LAB: PartType = PartType::of::<Names<'l'>>();

fn paths(folder: &Folder) -> Vec<String> {
    folder.list().unwrap().files.into_iter().map(|file| file.path).collect()
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

#[test]
fn memory_lists_and_reads_as_a_folder_does() {
    let disk = tempfile::tempdir().unwrap();
    let files = [("files/b.txt", "b"), ("files/a/z.txt", "abc"), ("files/a/b/c.txt", ""), ("files/a.txt", "x")];
    let mut builder = Sandbox::builder();
    for (path, text) in files {
        let to = disk.path().join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, text).unwrap();
        builder = builder.file(path, text.as_bytes());
    }
    let both = [Sandbox::open(disk.path(), &[]).unwrap(), builder.build(&[]).unwrap()];
    let of = |look: &dyn Fn(&Folder) -> String| {
        let [disk, memory] = both.each_ref().map(|sandbox| look(&sandbox.folder("files").unwrap()));
        assert_eq!(disk, memory);
        memory
    };
    assert_eq!(of(&|folder| paths(folder).join(" ")), "a.txt a/b/c.txt a/z.txt b.txt");
    for below in ["a", "a/", "a/b", "nowhere", "a.txt", ".."] {
        of(&|folder| {
            format!("{:?}", folder.list_below(below).unwrap().files.iter().map(|f| &f.path).collect::<Vec<_>>())
        });
    }
    for within in ["", "a", "b.txt", "nowhere"] {
        of(&|folder| format!("{:?}", folder.folders_in(within)));
    }
    for path in ["a.txt", "a", "a/z.txt", "a/z.txt/", "a//z.txt", "./b.txt", "c", ""] {
        of(&|folder| format!("{:?}", folder.entry(path).unwrap().map(|file| (file.locator, file.size))));
    }
    let sha = of(&|folder| folder.sha256(&folder.entry("a/z.txt").unwrap().unwrap()).unwrap());
    assert_eq!(sha, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    for sandbox in &both {
        assert!(sandbox.folder("file").is_none() && sandbox.folder("hl7").is_none());
    }
}

#[test]
fn limits_hold_in_memory() {
    let builder = Sandbox::builder().file("files/a", *b"12345").file("files/b", *b"").file("files/c", *b"");
    let sandbox = builder.settings("[limits]\nmax_bytes = \"4B\"\nmax_files = 2").build(&[]).unwrap();
    let folder = sandbox.folder("files").unwrap();
    assert_eq!(folder.list().unwrap_err().obstacle, Obstacle::LimitExceeded);
    let large = folder.entry("a").unwrap().unwrap();
    let error = folder.read(&large).unwrap_err();
    assert!(error.details.contains("files/a is larger than 4 bytes"), "{}", error.details);
    let events = Sandbox::builder().events(*b"{}{}{}").settings("[limits]\nmax_bytes = \"4B\"").build(&[]).unwrap();
    assert_eq!(wait(events.events(EventKind::VoiceTurn)).unwrap_err().obstacle, Obstacle::LimitExceeded);
}

#[test]
fn a_part_may_lie_elsewhere_in_memory_or_on_disk() {
    let disk = tempfile::tempdir().unwrap();
    fs::write(disk.path().join("a"), "").unwrap();
    for (path, expected) in [
        ("captured/lab".to_owned(), Ok(vec!["x".to_owned()])),
        (".".to_owned(), Ok(vec!["captured/lab/x".to_owned(), "lab/y".to_owned()])),
        (disk.path().display().to_string(), Ok(vec!["a".to_owned()])),
        ("nowhere".to_owned(), Err("there is no folder nowhere")),
        ("../lab".to_owned(), Err("there is no folder ../lab")),
    ] {
        let builder = Sandbox::builder().file("captured/lab/x", *b"").file("lab/y", *b"");
        let built = builder.settings(format!("[lab]\npath = {path:?}")).build(&[LAB]);
        match (built, expected) {
            (Ok(sandbox), Ok(files)) => assert_eq!(paths(&sandbox.folder("lab").unwrap()), files, "{path}"),
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            (built, expected) => panic!("{path}: {built:?} {expected:?}"),
        }
    }
}

#[test]
fn a_file_is_laid_over_and_what_is_unchanged_is_shared() {
    let disk = tempfile::tempdir().unwrap();
    for (path, text) in [("lab/a", "1"), ("lab/b", "2"), ("files/f", "3")] {
        fs::create_dir_all(disk.path().join(path).parent().unwrap()).unwrap();
        fs::write(disk.path().join(path), text).unwrap();
    }
    let before = Sandbox::open(disk.path(), &[LAB]).unwrap();
    let (lab, files) = (wait(before.source::<Names<'l'>>()).unwrap(), wait(before.source::<Names<'f'>>()).unwrap());
    let after = before.with_file("lab/a", *b"changed").with_file("lab/sub/c", *b"new");
    let folder = after.folder("lab").unwrap();
    assert_eq!(paths(&folder), ["a", "b", "sub/c"]);
    let mut text = String::new();
    folder.open(&folder.entry("a").unwrap().unwrap()).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "changed");
    assert_eq!(folder.folders_in(""), ["sub"]);
    // Another part's source is the same one; this part's is opened anew, and the first sandbox is unchanged.
    assert!(Arc::ptr_eq(&files, &wait(after.source::<Names<'f'>>()).unwrap()));
    assert_eq!(wait(after.source::<Names<'l'>>()).unwrap().0, ["a", "b", "sub/c"]);
    assert_eq!(lab.0, ["a", "b"]);
    assert!(Arc::ptr_eq(&lab, &wait(before.source::<Names<'l'>>()).unwrap()));
    // Events outdate those that read events.
    let recorded = before.with_file(EVENTS, *b"{\"type\":\"voice_turn\",\"at\":\"\",\"payload\":{}}");
    assert!(!Arc::ptr_eq(&lab, &wait(recorded.source::<Names<'l'>>()).unwrap()));
    assert!(Arc::ptr_eq(&files, &wait(recorded.source::<Names<'f'>>()).unwrap()));
    assert_eq!(wait(recorded.events(EventKind::VoiceTurn)).unwrap().unwrap().events.len(), 1);
    // A part that was not there is there now; a path of no part adds nothing.
    assert_eq!(paths(&before.with_file("x12/a.edi", *b"").folder("x12").unwrap()), ["a.edi"]);
    assert_eq!(paths(&before.with_file("../lab/c", *b"").folder("lab").unwrap()), ["a", "b"]);
}

#[test]
fn a_file_laid_over_a_server_is_never_passed_over_in_silence() {
    let sandbox = Sandbox::builder().settings("[lab]\nurl = \"lab://host\"").build(&[LAB]).unwrap();
    assert!(sandbox.is_live("lab") && !sandbox.is_live("files"));
    let error = wait(sandbox.with_file("lab/a", *b"").source::<Names<'l'>>()).err().unwrap();
    assert_eq!(error.obstacle, Obstacle::NoSource);
    assert!(error.details.contains("a file was laid over `lab`, which is read from a server"), "{}", error.details);
}

#[test]
fn tables_are_read_by_their_parts_and_slips_are_placed() {
    let described = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("captured")).unwrap();
        fs::write(folder.path().join("sandbox.toml"), text).unwrap();
        let opened = Sandbox::open(folder.path(), &[LAB]);
        opened.map_err(|e| e.to_string().replace(&format!("{}/", folder.path().display()), ""))
    };
    let sandbox = described("[lab]\npath = \"captured/\"\nanalyser = \"X\"\n[limits]\ntimeout = \"2s\"").unwrap();
    assert_eq!(sandbox.settings::<Names<'l'>>().unwrap().as_deref(), Some("X"));
    assert_eq!(sandbox.limits().timeout, Duration::from_secs(2));
    for (text, expected) in [
        ("[lub]\n", "sandbox.toml:1:1: unknown table `lub`; did you mean [lab]?"),
        ("[radiology]\n", "sandbox.toml:1:1: unknown table `radiology`; expected one of lab, limits"),
        ("\n[lab]\npaht = \"x\"\n", "sandbox.toml:3:1: [lab] unknown setting `paht`; did you mean `path`?"),
        ("[lab]\npath = \"nowhere\"", "[lab] `path`: there is no folder"),
        ("[lab]\n", "sandbox.toml:1:1: [lab] has no `path`"),
        ("lab = 1", "sandbox.toml:1:1: `lab` is not a table; write [lab]"),
        ("limits = 1", "sandbox.toml:1:1: `limits` is not a table; write [limits]"),
        ("[lab]\nurl = \"ftp://a\"", "sandbox.toml:2:1: [lab] `url` has an unknown form; expected lab://host"),
        ("[lab]\ntoken = \"abc\"", "sandbox.toml:2:1: [lab] `token` is written out; a secret is given only as"),
        ("[lab]\ntoken = \"${env:CANDOR_TEST_NOT_SET}\"", "names the environment variable CANDOR_TEST_NOT_SET"),
        ("[lab]\ntoken = \"${env:CARGO_PKG_NAME}\"", "`token` goes with a server"),
        ("[limits]\ntimeout = 30", "sandbox.toml:2:1: [limits] `timeout`: 30 is not a string"),
        ("[limits]\ntimeot = \"3s\"", "did you mean `timeout`?"),
        ("[limits", "sandbox.toml:1:"),
    ] {
        let error = described(text).err().unwrap();
        assert!(error.contains(expected), "{text}\n{error}\n{expected}");
        assert!(!error.contains("abc"), "{error}");
    }
}

#[test]
fn settings_of_a_part_that_the_sandbox_was_not_opened_with_are_read_when_asked_for() {
    let sandbox = Sandbox::builder().file("lab/a", *b"").build(&[]).unwrap();
    assert_eq!(*sandbox.settings::<Names<'l'>>().unwrap(), None);
    let error = Sandbox::builder().settings("[lab]\npath = \"lab\"").build(&[]).unwrap_err();
    assert!(error.to_string().contains("unknown table `lab`; expected one of limits"), "{error}");
}

#[test]
fn a_baseline_and_times_are_kept() {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let before = Sandbox::builder().file_of("lab/a", *b"", time).build(&[]).unwrap();
    assert_eq!(before.folder("lab").unwrap().list().unwrap().files[0].modified, Some(time));
    let after = Sandbox::builder().folder("lab").baseline(before).build(&[]).unwrap();
    assert_eq!(paths(&after.folder("lab").unwrap()), Vec::<String>::new());
    assert_eq!(paths(&after.baseline().unwrap().folder("lab").unwrap()), ["a"]);
    assert!(after.evidence_paths().is_empty(), "{:?}", after.evidence_paths());
}

#[test]
fn paths_of_a_folder_are_evidence() {
    let disk = tempfile::tempdir().unwrap();
    fs::create_dir(disk.path().join("lab")).unwrap();
    let paths = Sandbox::open(disk.path(), &[LAB]).unwrap().evidence_paths();
    let expected = [disk.path().to_owned(), disk.path().join("events.ndjson"), disk.path().join("lab")];
    assert_eq!(paths, expected);
    assert!(
        Sandbox::open(Path::new("/nowhere"), &[LAB])
            .unwrap_err()
            .to_string()
            .contains("there is no such folder or file")
    );
}
