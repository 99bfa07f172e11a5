//! Buckets: moto as Amazon S3, fake-gcs-server as Google Cloud Storage, Azurite as Azure Blob Storage; servers of our own
//! for what those do not do.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use candor_tests::clouds;
use candor_tests::http::{Request, ask};

use crate::files_live::suite::{Place, conforms};

mod faults;
mod grade;
mod keys;
mod listings;
mod login;
mod vectors;

pub(crate) const ACCOUNT: &str = "devstoreaccount1";
/// The key of Azurite's account, which is the same for everybody: <https://learn.microsoft.com/azure/storage/common/storage-use-azurite>.
pub(crate) const ACCOUNT_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cloud {
    S3,
    Google,
    Azure,
}

pub(crate) const ALL: [Cloud; 3] = [Cloud::S3, Cloud::Google, Cloud::Azure];

impl Cloud {
    /// Its stand-in's address.
    pub(crate) fn address(self) -> &'static str {
        match self {
            Cloud::S3 => clouds::s3(),
            Cloud::Google => clouds::google(),
            Cloud::Azure => clouds::azurite(),
        }
    }

    pub(crate) fn scheme(self) -> &'static str {
        match self {
            Cloud::S3 => "s3",
            Cloud::Google => "gs",
            Cloud::Azure => "az",
        }
    }

    /// A sandbox whose files lie in a bucket that anybody may read, at the stand-in itself.
    pub(crate) fn sandbox(self, place: &str) -> String {
        self.sandbox_at(&format!("http://{}", self.address()), place)
    }

    /// The same at another server.
    pub(crate) fn sandbox_at(self, url: &str, place: &str) -> String {
        let scheme = self.scheme();
        let (base, more) = match self {
            Cloud::Azure => (format!("{url}/{ACCOUNT}"), format!("account = \"{ACCOUNT}\"\n")),
            _ => (url.to_owned(), String::new()),
        };
        format!("[files]\nurl = \"{scheme}://{place}\"\nendpoint = \"{base}\"\n{more}anonymous = true\n")
    }

    /// Makes a bucket that anybody may read.
    pub(crate) fn make(self, bucket: &str) {
        let status = match self {
            Cloud::S3 => self.send("PUT", &format!("/{bucket}"), &[], b""),
            Cloud::Google => {
                let json = [("content-type", "application/json")];
                self.send("POST", "/storage/v1/b", &json, format!("{{\"name\": \"{bucket}\"}}").as_bytes())
            }
            Cloud::Azure => {
                let public = [("x-ms-blob-public-access", "container")];
                self.send("PUT", &format!("/{ACCOUNT}/{bucket}?restype=container"), &public, b"")
            }
        };
        assert!(status < 300, "{self:?} {bucket}: {status}");
    }

    /// Makes a container of Azure's that only who has the key may read.
    pub(crate) fn make_private(self, bucket: &str) {
        assert!(self.send("PUT", &format!("/{ACCOUNT}/{bucket}?restype=container"), &[], b"") < 300);
    }

    /// Puts an object.
    pub(crate) fn put(self, bucket: &str, key: &str, content: &[u8]) {
        self.put_encoded(bucket, key, content, None);
    }

    /// Puts an object, with a `Content-Encoding` if one is given.
    pub(crate) fn put_encoded(self, bucket: &str, key: &str, content: &[u8], encoding: Option<&str>) {
        let octets = ("content-type", "application/octet-stream");
        let status = match self {
            Cloud::S3 => {
                let mut headers = vec![octets, ("x-amz-acl", "public-read")];
                headers.extend(encoding.map(|encoding| ("content-encoding", encoding)));
                self.send("PUT", &format!("/{bucket}/{}", escaped(key)), &headers, content)
            }
            Cloud::Google => {
                let encoding = encoding.map(|encoding| format!("&contentEncoding={encoding}")).unwrap_or_default();
                let name = escaped(key).replace('/', "%2F");
                let target = format!("/upload/storage/v1/b/{bucket}/o?uploadType=media&name={name}{encoding}");
                self.send("POST", &target, &[octets], content)
            }
            Cloud::Azure => {
                let mut headers = vec![octets, ("x-ms-blob-type", "BlockBlob")];
                headers.extend(encoding.map(|encoding| ("x-ms-blob-content-encoding", encoding)));
                self.send("PUT", &format!("/{ACCOUNT}/{bucket}/{}", escaped(key)), &headers, content)
            }
        };
        assert!(status < 300, "{self:?} {key}: {status}");
    }

    /// Takes an object away.
    pub(crate) fn delete(self, bucket: &str, key: &str) {
        let status = match self {
            Cloud::S3 => self.send("DELETE", &format!("/{bucket}/{}", escaped(key)), &[], b""),
            Cloud::Google => {
                self.send("DELETE", &format!("/storage/v1/b/{bucket}/o/{}", escaped(key).replace('/', "%2F")), &[], b"")
            }
            Cloud::Azure => self.send("DELETE", &format!("/{ACCOUNT}/{bucket}/{}", escaped(key)), &[], b""),
        };
        assert!(status < 300, "{self:?} {key}: {status}");
    }

    fn send(self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> u16 {
        let mut all: Vec<(String, String)> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        all.push(("host".to_owned(), self.address().to_owned()));
        if self == Cloud::Azure {
            all.push(("x-ms-date".to_owned(), "Sat, 21 Nov 2026 12:00:00 GMT".to_owned()));
            all.push(("x-ms-version".to_owned(), "2023-11-03".to_owned()));
            let authorization = shared_key(method, target, &all, body.len());
            all.push(("authorization".to_owned(), authorization));
        }
        let request =
            Request { method: method.to_owned(), target: target.to_owned(), headers: all, body: body.to_vec() };
        ask(self.address(), &request).status
    }
}

