//! The values of a set, each by its path.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use candor_x12::{Item, Walk};
use proptest::prelude::*;

fn leaves(bytes: &[u8]) -> Vec<Vec<(String, String)>> {
    let (mut walk, mut all) = (Walk::from_slice(bytes), Vec::new());
    while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
        if let Item::Set(set) = item {
            all.push(set.view().leaves());
        }
    }
    all
}

const SET: &str = "ISA*00*          *00*          *ZZ*A              *ZZ*B              *261120*0915*^*00501*000000101*0*P*:~\
    GS*HP*A*B*20261120*0915*101*X*005010X221A1~ST*835*0001~SVC*HC:99213*100^7~SVC*HC:1~SE*4*0001~GE*1*101~IEA*1*000000101~";

#[test]
fn other_delimiters_and_line_ends_make_no_other_values() {
    let other = SET.replace('~', "!\r\n").replace('*', "|").replace(':', ">").replace('^', "&");
    assert_eq!(leaves(SET.as_bytes()), leaves(other.as_bytes()));
    let of_set = &leaves(SET.as_bytes())[0];
    let paths: Vec<&str> = of_set.iter().map(|leaf| leaf.0.as_str()).filter(|path| path.starts_with("SVC")).collect();
    assert_eq!(paths, ["SVC.1.1", "SVC.1.2", "SVC.2", "SVC.2[2]", "SVC[2].1.1", "SVC[2].1.2"]);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut all = SET.as_bytes()[..160].to_vec();
        all.extend(bytes);
        drop(leaves(&all));
    }
}
