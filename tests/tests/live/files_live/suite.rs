//! Cases that every store must pass. A store joins with a [`Place`] and
//! `conforms!(path::to::a_function_that_makes_it);`.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use candor_json::{Value, json};
use candor_tests::grade::{Graded, all_within};
use candor_tests::state::{compared, faithful};

/// A store, empty when it is made, and a way into it that is not the product's.
pub(crate) trait Place: Send + Sync {
    /// The lines of the table `[files]` in `sandbox.toml`.
    fn files(&self) -> String;

    /// Lays files that the description names (`known_hosts`, a key) into the sandbox's folder.
    fn lay(&self, _sandbox: &Path) {}

    /// Puts a file there, as one step where the store can.
    fn put(&self, path: &str, bytes: &[u8]);

    /// Adds to the end of a file; a store that cannot puts a longer one in its place.
    fn append(&self, path: &str, bytes: &[u8]);

    /// The folder of this machine that the files lie in, if the store has one: links are made in it.
    fn folder(&self) -> Option<&Path> {
        None
    }
}

/// Every case as a test, on the stores that the function makes; `with links` where they have links.
macro_rules! conforms {
    ($new:path) => {
        $crate::files_live::suite::conforms!(conforms, $new);
    };
    ($module:ident, $new:path) => {
        $crate::files_live::suite::conforms! { @$module $new:
            only_what_the_literal_prefix_covers_is_listed
            folders_in_folders
            names_as_they_are
            long_names
            empty_files
            a_large_file_is_read_as_it_is
            a_folder_that_is_not_there_is_empty
            an_empty_store_is_ground_truth
            contents_are_read
            what_is_not_asserted_of_is_not_read
            times_are_those_of_the_store
            many_files
            limits_hold
            a_file_that_grows_while_it_is_read_is_not_told
            several_criteria_read_the_same_store
            a_capture_holds_every_file_as_it_is
        }
    };
    ($new:path, with links) => {
        $crate::files_live::suite::conforms!($new);
        $crate::files_live::suite::conforms! { @links $new:
            links_inside_are_followed
            links_that_lead_out_are_not
            links_in_a_circle_end
        }
    };
    (@$module:ident $new:path: $($case:ident)*) => {
        mod $module {
            $(
                #[test]
                fn $case() {
                    $crate::files_live::suite::$case(&$new());
                }
            )*
        }
    };
}
pub(crate) use conforms;

/// Grades assertions as one task on a store, with more of `sandbox.toml` behind `[files]`.
pub(crate) fn graded_as(place: &dyn Place, files: &str, limits: &str, assertions: Vec<Value>) -> Vec<Graded> {
    let sandbox = tempfile::tempdir().unwrap();
    place.lay(sandbox.path());
    // Time enough for a machine that is busy.
    let limits = format!("[limits]\n{}{limits}\n", if limits.contains("timeout") { "" } else { "timeout = \"5m\"\n" });
    all_within(sandbox.path(), &format!("[files]\n{files}\n{limits}"), assertions)
}

/// Grades an assertion on a store.
pub(crate) fn graded(place: &dyn Place, mut assertion: Value) -> Graded {
    assertion["assert"] = json!("sftp-file-present");
    graded_as(place, &place.files(), "", vec![assertion]).swap_remove(0)
}

fn limited(place: &dyn Place, limits: &str, mut assertion: Value) -> Graded {
    assertion["assert"] = json!("sftp-file-present");
    graded_as(place, &place.files(), limits, vec![assertion]).swap_remove(0)
}

/// The paths that matched.
pub(crate) fn matched(graded: &Graded) -> Vec<String> {
    candor_json::from_value(graded.0["evidence"]["matchedPaths"].clone()).unwrap()
}

fn considered(graded: &Graded) -> u64 {
    graded.0["evidence"]["candidates"]["considered"].as_u64().unwrap()
}

