//! Whether a program that is about to be started can carry the recorder.
//!
//! Its file is looked at with a few small reads, in the process that starts it, without
//! allocating. What cannot be read is given the benefit of the doubt.

use crate::sys;
use residue_arena::{
    ADDRESS_SANITIZER_PREFIXES, LIBC_NAME, MOST_PREFIX_BYTES, MUSL_LINKER_PREFIX,
    MUSL_WITH_HOOKS_NAME, THREAD_SANITIZER_PREFIXES,
};

/// Why a program that is started will not be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// A musl that makes no aligned blocks where `malloc` has a hook.
    OldMusl,
    /// Its runtime must be the first of all libraries.
    AddressSanitizer,
    /// Its runtime allows no mappings but its own and the C library's.
    ThreadSanitizer,
    /// Built for another machine, or for 32 bits.
    OtherMachine,
    /// Nothing is loaded into it.
    Static,
    /// It gets another user's rights, so nothing is preloaded.
    SetUser,
    /// It is started with an environment that does not name the recorder.
    ClearedEnvironment,
}

impl Obstacle {
    /// Whether it would refuse to start with the recorder, or complain of it. The others take no
    /// notice, and hand on what the environment says.
    pub fn forbids_preload(self) -> bool {
        !matches!(self, Obstacle::Static | Obstacle::SetUser)
    }
}

/// A path that ends in a zero byte.
pub struct ProgramPath {
    bytes: [u8; ProgramPath::ROOM],
    length: usize,
}

impl ProgramPath {
    const ROOM: usize = 1024;

    /// `None` where it is longer than there is room for.
    pub fn joined(parts: &[&[u8]]) -> Option<ProgramPath> {
        let mut path = ProgramPath {
            bytes: [0; ProgramPath::ROOM],
            length: 0,
        };
        for part in parts.iter().copied().chain([&b"\0"[..]]) {
            let end = path.length.checked_add(part.len())?;
            path.bytes.get_mut(path.length..end)?.copy_from_slice(part);
            path.length = end;
        }
        Some(path)
    }

    /// With the zero byte.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&[])
    }

    pub fn without_end(&self) -> &[u8] {
        self.as_bytes().strip_suffix(&[0]).unwrap_or(&[])
    }
}

/// A file that is only read.
pub struct File(usize);

impl File {
    pub fn open(path: &[u8]) -> Option<File> {
        // Whatever lies there must not keep the program waiting.
        let flags = sys::O_RDONLY | sys::O_CLOEXEC | sys::O_NONBLOCK;
        sys::open(path, flags, 0).ok().map(File)
    }

    /// As much as there is at this place.
    pub fn read_at<'a>(&self, offset: u64, into: &'a mut [u8]) -> &'a [u8] {
        let length = sys::read_at(self.0, into, offset).unwrap_or(0);
        into.get(..length).unwrap_or(&[])
    }
}

impl Drop for File {
    fn drop(&mut self) {
        sys::close(self.0);
    }
}

/// What stands in the way of the program at `path`, or of the program that the first line of
/// the script there names; and the path of that program.
#[inline(never)]
pub fn obstacle(path: &[u8]) -> Option<(Obstacle, ProgramPath)> {
    const INTERPRETERS: usize = 4;
    let mut head = [0; 256];
    let mut path = ProgramPath::joined(&[path])?;
    let mut file = File::open(path.as_bytes())?;
    for _ in 0..INTERPRETERS {
        let Some(line) = file.read_at(0, &mut head).strip_prefix(b"#!") else {
            break;
        };
        let line = line.split(|&byte| byte == b'\n').next()?.trim_ascii();
        let name = line.split(|byte| byte.is_ascii_whitespace()).next()?;
        path = ProgramPath::joined(&[name])?;
        file = File::open(path.as_bytes())?;
    }
    obstacle_in(&file)
        .or_else(|| changes_user(path.as_bytes()).then_some(Obstacle::SetUser))
        .map(|obstacle| (obstacle, path))
}

/// Whether the kernel gives the program rights that this process has not.
fn changes_user(path: &[u8]) -> bool {
    const SET_USER: u32 = 0o4000;
    const SET_GROUP: u32 = 0o2000;
    sys::status(path).is_ok_and(|status| {
        let to_other_user = status.mode & SET_USER != 0 && status.owner != sys::real_user();
        let to_other_group = status.mode & SET_GROUP != 0 && status.group != sys::real_group();
        to_other_user || to_other_group
    })
}

fn obstacle_in(file: &File) -> Option<Obstacle> {
    const CLASS_64: u8 = 2;
    const X86_64: u64 = 62;
    let mut head = [0; 64];
    let head = file.read_at(0, &mut head);
    if !head.starts_with(b"\x7fELF") {
        return None;
    }
    if head.get(4) != Some(&CLASS_64) || number(head, 18, 2)? != X86_64 {
        return Some(Obstacle::OtherMachine);
    }
    let segments = Segments::of(file)?;
    match segments.first(INTERPRETER) {
        Some(interpreter) if is_old_musl(file, &interpreter) => Some(Obstacle::OldMusl),
        Some(_) => needed_sanitizer(&segments),
        None => obstacle_without_interpreter(&segments),
    }
}

/// The program headers of an ELF file.
struct Segments<'a> {
    file: &'a File,
    offset: u64,
    size: u64,
    count: u64,
}

struct Segment {
    kind: u64,
    offset: u64,
    address: u64,
    file_bytes: u64,
}

const LOADED: u64 = 1;
const DYNAMIC: u64 = 2;
const INTERPRETER: u64 = 3;

