//! Silence is not absence: what is damaged, of a wrong type or written several times proves nothing that it does not say.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::io::Write as _;

use candor_check::{CheckType, PartType, Sandbox, Status};
use candor_json::{Value, json};

const FHIR: (CheckType, PartType) = (candor_fhir_resource_state::CHECK, candor_fhir_resource_state::PART);
const PORTAL: (CheckType, PartType) = (candor_portal_state_match::CHECK, candor_portal_state_match::PART);
const FILES: (CheckType, PartType) = (candor_sftp_file_present::CHECK, candor_sftp_file_present::PART);
const HL7: (CheckType, PartType) = (candor_hl7_structural::CHECK, candor_hl7_structural::PART);
const X12: (CheckType, PartType) = (candor_x12_response::CHECK, candor_x12_response::PART);

/// The status of an assertion over files in memory, and its details.
fn judged((check, part): (CheckType, PartType), files: &[(String, Vec<u8>)], mut assertion: Value) -> (Status, String) {
    let mut sandbox = Sandbox::builder().folder(part.name()).build(&[part]).unwrap();
    for (path, bytes) in files {
        sandbox = sandbox.with_file(path, bytes.as_slice());
    }
    assertion["assert"] = json!(check.meta().assert);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let evidence = runtime.block_on(check.run(assertion, &sandbox));
    (evidence.status(), evidence.details().to_owned())
}

fn fhir(files: &[(String, String)], assertion: Value) -> (Status, String) {
    let files: Vec<_> = files.iter().map(|(name, text)| (format!("fhir/{name}"), text.clone().into_bytes())).collect();
    judged(FHIR, &files, assertion)
}

fn resource(resource: &Value) -> Vec<(String, String)> {
    vec![("r.json".to_owned(), resource.to_string())]
}

/// For each kind of search, an element whose value is of another type: no search says that the resource is not there. A
/// string or a boolean is read as a code, a string as a reference.
#[test]
fn an_ill_typed_value_is_no_absence() {
    let wrong = [json!(5), json!(true), json!("?"), json!([[]]), json!([5]), json!([{}, 7])];
    let (of_codes, none) = (&["true", "\"?\""] as &[&str], &[] as &[&str]);
    for (of, element, parameter, searched, read) in [
        ("Patient", "birthDate", "birthdate", "2026", none),
        ("Encounter", "period", "date", "2026", none),
        ("Observation", "code", "code", "abc", of_codes),
        ("Observation", "status", "status", "final", of_codes),
        ("Patient", "identifier", "identifier", "abc", of_codes),
        ("Patient", "active", "active", "false", of_codes),
        ("Patient", "name", "family", "smith", none),
        ("Observation", "subject", "subject", "Patient/1", &["\"?\""]),
        ("Observation", "valueQuantity", "value-quantity", "6", &["5", "[5]", "[{},7]"]),
        ("MolecularSequence", "variant", "variant-start", "5", none),
        ("ValueSet", "url", "url", "http://a.example/x", &["\"?\""]),
        ("Observation", "code", "code-value-quantity", "abc$6", of_codes),
    ] {
        for value in wrong.iter().filter(|value| !read.contains(&value.to_string().as_str())) {
            let mut made = json!({"resourceType": of, "id": "1", "valueQuantity": {"value": 6}});
            made[element] = value.clone();
            let mut search = json!({});
            search[parameter] = json!(searched);
            let asserted = json!({"resource_type": of, "search": search, "count": 0});
            let (status, details) = fhir(&resource(&made), asserted.clone());
            assert_eq!(status, Status::Unverifiable, "{made} by {parameter}: {details}");
            assert!(details.contains("not of its element's type"), "{details}");
            // What another condition excludes is not there, whatever this one says.
            let mut other = asserted;
            other["search"]["_lastUpdated"] = json!("2020");
            let (status, details) = fhir(&resource(&made), other);
            assert_eq!(status, Status::Passed, "{made} by {parameter}: {details}");
        }
    }
    // Within an element, too: an identifier whose value is a number is frequent.
    for (made, search) in [
        (json!({"resourceType": "Patient", "identifier": [{"value": 12345}]}), json!({"identifier": "12345"})),
        (json!({"resourceType": "Encounter", "period": {"start": "soon"}}), json!({"date": "2026"})),
        (json!({"resourceType": "Patient", "name": [{"given": [7]}]}), json!({"given": "x"})),
        (json!({"resourceType": "Observation", "subject": {"reference": 1}}), json!({"subject:Patient.name": "x"})),
    ] {
        let asserted = json!({"resource_type": made["resourceType"], "search": search, "count": 0});
        let (status, details) = fhir(&resource(&made), asserted);
        assert_eq!(status, Status::Unverifiable, "{made}: {details}");
    }
}

