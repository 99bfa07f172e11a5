//! The beginnings and ends of messages, and the stretches that are not messages.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_hl7v2::{Enclosing, Ending, Header, Malformed, ParseError, Path, messages};

const MSH: &[u8] = b"MSH|^~\\&|A|B|C|D|20261120||ADT^A01|1|P|2.5.1";

/// MSH-10 of each message, or the defect and its offset.
fn read(input: &[u8]) -> Vec<Result<String, (usize, Malformed)>> {
    let id = Path::parse("MSH.10").unwrap();
    messages(input)
        .map(|item| match item {
            Ok(message) => Ok(id.select(&message).next().map_or(String::new(), |v| v.text().text.into_owned())),
            Err(ParseError { offset, kind, .. }) => Err((offset, kind)),
        })
        .collect()
}

fn ids(input: &[u8]) -> Vec<String> {
    read(input).into_iter().map(Result::unwrap).collect()
}

fn message(id: &str, end: &str) -> Vec<u8> {
    format!("MSH|^~\\&|A|B|C|D|20261120||ADT^A01|{id}|P|2.5.1{end}PID|1||{id}{end}").into_bytes()
}

#[test]
fn every_line_end_is_read() {
    for end in ["\r", "\n", "\r\n"] {
        let input = [message("1", end), message("2", end)].concat();
        assert_eq!(ids(&input), ["1", "2"], "{end:?}");
        for message in messages(&input) {
            assert_eq!(message.unwrap().segments().len(), 2);
        }
    }
    let mixed = [message("1", "\r"), b"\n\n  \r\r\n".to_vec(), message("2", "\r\n"), message("3", "\n")].concat();
    assert_eq!(ids(&mixed), ["1", "2", "3"]);
}

#[test]
fn the_last_segment_needs_no_end() {
    let input = [MSH, b"\rPID|1"].concat();
    let message = messages(&input).next().unwrap().unwrap();
    assert!(!message.is_terminated());
    assert_eq!(message.raw(), input);
    let input = [MSH, b"\rPID|1\r"].concat();
    assert!(messages(&input).next().unwrap().unwrap().is_terminated());
}

#[test]
fn blank_lines_inside_a_message_are_skipped() {
    let input = b"MSH|^~\\&|A\r\r\nPID|1\r \t \rPV1|1\r";
    let message = messages(input).next().unwrap().unwrap();
    assert_eq!(message.segments().map(|s| s.id()).collect::<Vec<_>>(), [*b"MSH", *b"PID", *b"PV1"]);
}

#[test]
fn nothing_holds_no_message() {
    for input in [
        &b""[..],
        b"\r\n \r\n",
        b"\xEF\xBB\xBF",
        b"\0\0\0",
        b"\x0b\x1c\r",
        b"\x1c\r",
        b"\x1c",
        b"\x0b\r\x1c",
        b"\x0b",
        b"\x0b\r\r\n",
    ] {
        assert_eq!(read(input), [], "{input:?}");
    }
}

#[test]
fn what_may_stand_before_a_header_is_skipped() {
    for before in ["\u{FEFF}", "  ", "\t", "\r\n\r\n", "\0", "\x0b", "\x1c\r", "\u{FEFF}\r\n \x0b"] {
        let after = if before.contains('\x0b') { "\x1c\r" } else { "" };
        let input = [before.as_bytes(), &message("7", "\r"), after.as_bytes()].concat();
        assert_eq!(ids(&input), ["7"], "{before:?}");
    }
}

#[test]
fn frames_in_all_their_variants() {
    let one = message("1", "\r");
    let bare = one.strip_suffix(b"\r").unwrap();
    let cases: [(&str, Vec<u8>); 10] = [
        ("as specified", [b"\x0b", &one[..], b"\x1c\r"].concat()),
        ("without the last segment's end", [b"\x0b", bare, b"\x1c\r"].concat()),
        ("1C alone", [b"\x0b", &one[..], b"\x1c"].concat()),
        ("1C and NUL", [b"\x0b", &one[..], b"\x1c\0"].concat()),
        ("1C and LF", [b"\x0b", &one[..], b"\x1c\n"].concat()),
        ("an end without a start", [&one[..], b"\x1c\r"].concat()),
        ("an end in the last segment", [bare, b"\x1c\r"].concat()),
        ("two ends", [b"\x0b", &one[..], b"\x1c\x1c\r\r"].concat()),
        ("two starts", [b"\x0b\x0b", &one[..], b"\x1c\r"].concat()),
        ("an empty frame before it", [b"\x0b\x1c\r\x0b", &one[..], b"\x1c\r"].concat()),
    ];
    for (name, input) in cases {
        assert_eq!(ids(&input), ["1"], "{name}");
        assert_eq!(ids(&[input.clone(), input].concat()), ["1", "1"], "twice: {name}");
    }
}

