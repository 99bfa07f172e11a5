//! HTTPS: whose certificates are trusted.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::fhir_live::grade::{appointment, booked, page, within};

/// A server behind TLS that gives every request the same answer; its URL, and its certificate in PEM.
fn server() -> (String, String) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut tls = StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), stream);
            // Whoever does not trust the certificate ends the connection.
            if tls.read(&mut [0; 4096]).is_ok() {
                let body = page(&[appointment("a1", "MRI")], &[]).to_string();
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/fhir+json\r\nConnection: close\r\n";
                let _ = write!(tls, "{head}Content-Length: {}\r\n\r\n{body}", body.len());
                tls.conn.send_close_notify();
                let _ = tls.flush();
            }
        }
    });
    (url, cert.pem())
}

#[test]
fn an_authority_of_ones_own() {
    let (url, certificate) = server();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ca.pem"), certificate).unwrap();
    let description = |more: &str| format!("[fhir]\nurl = \"{url}\"\n{more}\n[limits]\ntimeout = \"5m\"\n");
    within(folder.path(), &description("ca_file = \"ca.pem\""), booked()).is("passed", &[]);
    within(folder.path(), &description(""), booked())
        .is("unverifiable source_unavailable", &["the TLS connection failed", "UnknownIssuer"]);
    std::fs::write(folder.path().join("ca.pem"), "no certificate").unwrap();
    within(folder.path(), &description("ca_file = \"ca.pem\""), booked())
        .is("unverifiable source_unavailable", &["`ca_file`", "holds no certificate"]);
}

#[test]
fn a_certificate_for_another_name() {
    let (url, certificate) = server();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ca.pem"), certificate).unwrap();
    let url = url.replace("localhost", "127.0.0.1");
    let description = format!("[fhir]\nurl = \"{url}\"\nca_file = \"ca.pem\"\n[limits]\ntimeout = \"5m\"\n");
    within(folder.path(), &description, booked()).is("unverifiable source_unavailable", &["TLS"]);
}
