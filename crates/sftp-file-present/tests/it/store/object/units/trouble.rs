//! Answers of cloud stores.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use candor_check::Obstacle;
use candor_http::ureq::http::{HeaderMap, StatusCode};

use crate::store::object::trouble::Trouble;

fn answer(status: u16, headers: &[(&'static str, &str)], body: &str) -> Trouble {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(*name, value.parse().unwrap());
    }
    Trouble::of_answer(StatusCode::from_u16(status).unwrap(), &map, body.as_bytes())
}

#[test]
fn answers_are_told_by_status_and_code() {
    let denied = answer(403, &[], "<Error><Code>AccessDenied</Code><Message>key hunter2</Message></Error>");
    assert_eq!(denied.obstacle, Obstacle::SourceDenied);
    assert_eq!(denied.what, "the server answered 403 Forbidden (AccessDenied)");
    assert_eq!(answer(400, &[], "<Error><Code>ExpiredToken</Code></Error>").obstacle, Obstacle::SourceDenied);
    let archived = answer(403, &[], "<Error><Code>InvalidObjectState</Code></Error>");
    assert_eq!(archived.obstacle, Obstacle::SourceUnavailable);
    assert!(archived.what.contains("archived"));
    let elsewhere = answer(301, &[("x-amz-bucket-region", "eu-west-1")], "");
    assert!(elsewhere.what.ends_with("the bucket is in the region eu-west-1"), "{}", elsewhere.what);
    assert!(answer(302, &[], "").what.contains("redirects are not followed"));
    assert!(answer(404, &[("x-ms-error-code", "ContainerNotFound")], "").what.contains("no such bucket"));
    assert!(answer(400, &[], "{\"error\": \"invalid_grant\"}").what.ends_with("(invalid_grant)"));
}

#[test]
fn a_code_is_no_place_for_other_things() {
    for body in ["<Code>a b</Code>", "<Code></Code>", "<Code>", "</Code><Code>", "\"error\"", "\"error\": \""] {
        assert_eq!(answer(500, &[], body).what, "the server answered 500 Internal Server Error", "{body}");
    }
    let long = format!("<Code>{}</Code>", "x".repeat(65));
    assert_eq!(answer(500, &[], &long).what, "the server answered 500 Internal Server Error");
}
