//! The values that paths select, and their text.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers outside of test functions may panic too")]

use candor_hl7v2::{Charset, Declared, Meaning, Path, messages};

/// The texts a path selects in the first message.
fn select(input: &[u8], path: &str) -> Vec<String> {
    let message = messages(input).next().unwrap().unwrap();
    let path = Path::parse(path).unwrap();
    path.select(&message)
        .map(|value| {
            assert_eq!(&input[value.span()], value.raw());
            value.text().text.into_owned()
        })
        .collect()
}

/// PID-5 as given, through a path.
fn pid5(field: &str, path: &str) -> Vec<String> {
    select(format!("MSH|^~\\&|A\rPID|||||{field}\rPV1|1").as_bytes(), path)
}

const ORU: &[u8] = b"MSH|^~\\&|LAB|H1|EHR|H2|20261120||ORU^R01^ORU_R01|42|P|2.5.1\r\
PID|1||77^^^H^MR~123-45^^^SSA^SS||Smith&Jr^John\r\
OBR|1\rOBX|1|NM|2345-7^Glucose^LN||95|mg/dL|||||F\rNTE|1||fasting\r\
OBX|2|NM|2160-0^Creatinine^LN~CR^^L||1.1|mg/dL|||||F\rOBX|3|NM|2345-7^Glucose^LN||99~98|mg/dL|||||C\r";

#[test]
fn msh_counts_its_separator() {
    assert_eq!(select(ORU, "MSH.1"), ["|"]);
    assert_eq!(select(ORU, "MSH.2"), ["^~\\&"]);
    assert_eq!(select(ORU, "MSH.2.1.1"), ["^~\\&"]);
    assert_eq!(select(ORU, "MSH.3"), ["LAB"]);
    assert_eq!(select(ORU, "MSH.9.2"), ["R01"]);
    assert_eq!(select(ORU, "MSH.12"), ["2.5.1"]);
    assert_eq!(select(ORU, "MSH.13"), [""; 0]);
    let custom = b"MSH#*!?%#A\rPID#5?F?%\r";
    assert_eq!(select(custom, "MSH-1"), ["#"]);
    assert_eq!(select(custom, "MSH-2"), ["*!?%"]);
    assert_eq!(select(custom, "MSH-2[*]"), ["*!?%"]);
    assert_eq!(select(custom, "PID.1.1.1"), ["5#"]);
}

#[test]
fn segments_fields_and_repetitions() {
    assert_eq!(select(ORU, "PID.3"), ["77^^^H^MR"]);
    assert_eq!(select(ORU, "PID.3.1"), ["77"]);
    assert_eq!(select(ORU, "PID.3[2].1"), ["123-45"]);
    assert_eq!(select(ORU, "PID.3[3].1"), [""; 0]);
    assert_eq!(select(ORU, "PID.3[*].5"), ["MR", "SS"]);
    assert_eq!(select(ORU, "PID.5.1.2"), ["Jr"]);
    assert_eq!(select(ORU, "OBX.5"), ["95"]);
    assert_eq!(select(ORU, "OBX[3].5"), ["99"]);
    assert_eq!(select(ORU, "OBX[*].5"), ["95", "1.1", "99"]);
    assert_eq!(select(ORU, "OBX[*].5[*]"), ["95", "1.1", "99", "98"]);
    assert_eq!(select(ORU, "OBX[4].5"), [""; 0]);
    assert_eq!(select(ORU, "NTE"), ["NTE|1||fasting"]);
    assert_eq!(select(ORU, "ZZZ"), [""; 0]);
}

