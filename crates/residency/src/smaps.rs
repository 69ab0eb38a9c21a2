//! `/proc/PID/smaps`, read in chunks of any length.
//!
//! The text is cut into lines in a small buffer. Lines that say something to us are
//! shorter than it, but for the paths of files, of which the head is enough.

use crate::kind::{ResidentKind, Sums};
use crate::number::decimal;
use crate::vma::Vma;

/// Room for the numbers of an area, which take 73 columns, and the head of its path.
const LINE_BYTES: usize = 256;
const KIB: u64 = 1024;

/// A parser in the middle of a text.
#[derive(Debug, Clone)]
pub struct Smaps {
    line: [u8; LINE_BYTES],
    /// Bytes of the line so far, at most those there is room for.
    length: usize,
    /// Of the area whose fields are being read; none before the first.
    kind: Option<ResidentKind>,
    sums: Sums,
}

impl Default for Smaps {
    fn default() -> Smaps {
        Smaps::new()
    }
}

impl Smaps {
    pub const fn new() -> Smaps {
        Smaps {
            line: [0; LINE_BYTES],
            length: 0,
            kind: None,
            sums: Sums::NOTHING,
        }
    }

    /// Takes the next bytes of the text. `classify` is asked once for each area.
    pub fn feed(&mut self, chunk: &[u8], classify: &mut impl FnMut(&Vma) -> ResidentKind) {
        for &byte in chunk {
            match byte {
                b'\n' => self.end_line(classify),
                byte => self.keep(byte),
            }
        }
    }

    /// The sums over all complete lines so far.
    pub fn sums(&self) -> Sums {
        self.sums
    }

    fn keep(&mut self, byte: u8) {
        if let Some(place) = self.line.get_mut(self.length) {
            *place = byte;
            self.length = self.length.saturating_add(1);
        }
    }

    fn end_line(&mut self, classify: &mut impl FnMut(&Vma) -> ResidentKind) {
        let line = self.line.get(..self.length).unwrap_or(&self.line);
        self.length = 0;
        if let Some(vma) = Vma::parse(line) {
            self.kind = Some(classify(&vma));
        } else if let Some(kind) = self.kind {
            if let Some(bytes) = field_bytes(line, b"Rss:") {
                self.sums.add_resident(kind, bytes);
            } else if let Some(bytes) = field_bytes(line, b"Pss:") {
                self.sums.add_proportional(kind, bytes);
            }
        }
    }
}

