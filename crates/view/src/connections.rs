//! Who is connected. Anybody on this machine can connect and then say nothing, so a
//! connection that waits for its next request has no claim to its place: when all places
//! are taken, the one that has waited longest makes room.
//!
//! ```text
//!   accepted ──► idle ──request──► answering ──reply──► idle ──► ... ──► gone
//!                  └── place needed: the one idle for longest is dropped
//! ```

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// Browsers hold half a dozen.
const MOST_CONNECTIONS: usize = 128;

#[derive(Default)]
pub struct Connections {
    places: Mutex<Places>,
    /// A place is free, or a connection idle, that was not.
    changed: Notify,
}

#[derive(Default)]
struct Places {
    /// Those idle for longest first.
    taken: Vec<Connection>,
    next_id: u64,
}

struct Connection {
    id: u64,
    requests: usize,
    task: Option<AbortHandle>,
}

impl Connections {
    /// Waits until there is room for one more, and makes it where somebody is idle.
    pub async fn take_place(&self) -> u64 {
        loop {
            let changed = self.changed.notified();
            if let Some(id) = self.try_place() {
                return id;
            }
            changed.await;
        }
    }

    fn try_place(&self) -> Option<u64> {
        self.with(|places| {
            if places.taken.len() >= MOST_CONNECTIONS {
                let is_idle = |one: &Connection| one.requests == 0 && one.task.is_some();
                let idle = places.taken.iter().position(is_idle)?;
                if let Some(task) = places.taken.remove(idle).task {
                    task.abort();
                }
            }
            let id = places.next_id;
            places.next_id += 1;
            places.taken.push(Connection {
                id,
                requests: 0,
                task: None,
            });
            Some(id)
        })
    }

    /// What serves the connection, and is stopped where its place is needed.
    pub fn serves(&self, id: u64, task: AbortHandle) {
        self.with(|places| {
            if let Some(one) = places.taken.iter_mut().find(|one| one.id == id) {
                one.task = Some(task);
            }
        });
        self.changed.notify_one();
    }

    pub fn begins_request(&self, id: u64) {
        self.with(|places| {
            if let Some(one) = places.taken.iter_mut().find(|one| one.id == id) {
                one.requests += 1;
            }
        });
    }

    #[cfg(feature = "fuzz")]
    pub fn is_answering(&self, id: u64) -> bool {
        self.with(|places| {
            let mut taken = places.taken.iter();
            taken.any(|one| one.id == id && one.requests > 0)
        })
    }

    pub fn ends_request(&self, id: u64) {
        self.with(|places| {
            if let Some(at) = places.taken.iter().position(|one| one.id == id) {
                let mut one = places.taken.remove(at);
                one.requests = one.requests.saturating_sub(1);
                places.taken.push(one);
            }
        });
        self.changed.notify_one();
    }

    pub fn leave(&self, id: u64) {
        self.with(|places| places.taken.retain(|one| one.id != id));
        self.changed.notify_one();
    }

    fn with<T>(&self, act: impl FnOnce(&mut Places) -> T) -> T {
        act(&mut self.places.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_is_idle_for_longest_makes_room() {
        let connections = Connections::default();
        let mut tasks = Vec::new();
        for _ in 0..MOST_CONNECTIONS {
            let id = connections.take_place().await;
            let task = tokio::spawn(std::future::pending::<()>());
            connections.serves(id, task.abort_handle());
            tasks.push(task);
        }
        // The first is at work, the second has just been.
        connections.begins_request(0);
        connections.begins_request(1);
        connections.ends_request(1);
        assert_eq!(connections.take_place().await, MOST_CONNECTIONS as u64);
        let gone = tasks.remove(2).await.unwrap_err();
        assert!(gone.is_cancelled());
        tokio::task::yield_now().await;
        assert!(tasks.iter().all(|task| !task.is_finished()));
    }

    #[tokio::test]
    async fn who_is_at_work_keeps_the_place() {
        let connections = Connections::default();
        for id in 0..MOST_CONNECTIONS as u64 {
            assert_eq!(connections.take_place().await, id);
            let task = tokio::spawn(std::future::pending::<()>());
            connections.serves(id, task.abort_handle());
            connections.begins_request(id);
        }
        assert_eq!(connections.try_place(), None);
        connections.leave(5);
        assert_eq!(connections.take_place().await, MOST_CONNECTIONS as u64);
    }
}
