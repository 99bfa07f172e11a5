//! Walks over interchanges of all kinds.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "tests fail by panicking"
)]

use crate::common;

use candor_x12::{Ending, Item, Limits, Walk};
use common::{ISA, SET, account, account_read, group, select, sound};

fn sets(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("set ")).count()
}

fn faults(lines: &[String]) -> Vec<&str> {
    lines.iter().filter_map(|line| line.strip_prefix("fault: ")).collect()
}

#[test]
fn a_sound_interchange() {
    let end = 149 + SET.len();
    assert_eq!(
        account(sound().as_bytes()),
        [
            format!("set 271 0001 at 149..{end} in 0 Some(0), 7 segments"),
            "group 0 ends".to_owned(),
            "interchange 0 ends".to_owned(),
        ]
    );
}

#[test]
fn every_terminator_reads_alike() {
    for terminator in ["~\n", "~\r\n", "\n", "\r\n", "\r", "\u{1c}", "\u{1d}", "\u{1e}\n", "…\n", "~ \n~"] {
        let text = sound().replace('~', terminator);
        let lines = account(text.as_bytes());
        assert_eq!(sets(&lines), 1, "{terminator:?}: {lines:?}");
        assert_eq!(lines.len(), 3, "{terminator:?}: {lines:?}");
        assert!(lines[0].ends_with("7 segments"), "{terminator:?}: {lines:?}");
        assert_eq!(select(text.as_bytes(), "EB[2].13.2"), ["99213"], "{terminator:?}");
        assert_eq!(select(text.as_bytes(), "SE.2"), ["0001"], "{terminator:?}");
    }
}

#[test]
fn wrapped_files_lose_their_line_breaks() {
    for (width, line_break) in [(80, "\n"), (80, "\r\n"), (7, "\n"), (3, "\r\n"), (2, "\n"), (1, "\n")] {
        let mut text = String::new();
        for (at, c) in sound().chars().enumerate() {
            if at > 0 && at % width == 0 && at > 4 {
                text.push_str(line_break);
            }
            text.push(c);
        }
        let lines = account(text.as_bytes());
        assert_eq!((sets(&lines), lines.len()), (1, 3), "{width}: {lines:?}");
        assert!(lines[0].ends_with("7 segments"), "{width}: {lines:?}");
        assert_eq!(select(text.as_bytes(), "EB.3[*]"), ["1", "33", "30"]);
        assert_eq!(select(text.as_bytes(), "ST.3"), ["005010X279A1"]);
        assert_eq!(select(text.as_bytes(), "SVC"), ["SVC*HC:99213*100*80"]);
        assert_eq!(select(text.as_bytes(), "ISA.6"), ["SENDER"]);
    }
}

#[test]
fn a_byte_order_mark_and_blanks_are_skipped() {
    let text = format!("\u{feff}\r\n  {}\r\n\u{feff}{}\n\n", sound(), sound());
    let lines = account(text.as_bytes());
    assert_eq!((sets(&lines), faults(&lines).len()), (2, 0), "{lines:?}");
    let text = sound().replace("EB*6", "  \t EB*6");
    assert_eq!(select(text.as_bytes(), "EB[3].1"), ["6"]);
}

#[test]
fn empty_segments_are_not_counted() {
    let text = sound().replace("EB*6", "~~\n~EB*6");
    let lines = account(text.as_bytes());
    assert!(lines[0].ends_with("7 segments"), "{lines:?}");
    let text = format!("{}~~\n~", sound());
    assert_eq!(faults(&account(text.as_bytes())), [""; 0]);
}