fn field_bytes(line: &[u8], name: &[u8]) -> Option<u64> {
    let (kib, _) = decimal(line.strip_prefix(name)?)?;
    Some(kib.saturating_mul(KIB))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::default_kind;
    use crate::vma::Name;
    use std::process::{Command, Stdio};
    use std::string::String;
    use std::vec::Vec;
    use std::{format, fs};

    const TEXT: &str = "\
55e783499000-55e78349b000 r--p 00000000 fe:00 247282                     /usr/bin/head
Size:                  8 kB
Rss:                   8 kB
Pss:                   2 kB
Pss_Dirty:           100 kB
Shared_Clean:          8 kB
VmFlags: rd mr mw me 
55e7a0000000-55e7a0100000 rw-p 00000000 00:00 0                          [heap]
Size:               1024 kB
Rss:                 600 kB
Pss:                 600 kB
SwapPss:              50 kB
7f1000000000-7f1040000000 rw-p 00000000 00:00 0 
Rss:               40960 kB
Pss:               40960 kB
7f1050000000-7f1050001000 rw-s 00000000 00:05 3                          /memfd:x (deleted)
Rss:                   4 kB
Pss:                   1 kB
7ffe20ff0000-7ffe21011000 rw-p 00000000 00:00 0                          [stack]
Rss:                  16 kB
Pss:                  16 kB
7ffe21055000-7ffe21057000 r-xp 00000000 00:00 0                          [vdso]
Rss:                   4 kB
Pss:                   0 kB
";

    fn sums_in_chunks(text: &[u8], chunk_bytes: usize) -> Sums {
        let mut smaps = Smaps::new();
        for chunk in text.chunks(chunk_bytes) {
            smaps.feed(chunk, &mut default_kind);
        }
        smaps.sums()
    }

    #[test]
    fn a_known_text() {
        let sums = sums_in_chunks(TEXT.as_bytes(), TEXT.len());
        assert_eq!(
            sums.resident_bytes(ResidentKind::Heap),
            (600 + 40960) * 1024
        );
        assert_eq!(
            sums.proportional_bytes(ResidentKind::Heap),
            (600 + 40960) * 1024
        );
        assert_eq!(sums.resident_bytes(ResidentKind::Files), 12 * 1024);
        assert_eq!(sums.proportional_bytes(ResidentKind::Files), 3 * 1024);
        assert_eq!(sums.resident_bytes(ResidentKind::Stacks), 16 * 1024);
        assert_eq!(sums.resident_bytes(ResidentKind::Other), 4 * 1024);
        assert_eq!(sums.resident_bytes(ResidentKind::Mapped), 0);
        assert_eq!(sums.resident_bytes(ResidentKind::Recorder), 0);
        assert_eq!(sums.total_resident_bytes(), 41592 * 1024);
        assert_eq!(sums.total_proportional_bytes(), 41579 * 1024);
    }

    #[test]
    fn every_length_of_chunk_gives_the_same() {
        let whole = sums_in_chunks(TEXT.as_bytes(), TEXT.len());
        for chunk_bytes in 1..300 {
            assert_eq!(sums_in_chunks(TEXT.as_bytes(), chunk_bytes), whole);
        }
    }

    #[test]
    fn the_caller_tells_kinds_apart_by_address() {
        let mut seen = Vec::new();
        let mut smaps = Smaps::new();
        smaps.feed(TEXT.as_bytes(), &mut |vma: &Vma| {
            seen.push(vma.start);
            match vma.start {
                0x7f10_0000_0000 => ResidentKind::Mapped,
                0x7f10_5000_0000 => ResidentKind::Recorder,
                _ => default_kind(vma),
            }
        });
        assert_eq!(seen.len(), 6);
        let sums = smaps.sums();
        assert_eq!(sums.resident_bytes(ResidentKind::Heap), 600 * 1024);
        assert_eq!(sums.resident_bytes(ResidentKind::Mapped), 40960 * 1024);
        assert_eq!(sums.resident_bytes(ResidentKind::Recorder), 4 * 1024);
        assert_eq!(sums.resident_bytes(ResidentKind::Files), 8 * 1024);
    }

    #[test]
    fn of_long_lines_the_head_is_kept() {
        let path = format!("/{}", "a".repeat(5000));
        let text = format!(
            "7f00-7f10 rw-p 00000000 00:01 7    {path}\n\
             Rss:   12 kB\n\
             {}\n\
             Pss:   4 kB\n",
            "Rss: 9 kB ".repeat(500)
        );
        for chunk_bytes in [1, 7, 100, 256, text.len()] {
            let mut names = Vec::new();
            let mut smaps = Smaps::new();
            for chunk in text.as_bytes().chunks(chunk_bytes) {
                smaps.feed(chunk, &mut |vma: &Vma| {
                    if let Name::Path(head) = vma.name {
                        names.push(head.to_vec());
                    }
                    default_kind(vma)
                });
            }
            let prefix_bytes = "7f00-7f10 rw-p 00000000 00:01 7    ".len();
            let head = &path.as_bytes()[..LINE_BYTES - prefix_bytes];
            assert_eq!(names, [head]);
            assert_eq!(
                smaps.sums().resident_bytes(ResidentKind::Files),
                (12 + 9) * 1024
            );
            assert_eq!(
                smaps.sums().proportional_bytes(ResidentKind::Files),
                4 * 1024
            );
        }
    }

    #[test]
    fn an_unfinished_line_does_not_count() {
        let mut smaps = Smaps::new();
        smaps.feed(b"7f00-7f10 rw-p 0 00:00 0\nRss: 1", &mut default_kind);
        assert_eq!(smaps.sums().total_resident_bytes(), 0);
        smaps.feed(b"28 kB\n", &mut default_kind);
        assert_eq!(smaps.sums().total_resident_bytes(), 128 * 1024);
    }

    #[test]
    fn nonsense_is_passed_over() {
        let texts = [
            &b"Rss: 8 kB\nPss: 8 kB\n"[..],
            b"\n\n\0\xff\n",
            b"7f00-7f10 rw-p 0 00:00 0\nRss: kB\nPss: 99999999999999999999 kB\n",
        ];
        for text in texts {
            assert_eq!(sums_in_chunks(text, 3).total_resident_bytes(), 0);
            assert_eq!(sums_in_chunks(text, 3).total_proportional_bytes(), 0);
        }
    }

    #[test]
    fn this_process_in_chunks() {
        let text = fs::read("/proc/self/smaps").unwrap();
        let whole = sums_in_chunks(&text, text.len());
        for chunk_bytes in [1, 7, 4096] {
            assert_eq!(sums_in_chunks(&text, chunk_bytes), whole);
        }
        for kind in [
            ResidentKind::Heap,
            ResidentKind::Stacks,
            ResidentKind::Files,
        ] {
            assert!(whole.resident_bytes(kind) > 0, "{kind:?}");
        }
        assert_eq!(whole.resident_bytes(ResidentKind::Recorder), 0);
    }

    /// The totals as the kernel adds them up itself.
    fn rollup(pid: u32) -> (u64, u64) {
        let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
        let field = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            field_bytes(line.as_bytes(), name.as_bytes()).unwrap()
        };
        (field("Rss:"), field("Pss:"))
    }

    #[test]
    fn sums_are_those_of_the_kernel() {
        // A program that waits for input does nothing while it is measured.
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        let measured = (0..1000).find_map(|_| {
            let before = rollup(pid);
            let text = fs::read(format!("/proc/{pid}/smaps")).unwrap();
            let is_cat = String::from_utf8_lossy(&text).contains("bin/cat");
            (is_cat && rollup(pid) == before).then_some((before, text))
        });
        drop(child.stdin.take());
        child.wait().unwrap();
        let ((resident, proportional), text) = measured.unwrap();
        let sums = sums_in_chunks(&text, 4096);
        assert_eq!(sums.total_resident_bytes(), resident);
        // The kernel rounds each area's share down to whole KiB.
        let areas = text
            .split(|&byte| byte == b'\n')
            .filter(|line| line.starts_with(b"Pss:"))
            .count() as u64;
        assert!(sums.total_proportional_bytes() <= proportional);
        assert!(sums.total_proportional_bytes() + areas * KIB > proportional);
    }
}
