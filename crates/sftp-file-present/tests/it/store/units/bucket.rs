//! Descriptions of buckets.

use crate::store::bucket::check;

fn checked(scheme: &str, url: &str, endpoint: Option<&str>, set: &[&str]) -> String {
    let result = check(scheme, url, endpoint, |name| set.contains(&name));
    result.map_or_else(|error| format!("{}: {}", error.key, error.message), |()| String::new())
}

#[test]
fn what_a_bucket_may_be_like() {
    for url in ["s3://b", "s3://b/", "gs://my_bucket.example/a b/é", "az://$root/x/", "s3://b/100%/a.b.."] {
        assert_eq!(checked("s3", url, None, &[]), "", "{url}");
    }
    for endpoint in ["http://127.0.0.1:9000", "https://blob.example/account", "HTTPS://x"] {
        assert_eq!(checked("az", "az://b", Some(endpoint), &["account_key"]), "", "{endpoint}");
    }
    assert_eq!(checked("s3", "s3://b", None, &["access_key_id", "secret_access_key", "session_token"]), "");
    assert_eq!(checked("sftp", "sftp://u@h//x", None, &["anonymous", "token"]), "");
}

#[test]
fn every_slip_is_named() {
    for (url, expected) in [
        ("s3:b", "names no bucket"),
        ("s3://", "names no bucket"),
        ("s3:///x", "names no bucket"),
        ("s3://..", "names no bucket"),
        ("s3://b c/x", "names no bucket"),
        ("s3://key@b/x", "holds a user"),
        ("s3://b/x?sig=hunter2", "has a query"),
        ("s3://b//x", "a part that is empty"),
        ("s3://b/x//", "a part that is empty"),
        ("s3://b/../x", "a part that is empty"),
    ] {
        let message = checked("s3", url, None, &[]);
        assert!(message.starts_with("url: `url` ") && message.contains(expected), "{url}: {message}");
        assert!(!message.contains("hunter2"));
    }
    for (endpoint, expected) in [
        ("127.0.0.1:9000", "is not an http:// or https:// URL"),
        ("ftp://x", "is not an http:// or https:// URL"),
        ("http://u:hunter2@x", "holds credentials"),
        ("http://x?sig=hunter2", "has a query"),
        ("http:///x", "names no host"),
        ("http://a b", "a URL cannot contain"),
    ] {
        let message = checked("gs", "gs://b", Some(endpoint), &[]);
        assert!(message.contains(expected) && !message.contains("hunter2"), "{endpoint}: {message}");
    }
    for (scheme, set, expected) in [
        ("s3", &["access_key_id"][..], "`access_key_id` needs `secret_access_key` as well"),
        ("s3", &["secret_access_key"], "`secret_access_key` needs `access_key_id` as well"),
        ("s3", &["session_token"], "`session_token` needs `access_key_id` as well"),
        ("s3", &["anonymous", "access_key_id", "secret_access_key"], "cannot be used with `anonymous`"),
        ("gs", &["service_account_file", "token"], "`token` cannot be used with `service_account_file`"),
        ("az", &["account_key", "sas_token"], "`sas_token` cannot be used with `account_key`"),
    ] {
        let message = checked(scheme, "s3://b", None, set);
        assert!(message.contains(expected), "{set:?}: {message}");
    }
}
