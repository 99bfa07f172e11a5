//! A small async server: `POST /` with `{"task": …, "rows": {RESOURCE: [ROW, …]}}` returns the run as JSON.
//!
//! A single engine serves every request. A client that hangs up drops the future, and with it the work.
//!
//! ```sh
//! cargo run --example server -- 127.0.0.1:8080
//! ```
//!
//! Without an address the example asks itself once and ends.

use std::io::{self, Write as _};

use candor::json::{Map, Value, json};
use candor::{Engine, Sandbox, Task};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The largest request that is read.
const MAX_BYTES: u64 = 16 << 20;

/// Serves, or asks itself once.
///
/// # Errors
/// When the address cannot be used, or a reply is not the expected one.
#[tokio::main]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1);
    let listener = TcpListener::bind(address.as_deref().unwrap_or("127.0.0.1:0")).await?;
    let here = listener.local_addr()?;
    let server = tokio::spawn(serve(listener, Engine::standard()));
    if address.is_some() {
        writeln!(io::stdout(), "listening on http://{here}")?;
        return Ok(server.await??);
    }

    let task = json!({"id": "t", "criteria": [{"id": "submitted", "assertion": {
        "assert": "portal-state-match",
        "correlate_by": {"resource": "requests", "key": "id", "value": "1"},
        "assertions": [{"path": "status", "expected": "submitted"}],
    }}]});
    let rows = json!({"requests": [{"id": "1", "status": "submitted"}]});
    let (status, reply) = ask(here, &json!({"task": task, "rows": rows})).await?;
    assert_eq!((status.as_str(), reply.get("verdict")), ("HTTP/1.1 200 OK", Some(&json!("pass"))));
    let (status, reply) = ask(here, &json!({"task": {"id": "t", "criterai": []}})).await?;
    assert_eq!(status, "HTTP/1.1 400 Bad Request");
    let error = reply.get("error").and_then(Value::as_str).unwrap_or_default();
    assert!(error.contains("did you mean `criteria`?"), "{reply}");
    Ok(())
}

async fn serve(listener: TcpListener, engine: Engine) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        let engine = engine.clone();
        // A broken connection concerns only its client.
        tokio::spawn(async move { drop(answer(stream, &engine).await) });
    }
}

async fn answer(stream: TcpStream, engine: &Engine) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let body = body(&mut stream).await?;
    let (status, json) = match grade(&body, engine).await {
        Ok(run) => ("200 OK", run),
        Err(error) => ("400 Bad Request", json!({"error": error.to_string()}).to_string()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        json.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(json.as_bytes()).await?;
    stream.shutdown().await
}

async fn grade(body: &[u8], engine: &Engine) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let mut request: Map<String, Value> = candor::json::from_slice(body)?;
    let task = Task::from_value(request.remove("task").ok_or("the request has no `task`")?)?;
    let mut sandbox = Sandbox::builder();
    if let Some(Value::Object(rows)) = request.remove("rows") {
        for (resource, rows) in rows {
            sandbox = sandbox.portal(&resource, rows);
        }
    }
    Ok(engine.run(&task, &sandbox.build()?).await.to_json())
}

/// Reads the head of a message, and then as many bytes as it announces.
async fn body(stream: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        (&mut *stream).take(8 << 10).read_line(&mut line).await?;
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            None if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    if length > MAX_BYTES {
        return Err(io::Error::other("the request is too large"));
    }
    let mut body = Vec::new();
    (&mut *stream).take(length).read_to_end(&mut body).await?;
    Ok(body)
}

async fn ask(address: std::net::SocketAddr, request: &Value) -> Result<(String, Value), Box<dyn std::error::Error>> {
    let mut stream = BufReader::new(TcpStream::connect(address).await?);
    let request = request.to_string();
    stream
        .write_all(format!("POST / HTTP/1.1\r\ncontent-length: {}\r\n\r\n{request}", request.len()).as_bytes())
        .await?;
    let mut status = String::new();
    stream.read_line(&mut status).await?;
    let body = body(&mut stream).await?;
    Ok((status.trim_end().to_owned(), candor::json::from_slice(&body)?))
}
