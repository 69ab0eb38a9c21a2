//! One area of a process's memory: the first line of its entry in `smaps`.
//!
//! ```text
//!   55e783499000-55e78349b000 r--p 00000000 fe:00 247282      /usr/bin/head
//!   start        end          perms offset  device inode      name
//! ```

use crate::number::{decimal, hexadecimal};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vma<'a> {
    pub start: u64,
    pub end: u64,
    /// `r--p`: read, write, execute, and `p`rivate or `s`hared.
    pub perms: [u8; 4],
    /// Zero where there is no file behind it.
    pub inode: u64,
    pub name: Name<'a>,
}

/// What the kernel calls an area. Names are the bytes of the line; of long ones
/// only the head is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name<'a> {
    Unnamed,
    /// `[heap]`: what `brk` has grown.
    Heap,
    /// `[stack]`: the first thread's.
    Stack,
    /// `[anon:NAME]`: anonymous memory that the program has named.
    Anonymous(&'a [u8]),
    /// Other names in brackets: `[vdso]`, `[vvar]`, `[vsyscall]`, ...
    Kernel(&'a [u8]),
    /// Files, also deleted ones, and shared memory.
    Path(&'a [u8]),
}

impl<'a> Vma<'a> {
    /// `None` where the line is not the first of an entry.
    pub fn parse(line: &'a [u8]) -> Option<Vma<'a>> {
        if !line.first()?.is_ascii_hexdigit() {
            return None;
        }
        let (start, rest) = hexadecimal(line)?;
        let (end, rest) = hexadecimal(rest.strip_prefix(b"-")?)?;
        let (perms, rest) = rest.strip_prefix(b" ")?.split_first_chunk::<4>()?;
        let (_offset, rest) = hexadecimal(rest)?;
        let (_major, rest) = hexadecimal(rest)?;
        let (_minor, rest) = hexadecimal(rest.strip_prefix(b":")?)?;
        let (inode, rest) = decimal(rest)?;
        Some(Vma {
            start,
            end,
            perms: *perms,
            inode,
            name: Name::parse(rest.trim_ascii_start()),
        })
    }

    /// Private memory without a file, named by the program or not at all.
    pub fn is_anonymous(&self) -> bool {
        self.inode == 0 && matches!(self.name, Name::Unnamed | Name::Anonymous(_))
    }

    /// A file's, also a deleted one's, or memory shared between processes.
    pub fn is_file(&self) -> bool {
        self.inode != 0 || matches!(self.name, Name::Path(_))
    }
}

impl<'a> Name<'a> {
    fn parse(text: &'a [u8]) -> Name<'a> {
        match text {
            b"" => Name::Unnamed,
            b"[heap]" => Name::Heap,
            // Kernels before 4.5 also named the stacks of other threads, by number.
            text if text.starts_with(b"[stack") => Name::Stack,
            text if text.starts_with(b"[anon:") => Name::Anonymous(text),
            text if text.starts_with(b"[anon_shmem:") => Name::Path(text),
            text if text.starts_with(b"[") => Name::Kernel(text),
            text => Name::Path(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Vma<'_> {
        Vma::parse(line.as_bytes()).unwrap()
    }

    #[test]
    fn a_file() {
        let vma = parse(
            "7f10a0c28000-7f10a0db0000 r-xp 00028000 fe:00 9871                       \
             /usr/lib/x86_64-linux-gnu/libc.so.6",
        );
        assert_eq!(vma.start, 0x7f10_a0c2_8000);
        assert_eq!(vma.end, 0x7f10_a0db_0000);
        assert_eq!(&vma.perms, b"r-xp");
        assert_eq!(vma.inode, 9871);
        assert_eq!(vma.name, Name::Path(b"/usr/lib/x86_64-linux-gnu/libc.so.6"));
        assert!(vma.is_file());
        assert!(!vma.is_anonymous());
    }

    #[test]
    fn names_with_spaces_stay_whole() {
        let vma = parse("7f00-7f10 rw-s 00000000 00:01 77    /memfd:a b (deleted)");
        assert_eq!(vma.name, Name::Path(b"/memfd:a b (deleted)"));
        assert!(vma.is_file());
    }

    #[test]
    fn anonymous_memory_has_no_name_or_the_one_given() {
        let vma = parse("7f00-7f10 rw-p 00000000 00:00 0 ");
        assert_eq!(vma.name, Name::Unnamed);
        assert!(vma.is_anonymous());
        assert!(!vma.is_file());
        let named = parse("7f00-7f10 rw-p 00000000 00:00 0    [anon: glibc: malloc]");
        assert_eq!(named.name, Name::Anonymous(b"[anon: glibc: malloc]"));
        assert!(named.is_anonymous());
    }

    #[test]
    fn the_kernel_s_own_names() {
        let name = |text: &str| {
            let line = std::format!("7f00-7f10 rw-p 00000000 00:00 0    {text}");
            let vma = parse(&line);
            (
                vma.is_anonymous(),
                vma.is_file(),
                std::format!("{:?}", vma.name),
            )
        };
        assert_eq!(name("[heap]"), (false, false, "Heap".into()));
        assert_eq!(name("[stack]"), (false, false, "Stack".into()));
        assert_eq!(name("[stack:812]"), (false, false, "Stack".into()));
        let kernel = std::format!("{:?}", Name::Kernel(b"[vdso]"));
        assert_eq!(name("[vdso]"), (false, false, kernel));
        let shared = std::format!("{:?}", Name::Path(b"[anon_shmem:x]"));
        assert_eq!(name("[anon_shmem:x]"), (false, true, shared));
    }

    #[test]
    fn fields_are_not_areas() {
        for line in [
            "Rss:                   8 kB",
            "Anonymous:             0 kB",
            "FilePmdMapped:         0 kB",
            "VmFlags: rd mr mw me ",
            "",
            "7f00",
            "7f00-7f10",
            "7f00-7f10 rw",
            "7f00-7f10 rw-p 0 00",
        ] {
            assert_eq!(Vma::parse(line.as_bytes()), None, "{line}");
        }
    }
}