#[test]
fn conditions_select_segments() {
    assert_eq!(select(ORU, "OBX[3.1=2345-7].5"), ["95", "99"]);
    assert_eq!(select(ORU, "OBX[3.1=2345-7][11=C].5"), ["99"]);
    assert_eq!(select(ORU, "OBX[3.1=CR].5"), ["1.1"], "any repetition");
    assert_eq!(select(ORU, "OBX[3=2345-7].5"), [""; 0], "a field above its leaf is compared as it stands");
    assert_eq!(select(ORU, "OBX[3=2345-7^Glucose^LN].1"), ["1", "3"]);
    assert_eq!(select(ORU, "PID[3.5=SS].3[*].1"), ["77", "123-45"]);
    assert_eq!(select(ORU, "OBX[5=98].1"), ["3"]);
    assert_eq!(select(ORU, "MSH[9.1=ORU].10"), ["42"]);
    let escaped = b"MSH|^~\\&|A\rOBX|1|ST|A\\T\\B||x\r";
    assert_eq!(select(escaped, "OBX[3.1=A&B].5"), ["x"]);
    assert_eq!(select(escaped, "OBX[3.1=A\\T\\B].5"), [""; 0]);
}

#[test]
fn a_field_with_one_component_is_its_own_component() {
    for path in ["PID.5", "PID.5.1", "PID.5.1.1"] {
        assert_eq!(pid5("O\\T\\Neil", path), ["O&Neil"]);
    }
    assert_eq!(pid5("Smith", "PID.5.2"), [""; 0]);
    assert_eq!(pid5("Smith", "PID.5.1.2"), [""; 0]);
    assert_eq!(pid5("Smith&Jr^John", "PID.5.1"), ["Smith&Jr"]);
    assert_eq!(pid5("Smith&Jr^John", "PID.5.1.1"), ["Smith"]);
}

#[test]
fn above_the_leaf_text_stands_as_it_is() {
    assert_eq!(pid5("O\\T\\N^J\\S\\", "PID.5"), ["O\\T\\N^J\\S\\"]);
    assert_eq!(pid5("O\\T\\N&B^J", "PID.5.1"), ["O\\T\\N&B"]);
    assert_eq!(pid5("O\\T\\N&B^J", "PID.5.1.1"), ["O&N"]);
    assert_eq!(pid5("O\\T\\N", "PID"), ["PID|||||O\\T\\N"]);
}

#[test]
fn empty_is_absent_and_null_is_a_value() {
    for field in ["", "^", "^^", "&", "^&"] {
        for path in ["PID.5", "PID.5.1", "PID.5.1.1", "PID.5[*]"] {
            assert_eq!(pid5(field, path), [""; 0], "{field} {path}");
        }
    }
    assert_eq!(pid5("\"\"", "PID.5"), ["\"\""]);
    assert_eq!(pid5("\"\"", "PID.5.1"), ["\"\""]);
    assert_eq!(pid5("\"\"^x", "PID.5.1"), ["\"\""]);
    assert_eq!(pid5("^^\"\"", "PID.5.3"), ["\"\""]);
    assert_eq!(pid5("~x", "PID.5"), [""; 0], "the first repetition is empty");
    assert_eq!(pid5("~x~^~y", "PID.5[*]"), ["x", "y"]);
    assert_eq!(pid5(" ", "PID.5"), [" "]);
    assert_eq!(pid5("x", "PID.6"), [""; 0]);
    assert_eq!(pid5("x", "PID.4000000000"), [""; 0]);
    assert_eq!(pid5("x", "PID.5[4000000000]"), [""; 0]);
}

#[test]
fn escapes_are_decoded_once() {
    for (raw, text) in [
        ("\\F\\", "|"),
        ("\\S\\", "^"),
        ("\\T\\", "&"),
        ("\\R\\", "~"),
        ("\\E\\", "\\"),
        ("a\\E\\", "a\\"),
        ("\\E\\F\\E\\", "\\F\\"),
        ("\\.br\\\\.br\\", "\n\n"),
        ("a\\.br\\b", "a\nb"),
        ("\\X41\\", "A"),
        ("\\X0D0A\\", "\r\n"),
        ("\\X4a4B\\", "JK"),
        ("\\X00d\\", "\\X00d\\"),
        ("\\X\\", "\\X\\"),
        ("\\XZZ\\", "\\XZZ\\"),
        ("\\H\\b\\N\\", "\\H\\b\\N\\"),
        ("\\Z1\\", "\\Z1\\"),
        ("\\.sp3\\", "\\.sp3\\"),
        ("\\C2842\\", "\\C2842\\"),
        ("\\f\\", "\\f\\"),
        ("\\P\\", "\\P\\"),
        ("\\", "\\"),
        ("C:\\temp", "C:\\temp"),
        ("C:\\a\\b\\c", "C:\\a\\b\\c"),
        ("\\\\", "\\\\"),
        ("a\\T", "a\\T"),
        ("\\Q\\\\T\\", "\\Q\\&"),
    ] {
        assert_eq!(pid5(raw, "PID.5.1"), [text], "{raw}");
    }
}

