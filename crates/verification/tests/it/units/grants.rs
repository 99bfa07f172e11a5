//! Servers that a program may ask.

use candor_verification::script::Origin;
use proptest::prelude::*;

#[test]
fn origins_are_scheme_host_and_port() {
    for (text, read) in [
        ("http://localhost:8080", "http://localhost:8080"),
        ("https://h/", "https://h:443"),
        ("http://[::1]:81", "http://[::1]:81"),
        ("http://h:", "http://h:80"),
    ] {
        assert_eq!(text.parse::<Origin>().unwrap().to_string(), read, "{text}");
    }
    for wrong in [
        "",
        "h",
        "ftp://h",
        "http://",
        "http://u@h",
        "http://u:p@h",
        "http://h/p",
        "http://h?q",
        "http://h:65536",
        "/p",
        "http://h:x",
    ] {
        assert!(wrong.parse::<Origin>().is_err(), "{wrong}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(candor_test_size::cases(300)) })]

    #[test]
    fn an_origin_s_text_is_that_origin(text in "(http|https|HTTP)://[a-zA-Z0-9.\\[\\]:@/?#-]{0,12}(:[0-9]{0,6})?") {
        if let Ok(origin) = text.parse::<Origin>() {
            prop_assert_eq!(origin.to_string().parse::<Origin>().unwrap(), origin);
        }
    }
}
