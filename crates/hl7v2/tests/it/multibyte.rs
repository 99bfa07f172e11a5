//! Character sets whose characters may hold bytes that look like delimiters.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use candor_hl7v2::{Path, messages};

fn read(text: &[u8], path: &str) -> Vec<(String, bool)> {
    let message = messages(text).next().unwrap().unwrap();
    let path = Path::parse(path).unwrap();
    path.select(&message)
        .map(|value| {
            assert_eq!(&text[value.span()], value.raw());
            let decoded = value.text();
            (decoded.text.into_owned(), decoded.replaced)
        })
        .collect()
}

fn message(label: &str, name: &[u8]) -> Vec<u8> {
    let head = format!("MSH|^~\\&|A|B|C|D|2026||ADT^A01|1|P|2.5.1||||||{label}\rPID|1||7||");
    [head.as_bytes(), name, b"|next\r"].concat()
}

#[test]
fn characters_are_not_split() {
    // Second bytes 0x5C, 0x7C and others; an escape sequence behind a character that ends in 0x5C.
    let (japanese, ..) = encoding_rs::SHIFT_JIS.encode("表ポゾ^太\\T\\郎表\\T\\");
    let (chinese, ..) = encoding_rs::GB18030.encode("乞亅\u{1F600}^小\\T\\明");
    let (taiwan, ..) = encoding_rs::BIG5.encode("功許蓋^小\\T\\明");
    let (shifted, ..) = encoding_rs::ISO_2022_JP.encode("山田^太郎");
    for (label, name, family, given) in [
        ("SHIFT_JIS", &japanese, "表ポゾ", "太&郎表&"),
        ("GB 18030-2000", &chinese, "乞亅\u{1F600}", "小&明"),
        ("BIG-5", &taiwan, "功許蓋", "小&明"),
        ("~ISO IR87", &shifted, "山田", "太郎"),
        ("ISO IR87", &shifted, "山田", "太郎"),
    ] {
        let text = message(label, name);
        assert_eq!(read(&text, "PID.5.1"), [(family.to_owned(), false)], "{label}");
        assert_eq!(read(&text, "PID.5.2"), [(given.to_owned(), false)], "{label}");
        assert_eq!(read(&text, "PID.6"), [("next".to_owned(), false)], "{label}");
    }
    let (euc, ..) = encoding_rs::EUC_JP.encode("山田^太");
    assert_eq!(read(&message("EUC-JP", &euc), "PID.5.1"), [("山田".to_owned(), false)]);
}

#[test]
fn one_bad_byte_does_not_lose_the_message() {
    let cut = message("GB 18030-2000", b"a\x81 ");
    let name = read(&cut, "PID.5");
    assert!(name[0].1 && name[0].0.contains('\u{FFFD}'), "{name:?}");
    assert_eq!(read(&cut, "PID.3"), [("7".to_owned(), false)]);
}
