//! The page and its answers over HTTP, to this machine only.
//!
//! ```text
//!   127.0.0.1:PORT ──► gate ──► /LINK/             lets a browser in, and leads to
//!                               /PLACE/            the page
//!                               /PLACE/page.js
//!                               /PLACE/page.css
//!                               /PLACE/api/NAME    answers, a few at a time
//! ```
//!
//! No path leads to a file: there are these, and nothing else.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

use super::assets::{self, Page};
use super::connections::Connections;
use super::gate::{Asked, Gate};
use super::live::Current;
use super::peer;
use super::token::Token;
use residue_query::page::answers::{self, Answer};

/// Answers that are worked out at the same time; each may take a processor and memory.
const ANSWERS_AT_ONCE: usize = 4;
/// Who waits longer for a turn is told to ask again.
const LONGEST_WAIT: Duration = Duration::from_secs(120);
const MOST_HEAD_BYTES: usize = 16 << 10;
const MOST_HEADERS: usize = 64;
/// Until a request is there whole, also on a connection that is kept.
const LONGEST_READ: Duration = Duration::from_secs(10);
/// Without any progress of a reader.
const LONGEST_WRITE: Duration = Duration::from_secs(30);
/// When no connection can be taken, as for want of descriptors.
const PAUSE_AFTER_TROUBLE: Duration = Duration::from_millis(100);

const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// Lets a browser in. Its script goes on to the page.
const ENTRY: &str = "<!doctype html>
<html lang=\"en\">
  <head>
    <meta charset=\"utf-8\">
    <title>Residue</title>
    <script src=\"enter.js\"></script>
  </head>
  <body>
    <noscript>This page needs JavaScript and cookies.</noscript>
  </body>
</html>
";

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

/// The page at a fixed address, spoken with in memory.
#[cfg(feature = "fuzz")]
pub mod in_memory;

type Reply = Response<Full<Bytes>>;

/// A server that has its port, and does not answer yet.
pub struct Server {
    listener: TcpListener,
    port: u16,
    link: Token,
    ticket: Token,
}

impl Server {
    /// Takes a port of this machine; any free one for 0.
    pub fn bind(port: u16) -> Result<Server> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let cannot = || format!("cannot listen on {address}");
        let listener = TcpListener::bind(address).with_context(cannot)?;
        listener.set_nonblocking(true).with_context(cannot)?;
        Ok(Server {
            port: listener.local_addr().with_context(cannot)?.port(),
            listener,
            link: Token::random()?,
            ticket: Token::random()?,
        })
    }

    /// Where the page is, for whoever is told.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.link)
    }

    /// The same for this user alone, who may start a browser with it: what a process is
    /// started with is no secret.
    pub fn own_address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.ticket)
    }

    /// Answers until it is interrupted; calls `when_up` as soon as it does.
    pub fn run(self, current: Arc<Current>, when_up: impl FnOnce() -> Result<()>) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(ANSWERS_AT_ONCE)
            .build()
            .context("cannot start the server")?;
        let handler = Arc::new(RequestHandler {
            gate: Gate::new(self.link, self.ticket, self.port)?,
            page: assets::page(),
            current,
            turns: Arc::new(Semaphore::new(ANSWERS_AT_ONCE)),
        });
        let listener = self.listener;
        let ended = runtime.block_on(async {
            let mut interrupted = signal(SignalKind::interrupt())?;
            let mut terminated = signal(SignalKind::terminate())?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let serving = tokio::spawn(accept(listener, handler));
            when_up()?;
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
            serving.abort();
            anyhow::Ok(())
        });
        // Answers that are being worked out are for nobody now.
        runtime.shutdown_background();
        ended
    }
}

/// Takes connections, each served on its own, so that a slow one holds up nobody.
async fn accept(listener: tokio::net::TcpListener, handler: Arc<RequestHandler>) {
    let connections = Arc::new(Connections::default());
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE_AFTER_TROUBLE).await;
            continue;
        };
        let id = connections.take_place().await;
        let place = Place {
            id,
            connections: connections.clone(),
        };
        let task = tokio::spawn(serve(stream, handler.clone(), place));
        connections.serves(id, task.abort_handle());
    }
}

/// The place of a connection, which it leaves however it ends.
struct Place {
    id: u64,
    connections: Arc<Connections>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.leave(self.id);
    }
}

