//! The separator of a file's cells.

use crate::rows::delimiter;

#[test]
fn what_separates_cells() {
    let of = |text: &str| delimiter(text.as_bytes()).map(|d| (char::from(d.byte), d.behind)).map_err(|(_, what)| what);
    assert_eq!(of("id,status\n1,open\n"), Ok((',', 0)));
    assert_eq!(of("id;status\n1;open\n"), Ok((';', 0)));
    assert_eq!(of("id\tstatus\n1\topen, or not\n"), Ok(('\t', 0)));
    assert_eq!(of("id|status\r\n1|open\r\n"), Ok(('|', 0)));
    assert_eq!(of("id;status\n"), Ok((';', 0)));
    assert_eq!(of("id\n1\n"), Ok((',', 0)));
    assert_eq!(of(""), Ok((',', 0)));
    assert_eq!(of("\"a;b\"\n1\n"), Ok((',', 0)));
    assert_eq!(of("sep=;\r\nid;a,b\n"), Ok((';', 7)));
    assert_eq!(of("SEP=|\nid\n"), Ok(('|', 6)));
    assert_eq!(of("sep=;,x\n"), Ok((',', 0)));
    assert!(of("id;status\n1\n").unwrap_err().contains("semicolons"));
    assert!(of("id;status\n1;2;3\n").unwrap_err().contains("too many"));
    assert!(of("id;a|b\n1;2\n").unwrap_err().contains("semicolons or by bars"));
    assert!(of("a;a\n1;2\n").is_err());
}
