//! The program to be recorded: where it is, and whether anything can be
//! preloaded into it.

use object::elf;
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::{ReadCache, ReadRef};
use residue_arena::{
    ADDRESS_SANITIZER_PREFIXES, LIBC_NAME, MUSL_LINKER_PREFIX, MUSL_WITH_HOOKS_NAME,
    THREAD_SANITIZER_PREFIXES,
};
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    Static,
    SetUser,
    Bits32,
    OtherMachine,
    OldMusl,
    AddressSanitizer,
    ThreadSanitizer,
    ClearedEnvironment,
}

impl Obstacle {
    /// What it means for the user.
    pub fn explain(&self) -> &'static str {
        match self {
            Obstacle::Static => {
                "is statically linked: LD_PRELOAD has no effect on it, so it runs unrecorded \
                 (link it dynamically to record it); its dynamically linked children are recorded"
            }
            Obstacle::SetUser => {
                "is setuid or setgid: the system ignores LD_PRELOAD for it, so it runs unrecorded \
                 (run it as its owner to record it)"
            }
            Obstacle::Bits32 => {
                "is a 32-bit program: only x86-64 programs can be recorded, so it and its children \
                 run unrecorded"
            }
            Obstacle::OtherMachine => "is built for another architecture, so it runs unrecorded",
            Obstacle::OldMusl => {
                "is linked with a musl before 1.2.2, whose aligned_alloc fails where malloc is \
                 recorded, so it and its children run unrecorded (musl 1.2.2 and later can be \
                 recorded)"
            }
            Obstacle::AddressSanitizer => {
                "is built with AddressSanitizer, which must be the first library of all, so it and \
                 its children run unrecorded (build it without -fsanitize=address to record it)"
            }
            Obstacle::ThreadSanitizer => {
                "is built with ThreadSanitizer, which ends a program that has other mappings than it \
                 expects, so it and its children run unrecorded (build it without \
                 -fsanitize=thread to record it)"
            }
            Obstacle::ClearedEnvironment => {
                "was started with an environment that lacks LD_PRELOAD, so it and its children ran \
                 unrecorded"
            }
        }
    }

    /// Whether such a program would not start with the recorder, or its dynamic linker
    /// would complain about it on the program's own output.
    pub fn forbids_preload(&self) -> bool {
        !matches!(self, Obstacle::Static | Obstacle::SetUser)
    }
}

/// Finds a command as a shell would.
pub fn find(command: &OsStr) -> Result<PathBuf, std::io::ErrorKind> {
    let is_path = command.as_encoded_bytes().contains(&b'/');
    let candidates: Vec<PathBuf> = if is_path {
        vec![PathBuf::from(command)]
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path)
            .map(|directory| directory.join(command))
            .collect()
    };
    let mut reason = std::io::ErrorKind::NotFound;
    for candidate in candidates {
        match fs::metadata(&candidate) {
            Ok(status) if status.is_dir() => reason = std::io::ErrorKind::IsADirectory,
            Ok(status) if status.permissions().mode() & 0o111 == 0 => {
                reason = std::io::ErrorKind::PermissionDenied;
            }
            Ok(_) => return Ok(candidate),
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                reason = error.kind();
            }
            Err(_) => {}
        }
    }
    Err(reason)
}

/// What stands in the way of recording the program at `path`, following the
/// interpreter line of scripts. Unreadable or unknown files are given the benefit
/// of the doubt: the kernel decides.
pub fn obstacle(path: &Path) -> Option<Obstacle> {
    const INTERPRETERS: usize = 4;
    let mut path = path.to_path_buf();
    for _ in 0..INTERPRETERS {
        match interpreter(&path) {
            Some(next) => path = next,
            None => break,
        }
    }
    if changes_user(&path) {
        return Some(Obstacle::SetUser);
    }
    let file = fs::File::open(&path).ok()?;
    // Executables may be gigabytes, of which a few pages matter.
    elf_obstacle(&ReadCache::new(file))
}

/// The program that the `#!` line of a script names.
fn interpreter(path: &Path) -> Option<PathBuf> {
    let mut head = [0; 256];
    let length = fs::File::open(path).ok()?.read(&mut head).ok()?;
    let line = head.get(..length)?.strip_prefix(b"#!")?;
    let line = line.split(|&byte| byte == b'\n').next()?;
    let text = std::str::from_utf8(line).ok()?;
    text.split_whitespace().next().map(PathBuf::from)
}

fn changes_user(path: &Path) -> bool {
    const SET_USER: u32 = 0o4000;
    const SET_GROUP: u32 = 0o2000;
    fs::metadata(path).is_ok_and(|status| {
        let mode = status.permissions().mode();
        let to_other_user = mode & SET_USER != 0 && status.uid() != nix::unistd::getuid().as_raw();
        let to_other_group =
            mode & SET_GROUP != 0 && status.gid() != nix::unistd::getgid().as_raw();
        to_other_user || to_other_group
    })
}

