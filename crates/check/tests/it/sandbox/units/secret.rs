//! Values that never print.

use candor_check::sandbox::Secret;

#[test]
fn a_secret_never_prints() {
    let secret = Secret::new("hunter2".to_owned());
    assert!(!format!("{secret} {secret:?}").contains("hunter2"));
    assert_eq!(secret.reveal(), "hunter2");
    assert!(!Secret::from_environment("hunter2").unwrap_err().contains("hunter2"));
}
