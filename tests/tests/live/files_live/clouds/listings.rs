//! Listings as servers of our own write them: paged, broken off, other than asked for.

use candor_json::{Value, json};
use candor_tests::http::{Break, Reply, Request, Server};

use super::grade::{Graded, described};
use super::{ALL, Cloud};

fn xml(text: impl Into<String>) -> Reply {
    Reply { status: 200, body: text.into().into_bytes(), ..Reply::default() }.with("Content-Type", "application/xml")
}

fn entry(key: &str) -> String {
    let meta = "<LastModified>2026-11-20T10:00:00.123Z</LastModified><ETag>\"e\"</ETag><Size>2</Size>";
    format!("<Contents><Key>{key}</Key>{meta}</Contents>")
}

fn blob(key: &str) -> String {
    let properties = "<Last-Modified>Fri, 20 Nov 2026 10:00:00 GMT</Last-Modified><Content-Length>2</Content-Length>\
        <Content-Type>text/plain</Content-Type><Etag>0x1</Etag>";
    format!("<Blob><Name>{key}</Name><Properties>{properties}</Properties></Blob>")
}

fn page(cloud: Cloud, keys: &[&str], next: Option<&str>) -> String {
    match cloud {
        Cloud::Azure => {
            let blobs: String = keys.iter().map(|key| blob(key)).collect();
            let next = next.unwrap_or_default();
            format!("<EnumerationResults><Blobs>{blobs}</Blobs><NextMarker>{next}</NextMarker></EnumerationResults>")
        }
        _ => {
            let entries: String = keys.iter().map(|key| entry(key)).collect();
            let next = next.map(|next| format!("<NextContinuationToken>{next}</NextContinuationToken>"));
            let (is_truncated, next) = (next.is_some(), next.unwrap_or_default());
            format!("<ListBucketResult><IsTruncated>{is_truncated}</IsTruncated>{entries}{next}</ListBucketResult>")
        }
    }
}