fn elf_obstacle<'data>(data: impl ReadRef<'data>) -> Option<Obstacle> {
    const CLASS: usize = 4;
    const IDENTITY_BYTES: u64 = 16;
    let identity = data.read_bytes_at(0, IDENTITY_BYTES).ok()?;
    if !identity.starts_with(b"\x7fELF") {
        return None;
    }
    if identity.get(CLASS) == Some(&1) {
        return Some(Obstacle::Bits32);
    }
    let header = Header::parse(data).ok()?;
    let endian = header.endian().ok()?;
    if header.e_machine(endian) != elf::EM_X86_64 {
        return Some(Obstacle::OtherMachine);
    }
    let segments = header.program_headers(endian, data).ok()?;
    let interpreter = segments
        .iter()
        .find_map(|it| it.interpreter(endian, data).ok()?);
    let Some(interpreter) = interpreter else {
        // The dynamic linker itself preloads for the program that it is given. Unlike a static
        // program it has a name that others link with; that of musl, which may have none, has the
        // functions of a C library.
        let names = dynamic_names(segments, endian, data);
        if has_name(names, LIBC_NAME) {
            return (!has_name(names, MUSL_WITH_HOOKS_NAME)).then_some(Obstacle::OldMusl);
        }
        let is_dynamic_linker = dynamic_entries(segments, endian, data)
            .iter()
            .any(|entry| entry.tag32(endian) == Some(elf::DT_SONAME));
        return (!is_dynamic_linker).then_some(Obstacle::Static);
    };
    let name = interpreter.rsplit(|&byte| byte == b'/').next();
    if name.is_some_and(|name| name.starts_with(MUSL_LINKER_PREFIX))
        && is_old_musl(Path::new(OsStr::from_bytes(interpreter))) == Some(true)
    {
        return Some(Obstacle::OldMusl);
    }
    needed(segments, endian, data)
        .into_iter()
        .find_map(sanitizer)
}

/// Whether the dynamic linker at `path` is a musl whose `aligned_alloc` fails where `malloc` has a
/// hook; `None` where it cannot be read.
fn is_old_musl(path: &Path) -> Option<bool> {
    let data = &ReadCache::new(fs::File::open(path).ok()?);
    let header = Header::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, data).ok()?;
    let names = dynamic_names(segments, endian, data);
    Some(!has_name(names, MUSL_WITH_HOOKS_NAME))
}

/// Whether a name, given with the zero bytes around it, is among these.
fn has_name(names: &[u8], name: &[u8]) -> bool {
    names.windows(name.len()).any(|it| it == name)
}

type Header = elf::FileHeader64<object::Endianness>;
type Segment = elf::ProgramHeader64<object::Endianness>;

type DynamicEntry = elf::Dyn64<object::Endianness>;

/// The sanitizer whose library this is, by its name or path.
pub fn sanitizer(library: &[u8]) -> Option<Obstacle> {
    let name = library
        .rsplit(|&byte| byte == b'/')
        .next()
        .unwrap_or_default();
    let is_one_of = |prefixes: &[&[u8]]| prefixes.iter().any(|it| name.starts_with(it));
    if is_one_of(&ADDRESS_SANITIZER_PREFIXES) {
        return Some(Obstacle::AddressSanitizer);
    }
    is_one_of(&THREAD_SANITIZER_PREFIXES).then_some(Obstacle::ThreadSanitizer)
}

/// None where they cannot be read.
fn dynamic_entries<'data>(
    segments: &[Segment],
    endian: object::Endianness,
    data: impl ReadRef<'data>,
) -> &'data [DynamicEntry] {
    let dynamic = segments
        .iter()
        .find_map(|it| it.dynamic(endian, data).ok()?);
    dynamic.unwrap_or_default()
}

/// The names that a program is linked by and with, each between zero bytes; none where they cannot
/// be read.
fn dynamic_names<'data>(
    segments: &[Segment],
    endian: object::Endianness,
    data: impl ReadRef<'data>,
) -> &'data [u8] {
    let entries = dynamic_entries(segments, endian, data);
    let value = |tag: u32| {
        let entry = entries
            .iter()
            .find(|entry| entry.tag32(endian) == Some(tag));
        entry.map(|entry| entry.d_val(endian))
    };
    let names = value(elf::DT_STRTAB)
        .zip(value(elf::DT_STRSZ))
        .and_then(|(at, bytes)| {
            let mut segments = segments.iter();
            segments.find_map(|it| it.data_range(endian, data, at, bytes).ok()?)
        });
    names.unwrap_or_default()
}

/// The names of the libraries that a program is linked with; none where they cannot be read.
fn needed<'data>(
    segments: &[Segment],
    endian: object::Endianness,
    data: impl ReadRef<'data>,
) -> Vec<&'data [u8]> {
    let entries = dynamic_entries(segments, endian, data);
    let names = dynamic_names(segments, endian, data);
    let name = |offset: u64| {
        let rest = names.get(usize::try_from(offset).ok()?..)?;
        rest.split(|&byte| byte == 0).next()
    };
    let needed = entries
        .iter()
        .filter(|entry| entry.tag32(endian) == Some(elf::DT_NEEDED));
    needed
        .filter_map(|entry| name(entry.d_val(endian)))
        .collect()
}
