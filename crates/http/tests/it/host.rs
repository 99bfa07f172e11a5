//! Hosts that are this machine.

use candor_http::host::{is_metadata_service, is_this_machine};

#[test]
fn a_name_that_only_begins_as_a_metadata_service_is_another_host() {
    assert!(is_metadata_service("169.254.169.254") && is_metadata_service("metadata.google.internal"));
    assert!(!is_metadata_service("169.254.evil.example") && !is_metadata_service("10.0.0.1"));
}

#[test]
fn this_machine_is_told_from_those_that_are_called_like_it() {
    for host in [
        "localhost",
        "LocalHost",
        "localhost.",
        "127.0.0.1",
        "127.8.0.1",
        "127.255.255.255",
        "[::1]",
        "::1",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "::ffff:7f00:1",
    ] {
        assert!(is_this_machine(host), "{host}");
    }
    for host in [
        "",
        ".",
        "localhost.evil.example",
        "notlocalhost",
        "localhost..",
        "127.evil.example",
        "127.0.0.1.evil.example",
        "127.1",
        "128.0.0.1",
        "10.0.0.1",
        "0.0.0.0",
        "[::2]",
        "[::ffff:10.0.0.1]",
        "[::1",
        "/var/run/socket",
    ] {
        assert!(!is_this_machine(host), "{host}");
    }
}
