//! How libc tells that a thread ends: a key of its own, with a destructor.
//!
//! Before glibc 2.34 threads have a library of their own, which a program may load when it has
//! run for a while: then the functions are looked for when a second thread is met.

use crate::dynamic;
use crate::hot;
use crate::sys::{self, KeyCreate, SetSpecific};
use crate::thread;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The key, numbered from one, and libc's function that gives it a value. They outlive a fork.
static KEY: AtomicU32 = AtomicU32::new(0);
static SET: AtomicUsize = AtomicUsize::new(0);

/// Makes the key, if this process has none yet and there are threads.
pub fn make() {
    if KEY.load(Ordering::Relaxed) == 0
        && let (Some(create), Some(set)) = (sys::pthread_key_create(), sys::pthread_setspecific())
    {
        make_with(create, set);
    }
    let key = KEY.load(Ordering::Relaxed);
    hot::get().thread_key.store(key, Ordering::Relaxed);
}

/// The library of threads came after this one.
#[cold]
fn make_late() {
    let [create, set] = [c"pthread_key_create", c"pthread_setspecific"].map(dynamic::anywhere);
    if create != 0 && set != 0 {
        // SAFETY: libc's functions of these names.
        unsafe {
            make_with(
                core::mem::transmute::<usize, KeyCreate>(create),
                core::mem::transmute::<usize, SetSpecific>(set),
            );
        }
        make();
    }
}

fn make_with(create: KeyCreate, set: SetSpecific) {
    let mut fresh = 0;
    // SAFETY: the destructor is a function of this library, which is never unloaded.
    if unsafe { create(&mut fresh, Some(thread::thread_ended)) } == 0 {
        SET.store(set as usize, Ordering::Relaxed);
        // Where another thread was first, a key is lost.
        let _ = KEY.compare_exchange(0, fresh + 1, Ordering::Release, Ordering::Relaxed);
    }
}

/// Gives the key a value in this thread, so that its end will be told; false where it cannot.
pub fn set(value: *const c_void) -> bool {
    if hot::get().thread_key.load(Ordering::Relaxed) == 0 && sys::tid() != sys::pid() {
        make_late();
    }
    let key = hot::get().thread_key.load(Ordering::Acquire);
    let set = SET.load(Ordering::Relaxed);
    if key == 0 || set == 0 {
        return false;
    }
    // SAFETY: the key was made, and this is libc's function. If it allocates, that call nests.
    unsafe { core::mem::transmute::<usize, SetSpecific>(set)(key - 1, value) == 0 }
}