#[test]
fn interchanges_bring_their_own_delimiters() {
    let other = sound()
        .replace('*', "|")
        .replace(':', ">")
        .replace('^', "!")
        .replace('~', "\n")
        .replace("000000001", "000000002");
    let text = format!("{}{other}{}", sound(), sound().replace("000000001", "000000003"));
    let lines = account(text.as_bytes());
    assert_eq!((sets(&lines), lines.len()), (3, 9), "{lines:?}");
    let values: Vec<_> = {
        let path = candor_x12::Path::parse("EB[2].13.2").unwrap();
        let mut walk = Walk::from_slice(text.as_bytes());
        let mut values = Vec::new();
        while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
            if let Item::Set(set) = item {
                values.extend(path.select(&set.view()).into_iter().map(|value| value.text.into_owned()));
            }
        }
        values
    };
    assert_eq!(values, ["99213"; 3]);
}

#[test]
fn ta1_stands_before_and_without_groups() {
    let ta1 = "TA1*000000050*200229*1200*A*000~";
    let text = format!("{ISA}{ta1}{ta1}{}{ta1}IEA*1*000000001~", group(SET, 1));
    let lines = account(text.as_bytes());
    assert_eq!(lines.iter().filter(|line| line.starts_with("TA1")).count(), 3, "{lines:?}");
    assert_eq!((sets(&lines), faults(&lines).len()), (1, 0));
    let alone = format!("{ISA}{ta1}IEA*0*000000001~");
    assert_eq!(account(alone.as_bytes()), ["TA1 at 106 in 0", "interchange 0 ends"]);
    assert_eq!(select(alone.as_bytes(), "TA1.4"), ["A"]);
    assert_eq!(select(alone.as_bytes(), "TA105"), ["000"]);
    assert_eq!(select(alone.as_bytes(), "ISA13"), ["000000001"]);
    assert_eq!(select(alone.as_bytes(), "GS.1"), [""; 0]);
}

#[test]
fn isa_in_data_opens_nothing() {
    for name in ["ISAAC", "ISA", "ISA*00", "THE ISA*00*          *00*"] {
        let text = sound().replace("GOLD", name);
        let lines = account(text.as_bytes());
        assert_eq!((sets(&lines), lines.len()), (1, 3), "{name}: {lines:?}");
    }
    let text = sound().replace("SVC*", "ISAAC*");
    let at = text.find("ISAAC").unwrap();
    assert_eq!(faults(&account(text.as_bytes())), [format!("a segment does not begin with a segment id (byte {at})")]);
}

#[test]
fn binary_data_is_not_split() {
    let data = "a~SE*1*0001~IEA*b^:c\n";
    for (segment, path) in
        [(format!("BIN*{}*{data}~", data.len()), "BIN.2"), (format!("BDS*ASC*{}*{data}~", data.len()), "BDS.3")]
    {
        let text = sound().replace("SVC*HC:99213*100*80~", &segment);
        let lines = account(text.as_bytes());
        assert!(lines[0].ends_with("7 segments"), "{lines:?}");
        assert_eq!(select(text.as_bytes(), path), [data]);
        let (id, _) = path.split_once('.').unwrap();
        assert_eq!(select(text.as_bytes(), id), [segment.strip_suffix('~').unwrap()]);
    }
}

#[test]
fn binary_data_that_belies_its_length() {
    for segment in
        ["BIN*3*hello~", "BIN*999*hello~", "BIN*x*hello~", "BIN*5~", "BDS*5*hello~", "BIN*99999999999999999999*a~"]
    {
        let text = sound().replace("SVC*HC:99213*100*80~", segment);
        let text = format!("{text}{}", sound().replace("000000001", "000000002"));
        let lines = account(text.as_bytes());
        assert_eq!(sets(&lines), 1, "{segment}: {lines:?}");
        assert_eq!(
            faults(&lines),
            [format!(
                "the declared length of binary data does not lead to a segment terminator (byte {})",
                text.find(segment).unwrap()
            )],
            "{segment}"
        );
    }
}

