//! Many connections: bytes to frames, frames to files, files to acknowledgments.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use crate::answer::{Answer, Mode, answers};
use crate::frame::Frames;
use crate::store::{Store, Stored};

/// The limits of a server and of its connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one frame.
    pub frame: usize,
    /// Bytes that all connections together hold of frames that have not ended.
    pub held: usize,
    /// Connections at one time; further ones are closed at once.
    pub connections: usize,
    /// How long a connection may be silent.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { frame: 64 << 20, held: 256 << 20, connections: 256, idle: Duration::from_secs(600) }
    }
}

/// How the server behaves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// The limits of the server and of its connections.
    pub limits: Limits,
    /// How messages are answered.
    pub mode: Mode,
    /// How long an answer waits.
    pub delay: Duration,
    /// After how many messages the server stops.
    pub messages: Option<u64>,
}

/// Something that happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A message of a frame was kept and answered, or could not be kept.
    Message {
        /// Who sent it.
        peer: SocketAddr,
        /// The file its frame is in; nothing where it could not be kept.
        file: Option<String>,
        /// The message and its acknowledgment.
        answer: Answer,
    },
    /// A connection ended inside a frame. It was not acknowledged, and is not kept.
    CutOff {
        /// Whose connection.
        peer: SocketAddr,
        /// How many bytes there were.
        bytes: usize,
    },
    /// A connection was refused or closed, and why.
    Refused {
        /// Whose connection.
        peer: SocketAddr,
        /// Why.
        why: String,
    },
}

/// A frame to be kept, and where to say that it is.
struct Job {
    frame: Vec<u8>,
    done: oneshot::Sender<(Vec<u8>, Result<Stored, String>)>,
}

struct Shared {
    settings: Settings,
    jobs: mpsc::Sender<Job>,
    events: mpsc::UnboundedSender<Event>,
    held: AtomicUsize,
    kept: AtomicU64,
    named: AtomicU64,
    stop: watch::Sender<bool>,
    started: String,
}

/// Serves until `stop` says so, or the number of messages is reached. Frames that are whole by then are kept and answered.
///
/// Events come in order of their files for one connection; they end when the server has ended.
pub async fn serve(
    listener: TcpListener,
    store: Store,
    settings: Settings,
    stop: watch::Sender<bool>,
    events: mpsc::UnboundedSender<Event>,
) {
    let (jobs, queue) = mpsc::channel(1024);
    let writer = std::thread::spawn(move || write(store, queue));
    let mut stopping = stop.subscribe();
    let shared = Arc::new(Shared {
        settings,
        jobs,
        events,
        held: AtomicUsize::new(0),
        kept: AtomicU64::new(0),
        named: AtomicU64::new(0),
        stop,
        started: jiff::Timestamp::now().as_second().to_string(),
    });
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = stopped(&mut stopping) => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((_, peer)) if connections.len() >= settings.limits.connections => {
                shared.refused(peer, format!("more than {} connections at one time", settings.limits.connections));
            }
            Ok((stream, peer)) => {
                connections.spawn(connection(stream, peer, Arc::clone(&shared)));
            }
            // Too many open files, or a connection that was gone before it was taken: neither is a reason to end.
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
    drop(shared);
    // The last sender is gone, so the thread ends when its queue is empty.
    while !writer.is_finished() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Writes frames, as many as wait, then syncs once for all of them.
fn write(mut store: Store, mut queue: mpsc::Receiver<Job>) {
    const MOST: usize = 256;
    while let Some(first) = queue.blocking_recv() {
        let mut written = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next {
            let stored = store.write(&job.frame).map_err(|error| error.to_string());
            written.push((job, stored));
            next = if written.len() < MOST { queue.try_recv().ok() } else { None };
        }
        let synced = store.sync().map_err(|error| error.to_string());
        for (job, stored) in written {
            let result = synced.clone().and(stored);
            // A connection that is gone does not want to know.
            let _ = job.done.send((job.frame, result));
        }
    }
}

impl Shared {
    fn event(&self, event: Event) {
        // Whoever listens may be gone; the messages are kept all the same.
        let _ = self.events.send(event);
    }

    fn refused(&self, peer: SocketAddr, why: String) {
        self.event(Event::Refused { peer, why });
    }
}

async fn connection(mut stream: TcpStream, peer: SocketAddr, shared: Arc<Shared>) {
    let mut frames = Frames::default();
    let mut counted = 0;
    let ended = talk(&mut stream, peer, &shared, &mut frames, &mut counted).await;
    shared.held.fetch_sub(counted, Ordering::Relaxed);
    if let Err(why) = ended {
        shared.refused(peer, why);
    }
    let left = frames.begun().iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != 0).count();
    if left > 0 {
        shared.event(Event::CutOff { peer, bytes: frames.held() });
    }
    let _ = stream.shutdown().await;
}