/// A bucket of its own, and what was put into it: a bucket's object cannot be added to.
struct Bucket {
    cloud: Cloud,
    name: String,
    objects: Mutex<HashMap<String, Vec<u8>>>,
}

impl Bucket {
    fn new(cloud: Cloud) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("suite-{}", MADE.fetch_add(1, Ordering::Relaxed));
        cloud.make(&name);
        Self { cloud, name, objects: Mutex::default() }
    }

    fn s3() -> Self {
        Self::new(Cloud::S3)
    }

    fn google() -> Self {
        Self::new(Cloud::Google)
    }

    fn azure() -> Self {
        Self::new(Cloud::Azure)
    }
}

impl Place for Bucket {
    fn files(&self) -> String {
        // A prefix, so that what is seen of a bucket is what is asked for.
        let described = self.cloud.sandbox(&format!("{}/drop", self.name));
        described.trim_start_matches("[files]\n").to_owned()
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        self.cloud.put(&self.name, &format!("drop/{path}"), bytes);
        self.objects.lock().unwrap().insert(path.to_owned(), bytes.to_vec());
    }

    fn append(&self, path: &str, bytes: &[u8]) {
        let mut longer = self.objects.lock().unwrap().get(path).cloned().unwrap();
        longer.extend_from_slice(bytes);
        self.put(path, &longer);
    }
}

conforms!(s3, super::Bucket::s3);
conforms!(google, super::Bucket::google);
conforms!(azure, super::Bucket::azure);

/// Azure's signature: <https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key>.
fn shared_key(method: &str, target: &str, headers: &[(String, String)], length: usize) -> String {
    let header = |name: &str| headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str());
    let length = if length == 0 { String::new() } else { length.to_string() };
    let content_type = header("content-type");
    let mut text = format!("{method}\n\n\n{length}\n\n{content_type}\n\n\n\n\n\n\n");
    let mut own: Vec<_> = headers.iter().filter(|(name, _)| name.starts_with("x-ms-")).collect();
    own.sort();
    for (name, value) in own {
        text.push_str(&format!("{name}:{value}\n"));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    text.push_str(&format!("/{ACCOUNT}{path}"));
    for setting in query.split('&').filter(|setting| !setting.is_empty()) {
        text.push_str(&format!("\n{}", setting.replacen('=', ":", 1)));
    }
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &BASE64_STANDARD.decode(ACCOUNT_KEY).unwrap());
    let tag = ring::hmac::sign(&key, text.as_bytes());
    format!("SharedKey {ACCOUNT}:{}", BASE64_STANDARD.encode(tag.as_ref()))
}

/// A key in a URL's path.
pub(crate) fn escaped(key: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    key.bytes().map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
