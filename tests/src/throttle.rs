//! A TCP relay that does something to a connection once so many bytes came from the server.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The event at the mark.
#[derive(Clone)]
pub enum Mark {
    /// Both sides see the connection closed.
    Cut,
    /// Nothing comes any more, and the connection stays open.
    Stall,
    /// Something outside of the connection, once; it goes on as it can.
    Act(Arc<dyn Fn() + Send + Sync>),
}

/// A relay before a server. It ends with the tests.
pub struct Relay {
    /// Where it listens.
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Relay {
    /// Passes on what comes; from the server so many bytes of a connection, and then as `mark` says. Only the first `marked`
    /// connections have such a mark.
    ///
    /// # Panics
    /// When there is no free port.
    #[must_use]
    pub fn before(server: SocketAddr, bytes: usize, mark: Mark, marked: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let number = counted.fetch_add(1, Ordering::SeqCst);
                let Ok(server) = TcpStream::connect(server) else { continue };
                let (up, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || relay(up, to, usize::MAX, &Mark::Cut));
                let mark = mark.clone();
                let bytes = if number < marked { bytes } else { usize::MAX };
                std::thread::spawn(move || relay(server, client, bytes, &mark));
            }
        });
        Self { address, connections }
    }

    /// How many connections there were.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn relay(mut from: TcpStream, mut to: TcpStream, mut left: usize, mark: &Mark) {
    let mut buffer = vec![0; 16 << 10];
    loop {
        let most = left.min(buffer.len());
        match from.read(&mut buffer[..most]) {
            Ok(0) | Err(_) => break,
            Ok(read) if to.write_all(&buffer[..read]).is_ok() => left -= read.min(left),
            Ok(_) => break,
        }
        if left == 0 {
            match mark {
                Mark::Cut => break,
                // Longer than any test runs.
                Mark::Stall => std::thread::sleep(Duration::from_secs(3600)),
                Mark::Act(act) => act(),
            }
            left = usize::MAX;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