#[test]
fn an_unclosed_frame_is_an_error_where_it_begins() {
    let one = message("1", "\r");
    let open = [b"\x0b", &one[..]].concat();
    assert_eq!(read(&open), [Err((0, Malformed::UnclosedFrame))]);
    let error = messages(&open).next().unwrap().unwrap_err();
    assert_eq!(error.span, 0..open.len());

    let input = [&open[..], b"\x0b", &message("2", "\r"), b"\x1c\r", &open].concat();
    let last = input.len() - open.len();
    assert_eq!(
        read(&input),
        [Err((0, Malformed::UnclosedFrame)), Ok("2".into()), Err((last, Malformed::UnclosedFrame))]
    );
    assert_eq!(read(b"\r\n\x0bMS"), [Err((2, Malformed::UnclosedFrame))]);
}

#[test]
fn messages_that_are_complete_in_an_unclosed_frame_are_read() {
    let input = [b"\x0b", &message("1", "\r")[..], &message("2", "\r")].concat();
    assert_eq!(read(&input), [Ok("1".into()), Err((0, Malformed::UnclosedFrame))]);
}

#[test]
fn framing_bytes_in_data_are_data() {
    let input = b"MSH|^~\\&|A\rNTE|1||a\x1cb \x0bc\rNTE|2||d\r";
    let message = messages(input).next().unwrap().unwrap();
    let text = Path::parse("NTE[*].3").unwrap();
    let read: Vec<_> = text.select(&message).map(|v| v.raw()).collect();
    assert_eq!(read, [&b"a\x1cb \x0bc"[..], b"d"]);
}

#[test]
fn frames_without_line_ends_between_them() {
    let input = b"\x0bMSH|^~\\&|A|||||||1\x1c\x0bMSH|^~\\&|A|||||||2\x1cMSH|^~\\&|A|||||||3\x1c";
    assert_eq!(ids(input), ["1", "2", "3"]);
    let lost_end = b"\x0bMSH|^~\\&|A|||||||1|x\x0bMSH|^~\\&|A|||||||2\x1c\r";
    assert_eq!(read(lost_end), [Err((0, Malformed::UnclosedFrame)), Ok("2".into())]);
}

#[test]
fn batches_in_any_mix() {
    let (one, two) = (message("1", "\r"), message("2", "\r"));
    let fhs = &b"FHS|^~\\&|F\r"[..];
    let bhs = &b"BHS|^~\\&|B\r"[..];
    let bts = &b"BTS|2\r"[..];
    let fts = &b"FTS|1\r"[..];
    for parts in [
        vec![fhs, bhs, &one, &two, bts, fts],
        vec![bhs, &one, bts, bhs, &two, bts],
        vec![fhs, &one, &two, fts],
        vec![bhs, &one, &two],
        vec![&one, &two, bts],
        vec![&one, bhs, &two, fts],
        vec![b"\x0b", fhs, bhs, &one, &two, bts, fts, b"\x1c\r"],
    ] {
        let input = parts.concat();
        assert_eq!(ids(&input), ["1", "2"], "{}", String::from_utf8_lossy(&input));
        for message in messages(&input) {
            assert_eq!(message.unwrap().segments().len(), 2);
        }
    }
    assert_eq!(read(&[fhs, bhs, bts, fts].concat()), []);
}

#[test]
fn batch_headers_have_delimiters_of_their_own() {
    let input = b"FHS#*!?%#F\rBHS#*!?%#B\rMSH|^~\\&|A|||||||1\rPID|1#x\rBTS#1\rFTS#1\r";
    assert_eq!(ids(input), ["1"]);
    let bad = b"FHS|\rBHS|^^|\rMSH|^~\\&|A|||||||1\r";
    assert_eq!(
        read(bad),
        [
            Err((4, Malformed::NoEncodingCharacters { header: Header::Fhs })),
            Err((10, Malformed::DuplicateDelimiter { header: Header::Bhs, found: b'^' })),
            Ok("1".into())
        ]
    );
}

#[test]
fn each_message_has_its_own_delimiters() {
    let input = b"MSH|^~\\&|A|||||||1\rMSH^~|\\&^A^^^^^^^2\rMSH#*#A\rMSH#*!?%+#A#######3\r";
    assert_eq!(ids(input), ["1", "2", "", "3"]);
    let all: Vec<_> = messages(input).map(|m| *m.unwrap().delimiters()).collect();
    assert_eq!(all[1].field, b'^');
    assert_eq!(all[1].component, b'~');
    assert_eq!((all[2].component, all[2].repetition, all[2].escape, all[2].subcomponent), (b'*', None, None, None));
    assert_eq!(all[3].truncation, Some(b'+'));
}

