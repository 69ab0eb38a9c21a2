//! Code that comes and goes: `dlclose`, and the unwind tables of JIT compilers.
//! And the constructor, which runs when this library is loaded.

use super::real;
use crate::functions;
use crate::hot;
use crate::modules;
use crate::recorder;
use crate::setup;
use crate::sys;
use crate::unwind::{jit, verify};
use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};
use residue_arena::header;

pub unsafe fn dlclose(handle: *mut c_void) -> c_int {
    let Some(real) = real::dlclose() else {
        return -1;
    };
    // SAFETY: the program's own call, handed on.
    let result = unsafe { real(handle) };
    if hot::get().is_recording() {
        modules::look_again();
    }
    result
}

/// Libgcc's function of this name, found when first needed.
struct Libgcc {
    name: &'static CStr,
    address: AtomicUsize,
}

impl Libgcc {
    const fn new(name: &'static CStr) -> Libgcc {
        Libgcc {
            name,
            address: AtomicUsize::new(0),
        }
    }

    fn find(&self) -> usize {
        let known = self.address.load(Ordering::Relaxed);
        if known != 0 {
            return known;
        }
        let mut address = real::named(self.name, &[c"libgcc_s.so.1"]);
        if address == 0 {
            // A JIT that calls this must get an unwinder, as without the recorder.
            // SAFETY: the names are terminated.
            unsafe {
                let handle = sys::dlopen(c"libgcc_s.so.1".as_ptr(), sys::RTLD_LAZY);
                if !handle.is_null() {
                    address = sys::dlsym(handle, self.name.as_ptr()) as usize;
                }
            }
        }
        self.address.store(address, Ordering::Relaxed);
        address
    }
}

/// Runs libgcc's function while verification stays out: it holds a lock there.
fn registering<T>(call: impl FnOnce() -> T) -> T {
    verify::REGISTERING.fetch_add(1, Ordering::AcqRel);
    let result = call();
    verify::REGISTERING.fetch_sub(1, Ordering::AcqRel);
    result
}

/// Makes a hook for one of libgcc's registering functions.
macro_rules! libgcc_hook {
    ($name:ident, $symbol:literal, ($($argument:ident),*) $(-> $result:ty, $none:expr)?,
     before: $before:expr, after: $after:expr) => {
        pub unsafe fn $name($($argument: *mut u8),*) $(-> $result)? {
            static REAL: Libgcc = Libgcc::new($symbol);
            let section = [$($argument),*][0] as usize;
            let address = REAL.find();
            if address == 0 {
                return $($none)?;
            }
            // SAFETY: libgcc's function of this name takes these arguments.
            let real = unsafe {
                core::mem::transmute::<
                    usize,
                    unsafe extern "C" fn($(libgcc_hook!(@pointer $argument)),*) $(-> $result)?,
                >(address)
            };
            let before: fn(usize) = $before;
            let after: fn(usize) = $after;
            before(section);
            // SAFETY: the program's own call, handed on.
            let result = registering(|| unsafe { real($($argument),*) });
            after(section);
            result
        }
    };
    (@pointer $argument:ident) => { *mut u8 };
}

fn nothing(_section: usize) {}

fn came(section: usize) {
    if section != 0 && hot::get().is_recording() {
        // SAFETY: libgcc has just accepted the section.
        unsafe { jit::register(section) };
    }
}

/// Also when nothing is recorded now: what was registered before a fork is known
/// after it.
fn goes(section: usize) {
    jit::deregister(section);
}

libgcc_hook!(register_frame, c"__register_frame", (section), before: nothing, after: came);
libgcc_hook!(register_frame_info, c"__register_frame_info", (section, object),
    before: nothing, after: came);
libgcc_hook!(register_frame_info_bases, c"__register_frame_info_bases",
    (section, object, text, data), before: nothing, after: came);
libgcc_hook!(deregister_frame, c"__deregister_frame", (section), before: goes, after: nothing);
libgcc_hook!(deregister_frame_info, c"__deregister_frame_info",
    (section) -> *mut u8, core::ptr::null_mut(), before: goes, after: nothing);
libgcc_hook!(deregister_frame_info_bases, c"__deregister_frame_info_bases",
    (section) -> *mut u8, core::ptr::null_mut(), before: goes, after: nothing);

/// The dynamic linker calls this before the program's own constructors.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

/// Nothing needs to be done when a program ends; this only reads the clock.
#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = destructor;

extern "C" fn destructor() {
    if let Some(arena) = hot::get().arena() {
        arena.note_time();
    }
}