/// A request of a connection, also one that is given up.
struct AtWork<'p>(&'p Place);

impl<'p> AtWork<'p> {
    fn at(place: &'p Place) -> AtWork<'p> {
        place.connections.begins_request(place.id);
        AtWork(place)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.connections.ends_request(self.0.id);
    }
}

async fn serve(stream: TcpStream, handler: Arc<RequestHandler>, place: Place) {
    let ends = stream.peer_addr().ok().zip(stream.local_addr().ok());
    let is_own_user = move || {
        let user = ends.and_then(|(peer, here)| peer::user_of(peer, here));
        user == Some(nix::unistd::geteuid().as_raw())
    };
    converse(stream, handler, place, is_own_user).await;
}

/// Answers what is asked over a connection, until it ends.
async fn converse(
    stream: impl AsyncRead + AsyncWrite,
    handler: Arc<RequestHandler>,
    place: Place,
    is_own_user: impl Fn() -> bool + Copy,
) {
    let place = Arc::new(place);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(LONGEST_WRITE));
    let service = service_fn(move |request| {
        let (handler, place) = (handler.clone(), place.clone());
        async move {
            let _at_work = AtWork::at(&place);
            Ok::<Reply, Infallible>(handler.reply(request, is_own_user).await)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(LONGEST_READ)
        .max_buf_size(MOST_HEAD_BYTES)
        .max_headers(MOST_HEADERS)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    // What goes wrong here is the client's business.
    let _ = connection.await;
}

/// Where requests are answered.
struct RequestHandler {
    gate: Gate,
    page: Page,
    current: Arc<Current>,
    turns: Arc<Semaphore>,
}

impl RequestHandler {
    async fn reply(&self, request: Request<Incoming>, is_own_user: impl FnOnce() -> bool) -> Reply {
        let (parts, _) = request.into_parts();
        let path = match self.gate.admit(&parts, is_own_user) {
            Ok(Asked::Page(path)) => path,
            Ok(Asked::Entry) => return self.entry(),
            Ok(Asked::EntryScript) => {
                return reply(StatusCode::OK, SCRIPT, self.gate.entry_script());
            }
            Err(status) => return refusal(status),
        };
        let page = |kind, text: &'static str| reply(StatusCode::OK, kind, text);
        match path {
            "" => page(HTML, self.page.html),
            "page.js" => page(SCRIPT, self.page.js),
            "page.css" => page("text/css; charset=utf-8", self.page.css),
            path => match path.strip_prefix("api/") {
                Some(name) => {
                    let query = parts.uri.query().unwrap_or_default();
                    self.answer(name.to_string(), query.to_string()).await
                }
                None => refusal(StatusCode::NOT_FOUND),
            },
        }
    }

    /// Lets a browser in.
    fn entry(&self) -> Reply {
        let mut reply = reply(StatusCode::OK, HTML, ENTRY);
        if let Some(cookie) = self.gate.cookie() {
            reply.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        reply
    }

    /// Waits for a turn and answers. Whoever hangs up while waiting leaves the queue.
    async fn answer(&self, name: String, query: String) -> Reply {
        let turn = tokio::time::timeout(LONGEST_WAIT, self.turns.clone().acquire_owned());
        let Ok(Ok(turn)) = turn.await else {
            let why = "too many requests at once; try again";
            return trouble(StatusCode::SERVICE_UNAVAILABLE, why);
        };
        let profiles = self.current.profiles();
        let answered = tokio::task::spawn_blocking(move || {
            let answer = answers::answer(&profiles, &name, &query);
            drop(turn);
            answer
        });
        match answered.await {
            Ok(Answer::Given(document)) => reply(StatusCode::OK, JSON, document),
            Ok(Answer::Refused(why)) => trouble(StatusCode::BAD_REQUEST, &why),
            Ok(Answer::Unknown) => trouble(StatusCode::NOT_FOUND, "no such request"),
            Err(error) => trouble(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        }
    }
}

fn reply(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Full::new(body.into()));
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    reply
}

/// Says no, and nothing about what there is.
fn refusal(status: StatusCode) -> Reply {
    let reason = status.canonical_reason().unwrap_or_default();
    reply(status, TEXT, format!("{reason}\n"))
}

fn trouble(status: StatusCode, why: &str) -> Reply {
    reply(status, JSON, json!({ "error": why }).to_string())
}
