//! Secrets in what a server sent.

use candor_http_source::Secrets;

#[test]
fn nothing_of_a_secret_is_left() {
    let secrets = Secrets::default();
    secrets.add("hunter2");
    secrets.add("hunter2-and-more");
    secrets.add("a");
    assert_eq!(secrets.quoted("a token\r\nhunter2-and-more, or hunter2"), "a token (secret), or (secret)");
    assert_eq!(secrets.quoted(&"x".repeat(300)).chars().count(), 241);
}
