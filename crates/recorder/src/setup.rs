//! From the first call to a recording process.

use crate::arena_map::Arena;
use crate::config::{self, Config};
use crate::cpu;
use crate::hot::{self, FRESH, Hot, INERT, RECORDING, SETTING_UP, Wiped};
use crate::live;
use crate::loss;
use crate::modules;
use crate::moments;
use crate::picture;
use crate::program_file::ProgramPath;
use crate::sys;
use crate::thread;
use crate::thread_key;
use crate::tls;
use crate::trie;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use residue_arena::region::Region;
use residue_arena::{MAGIC, VERSION, header, tables};

/// Kept outside the page that a fork wipes: a child needs them again.
struct Kept {
    config: UnsafeCell<Config>,
    /// Not on the stack: the first allocation may come on a small one.
    buffer: UnsafeCell<[u8; 4096]>,
    path: UnsafeCell<Path>,
    arena_base: AtomicUsize,
    arena_bytes: AtomicUsize,
    real_malloc: AtomicUsize,
    /// The process that loaded this library: others that have it were forked.
    loaded_by_pid: AtomicU32,
    notes: AtomicU64,
    /// Not zero where another allocator is there than the one that answers `malloc`.
    has_own_names: AtomicU32,
    /// Not zero once the program's own code may run.
    has_started: AtomicU32,
    /// Where the allocator's code lies, if it is not libc's. In the executable that is known
    /// until other code of it runs.
    allocator_start: AtomicUsize,
    allocator_end: AtomicUsize,
}

// SAFETY: the cells are used by the one thread that sets up.
unsafe impl Sync for Kept {}

static KEPT: Kept = Kept {
    config: UnsafeCell::new(Config::empty()),
    buffer: UnsafeCell::new([0; 4096]),
    path: UnsafeCell::new(Path::new()),
    arena_base: AtomicUsize::new(0),
    arena_bytes: AtomicUsize::new(0),
    real_malloc: AtomicUsize::new(0),
    loaded_by_pid: AtomicU32::new(0),
    notes: AtomicU64::new(0),
    has_own_names: AtomicU32::new(0),
    has_started: AtomicU32::new(0),
    allocator_start: AtomicUsize::new(0),
    allocator_end: AtomicUsize::new(0),
};

/// Tells which function answers `malloc`, before the program runs.
pub fn set_real_malloc(address: usize) {
    KEPT.loaded_by_pid.store(sys::pid(), Ordering::Relaxed);
    let before = KEPT.real_malloc.swap(address, Ordering::Relaxed);
    find_allocator_code();
    if let Some(arena) = hot::get().arena().filter(|_| before != address) {
        name_allocator(arena);
    }
}

/// Tells that there is an allocator with names of its own, before anything is recorded.
pub fn set_own_names() {
    KEPT.has_own_names.store(1, Ordering::Relaxed);
}

/// The dynamic linker is about to run the executable's constructors.
pub fn program_starts() {
    KEPT.has_started.store(1, Ordering::Relaxed);
    find_allocator_code();
}

/// Something the reader should know about this program.
pub fn note(bit: u64) {
    KEPT.notes.fetch_or(bit, Ordering::Relaxed);
    if let Some(arena) = hot::get().arena() {
        arena.note(bit);
    }
}

/// Called when the process is not recording (yet): sets it up if it is fresh.
/// True when it records now.
#[cold]
pub fn wake() -> bool {
    let hot = hot::get();
    if KEPT.real_malloc.load(Ordering::Relaxed) == 0 {
        return false;
    }
    let claimed = hot
        .mode
        .compare_exchange(FRESH, SETTING_UP, Ordering::AcqRel, Ordering::Acquire);
    match claimed {
        Ok(_) => {}
        Err(mode) => return mode == RECORDING,
    }
    // After a fork the slots still name states of the parent.
    tls::set(core::ptr::null_mut());
    tls::set_last(core::ptr::null_mut());
    let ready = set_up().is_some();
    if ready {
        let base = hot.arena_base.load(Ordering::Relaxed);
        hot.recording_base.store(base, Ordering::SeqCst);
        loss::hand_over_early(hot);
    } else {
        give_up_arena();
    }
    hot.mode
        .store(if ready { RECORDING } else { INERT }, Ordering::Release);
    ready
}