#[test]
fn a_set_without_its_end_is_a_fault_and_the_next_is_read() {
    let cut = "ST*271*0001*005010X279A1~EB*1**30~";
    for end in ["", "GE*2*1~IEA*1*000000001~", "IEA*1*000000001~"] {
        let text = format!("{ISA}GS*HB*SS*RR*20261120*1200*1*X*005010X279A1~{cut}{SET}{cut}{end}");
        let lines = account(text.as_bytes());
        assert_eq!(sets(&lines), 1, "{end}: {lines:?}");
        assert_eq!(faults(&lines).len(), 2, "{end}: {lines:?}");
        assert!(faults(&lines)[0].ends_with("(byte 149)"), "{lines:?}");
    }
    let text = format!("{ISA}{}{}", group(cut, 1), sound().replace("000000001", "000000002"));
    assert_eq!(sets(&account(text.as_bytes())), 1);
}

#[test]
fn an_upload_that_broke_off_inside_a_segment() {
    let whole = sound();
    let other = sound().replace("000000001", "000000002");
    for name in ["ST*", "BHT*", "EB*1", "EB*6", "SVC*", "SE*7*"] {
        let begin = whole.find(name).unwrap();
        for other in [other.clone(), other.replace('*', "|").replace('~', "\n")] {
            let text = format!("{}{other}", &whole[..begin + name.len()]);
            let lines = account(text.as_bytes());
            assert_eq!(sets(&lines), 1, "{name}: {lines:?}");
            let interchange = lines.iter().find(|line| line.starts_with("set")).unwrap();
            assert!(interchange.contains(" in 1 "), "{name}: {lines:?}");
            assert!(!faults(&lines).is_empty(), "{name}: {lines:?}");
        }
    }
}

#[test]
fn every_truncation_is_noticed() {
    let whole = sound();
    let last = whole.find("SE*7*0001").unwrap() + "SE*7*0001".len();
    for len in 1..whole.len() {
        let lines = account(&whole.as_bytes()[..len]);
        if len < last {
            let noticed = !faults(&lines).is_empty() || lines.iter().any(|line| line.contains("[TA105:023"));
            assert!(noticed, "{len}: {lines:?}");
            assert_eq!(sets(&lines), 0, "{len}: {lines:?}");
        } else {
            // What is left of GE or IEA may be no segment, or none that is known.
            let letter = ["~G", "~I", "~IE"].iter().any(|end| whole[..len].ends_with(end));
            assert_eq!((sets(&lines), faults(&lines).len()), (1, usize::from(letter)), "{len}: {lines:?}");
        }
    }
}

#[test]
fn the_last_terminator_may_be_missing() {
    let text = sound();
    for end in ["", "\n", "\r\n  "] {
        let text = format!("{}{end}", text.strip_suffix('~').unwrap());
        let lines = account(text.as_bytes());
        assert_eq!(lines.last().unwrap(), "interchange 0 ends", "{lines:?}");
    }
    let text = format!("{ISA}{}", SET.strip_suffix('~').unwrap());
    assert_eq!(sets(&account(text.as_bytes())), 1);
    let ta1 = format!("{ISA}TA1*000000050*200229*1200*A*00");
    assert_eq!(faults(&account(ta1.as_bytes())), ["a segment is cut off (byte 106)"]);
}

#[test]
fn garbage_is_named_and_what_follows_is_read() {
    for garbage in ["hello", "ISA*00*nonsense\n", "\0\0\0", "{\"a\": 1}", "GS*HB~ST*271*1~", "ISA"] {
        let text = format!("{garbage}{}{garbage}{}", sound(), sound().replace("000000001", "2"));
        let text = text.replace("*2*0*P", "*000000002*0*P");
        let lines = account(text.as_bytes());
        assert_eq!(sets(&lines), 2, "{garbage}: {lines:?}");
        assert_eq!(faults(&lines).len(), 2, "{garbage}: {lines:?}");
        assert!(faults(&lines)[0].ends_with("(byte 0)"), "{garbage}: {lines:?}");
    }
    let lines = account(format!("{}garbage", sound()).as_bytes());
    assert_eq!(faults(&lines).len(), 1, "{lines:?}");
    assert_eq!(account(b""), [""; 0]);
    assert_eq!(account(b" \r\n\t"), [""; 0]);
}