fn sha256(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes that look like nothing, the same every time.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

pub(crate) fn only_what_the_literal_prefix_covers_is_listed(place: &dyn Place) {
    for path in ["in/claims/1.json", "in/claims/2.json", "in/claims/2.txt", "in/claims-old/1.json", "in/1.json", "x"] {
        place.put(path, b"{}");
    }
    let some = graded(place, json!({"path": "in/claims/*.json"}));
    some.is("passed", &[]);
    assert_eq!((matched(&some), considered(&some)), (vec!["in/claims/1.json".into(), "in/claims/2.json".into()], 3));
    let one = graded(place, json!({"path": "in/1.json"}));
    one.is("passed", &[]);
    assert_eq!(matched(&one), ["in/1.json"]);
    let all = graded(place, json!({"path": "**", "count": 6}));
    all.is("passed", &[]);
    assert_eq!(considered(&all), 6);
}

pub(crate) fn a_capture_holds_every_file_as_it_is(place: &dyn Place) {
    let files = [("out/claims.csv", &b"member,amount\nW1,2\n"[..]), ("out/a b/x.bin", &[0, 255, 7]), ("empty", b"")];
    for (path, bytes) in files {
        place.put(path, bytes);
    }
    let sandbox = tempfile::tempdir().unwrap();
    place.lay(sandbox.path());
    let description = format!("[files]\n{}\n[limits]\ntimeout = \"5m\"\n", place.files());
    std::fs::write(sandbox.path().join("sandbox.toml"), description).unwrap();
    let folder = faithful(sandbox.path());
    for (path, bytes) in files {
        assert_eq!(std::fs::read(folder.path().join("files").join(path)).unwrap(), bytes, "{path}");
    }
    let kept = std::fs::read_to_string(folder.path().join("sandbox.toml")).unwrap();
    assert!(!kept.contains("url"), "{kept}");
    place.put("out/claims.csv", b"member,amount\nW1,3\n");
    let told = compared(folder.path(), sandbox.path()).told();
    assert!(told.contains("out/claims.csv: $rows.1.amount changed from 2 to 3"), "{told}");
    assert!(told.contains("0 added, 0 removed, 1 changed, of 3 records."), "{told}");
}

pub(crate) fn folders_in_folders(place: &dyn Place) {
    let deep = format!("{}/end.txt", vec!["f"; 40].join("/"));
    for path in ["a/x.txt", "a/b/x.txt", "a/b/c/x.txt", &deep] {
        place.put(path, b"x");
    }
    let nested = graded(place, json!({"path": "a/**/x.txt", "count": 3}));
    nested.is("passed", &[]);
    assert_eq!(matched(&nested), ["a/b/c/x.txt", "a/b/x.txt", "a/x.txt"]);
    assert_eq!(matched(&graded(place, json!({"path": "a/*/x.txt"}))), ["a/b/x.txt"]);
    assert_eq!(matched(&graded(place, json!({"path": "f/**/*.txt"}))), [deep]);
    // A folder is not a file, whatever its name is.
    graded(place, json!({"path": "a/b"})).is("failed no_candidate", &[]);
}

pub(crate) fn names_as_they_are(place: &dyn Place) {
    let mut names = vec![
        "names/ leading and trailing ".to_owned(),
        "names/100%.txt".to_owned(),
        "names/%20.txt".to_owned(),
        "names/a b.txt".to_owned(),
        "names/a+b&c=d.txt".to_owned(),
        "names/#1?.txt".to_owned(),
        "names/[1].txt".to_owned(),
        "names/'q\"q'.txt".to_owned(),
        "names/Gr\u{00fc}\u{00df}e.txt".to_owned(),
        "names/Gru\u{0308}\u{00df}e.txt".to_owned(),
        "names/\u{5904}\u{65b9}\u{1f48a}.txt".to_owned(),
        "names/-rf".to_owned(),
        "names/A.txt".to_owned(),
        "names/a.txt".to_owned(),
        "names/with space/x".to_owned(),
        "names/~tilde~".to_owned(),
        "names/a:b|c<d>e;f,g!h@i$j^k`l{m}".to_owned(),
    ];
    for name in &names {
        place.put(name, name.as_bytes());
    }
    place.put("names/.hidden", b"");
    names.sort();
    let sums = names.iter().map(|name| sha256(name.as_bytes())).collect::<Vec<_>>();
    let all = graded(place, json!({"path": "names/**", "count": names.len(), "match": "all", "encoding": "utf-8"}));
    all.is("passed", &[]);
    assert_eq!(matched(&all), names);
    // Each is found under its very name, and is read as itself.
    let escaped = |name: &String| {
        let escape = |c: char| if "[]{}?*!\\".contains(c) { format!("\\{c}") } else { c.to_string() };
        name.chars().map(escape).collect::<String>()
    };
    let each = |(name, sum)| json!({"assert": "sftp-file-present", "path": escaped(name), "sha256": sum, "count": 1});
    let assertions = names.iter().zip(&sums).map(each).collect();
    for (run, name) in graded_as(place, &place.files(), "", assertions).iter().zip(&names) {
        run.is("passed", &[]);
        assert_eq!(&matched(run), std::slice::from_ref(name));
    }
}

pub(crate) fn long_names(place: &dyn Place) {
    let long = format!("long/{}/{}", "d".repeat(200), "\u{00e9}".repeat(127));
    place.put(&long, b"long");
    let found = graded(place, json!({"path": "long/**", "sha256": sha256(b"long")}));
    found.is("passed", &[]);
    assert_eq!(matched(&found), [long]);
}

pub(crate) fn empty_files(place: &dyn Place) {
    place.put("empty/nothing.txt", b"");
    let mut assertion = json!({"path": "empty/*", "max_bytes": 0, "sha256": sha256(b"")});
    graded(place, assertion.clone()).is("passed", &[]);
    assertion["fields"] = json!([{"path": "$text", "expected": ""}]);
    graded(place, assertion.clone()).is("passed", &[]);
    assertion["min_bytes"] = json!(1);
    assertion["max_bytes"] = json!(1);
    graded(place, assertion).is("failed field_mismatch", &[]);
}

pub(crate) fn a_large_file_is_read_as_it_is(place: &dyn Place) {
    // No multiple of any buffer.
    let bytes = noise((20 << 20) + 4099);
    place.put("large/noise.bin", &bytes);
    let size = bytes.len();
    let assertion = json!({"path": "large/*", "min_bytes": size, "max_bytes": size, "sha256": sha256(&bytes)});
    graded(place, assertion.clone()).is("passed", &[]);
    let limit = format!("max_bytes = \"{}B\"", size - 1);
    limited(place, &limit, assertion.clone()).is("unverifiable limit_exceeded", &["large/noise.bin", "max_bytes"]);
    // A hash is made of it piece by piece, so that what may be held does not bound it.
    limited(place, "max_total_bytes = \"1MiB\"", assertion).is("passed", &[]);
}

pub(crate) fn a_folder_that_is_not_there_is_empty(place: &dyn Place) {
    place.put("there/x.txt", b"x");
    graded(place, json!({"path": "not/there/*.txt"})).is("failed no_candidate", &[]);
    graded(place, json!({"path": "not/there/*.txt", "count": 0})).is("passed", &[]);
    graded(place, json!({"path": "there/x.txt/*.txt", "count": 0})).is("passed", &[]);
}

/// A store that is not there, by the lines of its table `[files]`: nothing was observed, whatever is asserted.
pub(crate) fn nothing_is_told_of(place: &dyn Place, files: &str) {
    for count in [json!(null), json!(0)] {
        let assertion = json!({"assert": "sftp-file-present", "path": "sub/*", "count": count});
        let run = graded_as(place, files, "", vec![assertion]).swap_remove(0);
        assert_eq!(run.outcome(), "unverifiable source_unavailable", "{run:?}");
    }
}

pub(crate) fn an_empty_store_is_ground_truth(place: &dyn Place) {
    graded(place, json!({"path": "**"})).is("failed no_candidate", &[]);
    graded(place, json!({"path": "**", "count": 0})).is("passed", &[]);
}

pub(crate) fn contents_are_read(place: &dyn Place) {
    place.put("claims/1.json", br#"{"claim": {"total": 99, "id": "C-1"}}"#);
    place.put("claims/2.json", br#"{"claim": {"total": 120.50, "id": "C-2"}}"#);
    place.put("claims/half.json", br#"{"claim": {"#);
    let total = |path: &str, total: f64| json!({"path": path, "fields": [{"path": "claim.total", "expected": total}]});
    let found = graded(place, total("claims/*.json", 120.5));
    found.is("passed", &[]);
    let source = &found.0["evidence"]["fieldResults"][0]["source"]["locator"];
    assert!(source.as_str().unwrap().ends_with("claims/2.json"), "{source}");
    graded(place, total("claims/[12].json", 7.0)).is("failed field_mismatch", &["7"]);
    graded(place, total("claims/half.json", 7.0)).is("failed malformed", &["claims/half.json"]);
}

pub(crate) fn what_is_not_asserted_of_is_not_read(place: &dyn Place) {
    place.put("sizes/a.bin", &noise(5000));
    place.put("sizes/b.bin", &noise(6000));
    // A file over the limit does no harm as long as only its size is asserted.
    let limit = "max_bytes = \"10B\"";
    limited(place, limit, json!({"path": "sizes/*", "count": 2, "match": "all", "min_bytes": 5000})).is("passed", &[]);
    limited(place, limit, json!({"path": "sizes/*", "sha256": sha256(b"")})).is("unverifiable limit_exceeded", &[]);
}

pub(crate) fn times_are_those_of_the_store(place: &dyn Place) {
    place.put("now.txt", b"x");
    let within = |after: &str, before: &str| {
        graded(place, json!({"path": "now.txt", "modified_after": after, "modified_before": before}))
    };
    within("2020-01-01T00:00:00Z", "2200-01-01T00:00:00Z").is("passed", &[]);
    within("2199-01-01T00:00:00Z", "2200-01-01T00:00:00Z").is("failed field_mismatch", &["modified"]);
}

pub(crate) fn many_files(place: &dyn Place) {
    // More than any server hands out at a time: SFTP servers give about a hundred, buckets up to a thousand.
    let files = candor_test_size::pick(1234, 4321);
    for number in 0..files {
        place.put(&format!("many/{number:04}.txt"), b"x");
    }
    let all = graded(place, json!({"path": "many/*.txt", "count": files}));
    all.is("passed", &[]);
    let matched = matched(&all);
    assert!(matched.is_sorted() && matched.first().unwrap() == "many/0000.txt" && matched.len() == files);
}

pub(crate) fn limits_hold(place: &dyn Place) {
    for number in 0..5 {
        place.put(&format!("five/{number}.txt"), &noise(1000));
    }
    let assertion = || json!({"path": "five/*.txt", "count": {"min": 1}});
    limited(place, "max_files = 5", assertion()).is("passed", &[]);
    limited(place, "max_files = 4", assertion()).is("unverifiable limit_exceeded", &["more than 4 files"]);
    let read = json!({"path": "five/*.txt", "encoding": "iso-8859-1"});
    limited(place, "max_total_bytes = \"5000B\"", read.clone()).is("passed", &[]);
    limited(place, "max_total_bytes = \"4999B\"", read).is("unverifiable limit_exceeded", &["max_total_bytes"]);
}

pub(crate) fn a_file_that_grows_while_it_is_read_is_not_told(place: &dyn Place) {
    let content = noise(8 << 20);
    place.put("growing.bin", &content);
    let assertion = || json!({"path": "growing.bin", "sha256": sha256(b"")});
    let (done, begun) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                begun.fetch_add(1, Ordering::Relaxed);
                place.append("growing.bin", b"more");
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        // A look may fall between two writes on a busy machine. Then it has to tell a content that the file had.
        let mut told = Vec::new();
        let changed = (0..20).map(|_| graded(place, assertion())).find(|run| {
            let is_told = run.outcome() == "failed field_mismatch";
            told.extend(is_told.then(|| run.0.to_string()));
            !is_told
        });
        done.store(true, Ordering::Relaxed);
        changed.unwrap().is("unverifiable source_unavailable", &["growing.bin", "changed while it was read"]);
        let mut digest = ring::digest::Context::new(&ring::digest::SHA256);
        digest.update(&content);
        let states: Vec<String> = (0..=begun.load(Ordering::Relaxed))
            .map(|_| {
                let state = digest.clone().finish();
                digest.update(b"more");
                state.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
            })
            .collect();
        assert!(told.iter().all(|run| states.iter().any(|state| run.contains(state))), "{told:?}");
    });
    // A file that no longer changes is decided.
    graded(place, assertion()).is("failed field_mismatch", &[]);
}

pub(crate) fn several_criteria_read_the_same_store(place: &dyn Place) {
    let names = (0..12).map(|number| format!("side/{number}.bin")).collect::<Vec<_>>();
    let bytes = (0..12).map(|number| noise(100_000 + number)).collect::<Vec<_>>();
    names.iter().zip(&bytes).for_each(|(name, bytes)| place.put(name, bytes));
    let each = |(name, bytes): (&String, &Vec<u8>)| json!({"assert": "sftp-file-present", "path": name, "sha256": sha256(bytes)});
    let assertions = names.iter().zip(&bytes).map(each).collect();
    for run in graded_as(place, &place.files(), "", assertions) {
        run.is("passed", &[]);
    }
}

#[cfg(unix)]
fn link(folder: &Path, target: &str, link: &str) {
    let link = folder.join(link);
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, link).unwrap();
}

pub(crate) fn links_inside_are_followed(place: &dyn Place) {
    let folder = place.folder().unwrap();
    place.put("real/a.txt", b"here");
    link(folder, "../real/a.txt", "links/relative.txt");
    link(folder, "relative.txt", "links/twice.txt");
    link(folder, "../links/../real", "links/folder");
    let read =
        json!({"path": "links/**", "count": 3, "match": "all", "fields": [{"path": "$text", "expected": "here"}]});
    let found = graded(place, read);
    found.is("passed", &[]);
    assert_eq!(matched(&found), ["links/folder/a.txt", "links/relative.txt", "links/twice.txt"]);
    let below = graded(place, json!({"path": "links/folder/*.txt", "sha256": sha256(b"here")}));
    below.is("passed", &[]);
    assert_eq!(matched(&below), ["links/folder/a.txt"]);
}

pub(crate) fn links_that_lead_out_are_not(place: &dyn Place) {
    let folder = place.folder().unwrap();
    place.put("in/a.txt", b"in");
    link(folder, "/", "in/absolute");
    link(folder, "/etc/passwd", "in/passwd.txt");
    link(folder, "../..", "in/above");
    link(folder, "nowhere.txt", "in/nowhere.txt");
    link(folder, "again/../out.txt", "in/out.txt");
    let found = graded(place, json!({"path": "in/**", "count": 1}));
    found.is("passed", &[]);
    assert_eq!(matched(&found), ["in/a.txt"]);
    let missing = graded(place, json!({"path": "in/passwd.txt"}));
    missing.is("failed no_candidate", &["in/passwd.txt", "was not followed"]);
    let below = graded(place, json!({"path": "in/absolute/passwd"}));
    below.is("failed no_candidate", &["in/absolute", "was not followed"]);
    graded(place, json!({"path": "in/above/**"})).is("failed no_candidate", &["in/above"]);
}

pub(crate) fn links_in_a_circle_end(place: &dyn Place) {
    let folder = place.folder().unwrap();
    place.put("round/a.txt", b"x");
    link(folder, ".", "round/itself");
    link(folder, "..", "round/above");
    link(folder, "two", "round/one");
    link(folder, "one", "round/two");
    let found = graded(place, json!({"path": "**/a.txt"}));
    found.is("passed", &[]);
    assert_eq!(matched(&found).first().unwrap(), "round/a.txt");
}
