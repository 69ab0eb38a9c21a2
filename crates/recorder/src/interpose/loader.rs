//! Code that comes and goes: `dlclose`, and the unwind tables of JIT compilers. Names of
//! threads. And the constructor, which runs when this library is loaded.

use super::bundled::{self, Outcome};
use super::real::{self, Late};
use super::{operators, own_names};
use crate::cpu;
use crate::dynamic;
use crate::functions;
use crate::hot;
use crate::jit_symbols::{self, Extent};
use crate::loss::Loss;
use crate::modules;
use crate::private;
use crate::recorder;
use crate::setup;
use crate::sys;
use crate::thread_names;
use crate::unwind::{jit, unlisted, verify};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};
use residue_arena::header;

type Close = unsafe extern "C" fn(*mut c_void) -> c_int;

/// Libdl's, before glibc 2.34, which a program without it may load for a plugin, and unload.
#[cold]
fn close_of_libdl() -> Option<Close> {
    match real::named(c"dlclose", &[c"libdl.so.2"]) {
        0 => None,
        // SAFETY: libc's function of this name.
        close => Some(unsafe { core::mem::transmute::<usize, Close>(close) }),
    }
}

pub unsafe fn dlclose(handle: *mut c_void) -> c_int {
    let Some(real) = real::dlclose().or_else(close_of_libdl) else {
        return -1;
    };
    // SAFETY: the program's own call, handed on.
    let result = unsafe { real(handle) };
    operators::forget_unloaded();
    if hot::get().is_recording() {
        modules::look_again();
    }
    result
}

/// A thread gets a name.
///
/// # Safety
/// The arguments must be what the function of this name takes.
pub unsafe fn pthread_setname_np(handle: usize, name: *const c_char) -> c_int {
    const NOT_THERE: c_int = 38;
    static REAL: Late = Late::of_libpthread(c"pthread_setname_np");
    match REAL.get() {
        0 => NOT_THERE,
        // SAFETY: libc's function of this name; the program's own call, handed on.
        real => unsafe {
            let real = core::mem::transmute::<usize, thread_names::SetName>(real);
            thread_names::set_by(real, handle, name)
        },
    }
}

/// Runs libgcc's function while verification stays out: it holds a lock there.
fn registering<T>(call: impl FnOnce() -> T) -> T {
    verify::REGISTERING.fetch_add(1, Ordering::AcqRel);
    verify::HAS_REGISTERED.store(true, Ordering::Release);
    let result = call();
    verify::REGISTERING.fetch_sub(1, Ordering::AcqRel);
    result
}

/// Makes hooks for libgcc's registering functions. Those that register are told where they
/// were called from, by a stub.
macro_rules! libgcc_hooks {
    ($($name:ident, $symbol:literal, ($($argument:ident),*) $(-> $result:ty, $none:expr)?,
     $when:ident: $also:expr;)*) => {
        $(libgcc_hooks!(@$when $name, $symbol, ($($argument),*) $(-> $result, $none)?, $also);)*
    };
    (@after $name:ident, $symbol:literal, ($($argument:ident),*), $also:expr) => {
        pub unsafe extern "C" fn $name(
            $($argument: *mut u8,)* return_slot: *const usize, _bp: usize,
        ) {
            libgcc_hooks!(@call $symbol, ($($argument),*));
            // SAFETY: the stub hands over the place of the return address.
            $also([$($argument),*][0] as usize, unsafe { return_slot.read() });
        }
    };
    (@before $name:ident, $symbol:literal, ($($argument:ident),*) $(-> $result:ty, $none:expr)?,
     $also:expr) => {
        pub unsafe fn $name($($argument: *mut u8),*) $(-> $result)? {
            $also([$($argument),*][0] as usize);
            libgcc_hooks!(@call $symbol, ($($argument),*) $(-> $result, $none)?)
        }
    };
    (@call $symbol:literal, ($($argument:ident),*) $(-> $result:ty, $none:expr)?) => {{
        static REAL: Late = Late::of_libgcc($symbol);
        let address = REAL.get();
        if address == 0 {
            return $($none)?;
        }
        // SAFETY: libgcc's function of this name takes these arguments.
        let real = unsafe {
            core::mem::transmute::<
                usize,
                unsafe extern "C" fn($(libgcc_hooks!(@pointer $argument)),*) $(-> $result)?,
            >(address)
        };
        // SAFETY: the program's own call, handed on.
        registering(|| unsafe { real($($argument),*) })
    }};
    (@pointer $argument:ident) => { *mut u8 };
}

fn came(section: usize, caller: usize) {
    if section != 0 && hot::get().is_recording() {
        // SAFETY: libgcc has just accepted the section.
        unsafe { jit::register(section) };
        find_descriptor(caller);
        jit_symbols::look(Extent::New);
    }
}

/// Also when nothing is recorded now: what was registered before a fork is known
/// after it.
fn goes(section: usize) {
    jit::deregister(section);
    jit_symbols::look(Extent::New);
}