#[test]
fn a_segment_without_an_id_is_a_fault_and_its_set_is_read() {
    let other = SET.replace("0001", "0002");
    for (bad, fault) in [
        ("hello world", "a segment does not begin with a segment id"),
        ("eb*1", "a segment does not begin with a segment id"),
        ("*1*2", "a segment does not begin with a segment id"),
        ("E*1", "a segment does not begin with a segment id"),
        ("EB11*1", "a segment does not begin with a segment id"),
    ] {
        let broken = SET.replace("EB*6**98", bad);
        let text = format!("{ISA}{}IEA*1*000000001~", group(&format!("{broken}{other}"), 2));
        let lines = account(text.as_bytes());
        assert_eq!(faults(&lines).len(), 1, "{bad}: {lines:?}");
        assert!(faults(&lines)[0].starts_with(fault), "{bad}: {lines:?}");
        assert_eq!(sets(&lines), 2, "{bad}: {lines:?}");
        // The segment counts in SE01, and the set in GE01.
        assert!(!lines.iter().any(|line| line.contains('[')), "{lines:?}");
        assert!(lines.contains(&"group 0 ends".to_owned()), "{lines:?}");
    }
}

#[test]
fn segments_without_a_place_are_reported_once_a_run() {
    let text = sound().replace("GE*1", "EB*1~EB*2~EB*3~GE*1");
    let lines = account(text.as_bytes());
    assert_eq!(faults(&lines).len(), 1, "{lines:?}");
    assert!(faults(&lines)[0].starts_with("there is no place for EB here"), "{lines:?}");
    assert_eq!(sets(&lines), 1);
}

#[test]
fn an_invalid_header_takes_its_groups_with_it() {
    let bad = sound().replace("*P*:~", "*P*:A");
    let text = format!("{}{bad}{}", sound(), sound().replace("000000001", "000000003"));
    let lines = account(text.as_bytes());
    assert_eq!(sets(&lines), 2, "{lines:?}");
    assert_eq!(faults(&lines), [format!("the ISA segment does not declare its delimiters (byte {})", sound().len())]);
}

#[test]
fn limits_are_errors_with_their_place() {
    let limits = Limits { segment: 100, set: 1 << 20, ..Limits::default() };
    let long = sound().replace("GOLD", &"G".repeat(5000));
    let text = format!("{long}{}", sound().replace("000000001", "000000002"));
    for lines in [
        common::account_of(Walk::from_slice_with(text.as_bytes(), limits)),
        account_read(text.as_bytes(), Limits { chunk: 16, ..limits }),
    ] {
        assert_eq!(sets(&lines), 1, "{lines:?}");
        assert_eq!(
            faults(&lines),
            [format!("a segment is longer than the limit of 100 bytes (byte {})", text.find("EB*C").unwrap())]
        );
    }
    let limits = Limits { set: 100, ..Limits::default() };
    for lines in [
        common::account_of(Walk::from_slice_with(sound().as_bytes(), limits)),
        account_read(sound().as_bytes(), Limits { chunk: 16, ..limits }),
    ] {
        assert_eq!(faults(&lines), ["the transaction set is longer than the limit of 100 bytes (byte 149)"]);
        assert_eq!(sets(&lines), 0);
    }
    let endless = format!("{ISA}{}", "A".repeat(10_000));
    let lines = account_read(endless.as_bytes(), Limits { segment: 100, chunk: 16, ..Limits::default() });
    assert_eq!(faults(&lines).len(), 1, "{lines:?}");
}

