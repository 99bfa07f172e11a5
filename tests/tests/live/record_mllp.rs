//! `candor record mllp`, over real connections.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

struct Recorder {
    child: Child,
    address: String,
}

impl Recorder {
    fn start(into: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(candor_tests::candor())
            .args(["record", "mllp", "--listen", "127.0.0.1:0", "--format", "ndjson", "--into"])
            .arg(into)
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("listening on ").unwrap().split(',').next().unwrap().to_owned();
        // A full pipe would block the recorder.
        let mut out = child.stdout.take().unwrap();
        std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
        Self { child, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(600))).unwrap();
        stream
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap().success());
    }

    fn wait(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

fn message(id: &str) -> String {
    format!("MSH|^~\\&|A|B|C|D|20261121||ADT^A01^ADT_A01|{id}|P|2.5.1\rEVN||20261121\rPID|1||7||Smith\rPV1|1|I\r")
}

fn framed(text: &str) -> Vec<u8> {
    format!("\x0b{text}\x1c\r").into_bytes()
}

/// Reads one acknowledgment: MSA-1 and MSA-2. Nothing where the connection ended.
fn acknowledged(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\x1c\r") {
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            return None;
        }
        bytes.push(byte[0]);
    }
    let text = String::from_utf8(bytes).unwrap();
    let msa = text.split('\r').find(|line| line.starts_with("MSA|")).unwrap().to_owned();
    let mut fields = msa.split('|').skip(1).map(str::to_owned);
    Some((fields.next().unwrap(), fields.next().unwrap()))
}

/// The recorded messages, by control id.
fn recorded(into: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(into).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "hl7") {
            let bytes = std::fs::read(&path).unwrap();
            let id = String::from_utf8_lossy(&bytes).split('|').nth(9).unwrap_or_default().to_owned();
            assert!(all.insert(id.clone(), bytes).is_none(), "{id} was recorded twice");
        }
    }
    all
}

#[test]
fn a_frame_in_pieces_is_kept_acknowledged_and_graded() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("hl7");
    let recorder = Recorder::start(&into, &["--messages", "3"]);
    let mut stream = recorder.connect();
    for byte in framed(&message("M1")) {
        stream.write_all(&[byte]).unwrap();
    }
    assert_eq!(acknowledged(&mut stream), Some(("AA".into(), "M1".into())));
    // Two in one write, the second without a carriage return at its end.
    let two = [framed(&message("M2")), framed("MSH|^~\\&|A|B|C|D|2026||ADT^A01|M3|P|2.5.1\rno segment\r")].concat();
    stream.write_all(&two[..two.len() - 1]).unwrap();
    assert_eq!(acknowledged(&mut stream), Some(("AA".into(), "M2".into())));
    assert_eq!(acknowledged(&mut stream), Some(("AE".into(), "M3".into())));
    assert_eq!(recorder.wait(), 0);
    let kept = recorded(&into);
    assert_eq!(kept["M1"], framed(&message("M1")));
    let task = folder.path().join("task.yaml");
    std::fs::write(
        &task,
        "id: t\ncriteria:\n  - id: sent\n    assertion: {assert: hl7-structural, correlate_by: {control_id: M1}, structure: true, \
         fields: [{path: PID.5.1, expected: Smith}]}\n  - id: order\n    assertion: {assert: hl7-structural, \
         correlate_by: {MSH.3: A}, sequence: [{control_id: M1}, {control_id: M2}]}\n",
    )
    .unwrap();
    let output = Command::new(candor_tests::candor())
        .args(["check", task.to_str().unwrap(), "--format", "ndjson", "--sandbox"])
        .arg(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // The third message cannot be read, and may belong to the sequence.
    assert!(text.contains("\"status\":\"passed\"") && text.contains("\"reason\":\"malformed\""), "{text}");
}

#[test]
fn two_hundred_connections_lose_nothing() {
    const CONNECTIONS: usize = 200;
    const EACH: usize = 10;
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("hl7");
    let recorder = Recorder::start(&into, &[]);
    std::thread::scope(|scope| {
        for number in 0..CONNECTIONS {
            let mut stream = recorder.connect();
            scope.spawn(move || {
                for at in 0..EACH {
                    let id = format!("{number}-{at}");
                    let bytes = framed(&message(&id));
                    let (head, tail) = bytes.split_at((number * 7 + at) % bytes.len());
                    stream.write_all(head).unwrap();
                    stream.write_all(tail).unwrap();
                    assert_eq!(acknowledged(&mut stream), Some(("AA".into(), id)));
                }
            });
        }
    });
    recorder.signal("-TERM");
    assert_eq!(recorder.wait(), 0);
    let kept = recorded(&into);
    assert_eq!(kept.len(), CONNECTIONS * EACH);
    assert!(kept.iter().all(|(id, bytes)| *bytes == framed(&message(id))));
}

/// Sends until the connection ends, and counts what is acknowledged; what was.
fn send_until_it_ends(stream: &mut TcpStream, name: usize, count: &AtomicUsize) -> Vec<String> {
    let mut kept = Vec::new();
    for at in 0.. {
        let id = format!("{name}-{at}");
        if stream.write_all(&framed(&message(&id))).is_err() {
            break;
        }
        match acknowledged(stream) {
            Some((code, said)) => {
                assert_eq!((code.as_str(), &said), ("AA", &id));
                kept.push(id);
                count.fetch_add(1, Ordering::SeqCst);
            }
            None => break,
        }
    }
    kept
}

