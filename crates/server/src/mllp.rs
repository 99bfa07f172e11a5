//! HL7 v2 over MLLP: a port of this machine for each task run, and acknowledgments.

use std::net::Ipv4Addr;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use candor_mllp::{Answers, Frames, Mode, answers};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use crate::app::App;
use crate::store::NewWrite;

/// How long a connection may say nothing.
const IDLE: Duration = Duration::from_secs(600);
/// How long 0x1C waits for what follows it.
const SETTLE: Duration = Duration::from_millis(100);
/// The most connections to one port.
const MOST: usize = 16;

/// The acknowledgments of messages that were kept, or could not be.
pub(crate) fn acknowledged(frame: &[u8], kept: Result<(), String>, seq: i64) -> Answers {
    let stamp = jiff::Timestamp::now().strftime("%Y%m%d%H%M%S+0000").to_string();
    answers(frame, Mode::AsRead, kept, &stamp, &format!("C{seq}."))
}

pub(crate) fn unframed(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for frame in bytes.split(|byte| *byte == 0x0B).filter(|frame| !frame.is_empty()) {
        out.extend(frame.split(|byte| *byte == 0x1C).next().unwrap_or_default());
    }
    out
}

/// The port on which a task run's sandbox takes MLLP, if it has one on this server.
pub(crate) fn port(app: &App, task_run_id: &str) -> Option<u16> {
    app.mllp.lock().unwrap_or_else(PoisonError::into_inner).get(task_run_id).map(|(port, _)| *port)
}

/// Opens a free port for a task run. Without `--mllp-ports`, or without a free one, there is HTTP alone.
pub(crate) async fn open(app: &Arc<App>, task_run_id: &str) {
    let Some((first, last)) = app.options.mllp_ports else { return };
    for port in first..=last {
        if listen(app, task_run_id, port).await {
            if let Err(error) = app.store.note_mllp_port(task_run_id, port).await {
                tracing::error!("the port of a task run could not be noted: {error}");
            }
            return;
        }
    }
    tracing::warn!(task_run = %task_run_id, "no port of --mllp-ports is free");
}

/// Listens on a port for a task run; whether it is free.
pub(crate) async fn listen(app: &Arc<App>, task_run_id: &str, port: u16) -> bool {
    let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await else { return false };
    let (stop, _) = watch::channel(false);
    app.mllp.lock().unwrap_or_else(PoisonError::into_inner).insert(task_run_id.to_owned(), (port, stop.clone()));
    tokio::spawn(accept(Arc::clone(app), task_run_id.to_owned(), listener, stop));
    true
}

async fn accept(app: Arc<App>, id: String, listener: TcpListener, stop: watch::Sender<bool>) {
    let connections = Arc::new(Semaphore::new(MOST));
    let mut stopping = stop.subscribe();
    loop {
        let accepted = tokio::select! {
            _ = stopping.wait_for(|stop| *stop) => return,
            accepted = listener.accept() => accepted,
        };
        let (Ok((stream, _)), Ok(permit)) = (accepted, Arc::clone(&connections).try_acquire_owned()) else {
            // Too many files or connections: neither ends the port.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let (app, id, mut stopping) = (Arc::clone(&app), id.clone(), stop.subscribe());
        tokio::spawn(async move {
            tokio::select! {
                _ = stopping.wait_for(|stop| *stop) => {}
                () = talk(&app, &id, stream) => {}
            }
            drop(permit);
        });
    }
}

async fn talk(app: &App, id: &str, mut stream: TcpStream) {
    let mut frames = Frames::default();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let wait = if frames.may_have_ended() { SETTLE } else { IDLE };
        let read = tokio::time::timeout(wait, stream.read(&mut buffer)).await;
        let ended = match read {
            Ok(Ok(0)) => true,
            Ok(Ok(read)) => {
                frames.push(buffer.get(..read).unwrap_or_default());
                false
            }
            Ok(Err(_)) => return,
            Err(_) if frames.may_have_ended() => false,
            Err(_) => return,
        };
        let settled = read.is_err() || ended;
        while let Some(frame) = frames.next_frame().or_else(|| if settled { frames.settle() } else { None }) {
            let (kept, seq) = keep(app, id, &frame).await;
            if stream.write_all(&acknowledged(&frame, kept, seq).bytes).await.is_err() {
                return;
            }
        }
        if ended {
            let _ = stream.shutdown().await;
            return;
        }
        if frames.held() > app.options.max_body {
            let why = format!("a frame is larger than {} bytes", app.options.max_body);
            let begun = frames.begun().get(..4096.min(frames.held())).unwrap_or_default();
            let line = begun.split(|byte| *byte == b'\r').next().unwrap_or_default();
            let _ = stream.write_all(&acknowledged(line, Err(why), 0).bytes).await;
            return;
        }
    }
}

/// Stores a frame, framing bytes with it: whether it is stored, and its number.
async fn keep(app: &App, id: &str, frame: &[u8]) -> (Result<(), String>, i64) {
    let task_run = match app.store.task_run(id).await {
        Ok(Some(task_run)) => task_run,
        _ => return (Err("it could not be kept, try again".to_owned()), 0),
    };
    let body = frame.to_vec();
    let by = format!("mllp:{id}");
    let written = app.write(&task_run, &by, |state, _| {
        let name = format!("mllp-{:08}.hl7", state.next);
        Ok((vec![NewWrite { part: "hl7", name, action: "append", body }], state.next))
    });
    match written.await {
        Ok(seq) => (Ok(()), seq),
        Err(error) => (Err(format!("it could not be kept, {}", error.code)), 0),
    }
}