impl Segments<'_> {
    fn of(file: &File) -> Option<Segments<'_>> {
        let mut head = [0; 64];
        let head = file.read_at(0, &mut head);
        Some(Segments {
            file,
            offset: number(head, 32, 8)?,
            size: number(head, 54, 2)?,
            count: number(head, 56, 2)?,
        })
    }

    fn each(&self) -> impl Iterator<Item = Segment> {
        const MOST: u64 = 128;
        (0..self.count.min(MOST)).filter_map(|index| {
            let mut bytes = [0; 56];
            let offset = self.offset.checked_add(index * self.size)?;
            let bytes = self.file.read_at(offset, &mut bytes);
            Some(Segment {
                kind: number(bytes, 0, 4)?,
                offset: number(bytes, 8, 8)?,
                address: number(bytes, 16, 8)?,
                file_bytes: number(bytes, 32, 8)?,
            })
        })
    }

    fn first(&self, kind: u64) -> Option<Segment> {
        self.each().find(|segment| segment.kind == kind)
    }

    /// Where in the file the bytes at an address are.
    fn offset_of(&self, address: u64) -> Option<u64> {
        self.each()
            .filter(|segment| segment.kind == LOADED)
            .find_map(|segment| {
                let inside = address.checked_sub(segment.address)?;
                (inside < segment.file_bytes).then(|| segment.offset.wrapping_add(inside))
            })
    }
}

fn is_old_musl(file: &File, interpreter: &Segment) -> bool {
    let mut path = [0; 256];
    let path = file.read_at(interpreter.offset, &mut path);
    let path = path.split(|&byte| byte == 0).next().unwrap_or(&[]);
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(&[]);
    name.starts_with(MUSL_LINKER_PREFIX)
        && ProgramPath::joined(&[path])
            .and_then(|path| File::open(path.as_bytes()))
            .is_some_and(|linker| Segments::of(&linker).is_some_and(|it| !has_hooks(&it)))
}

/// The dynamic linker, started as a program, preloads for the one that it is given. It has no
/// interpreter, as static programs have none, but a name that others link with; that of musl,
/// which may have none, has the functions of a C library.
fn obstacle_without_interpreter(segments: &Segments) -> Option<Obstacle> {
    const OWN_NAME: u64 = 14;
    if has_name(segments, LIBC_NAME) {
        return (!has_hooks(segments)).then_some(Obstacle::OldMusl);
    }
    let is_named = dynamic_entries(segments).any(|(tag, _)| tag == OWN_NAME);
    (!is_named).then_some(Obstacle::Static)
}

/// Whether this musl makes aligned blocks where its functions have hooks.
fn has_hooks(segments: &Segments) -> bool {
    has_name(segments, MUSL_WITH_HOOKS_NAME)
}

/// Whether a name, given with the zero bytes around it, is among the dynamic ones of a file.
fn has_name(segments: &Segments, name: &[u8]) -> bool {
    const NAMES: u64 = 5;
    const NAME_BYTES: u64 = 10;
    const MOST_BYTES: u64 = 1 << 20;
    let value =
        |wanted| dynamic_entries(segments).find_map(|(tag, it)| (tag == wanted).then_some(it));
    let (Some(names), Some(bytes)) = (value(NAMES), value(NAME_BYTES)) else {
        return false;
    };
    let Some(start) = segments.offset_of(names) else {
        return false;
    };
    // Pieces overlap, so that a name lies in one of them as a whole.
    let mut piece = [0; 1024];
    let step = piece.len() - name.len();
    (0..bytes.min(MOST_BYTES)).step_by(step).any(|offset| {
        let piece = segments
            .file
            .read_at(start.wrapping_add(offset), &mut piece);
        let mut places = piece.windows(name.len());
        places.any(|it| it.first() == name.first() && it == name)
    })
}

/// Whether a sanitizer's library is among those that it needs.
fn needed_sanitizer(segments: &Segments) -> Option<Obstacle> {
    const NEEDED: u64 = 1;
    const NAMES: u64 = 5;
    let (_, names) = dynamic_entries(segments).find(|&(tag, _)| tag == NAMES)?;
    let names = segments.offset_of(names)?;
    let mut needed = dynamic_entries(segments).filter(|&(tag, _)| tag == NEEDED);
    needed.find_map(|(_, name)| {
        let mut start = [0; MOST_PREFIX_BYTES];
        let start = segments.file.read_at(names.wrapping_add(name), &mut start);
        let is_one_of = |prefixes: &[&[u8]]| prefixes.iter().any(|it| start.starts_with(it));
        if is_one_of(&ADDRESS_SANITIZER_PREFIXES) {
            return Some(Obstacle::AddressSanitizer);
        }
        is_one_of(&THREAD_SANITIZER_PREFIXES).then_some(Obstacle::ThreadSanitizer)
    })
}

/// Tag and value of the entries of the dynamic section.
fn dynamic_entries(segments: &Segments) -> impl Iterator<Item = (u64, u64)> {
    const ENTRY_BYTES: u64 = 16;
    const MOST: u64 = 512;
    let dynamic = segments.first(DYNAMIC);
    let (offset, bytes) = dynamic.map_or((0, 0), |it| (it.offset, it.file_bytes));
    let entries = (0..(bytes / ENTRY_BYTES).min(MOST)).map_while(move |index| {
        let mut entry = [0; ENTRY_BYTES as usize];
        let at = offset.wrapping_add(index * ENTRY_BYTES);
        let entry = segments.file.read_at(at, &mut entry);
        Some((number(entry, 0, 8)?, number(entry, 8, 8)?))
    });
    entries.take_while(|&(tag, _)| tag != 0)
}

/// The little-endian number of `bytes` bytes at a place.
pub fn number(from: &[u8], at: usize, bytes: usize) -> Option<u64> {
    let digits = from.get(at..at + bytes)?.iter().rev();
    Some(digits.fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
}