fn set_up() -> Option<()> {
    let hot = hot::get();
    // A forked child has the parent's arena mapped; it must not keep it alive. If it can have
    // none of its own, the parent's profile tells of it.
    let inherited = Arena::at(KEPT.arena_base.swap(0, Ordering::Relaxed));
    thread::forget_parents_states();
    let result = set_up_with(hot, inherited);
    if let Some(arena) = inherited {
        arena.unmap();
    }
    result
}

fn set_up_with(hot: &Hot, inherited: Option<Arena>) -> Option<()> {
    let is_forked = KEPT.loaded_by_pid.load(Ordering::Relaxed) != sys::pid();
    // SAFETY: only the thread that claimed SETTING_UP is here.
    let (config, buffer, path) = unsafe {
        (
            &mut *KEPT.config.get(),
            &mut *KEPT.buffer.get(),
            &mut *KEPT.path.get(),
        )
    };
    if config.is_empty() {
        config.load();
    }
    let directory = config.text("dir")?;
    if !is_wanted(config, buffer) {
        return None;
    }
    let created = create_arena(path, directory);
    if let (None, Some(parent)) = (created, inherited) {
        parent
            .word(header::NOT_RECORDED)
            .fetch_add(1, Ordering::Relaxed);
    }
    let arena = created?;
    // A wipe that fails would let a child write here; better not to record at all.
    match hot::wipe_on_fork() {
        Wiped::InAll => {}
        Wiped::InForked => arena.note(header::NOTE_BARE_CLONES_UNSEEN),
        Wiped::Never => return None,
    }
    hot.arena_base.store(arena.base(), Ordering::Release);

    arena.set(header::IS_FORKED, u64::from(is_forked));
    describe_process(arena, config, buffer);
    hot.max_depth
        .store(arena.get(header::MAX_DEPTH) as u32, Ordering::Relaxed);
    hot.verify_every
        .store(arena.get(header::VERIFY_EVERY) as u32, Ordering::Relaxed);
    let uses_list = config.number("list").unwrap_or(0) != 0;
    hot.uses_list.store(u32::from(uses_list), Ordering::Relaxed);
    apply_limits(hot, arena);
    moments::set_up(arena);
    picture::set_up(hot);
    let takes_snapshots = config.number("every").unwrap_or(0) != 0 || has_list("at");
    hot.takes_snapshots
        .store(u32::from(takes_snapshots), Ordering::Relaxed);
    // Where there is no memory for them, what the program does is counted as dropped.
    trie::set_up(arena);
    live::set_up(arena.get(header::GRANULE_SHIFT) as u32);
    thread_key::make();
    modules::set_up();
    modules::find_linker();
    cpu::set_up(arena);
    arena
        .word(header::STATE)
        .store(header::READY, Ordering::Release);
    Some(())
}

/// Puts the size thresholds of the header in force.
pub fn apply_limits(hot: &Hot, arena: Arena) {
    let (min_size, max_size) = (arena.get(header::MIN_SIZE), arena.get(header::MAX_SIZE));
    hot.min_size.store(min_size, Ordering::Relaxed);
    hot.max_size.store(max_size, Ordering::Relaxed);
    let all_sizes = min_size == 0 && max_size == u64::MAX;
    let is_plain =
        all_sizes && arena.get(header::VERIFY_EVERY) == 0 && arena.get(header::INJECTED_BYTES) == 0;
    match is_plain {
        true => hot
            .slow_path_flags
            .fetch_and(!hot::IS_LIMITED, Ordering::Relaxed),
        false => hot
            .slow_path_flags
            .fetch_or(hot::IS_LIMITED, Ordering::Relaxed),
    };
}

