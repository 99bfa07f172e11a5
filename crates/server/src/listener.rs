//! Connections: accepted, bounded in time, and ended in order.

use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::watch;

const HEAD_WITHIN: Duration = Duration::from_secs(30);
/// How long requests under way may take once the service is to stop.
const STOP_WITHIN: Duration = Duration::from_secs(20);

/// Serves connections until `ended` says so; then waits for the requests that are under way.
pub(crate) async fn run(listener: TcpListener, router: Router, mut ended: watch::Receiver<bool>) {
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            _ = ended.wait_for(|ended| *ended) => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // Too many open files, or a connection that was gone before it was taken.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        // Answers are small, and a client should not wait for the second half of one.
        let _ = stream.set_nodelay(true);
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_WITHIN)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router.clone()));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A connection that breaks concerns its client alone.
            let _ = connection.await;
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(STOP_WITHIN, graceful.shutdown()).await;
}
