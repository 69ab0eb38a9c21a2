//! The latest few results of something that takes long, each worked out once however
//! many ask for it at the same time.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// One result, which may still be in the making.
type Slot<V> = Arc<OnceLock<Arc<V>>>;

pub struct Recent<K, V> {
    most: usize,
    /// The latest last.
    slots: Mutex<Vec<(K, Slot<V>)>>,
}

impl<K: PartialEq, V> Recent<K, V> {
    pub fn new(most: usize) -> Recent<K, V> {
        Recent {
            most,
            slots: Mutex::new(Vec::new()),
        }
    }

    /// The result for a key; who comes while it is made waits for it.
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let slot = {
            // Nothing in here can panic halfway through a change.
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            let known = slots.iter().position(|(other, _)| *other == key);
            let entry = match known {
                Some(place) => slots.remove(place),
                None => (key, Slot::default()),
            };
            let slot = entry.1.clone();
            if slots.len() >= self.most {
                slots.remove(0);
            }
            slots.push(entry);
            slot
        };
        slot.get_or_init(|| Arc::new(make())).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn the_latest_are_kept_and_the_oldest_made_again() {
        let made = Cell::new(0);
        let recent: Recent<u32, u32> = Recent::new(2);
        let get = |key: u32| {
            *recent.get(key, || {
                made.set(made.get() + 1);
                key * 10
            })
        };
        assert_eq!([get(1), get(2), get(1), get(2)], [10, 20, 10, 20]);
        assert_eq!(made.get(), 2);
        // 1 was asked for before 2, so it is the one that makes room.
        assert_eq!([get(3), get(2)], [30, 20]);
        assert_eq!(made.get(), 3);
        assert_eq!(get(1), 10);
        assert_eq!(made.get(), 4);
    }
}
