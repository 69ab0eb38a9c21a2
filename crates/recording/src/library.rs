//! The recorder that travels inside this executable, put where the dynamic
//! linker can load it.
//!
//! Functions that a recording has no use for are not hooked: their names are taken out of the file,
//! so that programs call the real ones as if there were no recorder.
//!
//! The file is named by its content and never deleted: a child that starts much
//! later still finds it, and two runs at once share it.

use anyhow::{Context, Result, bail};
use nix::sys::statvfs::FsFlags;
use object::elf::Sym64;
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol};
use residue_symbols::is_out_of_reach;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

const RECORDER: &[u8] = include_bytes!(env!("RESIDUE_RECORDER"));

/// What is to be recorded.
#[derive(Debug, Clone, Copy)]
pub struct Purpose {
    pub heap: bool,
    pub cpu: bool,
}

/// Functions that only samples of CPU time have a use for.
const OF_CPU: [&str; 12] = [
    "pthread_create",
    "thrd_create",
    "sigaction",
    "signal",
    "bsd_signal",
    "__sysv_signal",
    "sigset",
    "sigignore",
    "sighold",
    "siginterrupt",
    "sigprocmask",
    "pthread_sigmask",
];

/// Functions that only the heap's recording has a use for; besides C++'s operators.
const OF_HEAP: [&str; 21] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "posix_memalign",
    "aligned_alloc",
    "memalign",
    "valloc",
    "pvalloc",
    "free",
    "cfree",
    "free_sized",
    "free_aligned_sized",
    "mmap",
    "mmap64",
    "mremap",
    "munmap",
    "sbrk",
    "brk",
    "shmat",
    "shmdt",
];

impl Purpose {
    fn hooks(self, name: &str) -> bool {
        let is_of_heap =
            OF_HEAP.contains(&name) || name.starts_with("_Zn") || name.starts_with("_Zd");
        (self.heap || !is_of_heap) && (self.cpu || !OF_CPU.contains(&name))
    }
}

/// The recorder with the hooks for a purpose. A name of the file's own concern, which a local one
/// is, is not found by the dynamic linker.
fn with_hooks(purpose: Purpose) -> Result<Vec<u8>> {
    const INFO_OFFSET: u64 = 4;
    const KIND_MASK: u8 = 0x0f;
    let file = ElfFile64::<LittleEndian>::parse(RECORDER).context("the recorder's own file")?;
    let table = file.section_by_name(".dynsym");
    let (start, _) = table
        .and_then(|table| table.file_range())
        .context("the recorder has no dynamic symbols")?;
    let mut bytes = RECORDER.to_vec();
    for symbol in file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
    {
        if !purpose.hooks(symbol.name()?) {
            let entry = symbol.index().0 as u64 * size_of::<Sym64<LittleEndian>>() as u64;
            let place = usize::try_from(start + entry + INFO_OFFSET)?;
            *bytes.get_mut(place).context("the recorder is cut short")? &= KIND_MASK;
        }
    }
    Ok(bytes)
}

/// The path of the recorder, written there first where it is not yet.
pub fn install(purpose: Purpose) -> Result<PathBuf> {
    let recorder = with_hooks(purpose)?;
    let mut last_error = None;
    for directory in candidate_directories() {
        match install_in(&directory, &recorder) {
            Ok(path) => return Ok(path),
            Err(error) => last_error = Some(error),
        }
    }
    match last_error {
        Some(error) => Err(error.context("no directory for the recorder library")),
        None => bail!("no directory for the recorder library"),
    }
}

/// A program of root's may become another user, who must be able to load the library too.
const OF_ROOT: &str = "/var/cache/residue";

fn candidate_directories() -> Vec<PathBuf> {
    let uid = nix::unistd::getuid();
    let of_root = uid.is_root().then(|| PathBuf::from(OF_ROOT));
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .filter(|path| path.is_absolute())
        .map(|path| path.join("residue"));
    let shared = ["/tmp", "/var/tmp", "/dev/shm"]
        .map(|base| PathBuf::from(base).join(format!("residue-{uid}-lib")));
    of_root.into_iter().chain(cache).chain(shared).collect()
}

fn install_in(directory: &Path, recorder: &[u8]) -> Result<PathBuf> {
    // LD_PRELOAD is split at these, and nothing can quote them.
    if directory
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .any(|byte| b" :".contains(byte))
    {
        bail!("{}: the path has a space or a colon", directory.display());
    }
    let mode = if directory == Path::new(OF_ROOT) {
        0o755
    } else {
        0o700
    };
    fs::DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(directory)
        .with_context(|| directory.display().to_string())?;
    // Not what a link leads to: anybody may make one in /tmp.
    let status =
        fs::symlink_metadata(directory).with_context(|| directory.display().to_string())?;
    let is_own = status.is_dir()
        && status.uid() == nix::unistd::getuid().as_raw()
        && status.mode() & 0o022 == 0;
    if !is_own {
        bail!(
            "{}: not a directory of this user that nobody else can write to",
            directory.display()
        );
    }
    let mounted = nix::sys::statvfs::statvfs(directory);
    if mounted.is_ok_and(|about| about.flags().contains(FsFlags::ST_NOEXEC)) {
        bail!(
            "{}: no library can be loaded from there (noexec)",
            directory.display()
        );
    }
    if !is_out_of_reach(directory) {
        bail!("{}: within reach of another user", directory.display());
    }
    let path = directory.join(format!("recorder-{:016x}.so", fingerprint(recorder)));
    let is_there = fs::read(&path).is_ok_and(|found| found == recorder);
    if !is_there {
        let mut file = tempfile::NamedTempFile::new_in(directory)
            .with_context(|| directory.display().to_string())?;
        file.write_all(recorder)
            .and_then(|()| {
                file.as_file()
                    .set_permissions(fs::Permissions::from_mode(0o755))
            })
            .with_context(|| path.display().to_string())?;
        file.persist(&path)
            .with_context(|| path.display().to_string())?;
    }
    Ok(path)
}

/// Names a content (FNV-1a); not a defence, equality is checked above.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