/// Letters that fold to several, or by no simple rule: a search and a field agree on what is the same.
#[test]
fn a_search_and_a_field_fold_letters_alike() {
    for (one, other, same) in [
        ("Straße", "STRASSE", true),
        ("Strasse", "Straße", true),
        ("ﬁnn", "FINN", true),
        ("ΟΔΟΣ", "οδος", true),
        ("οδος", "οδοσ", true),
        ("Zoë", "ZOE", true),
        ("Åse", "ase", true),
        ("e\u{301}va", "Éva", true),
        ("Ǆon", "ǆon", true),
        ("Oslo", "Øslo", false),
        ("Müller", "Mueller", false),
        ("ıx", "Kx", false),
    ] {
        // A text search finds beginnings: one more letter makes it the whole.
        let made = json!({"resourceType": "Patient", "id": "1", "name": [{"family": format!("{one}z")}]});
        let searched = json!({"resource_type": "Patient", "search": {"family": format!("{other}z")}});
        let field = json!({"path": "name.0.family", "expected": format!("{other}z"), "using": ["case", "accents"]});
        let field = json!({"resource_type": "Patient", "fields": [field]});
        let passes = |assertion: Value| fhir(&resource(&made), assertion).0 == Status::Passed;
        assert_eq!((passes(searched), passes(field)), (same, same), "{one} and {other}");
    }
}

fn version(resource: &Value, number: u32) -> Value {
    let mut resource = resource.clone();
    resource["meta"] = json!({"versionId": number.to_string(), "lastUpdated": format!("2026-11-0{number}T10:00:00Z")});
    resource
}

fn entry(resource: &Value) -> Value {
    let url = format!("{}/{}", resource["resourceType"].as_str().unwrap(), resource["id"].as_str().unwrap());
    json!({"resource": resource, "request": {"method": "PUT", "url": url},
           "response": {"status": "200", "etag": format!("W/\"{}\"", resource["meta"]["versionId"].as_str().unwrap()),
                        "lastModified": resource["meta"]["lastUpdated"]}})
}

fn bundle(of: &str, entries: &[Value]) -> String {
    json!({"resourceType": "Bundle", "type": of, "entry": entries}).to_string()
}

fn lines(resources: &[&Value]) -> String {
    resources.iter().map(|resource| format!("{resource}\n")).collect()
}

fn orders<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..items.len() {
        let mut rest = items.to_vec();
        let first = rest.remove(at);
        all.extend(orders(&rest).into_iter().map(|others| [vec![first.clone()], others].concat()));
    }
    all
}

