//! Tests of the capability statement of a server.

use candor_json::json;

use crate::live::capability::Capability;

#[test]
fn what_a_server_says() {
    let said = json!({"resourceType": "CapabilityStatement",
        "rest": [{"mode": "server", "resource": [{"type": "Patient"}]}]});
    let server = Capability::read(&said).unwrap();
    assert!(server.serves("Patient") && !server.serves("Appointment"));
    assert_eq!(Capability::read(&json!({"resourceType": "Patient"})), None);
}
