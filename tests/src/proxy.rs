//! A proxy that breaks what goes through it.

use crate::http::{Reply, Request, Server, ask};

/// The way in which a proxy treats a request.
pub enum Pass {
    /// Hands it on as it is now.
    On,
    /// Answers itself.
    Answer(Reply),
}

/// A proxy in front of a server: `before` may alter a request or answer it, `after` may alter the answer.
#[must_use]
pub fn in_front_of(
    address: &'static str,
    before: impl Fn(&mut Request) -> Pass + Send + Sync + 'static,
    after: impl Fn(&Request, Reply) -> Reply + Send + Sync + 'static,
) -> Server {
    Server::start(move |request| {
        let mut request = request.clone();
        match before(&mut request) {
            Pass::Answer(reply) => reply,
            Pass::On => after(&request, ask(address, &request)),
        }
    })
}