/// A history in every way in which files hold it: the latest version counts, in any order of the files.
#[test]
fn one_history_has_one_answer_however_it_is_written() {
    let patient =
        |gender: &str, number| version(&json!({"resourceType": "Patient", "id": "p", "gender": gender}), number);
    let (p1, p2) = (patient("male", 1), patient("female", 2));
    let task = version(&json!({"resourceType": "Task", "id": "t", "status": "ready", "intent": "order"}), 1);
    let deletion = json!({"request": {"method": "DELETE", "url": "Task/t"},
        "response": {"status": "204", "etag": "W/\"2\"", "lastModified": "2026-11-02T10:00:00Z"}});
    let gone = json!({"fullUrl": "https://a.example/fhir/Task/t", "request": {"method": "DELETE", "url": "https://a.example/fhir/Task/t"},
        "response": {"status": "204 No Content", "etag": "W/\"2\"", "lastModified": "2026-11-02T11:00:00+01:00"}});
    let bare = |resource: &Value| json!({"resource": resource});
    let history = |entries: &[Value]| ("json", bundle("history", entries));
    let layouts: Vec<(&str, Vec<(&str, String)>)> = vec![
        ("one history", vec![history(&[entry(&p1), entry(&p2), entry(&task), deletion.clone()])]),
        ("the newest first", vec![history(&[deletion.clone(), entry(&task), entry(&p2), entry(&p1)])]),
        ("another form of the deletion", vec![history(&[entry(&p1), entry(&p2), entry(&task), gone.clone()])]),
        (
            "a history each",
            vec![
                history(&[entry(&p1)]),
                history(&[entry(&p2)]),
                history(&[entry(&task)]),
                history(std::slice::from_ref(&deletion)),
            ],
        ),
        (
            "lines, and a history of the deletion",
            vec![("ndjson", lines(&[&p2, &task, &p1])), history(std::slice::from_ref(&deletion))],
        ),
        (
            "a file each",
            vec![("json", p1.to_string()), ("json", p2.to_string()), ("json", task.to_string()), history(&[gone])],
        ),
        (
            "a collection",
            vec![
                ("json", bundle("collection", &[bare(&p1), bare(&p2), bare(&task)])),
                history(std::slice::from_ref(&deletion)),
            ],
        ),
        (
            "a page of a search",
            vec![
                ("json", bundle("searchset", &[bare(&p2)])),
                ("ndjson", lines(&[&p1, &task])),
                history(std::slice::from_ref(&deletion)),
            ],
        ),
        (
            "copies of all",
            vec![
                history(&[entry(&p1), entry(&p2), entry(&task), deletion.clone()]),
                history(&[entry(&p2), deletion.clone(), entry(&task)]),
                ("ndjson", lines(&[&p1, &p2, &p2, &task])),
            ],
        ),
    ];
    for (name, layout) in layouts {
        for order in orders(&layout) {
            let numbered = order.into_iter().enumerate();
            let files: Vec<_> = numbered.map(|(at, (kind, text))| (format!("{at}.{kind}"), text)).collect();
            for asserted in [
                json!({"resource_type": "Patient", "search": {"_id": "p"}, "count": 1, "fields": [{"path": "gender", "expected": "female"}]}),
                json!({"resource_type": "Patient", "search": {"gender": "male"}, "count": 0}),
                json!({"resource_type": "Task", "count": 0}),
            ] {
                let (status, details) = fhir(&files, asserted.clone());
                assert_eq!(status, Status::Passed, "{name}: {asserted}: {details}");
            }
        }
    }
}

const ROWS: usize = 400;

