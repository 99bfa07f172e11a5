//! Starting and stopping.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Request};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::request_id::{MakeRequestId, PropagateRequestIdLayer, RequestId, SetRequestIdLayer};

use crate::app::App;
use crate::dispatch;
use crate::error::ApiError;
use crate::grading;
use crate::ids::new_id;
use crate::keys::open;
use crate::listener;
use crate::mllp;
use crate::options::{Database, Options};
use crate::retention;
use crate::routes::table::ROUTES;

/// How often a server looks for deadlines and for gradings that others left.
const WATCH: Duration = Duration::from_millis(500);
const SWEEP: Duration = Duration::from_secs(60);

/// Serves until a signal comes. Requests under way are answered, gradings under way are graded again on the next start.
///
/// # Errors
/// A sentence, if the database cannot be opened, or the service cannot listen at the address.
pub async fn serve(options: Options, stop: impl Future<Output = ()> + Send) -> Result<(), String> {
    if options.nemo_open && !options.listen.ip().is_loopback() {
        return Err("--nemo-open: --listen is not a loopback address; anybody could run commands of a task".to_owned());
    }
    if options.nemo_open && options.public_url.is_some() {
        return Err("--nemo-open: --public-url lets others in without a key; leave out one of the two".to_owned());
    }
    let subscriber = tracing_subscriber::fmt().json().flatten_event(true).with_writer(std::io::stderr);
    let subscriber = subscriber.with_max_level(tracing_subscriber::filter::LevelFilter::INFO);
    // A second service in one process writes to the first one's log.
    let _ = subscriber.try_init();
    // A database that is embedded belongs to one server. The lock ends with the process.
    let _lock = match &options.database {
        Database::Folder(folder) => Some(locked(folder)?),
        Database::Postgres(_) => None,
    };
    let store = open(&options.database).await?;
    let has_key = store.keys().await.map_err(|error| error.to_string())?.iter().any(|key| key.revoked_at.is_none());
    let listener = TcpListener::bind(options.listen).await.map_err(|error| {
        format!(
            "--listen: the service cannot listen at {}: {error}; try another port, or port 0 for a free one",
            options.listen
        )
    })?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let url = options
        .public_url
        .as_deref()
        .map_or_else(|| format!("http://{address}"), |url| url.trim_end_matches('/').to_owned());
    let app = Arc::new(App::new(options, store, url.clone()));
    recover(&app).await.map_err(|error| error.message)?;
    if !has_key {
        tracing::warn!("there is no operator's key; make one with `candor keys create`");
    }
    tracing::info!(url = %url, listen = %address, "listening");
    let (end, ended) = watch::channel(false);
    let watching = tokio::spawn(watch_over(Arc::clone(&app), ended.clone()));
    let request_id = HeaderName::from_static("x-request-id");
    let router = dispatch::router(Arc::clone(&app), ROUTES)
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
            tracing::error!("a request panicked");
            axum::response::IntoResponse::into_response(ApiError::internal())
        }))
        .layer(CompressionLayer::new())
        .layer(PropagateRequestIdLayer::new(request_id.clone()))
        .layer(SetRequestIdLayer::new(request_id, NewRequestId))
        .layer(axum::middleware::map_request(without_a_wild_id));
    let serving = listener::run(listener, router, ended);
    tokio::pin!(serving);
    tokio::select! {
        () = stop => {}
        () = &mut serving => return Ok(()),
    }
    tracing::info!("stopping");
    end.send_replace(true);
    serving.await;
    let _ = watching.await;
    Ok(())
}

fn locked(folder: &std::path::Path) -> Result<std::fs::File, String> {
    let shown = folder.display();
    let cannot = |error: std::io::Error| format!("--data: {shown}: {error}");
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let file =
        std::fs::OpenOptions::new().create(true).append(true).open(folder.join("server.lock")).map_err(cannot)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            Err(format!("--data: another `candor serve` uses {shown}; use PostgreSQL (--database) for several servers"))
        }
        Err(std::fs::TryLockError::Error(error)) => Err(cannot(error)),
    }
}

/// Takes up what was under way when the server before this one ended.
async fn recover(app: &Arc<App>) -> Result<(), ApiError> {
    if matches!(app.options.database, Database::Folder(_)) {
        app.store.abandon_all().await?;
        for (id, port) in app.store.mllp_ports().await? {
            if !mllp::listen(app, &id, port).await {
                tracing::warn!(task_run = %id, port, "the MLLP port of a task run is not free");
            }
        }
    }
    grading::keep_watch(app).await
}

async fn watch_over(app: Arc<App>, mut ended: watch::Receiver<bool>) {
    let mut swept = std::time::Instant::now();
    if let Err(error) = retention::sweep(&app).await {
        tracing::error!("old records could not be deleted: {}", error.message);
    }
    loop {
        tokio::select! {
            _ = ended.wait_for(|ended| *ended) => return,
            () = tokio::time::sleep(WATCH) => {}
        }
        if let Err(error) = grading::keep_watch(&app).await {
            tracing::error!("deadlines could not be looked for: {}", error.message);
        }
        if swept.elapsed() >= SWEEP {
            swept = std::time::Instant::now();
            if let Err(error) = retention::sweep(&app).await {
                tracing::error!("old records could not be deleted: {}", error.message);
            }
        }
    }
}

/// Drops a request's own id if it is too long for a log, or not visible ASCII: it gets a new one.
async fn without_a_wild_id(mut request: axum::extract::Request) -> axum::extract::Request {
    let is_plain = |id: &HeaderValue| (1..=128).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic);
    if !request.headers().get("x-request-id").is_some_and(is_plain) {
        request.headers_mut().remove("x-request-id");
    }
    request
}

#[derive(Clone, Copy, Debug)]
struct NewRequestId;

impl MakeRequestId for NewRequestId {
    fn make_request_id<B>(&mut self, _request: &Request<B>) -> Option<RequestId> {
        new_id("req").parse().ok().map(RequestId::new)
    }
}
