//! Pages of listings: no key is lost, whatever it holds, and no bytes break the reader.

#![cfg(feature = "cloud")]

use candor_sftp_file_present::sift_listing;
use proptest::prelude::*;

fn escaped(key: &str) -> String {
    let escape = |character: char| match character {
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '&' => "&amp;".to_owned(),
        // XML normalizes what ends a line unless it is written so.
        '\r' | '\n' => format!("&#{};", character as u32),
        other => other.to_string(),
    };
    key.chars().map(escape).collect()
}

fn s3(keys: &[(String, u8)]) -> String {
    let entry =
        |(key, size): &(String, u8)| format!("<Contents><Key>{}</Key><Size>{size}</Size></Contents>", escaped(key));
    let entries: String = keys.iter().map(entry).collect();
    format!("<ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>")
}

fn azure(keys: &[(String, u8)]) -> String {
    let entry = |(key, size): &(String, u8)| {
        let size = format!("<Properties><Content-Length>{size}</Content-Length></Properties>");
        format!("<Blob><Name>{}</Name>{size}</Blob>", escaped(key))
    };
    let entries: String = keys.iter().map(entry).collect();
    format!("<EnumerationResults><Blobs>{entries}</Blobs><NextMarker /></EnumerationResults>")
}

fn keys() -> impl Strategy<Value = Vec<(String, u8)>> {
    let key = prop_oneof![".{1,12}", "[a./ %]{1,8}", "[\\x01-\\x1f/a]{1,4}"];
    proptest::collection::vec((key, 0..3u8), 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(300)))]

    #[test]
    fn every_key_is_somewhere(keys in keys()) {
        for page in [s3(&keys), azure(&keys)] {
            let sifted = sift_listing(page.as_bytes()).unwrap();
            let mut expected = keys.iter();
            let (mut plain, mut odd) = (sifted.keys.iter(), sifted.odd.iter());
            let mut folders = 0;
            for (key, size) in expected.by_ref() {
                if key.ends_with('/') && *size == 0 {
                    folders += 1;
                } else if plain.as_slice().first() == Some(key) {
                    plain.next();
                } else {
                    prop_assert_eq!(odd.next().map(|(key, _)| key), Some(key));
                }
            }
            prop_assert!(plain.next().is_none() && odd.next().is_none());
            prop_assert_eq!(sifted.folders, folders);
            // What is left holds what can be asked for, and nothing else.
            let again = sift_listing(&sifted.rest).unwrap();
            prop_assert_eq!((&again.keys, again.odd.len(), again.folders), (&sifted.keys, 0, 0));
            prop_assert_eq!(&again.rest, &sifted.rest);
        }
    }

    #[test]
    fn a_page_that_is_cut_off_is_none(keys in keys(), at in any::<proptest::sample::Index>()) {
        for page in [s3(&keys), azure(&keys)] {
            prop_assert!(sift_listing(&page.as_bytes()[..at.index(page.len())]).is_err());
        }
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = sift_listing(&bytes);
        let inside = [b"<ListBucketResult><Contents><Key>".as_slice(), &bytes].concat();
        let _ = sift_listing(&inside);
    }
}

#[test]
fn keys_that_can_be_asked_for_and_keys_that_cannot() {
    let askable = ["a", "a/b", " a ", "a..", "...", "%2F", "é", "a\\b", "a:b"];
    let odd = ["/a", "a//b", "..", "a/./b", "a\u{1}", "a\n"];
    let all: Vec<(String, u8)> = askable.iter().chain(&odd).map(|key| ((*key).to_owned(), 1)).collect();
    let sifted = sift_listing(s3(&all).as_bytes()).unwrap();
    assert_eq!(sifted.keys, askable);
    assert_eq!(sifted.odd.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), odd);
}

#[test]
fn keys_of_one_entry_and_texts_in_pieces() {
    let twice = "<ListBucketResult><Contents><Key>a</Key><Key>b</Key></Contents></ListBucketResult>";
    assert_eq!(sift_listing(twice.as_bytes()).unwrap_err(), "an entry has two names");
    let none = "<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>";
    assert_eq!(sift_listing(none.as_bytes()).unwrap_err(), "an entry has no name");
    let pieces =
        "<ListBucketResult><Contents><Key>a<![CDATA[&]]>&amp;<!-- no -->&#x62;c</Key></Contents></ListBucketResult>";
    assert_eq!(sift_listing(pieces.as_bytes()).unwrap().keys, ["a&&bc"]);
}