/// Rows of which none is bad, as CSV or as NDJSON.
fn rows(format: &str) -> String {
    let header = if format == "csv" { "id,state\n" } else { "" };
    let row = |n: usize| match format {
        "csv" => format!("{n},good\n"),
        _ => format!("{{\"id\": {n}, \"state\": \"good\"}}\n"),
    };
    header.to_owned() + &(1..=ROWS).map(row).collect::<String>()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// Damages of a file that may have taken away the row, or the sentence, that is asserted not to be there.
fn damages(whole: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let middle = whole.len() / 2;
    let (start, end) = whole.split_at(middle);
    vec![
        ("cut", start.to_vec()),
        ("hole", [start, &[0; 4096], end.get(4096.min(end.len() / 2)..).unwrap()].concat()),
        ("NULs at the end", [start, &[0; 4096]].concat()),
        ("rubbish behind the end", [whole, b"\x00\xff\xfe\x80!".as_slice()].concat()),
    ]
}

/// A damaged file passes no assertion of absence: as a file that was dropped and as a table of a portal alike.
#[test]
fn a_damaged_file_proves_no_absence() {
    for format in ["csv", "ndjson"] {
        let absent = || {
            let none = json!({"path": "state", "op": "notEquals", "expected": "bad", "quantifier": "all"});
            [
                (
                    PORTAL,
                    format!("portal/claims.{format}"),
                    json!({"correlate_by": {"resource": "claims", "key": "state", "value": "bad"}, "count": 0}),
                ),
                (
                    FILES,
                    format!("files/claims.{format}"),
                    json!({"path": format!("claims.{format}"), "fields": [none]}),
                ),
            ]
        };
        let whole = rows(format);
        for (of, path, assertion) in absent() {
            let (status, details) = judged(of, &[(path, whole.clone().into_bytes())], assertion);
            assert_eq!(status, Status::Passed, "whole {format}: {details}");
        }
        for (damage, bytes) in damages(whole.as_bytes()) {
            // Nothing ends a CSV file.
            for (of, path, assertion) in absent().into_iter().filter(|_| (format, damage) != ("csv", "cut")) {
                let (status, details) = judged(of, &[(path.clone(), bytes.clone())], assertion);
                assert_ne!(status, Status::Passed, "{damage} of {path}: {details}");
            }
        }
    }
    for (name, whole) in
        [("letter.txt", "All is well.\n".repeat(900).into_bytes()), ("claims.csv.gz", packed(rows("csv").as_bytes()))]
    {
        let assertion = match name {
            "letter.txt" => {
                json!({"path": name, "fields": [{"path": "$text", "op": "notContains", "expected": "rejected"}]})
            }
            _ => {
                json!({"path": name, "fields": [{"path": "state", "op": "notEquals", "expected": "bad", "quantifier": "all"}]})
            }
        };
        let (status, details) = judged(FILES, &[(format!("files/{name}"), whole.clone())], assertion.clone());
        assert_eq!(status, Status::Passed, "whole {name}: {details}");
        for (damage, bytes) in damages(&whole) {
            // A text has no sign of its end.
            if (name, damage) == ("letter.txt", "cut") {
                continue;
            }
            let (status, details) = judged(FILES, &[(format!("files/{name}"), bytes)], assertion.clone());
            assert_ne!(status, Status::Passed, "{damage} of {name}: {details}");
        }
    }
}

/// A file that is there twice in one: a second header is not a row, and proves no absence.
#[test]
fn a_file_written_twice_into_one_is_found() {
    let twice = rows("csv").repeat(2);
    let portal = json!({"correlate_by": {"resource": "claims", "key": "state", "value": "bad"}, "count": 0});
    let none = json!({"path": "state", "op": "notEquals", "expected": "bad", "quantifier": "all"});
    let dropped = json!({"path": "claims.csv", "fields": [none]});
    let of = |of, path: &str, assertion| judged(of, &[(path.to_owned(), twice.clone().into_bytes())], assertion).0;
    assert_ne!(of(PORTAL, "portal/claims.csv", portal), Status::Passed);
    assert_ne!(of(FILES, "files/claims.csv", dropped), Status::Passed);
}

/// The names under which twenty tools write a file until it is whole. The page of `sftp-file-present` has the rule.
#[test]
fn an_unfinished_file_is_known_by_its_name() {
    for (tool, name) in [
        ("FileZilla, WinSCP", "claims.csv.filepart"),
        ("Firefox, lftp, scp wrappers", "claims.csv.part"),
        ("rclone", "claims.csv.2f4a1b6c.partial"),
        ("Mirth Connect", "claims.csv.tmp"),
        ("rsync", ".claims.csv.Xy12Zw"),
        ("vsftpd, proftpd HiddenStores", ".in.claims.csv."),
        ("Chrome", "claims.csv.crdownload"),
        ("Safari", "claims.csv.download"),
        ("uTorrent", "claims.csv.!ut"),
        ("emacs, vim", "claims.csv~"),
        ("Cyberduck", "claims.csv.cyberduckpart"),
        ("Total Commander", "claims.csv.tc!"),
        ("MOVEit", "claims.csv.uploading"),
        ("Globus, generic", "claims.csv.inprogress"),
        ("aria2", "claims.csv.aria2"),
        ("syncthing", ".syncthing.claims.csv.tmp"),
        ("Dropbox, generic", "claims.csv.incomplete"),
        ("Hadoop, Camel", "claims.csv._COPYING_"),
        ("Camel tempPrefix", "inprogress-claims.csv"),
        ("generic", "claims.csv.temp"),
    ] {
        let whole = b"id,state\n1,good\n".to_vec();
        let files = [("files/claims.csv".to_owned(), whole.clone()), (format!("files/{name}"), whole)];
        let asserted = json!({"path": "claims.csv", "no_partials": true});
        assert_eq!(judged(FILES, &files[..1], asserted.clone()).0, Status::Passed);
        let (status, details) = judged(FILES, &files, asserted);
        assert_eq!(status, Status::Failed, "{tool}: {name}: {details}");
        assert!(details.contains(name), "{tool}: {details}");
    }
}

/// A file that may hold records and is in no form that is read proves no absence, whatever it is called.
#[test]
fn a_packed_file_is_no_absence() {
    let names = "a.gz a.tgz A.ZIP a.tar d/a.bz2 a.xz a.zst a.7z a.rar a.txt.Z a.hl7.gz a.edi.zst".split(' ');
    let packed = names.map(|name| (name, b"a".as_slice()));
    let begun: [(&str, &[u8]); 3] = [("a", b"\x1f\x8b"), ("a.dat", b"BZh91AY"), ("d/a.2026", b"7z\xbc\xaf\x27\x1c")];
    let packed: Vec<(&str, &[u8])> = packed.chain(begun).collect();
    let others = ["README.md", ".a.zip", "a.sha256", "a.pdf"];
    for (of, asserted) in [
        (HL7, json!({"count": 0})),
        (X12, json!({"transaction": "271", "count": 0})),
        (FHIR, json!({"resource_type": "Task", "count": 0})),
    ] {
        let part = of.1.name();
        let judged = |name: &str, bytes: &[u8]| {
            let file = (format!("{part}/{name}"), bytes.to_vec());
            self::judged(of, &[file], asserted.clone())
        };
        for (name, bytes) in &packed {
            let (status, details) = judged(name, bytes);
            assert_eq!(status, Status::Unverifiable, "{part}/{name}: {details}");
            assert!(details.contains(&format!("{part}/{name}: a packed file")), "{details}");
        }
        for name in others {
            let (status, details) = judged(name, b"BZ");
            assert_eq!(status, Status::Passed, "{part}/{name}: {details}");
        }
    }
}

/// A CSV file cut at every byte: where its last row shows the cut, nothing that depends on all rows can pass.
#[test]
fn a_row_that_breaks_off_is_no_end() {
    let text = "id,status,amount\n1,open,9.50\n2,\"on, hold\",7\n3,closed,1\n";
    for end in 17..text.len() {
        let cut = &text[..end];
        let last = cut.rsplit('\n').next().unwrap();
        let quoted = last.matches('"').count() == 1;
        let breaks_off = quoted || !last.is_empty() && last.replace("on, hold", "").matches(',').count() < 2;
        let file = |folder: &str| [(format!("{folder}/r.csv"), cut.as_bytes().to_vec())];
        for asserted in [
            json!({"correlate_by": {"resource": "r"}, "count": {"min": 0, "max": 9}}),
            json!({"correlate_by": {"resource": "r", "where": {"id": "7"}}, "count": 0}),
            json!({"correlate_by": {"resource": "r"}, "unique": ["id"]}),
        ] {
            let (status, details) = judged(PORTAL, &file("portal"), asserted.clone());
            // Without any row nothing can be unique.
            let passes = if end == 17 && asserted.get("unique").is_some() { Status::Failed } else { Status::Passed };
            let expected = if breaks_off { Status::Unverifiable } else { passes };
            assert_eq!(status, expected, "{cut:?} {asserted}: {details}");
        }
        for asserted in [
            json!({"path": "r.csv", "unique": {"rows": ["id"]}}),
            json!({"path": "r.csv", "fields": [{"path": "id", "op": "notContains", "quantifier": "all", "expected": "x", "absent": "pass"}]}),
        ] {
            let (status, details) = judged(FILES, &file("files"), asserted.clone());
            let expected = if breaks_off { Status::Failed } else { Status::Passed };
            assert_eq!(status, expected, "{cut:?} {asserted}: {details}");
            assert!(!breaks_off || details.contains("at byte"), "{details}");
        }
    }
}
