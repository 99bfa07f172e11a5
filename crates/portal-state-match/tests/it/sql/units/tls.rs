//! Hosts that a connection leaves this machine for.

use crate::sql::tls::leaves;

#[test]
fn what_stays_on_this_machine() {
    for host in ["127.0.0.1", "[::1]", "localhost", "LocalHost", "/var/run/postgresql", ""] {
        assert!(!leaves(host), "{host}");
    }
    for host in ["db.example.org", "10.0.0.1", "::2", "localhost.example.org"] {
        assert!(leaves(host), "{host}");
    }
}