fn on(cloud: Cloud, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Graded {
    on_within("5m", cloud, answer)
}

fn on_within(timeout: &str, cloud: Cloud, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Graded {
    let server = Server::start(answer);
    let limits = format!("[limits]\ntimeout = \"{timeout}\"\n");
    described(&format!("{}{limits}", cloud.sandbox_at(&server.url, "b/drop")), &none())
}

fn none() -> Value {
    json!({"assert": "sftp-file-present", "path": "**/*.txt", "count": 0})
}

#[test]
fn every_page_is_read() {
    for cloud in ALL {
        let server = Server::start(move |request| {
            let is_second = request.target.contains("=t%3D1");
            let is_third = request.target.contains("=t%2F2");
            xml(match (is_second, is_third) {
                (false, false) => page(cloud, &["drop/a.txt"], Some("t=1")),
                (true, _) => page(cloud, &[], Some("t/2")),
                _ => page(cloud, &["drop/b.txt"], None),
            })
        });
        let two = json!({"assert": "sftp-file-present", "path": "*.txt", "count": 2});
        described(&cloud.sandbox_at(&server.url, "b/drop"), &two).is("passed", &[]);
        let requests = server.requests();
        assert_eq!(requests.len(), 3, "{cloud:?}");
        assert!(requests.iter().all(|request| request.target.contains("prefix=drop%2F")), "{requests:?}");
        // An empty credential counts as no credential.
        assert!(requests.iter().all(|request| request.header("authorization").is_empty()), "{requests:?}");
    }
}

#[test]
fn what_is_no_listing_is_not_an_empty_one() {
    for cloud in ALL {
        for (text, what) in [
            ("", "breaks off"),
            ("{\"kind\": \"storage#objects\"}", "breaks off"),
            ("<html><body>Log in</body></html>", "not a listing of a bucket"),
            ("<Error><Code>AccessDenied</Code></Error>", "not a listing of a bucket"),
            ("<ListBucketResult><Contents>", "breaks off"),
            ("<!DOCTYPE x [<!ENTITY a \"b\">]><ListBucketResult/>", "document type"),
            ("<ListBucketResult/><ListBucketResult/>", "follows its end"),
        ] {
            on(cloud, move |_| xml(text)).is("unverifiable source_malformed", &[what]);
        }
        let deep = "<a>".repeat(100_000);
        let deep = format!("<ListBucketResult>{deep}");
        on(cloud, move |_| xml(deep.clone())).is("unverifiable source_malformed", &["nested too deeply"]);
    }
    let html = |_: &Request| Reply { status: 200, body: vec![0xff; 100], ..Reply::default() };
    on(Cloud::S3, html).is("unverifiable source_malformed", &["not UTF-8"]);
}

#[test]
fn more_than_it_tells_how_to_get() {
    let first = "<ListBucketResult><IsTruncated>true</IsTruncated><NextMarker>x</NextMarker></ListBucketResult>";
    for cloud in [Cloud::S3, Cloud::Google] {
        on(cloud, move |_| xml(first)).is("unverifiable source_malformed", &["there is more, and not how to get it"]);
    }
}

#[test]
fn pages_that_lead_nowhere() {
    for cloud in ALL {
        on(cloud, move |_| xml(page(cloud, &[], Some("again")))).is("unverifiable source_malformed", &["a loop"]);
        let counted = std::sync::atomic::AtomicU32::new(0);
        let endless = on_within("5s", cloud, move |_| {
            let number = counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(2));
            xml(page(cloud, &[], Some(&format!("t{number}"))))
        });
        endless.is("unverifiable timeout", &[]);
    }
}

#[test]
fn keys_that_were_not_asked_for() {
    for cloud in ALL {
        on(cloud, move |_| xml(page(cloud, &["drop/a.json", "other/a.txt"], None)))
            .is("unverifiable source_malformed", &["keys that were not asked for"]);
    }
}

#[test]
fn names_that_xml_writes_in_its_own_way() {
    for cloud in ALL {
        let keys = ["drop/a&amp;b.txt", "drop/&#xe9;.txt", "drop/<![CDATA[<c>]]>.txt", "drop/ d .txt "];
        let server = Server::start(move |_| xml(page(cloud, &keys, None)));
        let graded =
            described(&cloud.sandbox_at(&server.url, "b/drop"), &json!({"assert": "sftp-file-present", "path": "*"}));
        graded.is("passed", &[]);
        let expected = json!([" d .txt ", "<c>.txt", "a&b.txt", "é.txt"]);
        assert_eq!(graded.evidence()["matchedPaths"], expected, "{cloud:?}");
        for key in
            ["drop/&#1;.txt", "drop/&unknown;.txt", "drop/../x.txt", "drop/a//.txt", "drop/./x.txt", "drop/x&#10;y"]
        {
            let odd = on(cloud, move |_| xml(page(cloud, &["drop/a.json", key], None)));
            odd.is("unverifiable source_unavailable", &["cannot be asked for"]);
        }
    }
    let name = "<EnumerationResults><Blobs>".to_owned()
        + &blob("drop/%EF%BF%BE.txt").replace("<Name>", "<Name Encoded=\"true\">")
        + "</Blobs><NextMarker/></EnumerationResults>";
    on(Cloud::Azure, move |_| xml(name.clone())).is("unverifiable source_unavailable", &["characters that XML cannot"]);
    let folder = "<EnumerationResults><Blobs>".to_owned()
        + &blob("drop/inner.txt").replace("<Etag>", "<ResourceType>directory</ResourceType><Etag>")
        + "</Blobs><NextMarker/></EnumerationResults>";
    on(Cloud::Azure, move |_| xml(folder.clone())).is("passed", &[]);
}

#[test]
fn a_listing_that_breaks_on_its_way() {
    for cloud in ALL {
        let whole = page(cloud, &["drop/a.json"], None);
        for breaks in [Break::After(60), Break::After(0), Break::Silent] {
            let reply = xml(whole.clone()).breaking(breaks);
            on(cloud, move |_| reply.clone()).is("unverifiable source_unavailable", &["broke off"]);
        }
    }
}
