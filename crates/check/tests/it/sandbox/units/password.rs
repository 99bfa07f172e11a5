//! URLs without their passwords.

use crate::sandbox::password::without_password;

#[test]
fn a_password_in_a_url_is_taken_out_of_it() {
    for (url, shown, password) in [
        ("postgres://u:p%40ss@h:1/d?x=1", "postgres://u@h:1/d?x=1", Some("p@ss")),
        ("postgres://u@h/d", "postgres://u@h/d", None),
        ("postgres://h/d:x@y", "postgres://h/d:x@y", None),
        ("sqlite:a:b@c.db", "sqlite:a:b@c.db", None),
        ("mysql://u:%zz%c3%bc@h", "mysql://u@h", Some("%zzü")),
    ] {
        assert_eq!(without_password(url), (shown.to_owned(), password.map(str::to_owned)), "{url}");
    }
}