#[test]
fn escapes_that_stay_are_named() {
    use Meaning::{Formatting, Local, MultiByteSet, NormalText, SingleByteSet, StartHighlighting, Undeclared, Unknown};
    let input = br"MSH|^~\&|A
PID|||||\H\b\N\\T\\.sp3\\.br\\C2842\\M2442\\M242829\\Z1\\P\\Q\\X0\\C28\";
    let message = candor_hl7v2::messages(input).next().unwrap().unwrap();
    let path = candor_hl7v2::Path::parse("PID.5").unwrap();
    let kept = path.select(&message).next().unwrap().kept_escapes();
    let named: Vec<_> = kept.iter().map(|kept| (std::str::from_utf8(kept.sequence).unwrap(), kept.meaning)).collect();
    let expected = [
        ("H", StartHighlighting),
        ("N", NormalText),
        (".sp3", Formatting),
        ("C2842", SingleByteSet),
        ("M2442", MultiByteSet),
        ("M242829", MultiByteSet),
        ("Z1", Local),
        ("P", Undeclared),
        ("Q", Unknown),
        ("X0", Unknown),
        ("C28", Unknown),
    ];
    assert_eq!(named, expected);
    assert!(kept.iter().all(|kept| !kept.meaning.words().is_empty()));
}

#[test]
fn what_a_message_does_not_declare_does_not_exist() {
    let no_escape = b"MSH|^~|A\rPID|||1~2||a\\T\\b&c\r";
    assert_eq!(select(no_escape, "PID.5.1"), ["a\\T\\b&c"]);
    assert_eq!(select(no_escape, "PID.5.1.1"), ["a\\T\\b&c"]);
    assert_eq!(select(no_escape, "PID.5.1.2"), [""; 0]);
    assert_eq!(select(no_escape, "PID.3[2]"), ["2"]);
    let component_only = b"MSH|^|A\rPID|||1~2^x\r";
    assert_eq!(select(component_only, "PID.3[*].1"), ["1~2"]);
    let no_subcomponent = b"MSH|^~\\|A\rPID|||a\\T\\b\\S\\\r";
    assert_eq!(select(no_subcomponent, "PID.3"), ["a\\T\\b^"]);
    let truncation = b"MSH|^~\\&#|A\rPID|||a\\P\\b#\r";
    assert_eq!(select(truncation, "PID.3"), ["a#b#"]);
    assert_eq!(select(truncation, "MSH.2"), ["^~\\&#"]);
}

/// PID-5 as text and whether something was replaced, with MSH-18 as given.
fn charset(label: &str, field: &[u8]) -> (String, bool) {
    let mut input = format!("MSH|^~\\&|A|||||||||||||||{label}\rPID|||||").into_bytes();
    input.extend_from_slice(field);
    let message = messages(&input).next().unwrap().unwrap();
    let path = Path::parse("PID.5.1").unwrap();
    let decoded = path.select(&message).next().unwrap().text();
    (decoded.text.into_owned(), decoded.replaced)
}

fn is(text: &str) -> (String, bool) {
    (text.to_owned(), false)
}

