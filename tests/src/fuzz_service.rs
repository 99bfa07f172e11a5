//! The body of the fuzz target around the service: every parser of request bodies.

/// No body breaks what reads it.
pub fn service_bodies(data: &[u8]) {
    candor_server::fuzz_bodies(data);
}