/// What was asked for. Nothing before the constructor has run.
pub fn config() -> &'static Config {
    // SAFETY: it is read once, before the program runs, and does not change after that.
    unsafe { &*KEPT.config.get() }
}

/// Whether allocations are to be recorded, and not CPU time alone.
pub fn records_heap() -> bool {
    config().number("heap") != Some(0)
}

/// Whether the command that started all this still runs: it holds a lock on its note in the
/// directory of arenas. Where that cannot be seen it is taken to be gone.
pub fn command_runs() -> bool {
    let note = config().text("dir");
    let note = note.and_then(|directory| ProgramPath::joined(&[directory, b"/owner"]));
    note.is_some_and(|note| sys::is_locked(note.as_bytes()))
}

/// The addresses of the arena.
pub fn arena_range() -> (u64, u64) {
    let start = KEPT.arena_base.load(Ordering::Relaxed) as u64;
    (
        start,
        start + KEPT.arena_bytes.load(Ordering::Relaxed) as u64,
    )
}

/// Whether the code at this address is an allocator's that is not libc's.
pub fn is_allocator(address: usize) -> bool {
    (KEPT.allocator_start.load(Ordering::Relaxed)..KEPT.allocator_end.load(Ordering::Relaxed))
        .contains(&address)
}

/// Whether a snapshot is asked for where this event begins.
pub fn wants_snapshot(hot: &Hot, event: u32) -> bool {
    if hot.takes_snapshots.load(Ordering::Relaxed) == 0 {
        return false;
    }
    let config = config();
    if let Some(every @ 1..) = config.number("every")
        && u64::from(event).is_multiple_of(every)
    {
        return true;
    }
    is_listed("at", event.into())
}

/// Whether the list of events of this name has one at least.
pub fn has_list(name: &str) -> bool {
    config().text(name).is_some_and(|list| !list.is_empty())
}

/// Whether it has this one.
pub fn is_listed(name: &str, event: u64) -> bool {
    let mut digits = Digits::default();
    let wanted = digits.of(event);
    let list = config().text(name).unwrap_or(&[]);
    list.split(|&byte| byte == b',')
        .any(|number| number == wanted)
}

/// Room for a number in decimal digits.
#[derive(Default)]
pub struct Digits([u8; 20]);

impl Digits {
    pub fn of(&mut self, number: u64) -> &[u8] {
        let mut at = self.0.len();
        let mut rest = number;
        for place in self.0.iter_mut().rev() {
            *place = b'0' + (rest % 10) as u8;
            rest /= 10;
            at -= 1;
            if rest == 0 {
                break;
            }
        }
        self.0.get(at..).unwrap_or(&[])
    }
}

/// Setting up failed half way: nothing of it may stay in the program. The file stays: it is
/// how the command knows that a process was not recorded.
fn give_up_arena() {
    hot::get().arena_base.store(0, Ordering::Relaxed);
    unmap_arena();
}

/// Unmaps the arena this process has, or had before it was forked.
fn unmap_arena() {
    if let Some(arena) = Arena::at(KEPT.arena_base.swap(0, Ordering::Relaxed)) {
        arena.unmap();
    }
}

/// Whether this process is among those asked for.
fn is_wanted(config: &Config, buffer: &mut [u8]) -> bool {
    let root = config.number("root").unwrap_or(0);
    let with_children = config.number("children") != Some(0);
    if !with_children && u64::from(sys::parent_pid()) != root {
        return false;
    }
    let Some(pattern) = config.text("match").filter(|pattern| !pattern.is_empty()) else {
        return true;
    };
    let length = sys::read_link(b"/proc/self/exe\0", buffer).unwrap_or(0);
    let by_executable = buffer
        .get(..length)
        .is_some_and(|path| config::matches(pattern, base_name(path)));
    by_executable || {
        let command = read_command(buffer);
        let first = command.split(|&byte| byte == 0).next().unwrap_or(&[]);
        config::matches(pattern, base_name(first))
    }
}

pub fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

fn read_command(buffer: &mut [u8]) -> &[u8] {
    read_file(b"/proc/self/cmdline\0", buffer)
}