async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone: the server is ending.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// How long 0x1C waits for what follows it.
const SETTLE: Duration = Duration::from_millis(100);

async fn talk(
    stream: &mut TcpStream,
    peer: SocketAddr,
    shared: &Shared,
    frames: &mut Frames,
    counted: &mut usize,
) -> Result<(), String> {
    let limits = shared.settings.limits;
    let mut stopping = shared.stop.subscribe();
    let mut stop = false;
    let mut buffer = vec![0; 64 << 10];
    loop {
        let wait = match stop || frames.may_have_ended() {
            true => SETTLE,
            false => limits.idle,
        };
        let read = tokio::select! {
            biased;
            // What has come in by then is still read, once.
            () = stopped(&mut stopping), if !stop => {
                stop = true;
                tokio::time::timeout(SETTLE, stream.read(&mut buffer)).await
            }
            read = tokio::time::timeout(wait, stream.read(&mut buffer)) => read,
        };
        let ended = match read {
            Ok(Ok(0)) => true,
            Ok(Ok(read)) => {
                frames.push(buffer.get(..read).unwrap_or_default());
                false
            }
            Ok(Err(error)) => return Err(format!("the connection broke: {error}")),
            Err(_) if frames.may_have_ended() => {
                if let Some(frame) = frames.settle() {
                    keep(stream, peer, shared, frame).await?;
                }
                false
            }
            Err(_) if stop => true,
            Err(_) => return Err(format!("the peer sent nothing for {} s", limits.idle.as_secs())),
        };
        while let Some(frame) = frames.next_frame() {
            keep(stream, peer, shared, frame).await?;
        }
        if ended || stop {
            if let Some(frame) = frames.settle() {
                keep(stream, peer, shared, frame).await?;
            }
            return Ok(());
        }
        let held = frames.held();
        let all = shared.held.fetch_add(held, Ordering::Relaxed) + held;
        shared.held.fetch_sub(*counted, Ordering::Relaxed);
        *counted = held;
        if held > limits.frame || all > limits.held {
            let why = match held > limits.frame {
                true => format!("a frame is larger than the limit of {} bytes: {held} bytes and no end", limits.frame),
                false => format!("the frames that have not ended are more than {} bytes together", limits.held),
            };
            let begun = frames.begun().get(..4096.min(held)).unwrap_or_default().to_vec();
            let line = begun.split(|byte| *byte == b'\r').next().unwrap_or_default();
            // The header alone is answered: without its start it is a message, with it a frame that is never closed.
            let start = line.iter().take_while(|byte| **byte == 0x0B || byte.is_ascii_whitespace()).count();
            let line = line.get(start..).unwrap_or_default();
            answer(stream, peer, shared, line, Err(why.clone())).await?;
            *frames = Frames::default();
            return Err(why);
        }
    }
}

/// Has a frame written, then answers it. Once as many messages were kept as the settings ask for, a frame is left: its
/// sender gets no acknowledgment.
async fn keep(stream: &mut TcpStream, peer: SocketAddr, shared: &Shared, frame: Vec<u8>) -> Result<(), String> {
    if shared.settings.messages.is_some_and(|messages| shared.kept.load(Ordering::Relaxed) >= messages) {
        return Ok(());
    }
    let (done, written) = oneshot::channel();
    shared.jobs.send(Job { frame, done }).await.map_err(|_| "the recorder has ended".to_owned())?;
    let (frame, stored) = written.await.map_err(|_| "the recorder has ended".to_owned())?;
    answer(stream, peer, shared, &frame, stored).await
}

async fn answer(
    stream: &mut TcpStream,
    peer: SocketAddr,
    shared: &Shared,
    frame: &[u8],
    stored: Result<Stored, String>,
) -> Result<(), String> {
    let stamp = jiff::Timestamp::now().strftime("%Y%m%d%H%M%S+0000").to_string();
    let named = shared.named.fetch_add(1, Ordering::Relaxed);
    let id = format!("C{}{named}.", shared.started);
    let kept = stored.as_ref().map(|_| ()).map_err(|why| format!("it could not be kept, {why}"));
    let answers = answers(frame, shared.settings.mode, kept, &stamp, &id);
    let file = stored.ok().map(|stored| stored.name);
    if !shared.settings.delay.is_zero() {
        tokio::time::sleep(shared.settings.delay).await;
    }
    let sent = stream.write_all(&answers.bytes).await;
    let number = answers.messages.len() as u64;
    for answer in answers.messages {
        shared.event(Event::Message { peer, file: file.clone(), answer });
    }
    if file.is_some() {
        let kept = shared.kept.fetch_add(number, Ordering::Relaxed) + number;
        if shared.settings.messages.is_some_and(|messages| kept >= messages) {
            shared.stop.send_replace(true);
        }
    }
    sent.map_err(|error| format!("the acknowledgment could not be sent: {error}"))
}
