//! Keys of every kind: none is lost, none is shown as another.

use candor_json::json;

use super::grade::described;
use super::{ALL, Cloud};

const ASKABLE: [&str; 15] = [
    "a b.txt",
    " leading.txt",
    "trailing ",
    "dots...",
    "100%.txt",
    "%2F.txt",
    "%2e%2e",
    "é-è-ü.txt",
    "日本語.txt",
    "plus+and&amp;.txt",
    "q?x=1.txt",
    "hash#1.txt",
    "quote'\"<>.txt",
    "(brackets)[1]{2}.txt",
    "tilde~star*.txt",
];

#[test]
fn names_that_can_be_asked_for() {
    for cloud in ALL {
        cloud.make("names");
        for name in ASKABLE {
            cloud.put("names", &format!("drop/{name}"), name.as_bytes());
        }
        let all = json!({"assert": "sftp-file-present", "path": "*", "min_bytes": 1, "match": "all", "format": "text",
            "fields": [{"path": "$text", "op": "notEquals", "expected": "nothing"}]});
        let graded = described(&cloud.sandbox("names/drop"), &all);
        graded.is("passed", &[]);
        let mut expected = ASKABLE.to_vec();
        expected.sort_unstable();
        assert_eq!(graded.evidence()["matchedPaths"], json!(expected), "{cloud:?}");
        for result in graded.evidence()["fieldResults"].as_array().unwrap() {
            if result["path"] == "$text" {
                let locator = result["source"]["locator"].as_str().unwrap();
                let text = result["actual"].as_str().unwrap();
                assert_eq!(locator, format!("{}://names/drop/{text}", cloud.scheme()), "{cloud:?}");
            }
        }
    }
}

#[test]
fn names_that_cannot_be_asked_for_are_told() {
    let none = json!({"assert": "sftp-file-present", "path": "**/*.txt", "count": 0});
    for (number, (name, why)) in [
        ("x//y.txt", "a part without a name"),
        ("/z.txt", "a part without a name"),
        ("x/", "begins or ends with a slash"),
    ]
    .into_iter()
    .enumerate()
    {
        for cloud in [Cloud::S3, Cloud::Google] {
            let bucket = format!("odd{number}");
            cloud.make(&bucket);
            cloud.put(&bucket, &format!("drop/{name}"), b"content");
            let graded = described(&cloud.sandbox(&format!("{bucket}/drop")), &none);
            let locator = format!("{}://{bucket}/drop/{name}", cloud.scheme());
            graded.is("unverifiable source_unavailable", &[&locator, why]);
            // Another object next to it is there all the same.
            cloud.put(&bucket, "drop/beside.txt", b"content");
            let beside = json!({"assert": "sftp-file-present", "path": "beside.txt", "min_bytes": 7});
            described(&cloud.sandbox(&format!("{bucket}/drop")), &beside).is("passed", &[]);
        }
    }
}

#[test]
fn what_stands_for_a_folder_is_no_file() {
    let none = json!({"assert": "sftp-file-present", "path": "**/*", "count": 0});
    for cloud in [Cloud::S3, Cloud::Google] {
        cloud.make("markers");
        cloud.put("markers", "drop/", b"");
        cloud.put("markers", "drop/inner/", b"");
        described(&cloud.sandbox("markers/drop"), &none).is("passed", &[]);
        described(&cloud.sandbox("markers"), &none).is("passed", &[]);
    }
}