/// As much of a file as there is room for; nothing where it cannot be read.
fn read_file<'a>(path: &[u8], buffer: &'a mut [u8]) -> &'a [u8] {
    let mut length = 0;
    if let Ok(file) = sys::open(path, sys::O_RDONLY | sys::O_CLOEXEC, 0) {
        while let Some(rest @ [_, ..]) = buffer.get_mut(length..) {
            match sys::read(file, rest) {
                Ok(bytes @ 1..) => length += bytes,
                _ => break,
            }
        }
        sys::close(file);
    }
    buffer.get(..length).unwrap_or(&[])
}

/// Field 22 of `/proc/self/stat`; the name before it may hold anything but `)`.
fn process_started_ticks(buffer: &mut [u8]) -> u64 {
    const AFTER_NAME: usize = 19;
    let stat = read_file(b"/proc/self/stat\0", buffer);
    let after_name = stat.rsplit(|&byte| byte == b')').next().unwrap_or(&[]);
    let mut fields = after_name.trim_ascii().split(|&byte| byte == b' ');
    fields.nth(AFTER_NAME).map_or(0, number_in)
}

/// The number in `pid:[4026531836]`.
fn pid_namespace(buffer: &mut [u8]) -> u64 {
    let length = sys::read_link(b"/proc/self/ns/pid\0", buffer).unwrap_or(0);
    number_in(buffer.get(..length).unwrap_or(&[]))
}

/// The number that the digits of a text make.
fn number_in(text: &[u8]) -> u64 {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
    digits.fold(0_u64, |sum, &digit| {
        sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'))
    })
}

/// Notes what became of the arguments when the program ends.
pub fn note_title(arena: Arena) {
    let mut buffer = [0; 1024];
    let title = read_command(&mut buffer);
    let (start, bytes) = tables::text::unpack(arena.get(header::COMMAND));
    // SAFETY: the text was appended when the process was described, and stays.
    let command = unsafe {
        let first = arena.item(Region::Strings, start);
        core::slice::from_raw_parts(first, bytes as usize)
    };
    if !command.starts_with(title) {
        arena.set(header::TITLE, arena.append_text(title));
    }
}

/// Makes `<directory>/<pid>.<nanoseconds>.arena`.
fn create_arena(path: &mut Path, directory: &[u8]) -> Option<Arena> {
    path.length = 0;
    path.push(directory)?;
    path.push(b"/")?;
    path.push_number(u64::from(sys::pid()))?;
    path.push(b".")?;
    path.push_number(sys::clock_ns(sys::CLOCK_MONOTONIC))?;
    path.push(residue_arena::FILE_SUFFIX.as_bytes())?;
    path.push(b"\0")?;
    let (arena, bytes) = Arena::create(path.as_bytes())?;
    KEPT.arena_base.store(arena.base(), Ordering::Relaxed);
    KEPT.arena_bytes.store(bytes as usize, Ordering::Relaxed);
    Some(arena)
}

