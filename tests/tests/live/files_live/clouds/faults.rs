//! Servers in trouble, and objects that change: each ends unverifiable, with the right reason, within its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use candor_json::{Value, json};
use candor_tests::http::Request;
use candor_tests::http::{Break, Reply, Server, closed};
use candor_tests::proxy::{Pass, in_front_of};

use super::grade::{Graded, described};
use super::{ALL, Cloud};

const CONTENT: &[u8] = b"{\"total\": 120.5}";

fn filled(cloud: Cloud, bucket: &str) {
    cloud.make(bucket);
    cloud.put(bucket, "drop/a.json", CONTENT);
}

fn total() -> Value {
    json!({"assert": "sftp-file-present", "path": "*.json", "fields": [{"path": "total", "expected": 120.5}]})
}

fn graded(cloud: Cloud, server: &Server, bucket: &str, timeout: &str) -> Graded {
    let sandbox = cloud.sandbox_at(&server.url, &format!("{bucket}/drop"));
    described(&format!("{sandbox}[limits]\ntimeout = \"{timeout}\"\n"), &total())
}

fn error(status: u16, code: &str) -> Reply {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>no</Message></Error>");
    Reply { status, body: body.into_bytes(), ..Reply::default() }
}

/// A proxy in front of a stand-in. It passes on the stand-in's own host name, because a stand-in may depend on it.
fn proxy(
    cloud: Cloud,
    before: impl Fn(&mut Request) -> Pass + Send + Sync + 'static,
    after: impl Fn(&Request, Reply) -> Reply + Send + Sync + 'static,
) -> Server {
    let called = move |request: &mut Request| {
        request.headers.retain(|(name, _)| name != "host");
        request.headers.push(("host".to_owned(), cloud.address().to_owned()));
        before(request)
    };
    in_front_of(cloud.address(), called, after)
}

/// True if a request reads an object.
fn is_read(request: &Request) -> bool {
    request.method == "GET" && !request.target.contains('?')
}

#[test]
fn refusals() {
    for cloud in ALL {
        for (reply, code) in [(error(403, "AccessDenied"), "AccessDenied"), (error(401, "Unauthorized"), "401")] {
            let server = Server::start(move |_| reply.clone());
            graded(cloud, &server, "b", "5m").is("unverifiable source_denied", &[code, "://b/drop/ cannot be read"]);
            assert_eq!(server.requests().len(), 1);
        }
    }
    let expired = Server::start(|_| error(400, "ExpiredToken"));
    graded(Cloud::S3, &expired, "b", "5m").is("unverifiable source_denied", &["ExpiredToken"]);
    let elsewhere = Server::start(|_| error(301, "PermanentRedirect").with("x-amz-bucket-region", "eu-west-1"));
    graded(Cloud::S3, &elsewhere, "b", "5m").is("unverifiable source_unavailable", &["in the region eu-west-1"]);
    let redirect = Server::start(|_| Reply::status(307).with("Location", "https://elsewhere.example/"));
    graded(Cloud::S3, &redirect, "b", "5m").is("unverifiable source_unavailable", &["redirects are not followed"]);
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    for cloud in ALL {
        filled(cloud, "trouble");
        for (status, code) in [(500, "InternalError"), (503, "SlowDown"), (503, "ServerBusy"), (429, "TooManyRequests")]
        {
            let server = Server::start(move |_| error(status, code));
            graded(cloud, &server, "b", "5m").is("unverifiable source_unavailable", &[&status.to_string(), code]);
            assert_eq!(server.requests().len(), 4, "{cloud:?} {status}");
        }
        let times = AtomicU32::new(0);
        let passing = proxy(
            cloud,
            move |_| match times.fetch_add(1, SeqCst) % 3 {
                0 => Pass::Answer(error(503, "SlowDown")),
                1 => Pass::Answer(Reply::default().breaking(Break::Silent)),
                _ => Pass::On,
            },
            |_, reply| reply,
        );
        graded(cloud, &passing, "trouble", "5m").is("passed", &[]);
    }
}

#[test]
fn a_server_that_never_answers() {
    for cloud in ALL {
        let stalling = Server::start(|_| {
            std::thread::sleep(Duration::from_secs(3600));
            Reply::status(200)
        });
        graded(cloud, &stalling, "b", "1s").is("unverifiable timeout", &[]);
        let half = Reply { status: 200, body: vec![b'x'; 1000], ..Reply::default() };
        let half = Server::start(move |_| half.clone().breaking(Break::Stall));
        graded(cloud, &half, "b", "1s").is("unverifiable timeout", &[]);
    }
}

#[test]
fn servers_that_are_not_there() {
    let gone = format!("http://{}", closed());
    for cloud in ALL {
        described(&cloud.sandbox_at(&gone, "b"), &total())
            .is("unverifiable source_unavailable", &["the connection was refused"]);
        described(&cloud.sandbox_at("http://no-such-host.invalid", "b"), &total())
            .is("unverifiable source_unavailable", &["DNS"]);
    }
    let plain = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", plain.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in plain.incoming().flatten() {
            let _ = std::io::Read::read(&mut stream, &mut [0; 1000]);
            let _ = std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    described(&Cloud::S3.sandbox_at(&url, "b"), &total()).is("unverifiable source_unavailable", &["TLS"]);
}

