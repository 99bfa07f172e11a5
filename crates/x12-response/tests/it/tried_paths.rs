//! Paths that are tried on a file.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use candor_check::tried::Tried;
use candor_x12_response::tried::path;

const EDI: &[u8] =
    b"ISA*00*          *00*          *ZZ*S              *ZZ*R              *261120*1200*^*00501*000000001*0*P*:~\
    GS*HB*SS*RR*20261120*1200*1*X*005010X279A1~ST*271*0001*005010X279A1~BHT*0022*11*1*20261120*1200~HL*1**20*1~\
    NM1*PR*2*PAYER*****PI*P1~HL*2*1*21*1~NM1*1P*2*CLINIC*****XX*1~HL*3*2*22*0~NM1*IL*1*ROE*ANN****MI*M100~EB*1**30~\
    SE*10*0001~GE*1*1~IEA*1*000000001~";

fn tried(text: &str) -> Tried {
    path(text, "a.edi", EDI).unwrap().remove(0)
}

#[test]
fn values_are_told_with_their_places_and_nothing_with_its_reason() {
    let one = tried("2000C.2100C.NM1.9");
    assert_eq!((one.record.as_str(), one.selected[0].value.as_str()), ("271 0001", Some("M100")));
    assert!(one.selected[0].place.starts_with("NM1, segment 8 of the set, byte "), "{one:?}");
    assert_eq!(tried("2110C").selected[0].value.as_str(), Some("EB*1**30"));
    let why = |text: &str| tried(text).why.unwrap();
    assert_eq!(
        why("2000D.NM1.1"),
        "no loop 2000D that the path means is in the set; the loops of the set are 2000A, 2000B, 2000C, 2100A, 2100B, \
         2100C, 2110C"
    );
    assert_eq!(why("EB[1=6].3"), "EB is `EB*1**30`, in which the path selects nothing");
    assert!(why("AAA.1").starts_with("the set has no AAA segment; it has BHT EB HL"), "{}", why("AAA.1"));
    assert!(path("eb01", "a.edi", EDI).unwrap_err().message.contains("did you mean `EB01`"));
    assert!(path("EB.1", "a.edi", b"hello").unwrap().iter().any(|one| one.unreadable));
}

proptest::proptest! {
    #[test]
    fn nothing_panics(text in "[ -~]{0,24}", bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let _ = path(&text, "f", &bytes);
        let _ = path("2100C.NM1.9", "f", &[EDI, &bytes].concat());
    }
}
