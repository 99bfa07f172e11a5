//! Tests of a client whose server fails more than once.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use candor_check::Obstacle;
use candor_check::sandbox::{Limits, Section};
use candor_http_source::{Ask, Budget, Client, HttpServer, Manners};

/// Asks a server that gives each answer once, and then none. An empty answer closes the connection.
fn asked(answers: &'static [&'static str]) -> Result<u16, Obstacle> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/r", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for (number, stream) in listener.incoming().flatten().enumerate() {
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            match answers.get(number) {
                Some(answer) => (&stream).write_all(answer.as_bytes()).unwrap(),
                None => kept.push(stream),
            }
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let section = Section::from_toml("portal", &format!("url = \"{url}\""), folder.path()).unwrap();
    let manners = Manners { part: "portal", accept: "*/*", fields: &[], google_scope: "" };
    let client = Client::new(HttpServer::read(&section).ok().unwrap(), manners).unwrap();
    let mut budget = Budget::new(&Limits { timeout: Duration::from_secs(1), ..Limits::default() });
    let answer = client.ask(Ask::get(&url, "the request"), &mut budget);
    answer.map(|answer| answer.status).map_err(|why| why.obstacle)
}

#[test]
fn time_that_ends_on_another_attempt_is_not_the_reason() {
    assert_eq!(asked(&[""]), Err(Obstacle::SourceUnavailable));
    assert_eq!(asked(&["HTTP/1.1 503 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"]), Ok(503));
    assert_eq!(asked(&[]), Err(Obstacle::Timeout));
}