fn stopped_by(signal: &str) -> (BTreeSet<String>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("hl7");
    let recorder = Recorder::start(&into, &[]);
    let count = AtomicUsize::new(0);
    let kept: BTreeSet<String> = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..20)
            .map(|name| {
                let (mut stream, count) = (recorder.connect(), &count);
                scope.spawn(move || send_until_it_ends(&mut stream, name, count))
            })
            .collect();
        // In the middle of it, some messages a sender.
        let began = Instant::now();
        while count.load(Ordering::SeqCst) < 100 {
            assert!(began.elapsed() < Duration::from_secs(300), "nothing is acknowledged");
            std::thread::sleep(Duration::from_millis(1));
        }
        recorder.signal(signal);
        senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect()
    });
    recorder.wait();
    (kept, folder)
}

#[test]
fn a_kill_loses_no_acknowledged_message() {
    let (acknowledged_ids, folder) = stopped_by("-KILL");
    let into = folder.path().join("hl7");
    assert!(!acknowledged_ids.is_empty());
    let before = recorded(&into);
    for id in &acknowledged_ids {
        assert_eq!(before.get(id), Some(&framed(&message(id))), "{id}");
    }
    // Everything with a number is whole, and the numbers go on.
    assert!(before.iter().all(|(id, bytes)| *bytes == framed(&message(id))));
    let recorder = Recorder::start(&into, &["--messages", "1"]);
    let mut stream = recorder.connect();
    stream.write_all(&framed(&message("after"))).unwrap();
    assert_eq!(acknowledged(&mut stream), Some(("AA".into(), "after".into())));
    assert_eq!(recorder.wait(), 0);
    assert_eq!(recorded(&into).len(), before.len() + 1);
}

#[test]
fn a_stop_under_load_loses_no_acknowledged_message() {
    let (acknowledged_ids, folder) = stopped_by("-INT");
    let kept = recorded(&folder.path().join("hl7"));
    assert!(!acknowledged_ids.is_empty());
    assert!(acknowledged_ids.iter().all(|id| kept.get(id) == Some(&framed(&message(id)))));
}

#[test]
fn what_cannot_be_kept_is_never_acknowledged_as_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("hl7");
    let recorder = Recorder::start(&into, &["--messages", "1"]);
    // The folder goes away: nothing can be written any more.
    std::fs::remove_dir_all(&into).unwrap();
    let mut stream = recorder.connect();
    stream.write_all(&framed(&message("M1"))).unwrap();
    assert_eq!(acknowledged(&mut stream), Some(("AE".into(), "M1".into())));
    // It goes on when it can.
    std::fs::create_dir_all(&into).unwrap();
    stream.write_all(&framed(&message("M2"))).unwrap();
    assert_eq!(acknowledged(&mut stream), Some(("AA".into(), "M2".into())));
    assert_eq!(recorder.wait(), 3);
    assert_eq!(recorded(&into).into_keys().collect::<Vec<_>>(), ["M2"]);
}

#[test]
fn limits_hold_and_peers_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("hl7");
    let recorder = Recorder::start(&into, &["--max-bytes", "1000", "--connections", "1", "--idle", "300ms"]);
    // A connection is refused as long as another one is there, and let go when a busy machine sends late.
    let answered = |bytes: &[u8]| {
        let answered = (0..100).find_map(|_| {
            let mut stream = recorder.connect();
            stream.write_all(bytes).ok()?;
            let answer = acknowledged(&mut stream)?;
            Some((stream, answer))
        });
        answered.unwrap()
    };
    let long = [&b"\x0b"[..], message("LONG").as_bytes(), &[b'x'; 2000]].concat();
    let (mut stream, answer) = answered(&long);
    assert_eq!(answer, ("AE".into(), "LONG".into()));
    assert_eq!(acknowledged(&mut stream), None);
    // One that says nothing is let go, so that the next one is served.
    let mut idle = recorder.connect();
    assert_eq!(acknowledged(&mut idle), None);
    assert_eq!(answered(&framed(&message("M1"))).1, ("AA".into(), "M1".into()));
    recorder.signal("-TERM");
    // One was refused and is not there: whoever grades has to know.
    assert_eq!(recorder.wait(), 3);
    assert_eq!(recorded(&into).len(), 1);
}

#[test]
fn a_place_that_cannot_be_used_is_a_wrong_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let run = |listen: &str, into: &Path| {
        let output = Command::new(candor_tests::candor())
            .args(["record", "mllp", "--listen", listen, "--into"])
            .arg(into)
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = run(&taken.local_addr().unwrap().to_string(), &folder.path().join("hl7"));
    assert!(code == Some(2) && said.contains("cannot listen there"), "{said}");
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let (code, said) = run("127.0.0.1:0", &file);
    assert!(code == Some(2) && said.contains("messages cannot be recorded there"), "{said}");
}

/// The client of python-hl7 sends real messages, whatever they hold, and reads every answer.
#[test]
fn the_client_of_python_hl7_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("hl7");
    let recorder = Recorder::start(&into, &[]);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/hl7v2-ms-fhir-converter");
    let python = std::env::var_os("CANDOR_PEERS_PYTHON")
        .expect("`cargo xtask test` installs python-hl7 and names its interpreter in CANDOR_PEERS_PYTHON");
    let output = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/mllp_send.py"))
        .arg(&recorder.address)
        .arg(fixtures)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answered = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = answered.lines().collect();
    assert!(lines.len() > 60, "{answered}");
    for line in &lines {
        let fields: Vec<&str> = line.split('\t').collect();
        assert!(matches!(fields[..], [_, "AA", sent, back] if sent == back), "{line}");
    }
    recorder.signal("-TERM");
    assert_eq!(recorder.wait(), 0);
    assert_eq!(std::fs::read_dir(into).unwrap().count(), lines.len());
}
