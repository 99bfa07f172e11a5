//! The fuzz bodies of portals over real rows, cut off and with bytes exchanged.

use candor_tests::fuzz_portal::{portal_answer, portal_rows};

#[test]
fn the_body_holds_for_real_rows() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/portal-tau2");
    for (first, file) in [(255, "orders.json"), (253, "users.ndjson"), (254, "order_items.csv"), (0, "mock-db.json")] {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        portal_rows(&[&[first], bytes.as_slice()].concat());
        portal_rows(&[&[first], &bytes[..bytes.len() / 2]].concat());
    }
    portal_rows(b"");
}

#[test]
fn the_body_holds_for_answers() {
    let answer =
        b"<?page=2>; rel=\"next\"; title=\"a, b\"\n{\"a\": {\"b\": [{\"x\": 1}, 2]}, \"data\": [{\"y\": \"\\u0041\"}]}";
    for at in 0..answer.len() {
        portal_answer(&answer[..at]);
        for byte in *b"\"\\{}[],:<>;=/\n a\xC3\xFF" {
            let mut damaged = answer.to_vec();
            damaged[at] = byte;
            portal_answer(&damaged);
            damaged.insert(at, byte);
            portal_answer(&damaged);
        }
    }
    portal_answer(b"\n[{\"x\": 1}]");
}

#[test]
fn the_body_holds_for_damaged_rows() {
    let inputs: [&[u8]; 3] = [
        b"\x00 [{\"a\": [1, {\"b\": \"\\u0041\\\"\"}], \"c\": null}, {}]\n",
        b"\x01{\"a\": 1}\r\n\n {\"b\": \"x\"} \n{\"c\": 1e5}",
        b"\x02a,b,c\r\n1,\"x,\"\"\r\n\",\r\n\r\n2,y\r\n",
    ];
    let mut runs = 0;
    for input in inputs {
        for at in 0..input.len() {
            portal_rows(&input[..at]);
            for byte in *b"\"\\{}[],:\r\n\0 a\xC3\xFF" {
                let mut damaged = input.to_vec();
                damaged[at] = byte;
                portal_rows(&damaged);
                damaged.insert(at, byte);
                portal_rows(&damaged);
                runs += 2;
            }
        }
    }
    assert!(runs > 3_000, "{runs}");
}
