//! The proof: compares captured stacks with those of libgcc's unwinder, up to where libgcc
//! gives up for want of an unwind table, and a frame pointer or the code itself is followed here.

use crate::arena_map::bump;
use crate::hot::Hot;
use crate::thread::Thread;
use crate::unwind::cached::Ending;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use residue_arena::tables::thread as stat;

type Context = c_void;
type Callback = unsafe extern "C" fn(*mut Context, *mut c_void) -> c_int;
pub type Backtrace = unsafe extern "C" fn(Callback, *mut c_void) -> c_int;
pub type GetIp = unsafe extern "C" fn(*mut Context) -> usize;

/// Frames compared of one stack.
const MOST_COMPARED: usize = 4096;

/// Frames of a stack that ends early that may be believed.
const SHORTEST: usize = 4;

const GO_ON: c_int = 0;
const STOP: c_int = 5;

/// Libgcc holds a lock while a JIT registers its frames, and again when it sorts
/// them at their first use. Asking it for a stack inside an allocation made there
/// would wait for ever, so those are left out: while a hook for registering is
/// under way, and where libgcc itself allocates.
pub static REGISTERING: AtomicU32 = AtomicU32::new(0);

/// Once frames were registered, libgcc takes that lock for every frame, and allocates for some. A signal
/// may have interrupted whoever holds the lock, or the allocator: what it interrupted is left out.
pub static HAS_REGISTERED: AtomicBool = AtomicBool::new(false);

/// Libgcc's two functions and the recorder's own code; they outlive a fork.
pub static BACKTRACE: AtomicUsize = AtomicUsize::new(0);
pub static GET_IP: AtomicUsize = AtomicUsize::new(0);
pub static LIBGCC_START: AtomicUsize = AtomicUsize::new(0);
pub static LIBGCC_END: AtomicUsize = AtomicUsize::new(0);
pub static OWN_CODE_START: AtomicUsize = AtomicUsize::new(0);
pub static OWN_CODE_END: AtomicUsize = AtomicUsize::new(0);

/// What the callback compares against.
struct Comparison<Frames: Iterator<Item = usize>> {
    get_ip: GetIp,
    ours: Frames,
    /// The frame that a signal interrupted, where that is the first: it may be the recorder's own.
    interrupted: Option<usize>,
    seen: usize,
    differs: bool,
}

unsafe extern "C" fn compare_frame<Frames: Iterator<Item = usize>>(
    context: *mut Context,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: libgcc hands back the argument given to it below.
    let comparison = unsafe { &mut *argument.cast::<Comparison<Frames>>() };
    // SAFETY: the context is libgcc's own.
    let ip = unsafe { (comparison.get_ip)(context) };
    let own_start = OWN_CODE_START.load(Ordering::Relaxed);
    let own_end = OWN_CODE_END.load(Ordering::Relaxed);
    let is_before = match comparison.interrupted {
        Some(first) => ip != first,
        None => (own_start..own_end).contains(&ip),
    };
    if (comparison.seen == 0 && is_before) || ip == 0 {
        return GO_ON;
    }
    comparison.seen += 1;
    if comparison.seen > MOST_COMPARED {
        return STOP;
    }
    if comparison.ours.next() != Some(ip) {
        comparison.differs = true;
        return STOP;
    }
    GO_ON
}

/// Compares the stack just captured, if it is its turn.
#[inline(never)]
pub fn check(hot: &Hot, thread: &mut Thread) {
    if hot.verify_every.load(Ordering::Relaxed) == 0 {
        return;
    }
    thread.verify_countdown = match thread.verify_countdown.checked_sub(1) {
        Some(left) if left > 0 => left,
        _ => {
            compare(thread);
            hot.verify_every.load(Ordering::Relaxed)
        }
    };
}

fn compare(thread: &mut Thread) {
    let (backtrace, get_ip) = (
        BACKTRACE.load(Ordering::Relaxed),
        GET_IP.load(Ordering::Relaxed),
    );
    if backtrace == 0 || get_ip == 0 || REGISTERING.load(Ordering::Acquire) != 0 {
        return;
    }
    let is_interrupted = thread.stack.is_interrupted();
    if is_interrupted && HAS_REGISTERED.load(Ordering::Acquire) {
        return;
    }
    let libgcc = LIBGCC_START.load(Ordering::Relaxed)..LIBGCC_END.load(Ordering::Relaxed);
    let leaf = thread.stack.frames_leaf_first().next();
    if leaf.is_some_and(|ip| libgcc.contains(&ip)) {
        return;
    }
    // Where a signal interrupts a switch of stacks, tables are wrong between two instructions. Libgcc
    // believes them, and reads whatever they lead to. Such stacks end after a frame or two; those of
    // coroutines, which end early too, are longer.
    let is_short = thread.stack.frames_leaf_first().nth(SHORTEST - 1).is_none();
    if is_interrupted && thread.stack.ending == Ending::Early && is_short {
        return;
    }
    let interrupted = leaf.filter(|_| is_interrupted);
    // SAFETY: set-up stored libgcc's functions of these types.
    let (backtrace, get_ip) = unsafe {
        (
            core::mem::transmute::<usize, Backtrace>(backtrace),
            core::mem::transmute::<usize, GetIp>(get_ip),
        )
    };
    let mut comparison = Comparison {
        get_ip,
        ours: thread.stack.frames_leaf_first(),
        interrupted,
        seen: 0,
        differs: false,
    };
    run(backtrace, &mut comparison);
    let seen = comparison.seen;
    let all_seen = seen > MOST_COMPARED
        || comparison.ours.next().is_none()
        || seen > 0 && thread.stack.lacks_table(seen - 1);
    let differs = comparison.differs || !all_seen;
    bump(&thread.stats[stat::VERIFIED], 1);
    if differs {
        bump(&thread.stats[stat::DIFFERENCES], 1);
    }
}

fn run<Frames: Iterator<Item = usize>>(backtrace: Backtrace, comparison: &mut Comparison<Frames>) {
    let argument: *mut Comparison<Frames> = comparison;
    // SAFETY: the callback gets the argument back while it is still borrowed here.
    unsafe { backtrace(compare_frame::<Frames>, argument.cast()) };
}
