//! What the fuzz target around the service runs: every parser of request bodies.

/// No body breaks what reads it.
pub fn service_bodies(data: &[u8]) {
    candor_server::fuzz_bodies(data);
}
