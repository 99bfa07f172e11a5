//! `candor record`: servers that keep what they are sent.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use candor::inner::report::Format;
use candor_json::json;
use candor_mllp::{Answer, Event, Limits, Mode, Settings, Store, serve};
use clap::{Args as ClapArgs, Subcommand};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};

use crate::exit::Outcome;
use crate::output::{OutputArgs, complain, printable};

#[derive(Debug, Subcommand)]
pub(crate) enum RecordCommand {
    /// Listen for HL7 v2 over MLLP: keep every frame in a file of its own, and acknowledge what was kept
    Mllp(MllpArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MllpArgs {
    /// Where to listen; port 0 takes a free one, which standard error names
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:2575")]
    pub listen: SocketAddr,
    /// The folder that frames are written to, usually the `hl7` of a sandbox; made if it is not there
    #[arg(long, value_name = "FOLDER")]
    pub into: PathBuf,
    /// How messages are answered: as they are read (AA, or AE and AR where they cannot be), always AE, always AR, or
    /// not at all
    #[arg(long, value_name = "CODE", default_value = "as-read", value_parser = ["as-read", "AE", "AR", "none"])]
    pub answer: String,
    /// How long an acknowledgment waits: 500ms, 2s
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub delay: Option<Duration>,
    /// Stop after so many messages
    #[arg(long, value_name = "N")]
    pub messages: Option<u64>,
    /// Stop after so long: 30s, 5m
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub stop_after: Option<Duration>,
    /// The most connections at one time
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub connections: usize,
    /// The most bytes of one frame
    #[arg(long, value_name = "N", default_value_t = 64 << 20)]
    pub max_bytes: usize,
    /// Close a connection that says nothing for so long
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10m")]
    pub idle: Duration,
}

/// Reads `500ms`, `30s`, `5m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    candor::check::sandbox::duration(text)
}

pub(crate) fn mllp(args: &MllpArgs, output: &OutputArgs) -> Result<Outcome, String> {
    if output.out.is_some() {
        return Err("--out: messages are written to --into, and one line about each to standard output".to_owned());
    }
    let format = match output.format() {
        Format::Json => Format::Ndjson,
        format => format,
    };
    let into = args.into.display();
    let store = Store::open(&args.into).map_err(|e| format!("{into}: messages cannot be recorded there: {e}"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| format!("no threads can be started: {e}"))?;
    runtime.block_on(async {
        let listener = TcpListener::bind(args.listen).await.map_err(|e| {
            format!("{}: cannot listen there: {e}; try another port, or port 0 for a free one", args.listen)
        })?;
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        complain(&format!("listening on {address}, recording into {into}"));
        let (stop, _) = watch::channel(false);
        let (events, mut said) = mpsc::unbounded_channel();
        tokio::spawn(ended(stop.clone(), args.stop_after));
        let serving = tokio::spawn(serve(listener, store, settings(args), stop, events));
        let mut counted = Counted::default();
        while let Some(event) = said.recv().await {
            counted.add(&event);
            say(&event, format, output.quiet);
        }
        serving.await.map_err(|e| format!("the recorder broke: {e}"))?;
        complain(&format!(
            "{} messages recorded into {into}, {} of them acknowledged as accepted",
            counted.kept, counted.accepted
        ));
        if counted.lost > 0 {
            complain(&format!("{} messages could not be kept, and were refused", counted.lost));
            return Ok(Outcome::Inconclusive);
        }
        Ok(Outcome::Pass)
    })
}

fn settings(args: &MllpArgs) -> Settings {
    let limits = Limits {
        frame: args.max_bytes,
        held: args.max_bytes.saturating_mul(4),
        connections: args.connections,
        idle: args.idle,
    };
    let mode = match args.answer.as_str() {
        "AE" => Mode::Error,
        "AR" => Mode::Reject,
        "none" => Mode::Silent,
        _ => Mode::AsRead,
    };
    Settings { limits, mode, delay: args.delay.unwrap_or_default(), messages: args.messages }
}

/// Stops the server at a signal, or after the time that was given.
async fn ended(stop: watch::Sender<bool>, after: Option<Duration>) {
    let time = async {
        match after {
            Some(after) => tokio::time::sleep(after).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = signal() => {}
        () = time => {}
    }
    stop.send_replace(true);
}

pub(super) async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let interrupted = tokio::signal::ctrl_c();
    match signal(SignalKind::terminate()) {
        Ok(mut terminated) => {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
        }
        // Without it the process ends at once; what was acknowledged is kept all the same.
        Err(_) => drop(interrupted.await),
    }
}

#[derive(Default)]
struct Counted {
    kept: u64,
    accepted: u64,
    lost: u64,
}

impl Counted {
    fn add(&mut self, event: &Event) {
        if let Event::Message { file, answer, .. } = event {
            self.kept += u64::from(file.is_some());
            self.lost += u64::from(file.is_none());
            self.accepted += u64::from(file.is_some() && matches!(answer.code, Some("AA" | "CA")));
        }
    }
}

/// Writes a line about a message to standard output, and an error of a connection to standard error.
fn say(event: &Event, format: Format, quiet: bool) {
    let line = match event {
        Event::Message { peer, file, answer } => match format {
            Format::Text => text(peer.to_string(), file.as_deref(), answer),
            _ => json!({
                "peer": peer.to_string(), "file": file, "message_type": answer.message_type,
                "control_id": answer.control_id, "acknowledged": answer.code, "why": answer.why,
            })
            .to_string(),
        },
        Event::CutOff { peer, bytes } => {
            return complain(&format!(
                "{peer}: the connection ended inside a frame; {bytes} bytes were not acknowledged, nor kept"
            ));
        }
        Event::Refused { peer, why } => {
            if !quiet {
                complain(&format!("{peer}: {}", printable(why)));
            }
            return;
        }
        _ => return,
    };
    let mut out = io::stdout().lock();
    // Who reads may stop reading: messages are kept all the same.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

fn text(peer: String, file: Option<&str>, answer: &Answer) -> String {
    let code = answer.code.unwrap_or("--");
    let why = answer.why.as_ref().map(|why| format!("  {why}")).unwrap_or_default();
    let of = |text: &str| if text.is_empty() { "-".to_owned() } else { printable(text) };
    let (message_type, id) = (of(&answer.message_type), of(&answer.control_id));
    format!("{code}  {message_type}  {id}  {}  {peer}{}", file.unwrap_or("not kept"), printable(&why))
}
