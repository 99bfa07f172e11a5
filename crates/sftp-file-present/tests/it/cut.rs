//! A file that breaks off never passes what the whole file decides otherwise. Where a format marks its end, every cut
//! shows; where it does not, every cut within a record.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use candor_check::{Sandbox, Status};
use candor_json::{Value, json};
use candor_sftp_file_present::{CHECK, Format, PART, Shape, read_content};
use proptest::prelude::*;

const HEADER: &str = "MSH|^~\\&|A|B|C|D|20260101||ADT^A01|1|P|2.5\r";
const ISA: &str = "ISA*00*          *00*          *ZZ*S              *ZZ*R              *261120*1000*^*00501*000000001*0*T*:~GS*HB*SS*RR*20261120*1000*1*X*005010X279A1~";

/// The outcome of an assertion over one file.
fn status(name: &str, bytes: &[u8], mut assertion: Value) -> Status {
    let sandbox = Sandbox::builder().build(&[PART]).unwrap().with_file(&format!("files/{name}"), bytes);
    assertion["assert"] = json!("sftp-file-present");
    assertion["path"] = json!(name);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(CHECK.run(assertion, &sandbox)).status()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: candor_test_size::cases(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn formats_that_close_show_every_cut(texts in prop::collection::vec("[a-z<&\"\\\\é ]{0,6}", 1..4), at in any::<prop::sample::Index>()) {
        let escaped = |text: &String| text.replace('&', "&amp;").replace('<', "&lt;");
        let items: String = texts.iter().map(|text| format!("<b c='1'>{}</b>", escaped(text))).collect();
        let sets: String = (1..=texts.len()).map(|n| format!("ST*271*{n:04}*005010X279A1~EB*1**30~SE*3*{n:04}~")).collect();
        for (format, whole) in [
            (Format::Json, json!({"texts": texts}).to_string()),
            (Format::Json, json!(texts).to_string()),
            (Format::Fhir, json!({"resourceType": "Basic", "texts": texts}).to_string()),
            (Format::Xml, format!("<?xml version='1.0'?><a>{items}</a>")),
            (Format::X12, format!("{ISA}{sets}GE*{}*1~IEA*1*000000001~", texts.len())),
        ] {
            prop_assert!(read_content(whole.as_bytes(), format, &Shape::default(), |_| ()).is_ok(), "{}", whole);
            let cut = at.index(whole.len());
            // Behind the start of IEA every set is there.
            if format == Format::X12 && whole.rfind("IEA").is_some_and(|end| cut > end) {
                continue;
            }
            let read = read_content(&whole.as_bytes()[..cut], format, &Shape::default(), |_| ());
            prop_assert!(read.is_err(), "{} of {}", cut, whole);
        }
    }

    #[test]
    fn a_row_shows_that_its_column_is_cut(
        rows in prop::collection::vec(("[a-c]{1,3}", "[a-c ,\n]{0,3}", "[a-c]{1,3}"), 1..5),
        at in any::<prop::sample::Index>(),
    ) {
        let start = "id,note,state\r\n".to_owned();
        let before: String = rows.iter().map(|(id, note, state)| format!("{id},\"{note}\",{state}\r\n")).collect();
        let (whole, last) = (format!("{start}{before}z,\"n\",bad\r\n"), start.len() + before.len());
        let field = json!({"fields": [{"path": "state", "op": "notEquals", "expected": "bad", "quantifier": "all"}]});
        prop_assert_eq!(status("a.csv", whole.as_bytes(), field.clone()), Status::Failed);
        // Behind `z,"n",` the cell has begun, and nothing says how it goes on.
        let cut = last + 1 + at.index("z,\"n\"".len());
        prop_assert_eq!(status("a.csv", &whole.as_bytes()[..cut], field), Status::Failed, "{} of {}", cut, whole);
    }

    #[test]
    fn a_record_shows_that_it_is_cut(number in 0..4usize, at in any::<prop::sample::Index>()) {
        let all = |path: &str| json!({"fields": [{"path": path, "op": "notEquals", "expected": "bad", "quantifier": "all"}]});
        let line = |text: &str| format!("{{\"a\": \"{text}\"}}\n");
        let message = |text: &str| format!("{HEADER}PID|1||{text}\r");
        let whole = format!("{}{}", line("good").repeat(number + 1), line("bad"));
        let cut = whole.len() - line("bad").len() + 1 + at.index(line("bad").len() - 2);
        prop_assert_eq!(status("a.ndjson", &whole.as_bytes()[..cut], all("a")), Status::Failed, "{} of {}", cut, whole);
        let whole = format!("{}{}", message("good").repeat(number + 1), message("bad"));
        // Within the header, up to the separator before its last field.
        let cut = whole.len() - message("bad").len() + 1 + at.index(HEADER.len() - "|2.5\r".len());
        prop_assert_eq!(status("a.hl7", &whole.as_bytes()[..cut], all("PID.3")), Status::Failed, "{} of {}", cut, whole);
    }

    #[test]
    fn nuls_never_stand_for_content(nuls in 513..3000usize, text in "[a-z,\n]{0,20}") {
        let bytes = [text.as_bytes(), &vec![0; nuls]].concat();
        for (name, path) in [("a.txt", "$text"), ("a.csv", "a"), ("a.hl7", "PID.3"), ("a.ndjson", "a")] {
            let field = json!({"fields": [{"path": path, "op": "notContains", "expected": "bad", "absent": "pass"}]});
            prop_assert_eq!(status(name, &bytes, field), Status::Failed, "{} {}", name, text);
        }
    }
}

#[cfg(feature = "pdf")]
mod letters {
    use std::path::Path;

    use candor_check_testkit::{FileSpec, fixtures, read_vectors};

    use super::*;

    const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/sftp-file-present");

    /// The PDFs of vectors that pass, in every form that producers write, and one that a producer wrote.
    fn letters() -> Vec<Vec<u8>> {
        let mut letters = vec![std::fs::read(fixtures().join("pdf-made/letter.pdf")).unwrap()];
        for (path, vector) in read_vectors(Path::new(FOLDER)) {
            let is_whole = [
                "pdf-whole",
                "pdf-update",
                "pdf-linearized",
                "pdf-linearized-with-streams",
                "pdf-cross-reference-stream",
            ];
            if path.ends_with("completeness.json")
                && is_whole.contains(&vector.id.as_str())
                && let Some(FileSpec::Content(bytes, _)) = vector.files.get("files/a.pdf")
            {
                letters.push(bytes.clone());
            }
        }
        assert_eq!(letters.len(), 6);
        letters
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: candor_test_size::cases(96), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_letter_shows_every_cut(which in 0..6usize, at in any::<prop::sample::Index>()) {
            let letters = letters();
            let letter = letters[which].trim_ascii_end();
            // What was updated was whole before.
            let earlier = (which == 2).then(|| letters[1].len());
            let cut = at.index(letter.len());
            prop_assume!(earlier.is_none_or(|earlier| cut > earlier || cut < earlier - 1));
            let field = json!([{"path": "$text", "op": "notContains", "expected": "REJECTED"}]);
            prop_assert_eq!(status("a.pdf", &letter[..cut], json!({"fields": field})), Status::Failed, "letter {} at {}", which, cut);
        }
    }
}
