//! The conformance vectors on a bucket of every cloud: results are the same as in a folder.

use std::collections::BTreeMap;
use std::path::Path;

use candor_check_testkit::{FileSpec, Vector, read_vectors};
use candor_json::{Value, json};
use candor_test_size::pick;
use candor_tests::grade::all_in;

use super::grade::described;
use super::{ALL, Cloud};

/// The content of a vector's files, where a bucket can hold them: no links, no times that are chosen.
fn contents(vector: &Vector) -> Option<BTreeMap<&str, Vec<u8>>> {
    let timed = ["modified_after", "modified_before", "within"];
    if vector.files.is_empty() || timed.iter().any(|member| vector.assertion.get(member).is_some()) {
        return None;
    }
    let mut contents = BTreeMap::new();
    for (name, spec) in &vector.files {
        let path = name.strip_prefix("files/")?;
        match spec {
            FileSpec::Content(bytes, None) => contents.insert(path, bytes.clone()),
            FileSpec::Folder => None,
            _ => return None,
        };
    }
    Some(contents)
}

#[test]
fn the_vectors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/sftp-file-present");
    let vectors = read_vectors(&folder);
    let judged = vectors.iter().filter_map(|(_, vector)| {
        let contents = contents(vector)?;
        let local = tempfile::tempdir().unwrap();
        vector.write_sandbox(local.path());
        let expected = all_in(local.path(), vec![vector.assertion.clone()]).swap_remove(0);
        Some((vector, contents, expected))
    });
    let judged: Vec<_> = judged.collect();
    for (turn, cloud) in ALL.into_iter().enumerate() {
        cloud.make("vectors");
        let (mut ran, mut wrong) = (BTreeMap::<String, u32>::new(), Vec::new());
        // In small size on one cloud in turn.
        for (vector, contents, expected) in judged.iter().skip(pick(turn, 0)).step_by(pick(ALL.len(), 1)) {
            for (path, content) in contents {
                cloud.put("vectors", &format!("{}/{path}", vector.id), content);
            }
            let found = described(&cloud.sandbox(&format!("vectors/{}", vector.id)), &vector.assertion);
            let paths = |of: &Value| of.get("matchedPaths").cloned();
            let same = expected.outcome() == found.outcome()
                && expected.0["score"] == found.0["score"]
                && paths(expected.evidence()) == paths(found.evidence());
            if !same {
                wrong.push(format!(
                    "{}: {} but {}: {}",
                    vector.id,
                    expected.outcome(),
                    found.outcome(),
                    found.details()
                ));
            }
            *ran.entry(vector.expected.status.clone()).or_default() += 1;
        }
        assert!(wrong.is_empty(), "{cloud:?}, {} differences:\n{}", wrong.len(), wrong.join("\n"));
        println!("{cloud:?} {ran:?}");
        assert!(ran["passed"] >= 25 && ran["failed"] >= 40, "{ran:?}");
    }
}

fn claims(cloud: Cloud, bucket: &str) {
    cloud.make(bucket);
    cloud.put(bucket, "drop/out/a.json", b"{\"total\": 120.5}");
    cloud.put(bucket, "drop/out/b.json", b"{\"total\": 7}");
    cloud.put(bucket, "drop/outer/c.json", b"{\"total\": 8}");
    cloud.put(bucket, "other/d.json", b"{\"total\": 120.5}");
}

#[test]
fn only_the_prefix_is_seen() {
    for cloud in ALL {
        claims(cloud, "prefixes");
        let place = cloud.sandbox("prefixes/drop");
        let total = json!([{"path": "total", "expected": 120.5}]);
        let found = json!({"assert": "sftp-file-present", "path": "out/*.json", "fields": total});
        let graded = described(&place, &found);
        graded.is("passed", &[]);
        assert_eq!(graded.evidence()["matchedPaths"], json!(["out/a.json", "out/b.json"]));
        // `outer/` begins with the same letters and is another folder.
        assert_eq!(graded.evidence()["candidates"]["considered"], 2, "{cloud:?}");
        let locator = format!("{}://prefixes/drop/out/a.json", cloud.scheme());
        assert_eq!(graded.evidence()["fieldResults"][0]["source"]["locator"], json!(locator));
        let everywhere = json!({"assert": "sftp-file-present", "path": "**/*.json", "count": 3});
        described(&place, &everywhere).is("passed", &[]);
        let whole = json!({"assert": "sftp-file-present", "path": "**/*.json", "count": 4});
        described(&cloud.sandbox("prefixes"), &whole).is("passed", &[]);
        described(&cloud.sandbox("prefixes/"), &whole).is("passed", &[]);
    }
}

#[test]
fn nothing_there_and_nowhere_to_look_are_told_apart() {
    for cloud in ALL {
        cloud.make("empty");
        cloud.put("empty", "elsewhere/a.json", b"{}");
        let any = json!({"assert": "sftp-file-present", "path": "*.json"});
        let none = json!({"assert": "sftp-file-present", "path": "*.json", "count": 0});
        for place in ["empty", "empty/drop", "empty/drop/deeper/"] {
            described(&cloud.sandbox(place), &any).is("failed no_candidate", &[]);
            described(&cloud.sandbox(place), &none).is("passed", &[]);
        }
        for assertion in [&any, &none] {
            let graded = described(&cloud.sandbox("no-such-bucket/drop"), assertion);
            // Azure does not tell everybody which containers there are.
            let outcome = if cloud == Cloud::Azure { "source_denied" } else { "source_unavailable" };
            graded.is(&format!("unverifiable {outcome}"), &["://no-such-bucket/drop/ cannot be read"]);
        }
    }
    let any = json!({"assert": "sftp-file-present", "path": "*.json"});
    described(&Cloud::S3.sandbox("no-such-bucket"), &any)
        .is("unverifiable source_unavailable", &["404 Not Found", "there is no such bucket"]);
}

#[test]
fn bytes_are_those_that_were_stored() {
    // A reader that minds the header field would unpack it: the gzip of `{}`.
    let packed = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xab, 0xae, 0x05, 0x00, 0x43, 0xbf, 0xa6, 0xa3,
        0x02, 0x00, 0x00, 0x00,
    ];
    let digest = ring::digest::digest(&ring::digest::SHA256, &packed);
    let hash: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    for cloud in ALL {
        cloud.make("packed");
        cloud.put_encoded("packed", "drop/a.bin", &packed, Some("gzip"));
        let stored =
            json!({"assert": "sftp-file-present", "path": "a.bin", "sha256": hash, "max_bytes": 22, "min_bytes": 22});
        described(&cloud.sandbox("packed/drop"), &stored).is("passed", &[]);
    }
}