fn describe_process(arena: Arena, config: &Config, buffer: &mut [u8]) {
    arena.set(header::MAGIC, MAGIC);
    arena.set(header::VERSION, VERSION);
    arena.set(header::PID, u64::from(sys::pid()));
    arena.set(header::PARENT_PID, u64::from(sys::parent_pid()));
    arena.set(header::PROCESS_STARTED_TICKS, process_started_ticks(buffer));
    arena.set(header::PID_NAMESPACE, pid_namespace(buffer));
    arena.set(header::STARTED_UNIX_NS, sys::clock_ns(sys::CLOCK_REALTIME));
    arena.set(
        header::STARTED_MONOTONIC_NS,
        sys::clock_ns(sys::CLOCK_MONOTONIC),
    );
    arena.set(header::STARTED_TICKS, sys::ticks());
    arena.set(header::MIN_SIZE, config.number("min").unwrap_or(0));
    arena.set(header::MAX_SIZE, config.number("max").unwrap_or(u64::MAX));
    let depth = config.number("depth").unwrap_or(4096).clamp(2, 1 << 15);
    arena.set(header::MAX_DEPTH, depth);
    arena.set(header::VERIFY_EVERY, config.number("verify").unwrap_or(0));
    let paused = config.number("paused").unwrap_or(0);
    arena.set(header::PAUSED, paused);
    arena.set(header::START_PAUSED, paused);
    arena.set(header::RECORD_FROM, config.number("from").unwrap_or(0));
    arena.set(header::RECORD_TO, config.number("to").unwrap_or(0));
    arena.set(
        header::WITHOUT_HEAP,
        u64::from(config.number("heap") == Some(0)),
    );
    let rate_hz = config.number("cpu").unwrap_or(0);
    let period_ns = 1_000_000_000_u64.checked_div(rate_hz).unwrap_or(0);
    arena.set(header::CPU_PERIOD_NS, period_ns);
    arena.set(header::TICK_NS, config.number("tick").unwrap_or(0));
    arena.set(header::SOURCE, config.number("source").unwrap_or(0));
    arena.set(header::INJECTED_BYTES, config.number("inject").unwrap_or(0));
    arena.set(
        header::INJECTED_UNTOUCHED,
        config.number("untouched").unwrap_or(0),
    );
    arena.note(KEPT.notes.load(Ordering::Relaxed));

    let length = sys::read_link(b"/proc/self/exe\0", buffer).unwrap_or(0);
    let executable = arena.append_text(buffer.get(..length).unwrap_or(&[]));
    arena.set(header::EXECUTABLE, executable);
    let command = arena.append_text(read_command(buffer));
    arena.set(header::COMMAND, command);
    let is_glibc = name_allocator(arena);
    let has_own_names = KEPT.has_own_names.load(Ordering::Relaxed) != 0
        || config.text("own").is_some_and(|own| !own.is_empty());
    // Blocks of glibc are 32 bytes apart; of the others nothing is assumed but 8.
    let granule_shift = if is_glibc && !has_own_names {
        live::WIDE_GRANULE_SHIFT
    } else {
        live::NARROW_GRANULE_SHIFT
    };
    arena.set(header::GRANULE_SHIFT, u64::from(granule_shift));
}

/// Writes down which file answers `malloc`; true where it is glibc.
fn name_allocator(arena: Arena) -> bool {
    let path = modules::path_of(KEPT.real_malloc.load(Ordering::Relaxed));
    let text = match path.is_empty() {
        // The executable itself has no name there.
        true => arena.get(header::EXECUTABLE),
        false => arena.append_text(path),
    };
    arena.set(header::ALLOCATOR, text);
    is_glibc(path)
}

fn is_glibc(path: &[u8]) -> bool {
    base_name(path).starts_with(b"libc.so.6")
}

fn find_allocator_code() {
    let malloc = KEPT.real_malloc.load(Ordering::Relaxed);
    let path = modules::path_of(malloc);
    let is_among_others = path.is_empty() && KEPT.has_started.load(Ordering::Relaxed) != 0;
    let is_libc = is_glibc(path) || (sys::is_musl() && modules::is_in_linker(malloc));
    let range = match is_libc || is_among_others {
        true => None,
        false => modules::range_of(malloc),
    };
    let (start, end) = range.unwrap_or((0, 0));
    KEPT.allocator_start.store(start, Ordering::Relaxed);
    KEPT.allocator_end.store(end, Ordering::Relaxed);
}

/// A path being put together, without allocating.
struct Path {
    bytes: [u8; 4096],
    length: usize,
}

impl Path {
    const fn new() -> Path {
        Path {
            bytes: [0; 4096],
            length: 0,
        }
    }

    fn push(&mut self, part: &[u8]) -> Option<()> {
        let end = self.length.checked_add(part.len())?;
        self.bytes.get_mut(self.length..end)?.copy_from_slice(part);
        self.length = end;
        Some(())
    }

    fn push_number(&mut self, number: u64) -> Option<()> {
        self.push(Digits::default().of(number))
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&[])
    }
}