#[test]
fn a_read_that_breaks_is_taken_up_again_where_it_broke() {
    let large = vec![b' '; 700_000];
    let content = [b"{\"total\": 120.5}".as_slice(), &large].concat();
    for cloud in ALL {
        cloud.make("resumed");
        cloud.put("resumed", "drop/a.json", &content);
        let times = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&times);
        let breaking = proxy(
            cloud,
            |_| Pass::On,
            move |request, reply| match is_read(request) && counted.fetch_add(1, SeqCst) == 0 {
                true => reply.breaking(Break::After(300_000)),
                false => reply,
            },
        );
        graded(cloud, &breaking, "resumed", "5m").is("passed", &[]);
        assert_eq!(times.load(SeqCst), 2, "{cloud:?}");
        let always = proxy(
            cloud,
            |_| Pass::On,
            |request, reply| match is_read(request) {
                true => reply.breaking(Break::After(1000)),
                false => reply,
            },
        );
        graded(cloud, &always, "resumed", "5m")
            .is("unverifiable source_unavailable", &["a.json cannot be read", "broke off"]);
    }
}

#[test]
fn a_server_that_stops_in_mid_read() {
    let content = vec![b' '; 700_000];
    for cloud in ALL {
        cloud.make("stopped");
        cloud.put("stopped", "drop/a.json", &content);
        let stalls = proxy(
            cloud,
            |_| Pass::On,
            |request, reply| match is_read(request) {
                true => reply.breaking(Break::Stall),
                false => reply,
            },
        );
        graded(cloud, &stalls, "stopped", "2s").is("unverifiable timeout", &[]);
        let stopped = Arc::new(AtomicU32::new(0));
        let (seen, after) = (Arc::clone(&stopped), Arc::clone(&stopped));
        let stops = proxy(
            cloud,
            move |_| match seen.load(SeqCst) {
                0 => Pass::On,
                _ => Pass::Answer(Reply::default().breaking(Break::Silent)),
            },
            move |request, reply| match is_read(request) {
                true => {
                    after.store(1, SeqCst);
                    reply.breaking(Break::After(100_000))
                }
                false => reply,
            },
        );
        graded(cloud, &stops, "stopped", "5m").is("unverifiable source_unavailable", &["broke off"]);
    }
}

/// Does something to the bucket when the object is about to be read for the `number`th time, or was.
fn upset(cloud: Cloud, before: bool, act: impl Fn() + Send + Sync + 'static) -> Server {
    let act = Arc::new(act);
    let later = Arc::clone(&act);
    proxy(
        cloud,
        move |request| {
            if before && is_read(request) {
                act();
            }
            Pass::On
        },
        move |request, reply| {
            if !before && is_read(request) {
                later();
            }
            reply
        },
    )
}

#[test]
fn objects_that_change_between_the_listing_and_the_read() {
    for cloud in ALL {
        filled(cloud, "changing");
        for before in [true, false] {
            cloud.put("changing", "drop/a.json", CONTENT);
            let overwritten =
                upset(cloud, before, move || cloud.put("changing", "drop/a.json", b"{\"total\": 120.50}"));
            graded(cloud, &overwritten, "changing", "5m")
                .is("unverifiable source_unavailable", &["a.json changed while it was read"]);
        }
        // Another object of the same length.
        cloud.put("changing", "drop/a.json", CONTENT);
        let same_length = upset(cloud, true, move || cloud.put("changing", "drop/a.json", b"{\"total\": 120.4}"));
        graded(cloud, &same_length, "changing", "5m")
            .is("unverifiable source_unavailable", &["a.json changed while it was read"]);
        cloud.put("changing", "drop/a.json", CONTENT);
        let deleted = upset(cloud, true, move || cloud.delete("changing", "drop/a.json"));
        // Azurite minds the condition before it looks whether there is anything.
        let what = if cloud == Cloud::Azure { "changed while it was read" } else { "is no longer there" };
        graded(cloud, &deleted, "changing", "5m").is("unverifiable source_unavailable", &[what]);
        cloud.put("changing", "drop/a.json", CONTENT);
        let gone_after = upset(cloud, false, move || cloud.delete("changing", "drop/a.json"));
        graded(cloud, &gone_after, "changing", "5m")
            .is("unverifiable source_unavailable", &["a.json changed while it was read"]);
    }
}

#[test]
fn a_read_that_is_refused() {
    for cloud in ALL {
        filled(cloud, "refused");
        let refusing = proxy(
            cloud,
            |request| if is_read(request) { Pass::Answer(error(403, "AccessDenied")) } else { Pass::On },
            |_, reply| reply,
        );
        graded(cloud, &refusing, "refused", "5m")
            .is("unverifiable source_denied", &["drop/a.json cannot be read", "AccessDenied"]);
        // What is there is there, whether it may be read or not.
        let name = json!({"assert": "sftp-file-present", "path": "a.json"});
        described(&cloud.sandbox_at(&refusing.url, "refused/drop"), &name).is("passed", &[]);
    }
    let cold = proxy(
        Cloud::S3,
        |request| if is_read(request) { Pass::Answer(error(403, "InvalidObjectState")) } else { Pass::On },
        |_, reply| reply,
    );
    graded(Cloud::S3, &cold, "refused", "5m").is("unverifiable source_unavailable", &["archived"]);
}
