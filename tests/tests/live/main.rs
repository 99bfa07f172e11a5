//! The tests that need servers, in one program: each server starts once.

mod fhir_live;
mod files_live;
mod portal_http;
mod portal_live;
mod record_mllp;
mod report_peers;
mod telemetry;
mod voice_judge;
