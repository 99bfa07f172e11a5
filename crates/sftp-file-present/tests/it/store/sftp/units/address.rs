//! Addresses of SFTP servers.

use crate::store::sftp::address::Address;

fn parse(url: &str) -> Result<Address, String> {
    Address::parse(url, || Some("me".to_owned()))
}

#[test]
fn urls() {
    for (url, user, host, port, path) in [
        ("sftp://u@h/drop", "u", "h", 22, "/drop"),
        ("sftp://u@h:2222/drop/in/", "u", "h", 2222, "/drop/in/"),
        ("SFTP://h", "me", "h", 22, "/"),
        ("sftp://@h:/", "me", "h", 22, "/"),
        ("sftp://u@[::1]:22/x", "u", "::1", 22, "/x"),
        ("sftp://u@[fe80::1]/x", "u", "fe80::1", 22, "/x"),
        ("sftp://a%40b@h/d%20e%25/f", "a@b", "h", 22, "/d e%/f"),
        ("sftp://a@b@h/x", "a@b", "h", 22, "/x"),
        ("sftp://u@h/~/drop", "u", "h", 22, "drop"),
        ("sftp://u@h/~", "u", "h", 22, "."),
        ("sftp://u@h/~drop", "u", "h", 22, "/~drop"),
    ] {
        let address = parse(url).unwrap();
        let found = (&*address.user, &*address.host, address.port, String::from_utf8(address.path).unwrap());
        assert_eq!(found, (user, host, port, path.to_owned()), "{url}");
        assert!(address.name.ends_with('/') && !address.name.ends_with("//"), "{}", address.name);
    }
}

#[test]
fn what_is_no_address() {
    for (url, what) in [
        ("sftp://u@/x", "names no host"),
        ("sftp://", "names no host"),
        ("sftp://u@h h/x", "names no host"),
        ("sftp://u@h:70000/x", "the port \"70000\""),
        ("sftp://u@h:0/x", "the port \"0\""),
        ("sftp://u@[::1]22/x", "no port behind"),
        ("sftp://u@h/x?y", "a query"),
        ("sftp://u@h/100%", "a % that"),
        ("sftp://u@h/%+1", "a % that"),
        ("sftp://u@h/%00", "NUL"),
        ("sftp://%ff@h/", "user that is not text"),
    ] {
        let error = parse(url).unwrap_err();
        assert!(error.contains(what), "{url}: {error}");
    }
    assert!(Address::parse("sftp://h/", || None).unwrap_err().contains("names no user"));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(candor_test_size::cases(64)))]
    #[test]
    fn any_text_is_an_address_or_is_not(text in "\\PC*") {
        let _ = parse(&format!("sftp://{text}"));
    }
}
