//! Files of checksums.

use proptest::prelude::*;

use crate::hygiene::checksum_file::told;
use crate::hygiene::digests::Algorithm;

const A: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const B: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn every_way_of_writing_is_read() {
    let sha = |text: &str| told(text.as_bytes(), "claims.csv", Algorithm::Sha256);
    for text in [
        format!("{A}  claims.csv\n"),
        format!("{A} *claims.csv\r\n"),
        format!("{A} claims.csv"),
        A.to_uppercase(),
        format!("{A}  -\n"),
        format!("\u{feff}{A}  out/claims.csv\n"),
        format!("# made by cron\n\n{B}  other.csv\n{A}  claims.csv\n"),
        format!("SHA256 (claims.csv) = {A}\nMD5 (claims.csv) = d41d8cd98f00b204e9800998ecf8427e\n"),
        format!("SHA2-256 (out/claims.csv) = {A}"),
        format!("{A}  claims.csv\n{A}  claims.csv\n"),
    ] {
        assert_eq!(sha(&text), Ok(A.to_owned()), "{text}");
    }
    for (text, what) in [
        (String::new(), "holds no SHA-256 of claims.csv"),
        (format!("{A}  other.csv\n"), "holds no SHA-256 of claims.csv"),
        (format!("{A}\n{A}\n"), "holds no SHA-256"),
        (format!("{A}  claims.csv\n{B}  claims.csv\n"), "several"),
        ("d41d8cd98f00b204e9800998ecf8427e  claims.csv".to_owned(), "without a valid SHA-256"),
        (format!("{}  claims.csv", &A[1..]), "without a valid SHA-256"),
        ("done".to_owned(), "without a valid SHA-256"),
    ] {
        assert!(sha(&text).unwrap_err().contains(what), "{text}");
    }
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(A.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(told(&utf16, "x", Algorithm::Sha256), Ok(A.to_owned()));
    assert_eq!(told(format!("\\{A}  a\\\\b\\nc").as_bytes(), "b\nc", Algorithm::Sha256), Ok(A.to_owned()));
}

proptest! {
    #[test]
    fn never_panics(text in "[0-9a-f ()=*\\\\\nSHé]{0,90}") {
        let _ = told(text.as_bytes(), "a", Algorithm::Md5);
    }
}