#[test]
fn character_sets() {
    assert_eq!(charset("", "Zoë".as_bytes()), is("Zoë"));
    assert_eq!(charset("", b"Zo\xEB"), is("Zoë"));
    assert_eq!(charset("", b"\x80"), is("\u{80}"));
    for label in ["UNICODE UTF-8", "UNICODE", "utf-8", "UNICODE UTF-8~8859/1"] {
        assert_eq!(charset(label, "Zoë".as_bytes()), is("Zoë"), "{label}");
        assert_eq!(charset(label, b"Zo\xEB!"), ("Zo\u{FFFD}!".to_owned(), true), "{label}");
    }
    assert_eq!(charset("ASCII", b"Zo\xEB"), ("Zo\u{FFFD}".to_owned(), true));
    assert_eq!(charset("8859/1", b"Zo\xEB\x80"), is("Zoë\u{80}"));
    assert_eq!(charset("8859/1", "ë".as_bytes()), is("Ã«"), "a wrong label is taken at its word");
    assert_eq!(charset("8859/2", b"\xA3"), is("Ł"));
    assert_eq!(charset("8859/5", b"\xB0"), is("А"));
    assert_eq!(charset("8859/9", b"\xFD\x80"), is("ı\u{80}"));
    assert_eq!(charset("8859/15", b"\xA4"), is("€"));
    assert_eq!(charset("8859/7", b"\xFF"), ("\u{FFFD}".to_owned(), true));
    assert_eq!(charset("KS X 1001", b"\xB1\xE8"), is("김"));
    assert_eq!(charset("KLINGON", "Zoë".as_bytes()), is("Zoë"));
    assert_eq!(charset("~UNICODE UTF-8", b"Zo\xEB"), is("Zoë"));
}

#[test]
fn hexadecimal_escapes_are_bytes_of_the_character_set() {
    assert_eq!(charset("8859/1", b"\\XE9\\"), is("é"));
    assert_eq!(charset("8859/2", b"\\XA3\\"), is("Ł"));
    assert_eq!(charset("UNICODE UTF-8", b"\\XC3A9\\"), is("é"));
    assert_eq!(charset("UNICODE UTF-8", b"\\XC3\\\\XA9\\"), is("é"));
    assert_eq!(charset("UNICODE UTF-8", b"\\XE9\\"), ("\u{FFFD}".to_owned(), true));
    assert_eq!(charset("", b"\\XE9\\"), is("é"), "nothing says what it is but itself");
    assert_eq!(charset("", b"\\XC3A9\\"), is("é"));
    assert_eq!(charset("", "ë\\XE9\\".as_bytes()), ("ë\u{FFFD}".to_owned(), true));
}

#[test]
fn the_character_set_can_be_asked_for() {
    let of = |label: &str| {
        let input = format!("MSH|^~\\&|A|||||||||||||||{label}\r").into_bytes();
        messages(&input).next().unwrap().unwrap().charset()
    };
    assert_eq!(of(""), Declared::Nothing(Charset::Utf8));
    assert_eq!(of("ASCII"), Declared::Known(Charset::Ascii));
    assert_eq!(of("8859/1"), Declared::Known(Charset::Latin1));
    assert_eq!(of("8859/12"), Declared::Unknown(Charset::Utf8));
}

#[test]
fn the_tree_is_what_paths_select() {
    let message = messages(ORU).next().unwrap().unwrap();
    let pid = message.segments().find(|segment| segment.id() == *b"PID").unwrap();
    let field = pid.field(3).unwrap();
    let components: Vec<Vec<&[u8]>> = field
        .repetitions()
        .map(|repetition| repetition.components(message.delimiters()).map(|c| c.raw()).collect())
        .collect();
    assert_eq!(components[1], [&b"123-45"[..], b"", b"", b"SSA", b"SS"]);
    let name = pid.field(5).unwrap().repetitions().next().unwrap();
    let family = name.components(message.delimiters()).next().unwrap();
    assert_eq!(family.subcomponents(message.delimiters()).map(|s| s.raw()).collect::<Vec<_>>(), [b"Smith", &b"Jr"[..]]);
    let msh = message.segments().next().unwrap();
    assert_eq!(msh.fields().count(), 12);
    assert!(msh.field(2).unwrap().is_opaque() && !msh.field(3).unwrap().is_opaque());
    for segment in message.segments() {
        for (at, field) in segment.fields().enumerate() {
            assert_eq!(segment.field(at as u32 + 1).unwrap().piece(), field.piece());
        }
    }
}
