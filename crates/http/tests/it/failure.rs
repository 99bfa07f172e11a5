//! Requests that got no answer.

use std::io;

use candor_http::{Failure, ureq};

#[test]
fn a_proxys_refusal_is_the_proxys() {
    let said = |text: &str| Failure::from(&ureq::Error::ConnectProxyFailed(text.to_owned()));
    assert_eq!(said("HTTP/1.1 502 Bad Gateway"), Failure::Proxy(Some(502)));
    assert_eq!(said("unexpected status: 407"), Failure::Proxy(Some(407)));
    assert_eq!(said("no"), Failure::Proxy(None));
    assert_eq!(Failure::Proxy(Some(502)).to_string(), "the proxy refused the connection (502)");
    assert!(Failure::Proxy(Some(502)).is_passing() && !Failure::Proxy(Some(407)).is_passing());
}

#[test]
fn what_breaks_inside_a_body_keeps_its_kind() {
    let wrapped = io::Error::other(ureq::Error::Timeout(ureq::Timeout::Global));
    assert_eq!(Failure::from(&wrapped), Failure::Timeout { connecting: false });
    assert_eq!(Failure::from(&io::Error::from(io::ErrorKind::UnexpectedEof)), Failure::BrokeOff);
}

#[test]
fn what_a_library_quotes_is_not_shown() {
    let failure = Failure::from(&ureq::Error::BadUri("http://user:hunter2@host".to_owned()));
    assert!(!failure.to_string().contains("hunter2"));
}
