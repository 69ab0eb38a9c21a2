//! Variables of Rust.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

struct Item {
    key: u64,
    next: AtomicPtr<u64>,
}

#[derive(Clone, Copy)]
struct Own {
    hits: u64,
}

#[rustfmt::skip]
static TABLE: [Item; 2] = [const { Item { key: 1, next: AtomicPtr::new(&raw mut VALUE) } }; 2]; // TABLE
static mut VALUE: u64 = 1;
static mut MAYBE: Option<&'static Item> = None; // MAYBE
static COUNT: AtomicU64 = AtomicU64::new(2); // COUNT

#[rustfmt::skip]
thread_local! { // OWN
    static OWN: Cell<[Own; 2]> = const { Cell::new([Own { hits: 1 }; 2]) };
}

fn main() {
    // SAFETY: there is one thread.
    unsafe { MAYBE = black_box(Some(&TABLE[0])) };
    let sum = black_box(&TABLE)[1].key + COUNT.fetch_add(1, Ordering::Relaxed);
    // SAFETY: as above.
    let maybe = unsafe { black_box(&raw mut MAYBE).read() };
    let key = maybe.map_or(0, |item| item.key + item.next.load(Ordering::Relaxed) as u64);
    OWN.with(|own| black_box(own).set([Own { hits: sum + key }; 2]));
    println!("{}", OWN.get()[1].hits);
}
