//! Connections without a network and with known secrets, for `fuzz/`.

use std::io;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use tokio::io::ReadBuf;
use tokio::runtime::Runtime;

use residue_query::page::open_profiles::OpenProfiles;

use super::*;

pub const PORT: u16 = 4711;
pub const LINK: &str = "l1nk";
pub const TICKET: &str = "t1cket";
pub const PLACE: &str = "pl4ce";
pub const PASS: &str = "p4ss";

pub struct InMemory {
    handler: Arc<RequestHandler>,
    connections: Arc<Connections>,
    runtime: Runtime,
}

impl InMemory {
    pub fn open(profiles: OpenProfiles) -> Result<InMemory> {
        let secrets = [LINK, TICKET, PLACE, PASS].map(Token::known);
        Ok(InMemory {
            handler: Arc::new(RequestHandler {
                gate: Gate::known(secrets, PORT),
                page: Page {
                    html: "html",
                    js: "js",
                    css: "css",
                },
                current: Arc::new(Current::new(profiles)),
                turns: Arc::new(Semaphore::new(ANSWERS_AT_ONCE)),
            }),
            connections: Arc::new(Connections::default()),
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .max_blocking_threads(1)
                .build()?,
        })
    }

    /// What comes back when somebody sends this, waits for the answers, and hangs up.
    pub fn answer_to(&self, sent: &[u8], is_own_user: bool) -> Vec<u8> {
        let mut answer = Vec::new();
        self.runtime.block_on(async {
            let id = self.connections.take_place().await;
            let connections = self.connections.clone();
            let caller = Caller {
                sent,
                answer: &mut answer,
                id,
                connections: connections.clone(),
            };
            let place = Place { id, connections };
            converse(caller, self.handler.clone(), place, || is_own_user).await;
        });
        answer
    }
}

/// The other end of a connection.
struct Caller<'a> {
    sent: &'a [u8],
    answer: &'a mut Vec<u8>,
    id: u64,
    connections: Arc<Connections>,
}

impl AsyncRead for Caller<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut TaskContext<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Who reads is asked again when a request has been answered: nobody needs waking.
        if self.sent.is_empty() && self.connections.is_answering(self.id) {
            return Poll::Pending;
        }
        let (now, later) = self.sent.split_at(into.remaining().min(self.sent.len()));
        into.put_slice(now);
        self.sent = later;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Caller<'_> {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut TaskContext<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().answer.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
