//! Real files: everything in them is read, and what their envelopes get wrong is found.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "tests fail by panicking"
)]

use crate::common;

use candor_x12::{Limits, Reader, Token};
use common::{account, account_read, fixtures};

/// The faults in the envelopes of the files, by file; another program confirmed counts and numbers.
const FINDINGS: &str = include_str!("../real.findings.txt");

#[test]
fn every_file_is_read_whole() {
    let mut found = String::new();
    let mut sets = 0;
    let mut files = 0;
    for (name, bytes) in fixtures() {
        files += 1;
        let lines = account(&bytes);
        for line in lines {
            assert!(!line.starts_with("fault"), "{name}: {line}");
            sets += usize::from(line.starts_with("set"));
            if let Some(at) = line.find(" [") {
                let code = |finding: &str| finding.split(' ').take(2).collect::<Vec<_>>().join(" ");
                for finding in line[at + 2..].split(" [") {
                    found.push_str(&format!("{name}: {}\n", code(finding)));
                }
            }
        }
    }
    assert_eq!((files, sets), (95, 103));
    assert_eq!(found, FINDINGS);
}

#[test]
fn a_stream_reads_as_the_slice_does() {
    for (name, bytes) in fixtures() {
        let expected = account(&bytes);
        for chunk in [1, 7, 64, 4096] {
            let limits = Limits { chunk, ..Limits::default() };
            assert_eq!(account_read(&bytes, limits), expected, "{name} by {chunk}");
        }
    }
}

#[test]
fn what_is_split_can_be_put_together_again() {
    for (name, bytes) in fixtures() {
        let mut rendered = Vec::new();
        let mut reader = Reader::from_slice(&bytes);
        while let Some(token) = reader.next_token().unwrap() {
            let Token::Segment(segment) = token else { panic!("{name}: {token:?}") };
            let gap = &bytes[rendered.len()..segment.offset() as usize];
            assert!(gap.iter().all(u8::is_ascii_whitespace), "{name}: {gap:?} before {:?}", segment.id());
            rendered.extend_from_slice(gap);
            let separator = segment.delimiters().element();
            let mut parts = vec![&segment.raw()[..segment.raw().len() - elements_len(&segment)]];
            parts.extend(segment.elements().map(|element| element.raw()));
            rendered.extend_from_slice(&parts.join(&separator));
            if segment.is_terminated() {
                rendered.extend_from_slice(segment.delimiters().terminator());
            }
        }
        let gap = &bytes[rendered.len()..];
        assert!(gap.iter().all(u8::is_ascii_whitespace), "{name}: {gap:?} at the end");
        rendered.extend_from_slice(gap);
        assert_eq!(rendered, bytes, "{name}");
    }
}

/// The length of a segment's elements with the separators before them.
fn elements_len(segment: &candor_x12::Segment<'_>) -> usize {
    segment.elements().map(|element| element.raw().len() + 1).sum()
}

#[test]
fn the_answers_of_known_files() {
    let file = |name: &str| fixtures().into_iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("{name}")).1;
    let demo = file("x12-lfh/demo/demo.271");
    assert_eq!(common::select(&demo, "TRN.2"), ["93175-012547"]);
    assert_eq!(common::select(&demo, "EB[1=B][12=N].7"), ["30.00"]);
    assert_eq!(common::select(&demo, "EB[3].3[*]").len(), 10);
    let wrapped = file("x12-staedi/x12/issue128/ts210_80char.edi");
    assert_eq!(common::select(&wrapped, "N4[2].3"), ["283335369"]);
    assert_eq!(common::select(&wrapped, "ISA.10"), ["0224"]);
    assert_eq!(common::select(&wrapped, "ST.2"), ["1305"]);
    let ellipsis = file("x12-staedi/x12/issue109/ts214_ellipses_segterm.edi");
    assert_eq!(common::select(&ellipsis, "N1[1=CN].2"), ["ADDISON HVAC LLC"]);
    let uneven = file("x12-moov/example_stp_820/sample.txt");
    assert_eq!(common::select(&uneven, "ISA.6"), ["227777777"]);
    let situational = file("x12-staedi/x12/invalid999.edi");
    assert_eq!(common::select(&situational, "CTX[2].1[2]"), ["SITUATIONAL TRIGGER:2"]);
    assert_eq!(common::select(&situational, "CTX[2].5.2"), ["3"]);
}