#[test]
fn unwanted_sets_are_passed_over_and_counted() {
    let other = SET.replace("ST*271*0001", "ST*835*0002").replace("SE*7*0001", "SE*7*0002");
    let text = format!("{ISA}{}IEA*1*000000001~", group(&format!("{SET}{other}"), 2));
    let mut walk = Walk::from_slice(text.as_bytes());
    let mut found = Vec::new();
    while let Some(item) = walk.next_item(&mut |head| head.st.text(1) == "835").unwrap() {
        match item {
            Item::Set(set) => found.push(set.view().segment("ST").unwrap().text(1).into_owned()),
            Item::GroupEnd { findings, .. } | Item::InterchangeEnd { findings, .. } => {
                assert_eq!(findings, []);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(found, ["835"]);
}

#[test]
fn the_guide_is_st03_or_else_gs08() {
    let text = format!(
        "{ISA}{}IEA*1*000000001~",
        group(&format!("{SET}{}", SET.replace("*005010X279A1", "").replace("0001", "0002")), 2)
            .replace("005010X279A1~ST", "005010X214~ST")
    );
    let mut walk = Walk::from_slice(text.as_bytes());
    let mut guides = Vec::new();
    while walk
        .next_item(&mut |head| {
            guides.push(head.guide());
            true
        })
        .unwrap()
        .is_some()
    {}
    assert_eq!(guides, ["005010X279A1", "005010X214"]);
}

#[test]
fn a_failing_stream_is_an_outage() {
    struct Failing(usize);
    impl std::io::Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0 >= 200 {
                return Err(std::io::Error::other("gone"));
            }
            let text = sound();
            let count = buffer.len().min(200 - self.0);
            buffer[..count].copy_from_slice(&text.as_bytes()[self.0..self.0 + count]);
            self.0 += count;
            Ok(count)
        }
    }
    let mut walk = Walk::from_read(Failing(0), Limits { chunk: 32, ..Limits::default() });
    let error = loop {
        match walk.next_item(&mut |_| true) {
            Ok(Some(Item::Fault(error))) => panic!("{error}"),
            Ok(Some(_)) => {}
            Ok(None) => panic!("the end"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.to_string(), "gone");
}

#[test]
fn a_set_of_segments_without_ids_is_given_up() {
    let broken = SET.replace("EB*6**98", &"eb*1~".repeat(200));
    let lines = account(format!("{ISA}{}IEA*1*000000001~", group(&broken, 1)).as_bytes());
    assert_eq!(sets(&lines), 0, "{lines:?}");
}

#[test]
fn a_file_says_how_it_ends() {
    let ending = |text: &[u8]| {
        let mut walk = candor_x12::Walk::from_slice(text);
        while walk.next_item(&mut |_| true).unwrap().is_some() {}
        walk.ending()
    };
    let whole = sound();
    let st = whole.find("ST*").unwrap() as u64;
    let with = |tail: &[u8]| [whole.as_bytes(), tail].concat();
    assert_eq!(ending(whole.as_bytes()), Ending::Whole);
    assert_eq!(ending(b""), Ending::Whole);
    assert_eq!(ending(&with(&[0; 512])), Ending::Whole, "the padding of a block");
    assert_eq!(ending(&with(&[0; 513])), Ending::CutOff { offset: whole.len() as u64 });
    assert_eq!(ending(&[0; 20]), Ending::CutOff { offset: 0 });
    assert_eq!(ending(&with(b"ISA*00*")), Ending::CutOff { offset: whole.len() as u64 });
    let (sets, _) = whole.split_once("GE*").unwrap();
    assert_eq!(ending(sets.as_bytes()), Ending::Unknown, "more sets may have followed");
    assert_eq!(ending(&[sets.as_bytes(), &[0; 600]].concat()), Ending::CutOff { offset: sets.len() as u64 });
    let (cut, _) = whole.split_once("SVC").unwrap();
    assert_eq!(ending(cut.as_bytes()), Ending::CutOff { offset: st });
}

#[test]
fn nuls_within_a_set_belong_to_the_segment_behind_them() {
    let text = sound().replace("EB*6**98", "\0\0EB*6**98");
    let lines = account(text.as_bytes());
    assert_eq!((faults(&lines).len(), sets(&lines)), (1, 1), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains('[')), "{lines:?}");
}