extern "C" fn constructor() {
    // Finding the real functions also allows recording to begin.
    let _ = real::malloc();
    let is_recording = setup::wake();
    // What the searches allocate is not the program's.
    recorder::muted(|| {
        super::operators::decide_early();
        if is_recording {
            note_foreign_malloc();
            find_statistics();
        }
        // The first call reads what the searches left behind, the second frees it.
        // SAFETY: neither takes anything.
        unsafe {
            sys::dlerror();
            sys::dlerror();
        }
    });
    if is_recording {
        prepare_events();
    }
    if is_recording && hot::get().verify_every.load(Ordering::Relaxed) != 0 {
        prepare_verification();
    }
}

/// Makes ready for events that are found without the program's help.
fn prepare_events() {
    let Some(arena) = hot::get().recording_arena() else {
        return;
    };
    match arena.get(header::SOURCE) {
        header::SOURCE_FUNCTION => {
            let linker = recorder::muted(|| real::named(c"_r_debug", &[]));
            functions::start(arena, linker);
        }
        header::SOURCE_LINES => recorder::muted(write_lines_at_once),
        _ => {}
    }
}

/// Lines that mark events must come when they are printed, not when a buffer is full.
fn write_lines_at_once() {
    const LINE_BUFFERED: c_int = 1;
    type SetBuffer = unsafe extern "C" fn(*mut c_void, *mut u8, c_int, usize) -> c_int;
    let (stdout, set_buffer) = (real::named(c"stdout", &[]), real::named(c"setvbuf", &[]));
    if stdout == 0 || set_buffer == 0 {
        return;
    }
    // SAFETY: libc's own stream and its function of this name.
    unsafe {
        let stream = *(stdout as *const *mut c_void);
        let set_buffer = core::mem::transmute::<usize, SetBuffer>(set_buffer);
        set_buffer(stream, core::ptr::null_mut(), LINE_BUFFERED, 0);
    }
}

/// Finds the kernel's clock, and by what function the allocator speaks of itself.
fn find_statistics() {
    let clock = real::named(c"__vdso_clock_gettime", &[c"linux-vdso.so.1"]);
    sys::KERNEL_CLOCK.store(clock, Ordering::Relaxed);
    use crate::account::{MALLCTL, MALLINFO2, TCMALLOC_PROPERTY};
    for (name, place) in [
        (c"mallinfo2", &MALLINFO2),
        (c"mallctl", &MALLCTL),
        (c"MallocExtension_GetNumericProperty", &TCMALLOC_PROPERTY),
    ] {
        place.store(real::named(name, &[]), Ordering::Relaxed);
    }
}

/// Tells the reader when the program's own `malloc` does not pass through here.
fn note_foreign_malloc() {
    // SAFETY: the names are terminated; what is found is called as what it is.
    let is_seen = unsafe {
        let malloc = sys::dlsym(core::ptr::null_mut(), c"malloc".as_ptr());
        let free = sys::dlsym(core::ptr::null_mut(), c"free".as_ptr());
        if malloc.is_null() || free.is_null() {
            return;
        }
        type Malloc = unsafe extern "C" fn(usize) -> *mut u8;
        type Free = unsafe extern "C" fn(*mut u8);
        let malloc = core::mem::transmute::<*mut c_void, Malloc>(malloc);
        let free = core::mem::transmute::<*mut c_void, Free>(free);
        recorder::reaches_hooks(|| free(malloc(1)))
    };
    if is_seen == Some(false) {
        setup::note(header::NOTE_MALLOC_IN_EXECUTABLE);
    }
}

fn prepare_verification() {
    // Not the address of a hook: an executable may have given that one of its own.
    let own_code = prepare_verification as *const () as usize;
    if let Some((start, end)) = modules::range_of(own_code) {
        verify::OWN_CODE_START.store(start, Ordering::Relaxed);
        verify::OWN_CODE_END.store(end, Ordering::Relaxed);
    }
    static BACKTRACE: Libgcc = Libgcc::new(c"_Unwind_Backtrace");
    static GET_IP: Libgcc = Libgcc::new(c"_Unwind_GetIP");
    let (backtrace, get_ip) = (BACKTRACE.find(), GET_IP.find());
    if backtrace == 0 || get_ip == 0 {
        setup::note(header::NOTE_NO_LIBGCC);
    }
    if let Some((start, end)) = modules::range_of(backtrace) {
        verify::LIBGCC_START.store(start, Ordering::Relaxed);
        verify::LIBGCC_END.store(end, Ordering::Relaxed);
    }
    verify::GET_IP.store(get_ip, Ordering::Relaxed);
    verify::BACKTRACE.store(backtrace, Ordering::Release);
}
