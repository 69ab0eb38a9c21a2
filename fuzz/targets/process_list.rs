//! `.residue` files of several processes: the first line is their list, the rest their
//! profiles.
#![no_main]

use std::cell::RefCell;

use residue_fuzz::{MemoryFile, file_of_processes, first_line};
use residue_profile::{Needs, processes_in, read_all, read_process};

thread_local!(static FILE: RefCell<MemoryFile> = RefCell::default());

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (list, profiles) = first_line(bytes);
    FILE.with_borrow_mut(|file| {
        let path = file.with(&file_of_processes(list, profiles));
        if let Ok(Some(listed)) = processes_in(path) {
            let _ = read_all(path);
            let _ = read_process(path, listed.len() / 2, Needs::LEAST);
        }
    });
});