#[test]
fn headers_that_declare_no_delimiters() {
    use Malformed::*;
    let header = Header::Msh;
    for (input, offset, kind) in [
        (&b"MSH"[..], 3, FieldSeparator { header, found: None }),
        (b"MSH\rPID|1\r", 3, FieldSeparator { header, found: None }),
        (b"MSHA^~\\&|A", 3, FieldSeparator { header, found: Some(b'A') }),
        (b"MSH ^~\\&|A", 3, FieldSeparator { header, found: Some(b' ') }),
        (b"MSH|", 4, NoEncodingCharacters { header }),
        (b"MSH||A", 4, NoEncodingCharacters { header }),
        (b"MSH|^^\\&|A", 5, DuplicateDelimiter { header, found: b'^' }),
        (b"MSH|^~\\\\|A", 7, DuplicateDelimiter { header, found: b'\\' }),
        (b"MSH|^~\\&#!|A", 4, EncodingCharacters { header, found: 6 }),
        (b"MSH^~\\&|A|B|C", 4, EncodingCharacters { header, found: 9 }),
        (b"MSH|^~a&|A", 6, EncodingCharacter { header, found: b'a' }),
        (b"MSH|^~\xA7&|A", 6, EncodingCharacter { header, found: 0xA7 }),
    ] {
        assert_eq!(read(input), [Err((offset, kind))], "{:?}", String::from_utf8_lossy(input));
        let beside = [&message("1", "\r")[..], input, b"\r", &message("2", "\r")].concat();
        let read = read(&beside);
        if !matches!(kind, FieldSeparator { found: Some(_), .. }) {
            assert_eq!(read.len(), 3, "{:?}", String::from_utf8_lossy(input));
            assert_eq!(read[0], Ok("1".into()));
        }
        assert_eq!(read.last(), Some(&Ok("2".into())), "{:?}", String::from_utf8_lossy(input));
    }
}

#[test]
fn a_header_as_short_as_can_be() {
    for input in [&b"MSH|^\r"[..], b"MSH|^~\\&\n", b"MSH|^~\\&|\r", b"MSH|^~\\&\r\n"] {
        assert_eq!(ids(input), [""], "{input:?}");
    }
}

#[test]
fn msh_in_data_starts_no_message() {
    let good = b"MSH|^~\\&|A|||||||1\rNTE|1||MSH|^~\\&|is a header\rPV1|1\r";
    let read_good: Vec<_> = messages(good).map(|m| m.unwrap().segments().len()).collect();
    assert_eq!(read_good, [3]);
    for line in ["MSH is the header", "MSHELL", "MSH-3 is wrong", "MSH.9: see", " MSH stands for"] {
        let input = format!("MSH|^~\\&|A|||||||1\rNTE|1||see\r{line}\rPV1|1\r");
        let items: Vec<_> = messages(input.as_bytes()).collect();
        assert_eq!(items.len(), 1, "{line}");
        let error = items[0].as_ref().unwrap_err();
        assert_eq!(error.kind, Malformed::NoSegmentId, "{line}");
        assert_eq!(error.span, 0..input.len());
    }
}

#[test]
fn a_line_without_a_segment_id_makes_its_message_unreadable() {
    for line in ["continued text", "pid|1", "PI|1", "PIDX|1", "PID^1", "1ID|1", " PID|1", "|x", "é|1", "PÉD|1"] {
        let input = format!("MSH|^~\\&|A|||||||1\r{line}\rPV1|1\rMSH|^~\\&|A|||||||2\r");
        let items = read(input.as_bytes());
        assert_eq!(items.len(), 2, "{line}");
        let at = 19 + line.len() - line.trim_start().len();
        assert_eq!(items[0], Err((at, Malformed::NoSegmentId)), "{line}");
        assert_eq!(items[1], Ok("2".into()));
    }
}

#[test]
fn a_segment_may_be_its_id_alone_and_unknown() {
    let input = b"MSH|^~\\&|A\rPV1\rZZ9|x\rQQQ|1\rA12|2\r";
    let message = messages(input).next().unwrap().unwrap();
    assert_eq!(message.segments().len(), 5);
    let pv1 = message.segments().nth(1).unwrap();
    assert!(pv1.field(1).is_none());
    assert_eq!(pv1.fields().count(), 0);
}

