//! The one list of interposed functions, and the stubs it makes.
//!
//! A stub hands the place of the caller's return address and the caller's bp to
//! its Rust function as two further arguments and *jumps* there: it leaves no
//! frame, so the first frame to unwind is the program's own, and there is no
//! prologue to step over.

/// Makes the exported stubs. Each line: the symbol, the registers that carry the
/// two further arguments (those after the symbol's own), the Rust function.
macro_rules! stubs {
    ($($(#[$note:meta])* $symbol:ident, $slot:literal, $bp:literal => $function:path;)*) => {
        $(
            $(#[$note])*
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol() {
                core::arch::naked_asm!(
                    // A sample of CPU time may come here.
                    ".cfi_startproc",
                    concat!("mov ", $slot, ", rsp"),
                    concat!("mov ", $bp, ", rbp"),
                    "jmp {function}",
                    ".cfi_endproc",
                    function = sym $function,
                )
            }
        )*
    };
}

use super::{exec, heap, identity, kernel, loader, locking, maps, signals, threads};

stubs! {
    malloc, "rsi", "rdx" => heap::malloc;
    calloc, "rdx", "rcx" => heap::calloc;
    realloc, "rdx", "rcx" => heap::realloc;
    reallocarray, "rcx", "r8" => heap::reallocarray;
    posix_memalign, "rcx", "r8" => heap::posix_memalign;
    aligned_alloc, "rdx", "rcx" => heap::aligned_alloc;
    memalign, "rdx", "rcx" => heap::memalign;
    valloc, "rsi", "rdx" => heap::valloc;
    pvalloc, "rsi", "rdx" => heap::pvalloc;
    sbrk, "rsi", "rdx" => maps::sbrk;
    brk, "rsi", "rdx" => maps::brk;
    shmat, "rcx", "r8" => maps::shmat;
    free, "rsi", "rdx" => heap::free;
    cfree, "rsi", "rdx" => heap::free_as_ever;
    free_sized, "rdx", "rcx" => heap::free_sized;
    free_aligned_sized, "rcx", "r8" => heap::free_aligned_sized;
    __register_frame, "rsi", "rdx" => loader::register_frame;
    __register_frame_info, "rdx", "rcx" => loader::register_frame_info;
    __register_frame_info_bases, "r8", "r9" => loader::register_frame_info_bases;
}

/// Functions whose caller does not matter go straight to Rust.
macro_rules! direct {
    ($($symbol:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)? => $function:path;)*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol($($argument: $kind),*) $(-> $result)? {
                // SAFETY: the program called with the arguments this symbol takes.
                unsafe { $function($($argument),*) }
            }
        )*
    };
}

use core::ffi::{c_char, c_int, c_void};

type Strings = *const *const c_char;

direct! {
    munmap(start: *mut u8, bytes: usize) -> c_int => maps::munmap;
    shmdt(start: *mut u8) -> c_int => maps::shmdt;
    mlockall(flags: c_int) -> c_int => locking::mlockall;
    prctl(option: c_int, b: usize, c: usize, d: usize, e: usize) -> c_int => kernel::prctl;
    dlclose(handle: *mut c_void) -> c_int => loader::dlclose;
    pthread_create(thread: *mut c_void, attributes: *const c_void,
        routine: Option<unsafe extern "C" fn(*mut c_void) -> *mut c_void>,
        argument: *mut c_void) -> c_int => threads::pthread_create;
    thrd_create(thread: *mut c_void,
        routine: Option<unsafe extern "C" fn(*mut c_void) -> *mut c_void>,
        argument: *mut c_void) -> c_int => threads::thrd_create;
    sigaction(signal: c_int, action: *const c_void, before: *mut c_void) -> c_int
        => signals::sigaction;
    signal(signal: c_int, handler: usize) -> usize => signals::signal;
    bsd_signal(signal: c_int, handler: usize) -> usize => signals::bsd_signal;
    __sysv_signal(signal: c_int, handler: usize) -> usize => signals::sysv_signal;
    sigset(signal: c_int, handler: usize) -> usize => signals::sigset;
    sigignore(signal: c_int) -> c_int => signals::sigignore;
    sighold(signal: c_int) -> c_int => signals::sighold;
    siginterrupt(signal: c_int, interrupts: c_int) -> c_int => signals::siginterrupt;
    sigprocmask(how: c_int, set: *const u64, before: *mut u64) -> c_int => signals::sigprocmask;
    pthread_sigmask(how: c_int, set: *const u64, before: *mut u64) -> c_int
        => signals::pthread_sigmask;
    pthread_setname_np(thread: usize, name: *const c_char) -> c_int
        => loader::pthread_setname_np;
    execve(path: *const c_char, arguments: Strings, environment: Strings) -> c_int
        => exec::execve;
    execv(path: *const c_char, arguments: Strings) -> c_int => exec::execv;
    execvp(file: *const c_char, arguments: Strings) -> c_int => exec::execvp;
    execvpe(file: *const c_char, arguments: Strings, environment: Strings) -> c_int
        => exec::execvpe;
    fexecve(file: c_int, arguments: Strings, environment: Strings) -> c_int => exec::fexecve;
    posix_spawn(pid: *mut c_int, path: *const c_char, actions: *const c_void,
        attributes: *const c_void, arguments: Strings, environment: Strings) -> c_int
        => exec::posix_spawn;
    posix_spawnp(pid: *mut c_int, file: *const c_char, actions: *const c_void,
        attributes: *const c_void, arguments: Strings, environment: Strings) -> c_int
        => exec::posix_spawnp;
    setuid(user: u32) -> c_int => identity::setuid;
    seteuid(user: u32) -> c_int => identity::seteuid;
    setreuid(real_user: u32, effective_user: u32) -> c_int => identity::setreuid;
    setresuid(real_user: u32, effective_user: u32, saved_user: u32) -> c_int
        => identity::setresuid;
    chroot(path: *const c_char) -> c_int => identity::chroot;
    __deregister_frame(section: *mut u8) => loader::deregister_frame;
    __deregister_frame_info(section: *mut u8) -> *mut u8 => loader::deregister_frame_info;
    __deregister_frame_info_bases(section: *mut u8) -> *mut u8
        => loader::deregister_frame_info_bases;
}

/// Functions that take their arguments one by one: those in registers are put in a row on the
/// stack; the others lie behind the return address.
macro_rules! list_stubs {
    ($($symbol:ident => $function:path;)*) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol() {
                core::arch::naked_asm!(
                    ".cfi_startproc",
                    "push r9",
                    "push r8",
                    "push rcx",
                    "push rdx",
                    "push rsi",
                    ".cfi_adjust_cfa_offset 40",
                    "mov rsi, rsp",
                    "lea rdx, [rsp + 48]",
                    "call {function}",
                    "add rsp, 40",
                    ".cfi_adjust_cfa_offset -40",
                    "ret",
                    ".cfi_endproc",
                    function = sym $function,
                )
            }
        )*
    };
}

list_stubs! {
    execl => exec::execl;
    execlp => exec::execlp;
    execle => exec::execle;
}

/// `mmap` has no argument register left: the two go on the stack.
macro_rules! mmap_stub {
    ($($symbol:ident)*) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol() {
                core::arch::naked_asm!(
                    ".cfi_startproc",
                    "mov rax, rsp",
                    "sub rsp, 8",
                    "push rbp",
                    "push rax",
                    ".cfi_adjust_cfa_offset 24",
                    "call {function}",
                    "add rsp, 24",
                    ".cfi_adjust_cfa_offset -24",
                    "ret",
                    ".cfi_endproc",
                    function = sym maps::mmap,
                )
            }
        )*
    };
}

mmap_stub! { mmap mmap64 }

/// `mremap` has one left: bp goes on the stack.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mremap() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "mov r9, rsp",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        "call {function}",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "ret",
        ".cfi_endproc",
        function = sym maps::mremap,
    )
}
