//! Scopes of a token.

use crate::live::scope::allows;

#[test]
fn what_scopes_allow() {
    for (scope, expected) in [
        ("system/*.rs", true),
        ("system/*.read", true),
        ("system/*.*", true),
        ("system/Appointment.cruds openid", true),
        ("user/Patient.rs user/Appointment.s", true),
        ("system/Appointment.s?status=booked", true),
        ("openid profile", true),
        ("https://www.googleapis.com/auth/cloud-healthcare", true),
        ("", true),
        ("system/Patient.rs", false),
        ("system/Appointment.cu", false),
        ("system/Appointment.write", false),
    ] {
        assert_eq!(allows(scope, "Appointment", 's'), expected, "{scope}");
    }
}