libgcc_hooks! {
    register_frame, c"__register_frame", (section), after: came;
    register_frame_info, c"__register_frame_info", (section, object), after: came;
    register_frame_info_bases, c"__register_frame_info_bases", (section, object, text, data),
        after: came;
    deregister_frame, c"__deregister_frame", (section), before: goes;
    deregister_frame_info, c"__deregister_frame_info",
        (section) -> *mut u8, core::ptr::null_mut(), before: goes;
    deregister_frame_info_bases, c"__deregister_frame_info_bases",
        (section) -> *mut u8, core::ptr::null_mut(), before: goes;
}

/// Looks in the module of a compiler, once, for its list of the code that it made.
fn find_descriptor(caller: usize) {
    const MOST_MODULES: usize = 16;
    static ASKED: [AtomicUsize; MOST_MODULES] = [const { AtomicUsize::new(0) }; MOST_MODULES];
    let Some((module, _)) = modules::range_of(caller) else {
        return;
    };
    for place in &ASKED {
        match place.compare_exchange(0, module, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => {
                note_descriptor(dynamic::in_module_of(caller, jit_symbols::DESCRIPTOR));
                return note_descriptor(dynamic::anywhere(jit_symbols::DESCRIPTOR));
            }
            Err(known) if known == module => return,
            Err(_) => {}
        }
    }
}

fn note_descriptor(address: usize) {
    if address != 0 {
        jit_symbols::found(address);
    }
}

/// The dynamic linker calls this before the program's own constructors.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

/// Nothing needs to be done when a program ends; this only reads the clock, and the names
/// of what was not named before.
#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = destructor;

extern "C" fn destructor() {
    let Some(arena) = hot::get().recording_arena() else {
        return;
    };
    arena.note_time();
    setup::note_title(arena);
    thread_names::note_all();
    cpu::note_times();
    private::measure();
    note_descriptor(dynamic::anywhere(jit_symbols::DESCRIPTOR));
    jit_symbols::look(Extent::All);
}

extern "C" fn constructor() {
    // Finding the real functions also allows recording to begin.
    let _ = real::malloc();
    let is_recording = setup::wake();
    if is_recording {
        unlisted::find();
    }
    // What the trials allocate is not the program's.
    recorder::muted(|| {
        operators::decide_early();
        if is_recording {
            find_clock();
        }
        if is_recording && setup::records_heap() {
            find_allocator();
            own_names::record();
        }
    });
    setup::program_starts();
    if is_recording {
        prepare_events();
        // Its CPU time counts from here on.
        recorder::with_thread(Loss::Nothing, |_, _, _| {});
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
            let linker = match real::named(c"_r_debug", &[]) {
                0 => sys::debugger_view() as usize,
                found => found,
            };
            functions::start(arena, linker);
        }
        header::SOURCE_LINES => recorder::muted(write_lines_at_once),
        _ => {}
    }
    if hot::get().takes_pictures.load(Ordering::Relaxed) != 0
        && let Some(exit) = real::exit()
    {
        functions::watch_exit(exit as usize);
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

fn find_clock() {
    const NAME: &CStr = c"__vdso_clock_gettime";
    let mut clock = real::named(NAME, &[c"linux-vdso.so.1"]);
    if clock == 0 {
        // In musl's list of modules it has no name.
        clock = dynamic::in_module_of(sys::kernel_library(), NAME);
    }
    sys::KERNEL_CLOCK.store(clock, Ordering::Relaxed);
}

/// Sees to a program that brings its own `malloc`, and finds by what function the allocator
/// speaks of itself.
fn find_allocator() {
    use crate::account::{MALLCTL, MALLINFO, MALLINFO2, TCMALLOC_PROPERTY};
    let outcome = bundled::record();
    match outcome {
        Outcome::Hooked => setup::set_real_malloc(real::next_malloc()),
        Outcome::Detoured { .. } => {}
        Outcome::Refused(refusal) => setup::note(header::malloc_in_executable(refusal as u64)),
    }
    for (name, place) in [
        (c"mallinfo2", &MALLINFO2),
        (c"mallinfo", &MALLINFO),
        (c"mallctl", &MALLCTL),
        (c"MallocExtension_GetNumericProperty", &TCMALLOC_PROPERTY),
    ] {
        let function = match outcome {
            Outcome::Detoured { allocator } => dynamic::in_module_of(allocator, name),
            Outcome::Hooked | Outcome::Refused(_) => real::named(name, &[]),
        };
        place.store(function, Ordering::Relaxed);
    }
}

fn prepare_verification() {
    // Not the address of a hook: an executable may have given that one of its own.
    let own_code = prepare_verification as *const () as usize;
    if let Some((start, end)) = modules::range_of(own_code) {
        verify::OWN_CODE_START.store(start, Ordering::Relaxed);
        verify::OWN_CODE_END.store(end, Ordering::Relaxed);
    }
    // Verification brings libgcc into a program that does without. Not in a hook: `dlopen`
    // takes locks.
    if let Some(open) = sys::dlopen().or_else(sys::libc_dlopen) {
        // SAFETY: the name is terminated.
        unsafe { open(c"libgcc_s.so.1".as_ptr(), sys::RTLD_LAZY) };
    }
    static BACKTRACE: Late = Late::of_libgcc(c"_Unwind_Backtrace");
    static GET_IP: Late = Late::of_libgcc(c"_Unwind_GetIP");
    let (backtrace, get_ip) = (BACKTRACE.get(), GET_IP.get());
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
