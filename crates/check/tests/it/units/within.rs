//! How long to wait.

use candor_check::Within;

/// tests/cli/settings.trycmd holds what is refused.
#[test]
fn durations_and_their_bounds() {
    let read = |text: &str| candor_json::from_str::<Within>(text).map_err(|error| error.to_string());
    let within = read(r#"{"timeout": "3s"}"#).unwrap();
    assert_eq!((within.timeout.as_secs(), within.every.as_secs(), within.to_the_end), (3, 1, false));
}
