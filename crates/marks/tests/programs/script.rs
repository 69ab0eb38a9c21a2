//! The calls of `residue-marks`, in the order that tests/clients expects.

#[inline(never)]
#[unsafe(no_mangle)]
pub extern "C" fn pool_take(block: *const u8, bytes: usize) {
    residue_marks::allocated(block, bytes);
}

fn main() {
    let active = residue_marks::active();
    let token;
    {
        let _event = residue_marks::event(1);
        let _inner = residue_marks::event_in(2, 3);
        token = residue_marks::current();
        std::thread::spawn(move || {
            let _task = residue_marks::enter(token);
            residue_marks::stamp("in the thread");
        })
        .join()
        .unwrap();
        residue_marks::stamp(c"read");
        residue_marks::count("hits", 2.5);
        drop(residue_marks::scope("digitise"));
        drop(residue_marks::pause());
        drop(residue_marks::pause_all());
        residue_marks::thresholds(64, 4096);
        residue_marks::snapshot("half");
        let block = vec![0u8; 100];
        pool_take(block.as_ptr(), block.len());
        residue_marks::freed(block.as_ptr());
    }
    println!("active {} token {token:?}", u8::from(active));
}
