//! Functions that go and come back: places are used again.

use super::hook_for_tests;
use super::install;
use crate::{hot, sys};
use std::collections::BTreeSet;

const PAGE_BYTES: usize = 4096;
/// `mov eax, NUMBER; ret`.
const NUMBER_AT: usize = 1;
const CODE: [u8; 6] = [0xb8, 0, 0, 0, 0, 0xc3];

/// Pages of this test's own, without code.
fn map(pages: usize) -> usize {
    let flags = sys::MAP_PRIVATE | sys::MAP_ANONYMOUS;
    let how = [sys::PROT_READ | sys::PROT_WRITE, flags, usize::MAX];
    // SAFETY: a new mapping wherever there is room.
    unsafe { sys::map(core::ptr::null_mut(), pages * PAGE_BYTES, how, 0) }.unwrap() as usize
}

/// Makes a page the code of a function that returns `number`, as a module that is
/// loaded where another was.
fn load(page: usize, number: u8) {
    let mut code = CODE;
    code[NUMBER_AT] = number;
    let protect = |protection| {
        // SAFETY: a page of this test's own, which nobody runs now.
        unsafe { sys::protect(page, PAGE_BYTES, protection) }.unwrap()
    };
    protect(sys::PROT_READ | sys::PROT_WRITE);
    // SAFETY: the page is writable.
    unsafe { (page as *mut [u8; CODE.len()]).write(code) };
    protect(sys::PROT_READ | sys::PROT_EXEC);
}

/// As the dynamic linker does: not while somebody looks at the code.
fn unload(page: usize) {
    let _held = hot::get().mappings_lock.lock();
    // SAFETY: mapped by `map`, and used no more.
    unsafe { sys::unmap(page as *mut u8, PAGE_BYTES) };
}

fn call(function: usize) -> u8 {
    // SAFETY: the function that `load` made.
    unsafe { core::mem::transmute::<usize, extern "C" fn() -> u32>(function)() as u8 }
}

/// Where the jump at the entry leads.
fn place_of(function: usize) -> usize {
    // SAFETY: the entry is a jump.
    let distance = unsafe { ((function + 1) as *const i32).read_unaligned() };
    (function + 5).wrapping_add_signed(distance as isize)
}

#[test]
fn a_function_that_comes_back_finds_its_place() {
    hook_for_tests::use_it();
    let tag = hook_for_tests::new_tag();
    let function = map(1);
    let mut places = BTreeSet::new();
    for round in 0..3000 {
        // Every third time it is another function.
        let number = if round % 3 == 0 { 7 } else { 8 };
        load(function, number);
        assert_eq!(install(function, Some(CODE.len()), tag), Ok(()));
        assert_eq!(call(function), number);
        places.insert(place_of(function));
    }
    // A sweep for another test may take the place while nothing leads there.
    assert!(places.len() < 20, "{} places", places.len());
    assert_eq!(hook_for_tests::entries(tag), 3000);
    unload(function);
}

#[test]
fn functions_that_come_elsewhere_take_the_places_of_those_that_went() {
    hook_for_tests::use_it();
    let tag = hook_for_tests::new_tag();
    let room = map(3000);
    let mut pages = BTreeSet::new();
    for round in 0..3000 {
        let function = room + round * PAGE_BYTES;
        load(function, 9);
        assert_eq!(install(function, Some(CODE.len()), tag), Ok(()));
        assert_eq!(call(function), 9);
        pages.insert(place_of(function) / PAGE_BYTES);
        unload(function);
    }
    assert_eq!(hook_for_tests::entries(tag), 3000);
    // Other tests use places too.
    assert!(pages.len() < 100, "{} pages", pages.len());
}

#[test]
fn a_sweep_leaves_what_is_in_use() {
    hook_for_tests::use_it();
    let tags: Vec<usize> = (0..100).map(|_| hook_for_tests::new_tag()).collect();
    let functions: Vec<usize> = tags
        .iter()
        .enumerate()
        .map(|(number, &tag)| {
            let function = map(1);
            load(function, number as u8);
            assert_eq!(install(function, Some(CODE.len()), tag), Ok(()));
            function
        })
        .collect();
    {
        let _held = hot::get().mappings_lock.lock();
        super::shelf::sweep();
    }
    for (number, function) in functions.into_iter().enumerate() {
        assert_eq!(call(function), number as u8);
        assert_eq!(hook_for_tests::entries(tags[number]), 1);
        unload(function);
    }
}
