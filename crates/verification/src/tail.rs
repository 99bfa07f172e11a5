//! The end of what a command writes, for who reads it in the next prompt.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;

use crate::process;

/// How long the end of what a command wrote is waited for once it has ended: a process that left its group may hold it open.
const TOLD: Duration = Duration::from_millis(500);

/// The end of what a command writes, read while it runs.
pub(crate) struct Tail {
    bytes: Arc<Mutex<Vec<u8>>>,
    reading: JoinHandle<()>,
}

impl Tail {
    pub(crate) fn of(mut from: impl AsyncRead + Send + Unpin + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&bytes);
        let reading = tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = from.read(&mut buffer).await {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
                // Each of its characters has four bytes at the most.
                let more = kept.len().saturating_sub(4 * (LONGEST + 1));
                kept.drain(..more);
            }
        });
        Self { bytes, reading }
    }

    /// The end of it since the last call.
    pub(crate) fn so_far(&self) -> Option<String> {
        written(&std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Waits until its writers have ended.
    pub(crate) async fn finished(&mut self) {
        let _ = tokio::time::timeout(TOLD, &mut self.reading).await;
    }

    /// The end of everything written until its writers were ended.
    pub(crate) async fn text(&mut self) -> String {
        self.finished().await;
        end_of(&String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// How many characters of what a command wrote help who reads it in the next prompt.
pub(crate) const LONGEST: usize = 2000;

/// The end of what was written, as text that steers no terminal; nothing where it is blank.
pub(crate) fn written(bytes: &[u8]) -> Option<String> {
    let text = crate::plain(process::uncoloured(&String::from_utf8_lossy(bytes)).trim());
    (!text.is_empty()).then(|| end_of(&text))
}

pub(crate) fn end_of(text: &str) -> String {
    match text.chars().count().checked_sub(LONGEST) {
        None | Some(0) => text.to_owned(),
        Some(more) => format!("…{}", text.chars().skip(more).collect::<String>()),
    }
}
