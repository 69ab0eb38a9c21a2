//! The memory that the recorder writes and the command reads.
//!
//! One sparse file per recorded program image, mapped shared, so that what was
//! written is still there after any death. It holds nothing but a header of
//! 64-bit words and flat regions of fixed-size items, appended to and never
//! moved: a reader needs `pread` and the offsets in the header, no pointers.
//!
//! ```text
//!   0         4096                                                  length
//!   +---------+---------+----------+-----------+-----+-----+--- - - ---+
//!   | header  | strings | modules  | threads   | ... | ... | live pages |
//!   +---------+---------+----------+-----------+-----+-----+--- - - ---+
//!               each region: `used` items of `item_bytes`, then a hole
//! ```
//!
//! The index structures that find an item (hash tables, directories) are the
//! recorder's private business: they can be rebuilt from the items.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod counters;
pub mod header;
pub mod live;
pub mod moments;
pub mod node;
pub mod own_names;
pub mod region;
pub mod tables;

/// First eight bytes of every arena.
pub const MAGIC: u64 = u64::from_le_bytes(*b"RESARENA");
/// Changes whenever the meaning of any byte changes; recorder and reader travel
/// in one executable, so no other version is ever read.
pub const VERSION: u64 = 10;
/// Alignment of every region.
pub const PAGE_BYTES: u64 = 4096;
/// How an arena file's name ends.
pub const FILE_SUFFIX: &str = ".arena";
/// How the name of a file ends that tells of a program that was started without the recorder:
/// one of the letters below, and the program's path.
pub const UNRECORDED_SUFFIX: &str = ".unrecorded";
pub const UNRECORDED_OLD_MUSL: u8 = b'l';
pub const UNRECORDED_ADDRESS_SANITIZER: u8 = b's';
pub const UNRECORDED_THREAD_SANITIZER: u8 = b't';
pub const UNRECORDED_STATIC: u8 = b'n';
pub const UNRECORDED_SET_USER: u8 = b'u';
pub const UNRECORDED_CLEARED: u8 = b'e';
pub const UNRECORDED_OTHER_MACHINE: u8 = b'm';

/// Programs that cannot carry the recorder are told by the names of what they are loaded with:
/// by the recorder in the process that starts them, and by the command for the first one.
pub const MUSL_LINKER_PREFIX: &[u8] = b"ld-musl";
/// A function that musl has from 1.2.2 on, with the zero bytes around its name. Before 1.2.1 musl
/// makes no aligned blocks where `malloc` is not its own, even if those functions are hooked, too.
pub const MUSL_WITH_HOOKS_NAME: &[u8] = b"\0reallocarray\0";
/// A function of every C library; a dynamic linker that has it is musl.
pub const LIBC_NAME: &[u8] = b"\0__libc_start_main\0";
/// The runtimes of AddressSanitizer, of gcc and of clang, which insist on being the first library.
pub const ADDRESS_SANITIZER_PREFIXES: [&[u8]; 4] = [
    b"libasan.so",
    b"libhwasan.so",
    b"libclang_rt.asan",
    b"libclang_rt.hwasan",
];
/// Those of ThreadSanitizer, which ends a program that has a mapping where it expects none.
pub const THREAD_SANITIZER_PREFIXES: [&[u8]; 2] = [b"libtsan.so", b"libclang_rt.tsan"];
/// Bytes of a library's name that are enough to compare it with these.
pub const MOST_PREFIX_BYTES: usize = 24;
/// The environment variable that tells the preloaded recorder what to do.
pub const CONFIG_VARIABLE: &str = "RESIDUE_CONFIG";
/// The longest value of it that the recorder takes.
pub const MOST_CONFIG_BYTES: usize = 4096;
