//! The forms of ISA.

use crate::header::{HeaderError, HeaderForm, parse, parse_full};

const ISA: &[u8] =
    b"ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *261120*1200*^*00501*000000001*0*P*:~";

#[test]
fn the_fixed_form() {
    let header = parse(ISA).unwrap();
    assert_eq!((header.len, header.next, header.form), (105, 106, HeaderForm::Fixed));
    assert_eq!(header.delimiters.element(), b'*');
    assert_eq!(header.delimiters.component(), Some(b':'));
    assert_eq!(header.delimiters.repetition(), Some(b'^'));
    assert_eq!(header.delimiters.terminator(), b"~");
}

#[test]
fn every_prefix_is_cut_off() {
    for len in 0..ISA.len() {
        assert_eq!(parse(&ISA[..len]), Err(HeaderError::CutOff), "{len}");
    }
}

#[test]
fn repetitions_need_a_version_and_a_separator() {
    for (version, isa11, expected) in [
        ("00501", b'^', Some(b'^')),
        ("00402", b'^', Some(b'^')),
        ("00401", b'^', None),
        ("00501", b'U', None),
        ("00501", b' ', None),
        ("0050X", b'^', None),
    ] {
        let mut isa = ISA.to_vec();
        isa[82] = isa11;
        isa[84..89].copy_from_slice(version.as_bytes());
        assert_eq!(parse(&isa).unwrap().delimiters.repetition(), expected, "{version}");
    }
}

#[test]
fn a_wrapped_header() {
    for at in 4..105 {
        let mut isa = ISA.to_vec();
        isa.splice(at..at, *b"\r\n");
        let header = parse(&isa).unwrap();
        assert_eq!((header.next, header.form), (108, HeaderForm::Wrapped), "{at}");
        assert_eq!(header.delimiters.terminator(), b"~");
    }
}

#[test]
fn without_padding_the_next_segment_has_to_confirm_it() {
    let isa = b"ISA*00* *00* *30*227777777 *14*577777777 *120530*1144*U*00401*000000001*0*P*~\\\nGS*RA";
    let header = parse(isa).unwrap();
    assert_eq!(header.form, HeaderForm::Uneven);
    assert_eq!(header.delimiters.terminator(), b"\\");
    assert_eq!(parse(&isa[..isa.len() - 5]), Err(HeaderError::Invalid));
    assert_eq!(parse_full(isa), None);
}

#[test]
fn a_terminator_can_be_a_control_character_or_several_bytes() {
    for terminator in ["\n", "\r", "\u{1c}", "\u{1d}", "…", "\u{85}"] {
        let mut isa = ISA[..105].to_vec();
        isa.extend_from_slice(terminator.as_bytes());
        isa.extend_from_slice(b"GS*HB");
        let header = parse(&isa).unwrap();
        assert_eq!(header.delimiters.terminator(), terminator.as_bytes());
    }
    let mut latin = ISA.to_vec();
    latin[105] = 0x85;
    assert_eq!(parse(&latin).unwrap().delimiters.terminator(), [0x85]);
}

#[test]
fn what_is_no_header() {
    assert_eq!(parse(b"ISAAC*00"), Err(HeaderError::Invalid));
    assert_eq!(parse(b"GS*HB"), Err(HeaderError::Invalid));
    let mut letters = ISA.to_vec();
    letters[105] = b'G';
    assert_eq!(parse(&letters), Err(HeaderError::Invalid));
    letters[105] = b'*';
    assert_eq!(parse(&letters), Err(HeaderError::Invalid));
}