#[test]
fn text_before_a_header_is_an_error_of_its_own() {
    let input = b"captured at noon\rPID|1\rMSH|^~\\&|A|||||||1\r";
    let items: Vec<_> = messages(input).collect();
    let error = items[0].as_ref().unwrap_err();
    assert_eq!((error.offset, error.kind, error.span.clone()), (0, Malformed::TextBeforeHeader, 0..23));
    assert!(items[1].is_ok());
    assert_eq!(read(b"x MSH|^~\\&|A|||||||1\rPID|1\r"), [Err((0, Malformed::TextBeforeHeader))]);
    let after_frame = b"\x0bMSH|^~\\&|A|||||||1\r\x1c\rPID|9\r";
    assert_eq!(read(after_frame), [Ok("1".into()), Err((22, Malformed::TextBeforeHeader))]);
}

#[test]
fn utf_16_is_not_read_as_something_else() {
    let utf16: Vec<u8> = "MSH|^~\\&|A\r".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(messages(&[&b"\xFF\xFE"[..], &utf16].concat()).all(|item| item.is_err()));
    assert!(messages(&utf16).all(|item| item.is_err()));
}

#[test]
fn errors_name_place_and_defect_but_no_content() {
    let error = messages(b"MSH|^^\\&|SECRET").next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "byte 5: MSH declares `^` as two delimiters");
}

#[test]
fn a_message_that_ends_inside_its_header_is_cut_off() {
    let good = [MSH, b"\rPID|1\r"].concat();
    for cut in
        ["MSH|^~\\&|A|F|R|RF|20261120100", "MSH|^~\\&|A", "MSH|^~\\&", "MSH|^~\\&|A|B|C|D|20261120||ADT^A01|1|P|2."]
    {
        let input = [good.as_slice(), cut.as_bytes()].concat();
        let found = read(&input);
        assert_eq!(found, [Ok("1".to_owned()), Err((good.len(), Malformed::EndsInHeader))], "{cut}");
        // The line's end says that the sender wrote no more.
        assert!(read(&[input.as_slice(), b"\r"].concat()).iter().all(Result::is_ok), "{cut}");
        assert!(read(&[b"\x0b", cut.as_bytes(), b"\x1c"].concat()).iter().all(Result::is_ok), "{cut}");
        assert!(read(&[input.as_slice(), b"\rPID|1"].concat()).iter().all(Result::is_ok), "{cut}");
    }
    assert_eq!(ids(MSH), ["1"]);
}

#[test]
fn endings_show_cuts() {
    let ending = |input: &[u8]| {
        let mut reading = messages(input);
        reading.by_ref().for_each(drop);
        reading.ending()
    };
    let no_trailer = |encloses, offset, ended| Ending::NoTrailer { encloses, offset, ended };
    let (one, nuls) = (message("1", "\r"), vec![0; 513]);
    let with = |parts: &[&[u8]]| ending(&parts.concat());
    assert_eq!(with(&[b""]), Ending::Open);
    assert_eq!(with(&[&one]), Ending::Open);
    assert_eq!(with(&[&one, b"PV1|1"]), Ending::Open);
    assert_eq!(with(&[&one, &[0; 512]]), Ending::Open);
    assert_eq!(with(&[&one, &nuls]), Ending::Nuls { offset: one.len(), length: 513 });
    assert_eq!(with(&[&one, b"PV1|1", &nuls]), Ending::Nuls { offset: one.len() + 5, length: 513 });
    assert_eq!(with(&[&one, &nuls, b"\r\n"]), Ending::Nuls { offset: one.len(), length: 513 });
    assert_eq!(with(&[&one, &nuls, &one]), Ending::Open);
    assert_eq!(with(&[b"\x0b", &one, b"\x1c\r", &nuls]), Ending::Nuls { offset: one.len() + 3, length: 513 });
    assert_eq!(with(&[&[0]]), Ending::Nuls { offset: 0, length: 1 });
    assert_eq!(with(&[b"BHS|^~\\&|A\r", &one]), no_trailer(Enclosing::Batch, 0, true));
    assert_eq!(with(&[b"BHS|^~\\&|A\r", &one, b"PV1|1"]), no_trailer(Enclosing::Batch, 0, false));
    assert_eq!(with(&[b"BHS|^~\\&|A"]), no_trailer(Enclosing::Batch, 0, false));
    assert_eq!(with(&[b"BHS|^~\\&|A\r", &one, b"BTS|1"]), Ending::Open);
    assert_eq!(with(&[b"FHS|^~\\&\rBHS|^~\\&|A\r", &one, b"BTS|1\r"]), no_trailer(Enclosing::File, 0, true));
    assert_eq!(with(&[b"FHS|^~\\&\rBHS|^~\\&|A\r", &one, b"FTS|1\r"]), Ending::Open);
}
