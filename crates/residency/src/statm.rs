//! `/proc/PID/statm`: the sizes of a process in one line.

use crate::number::decimal;

/// Sizes in pages. The kernel keeps these counters per processor and adds them up
/// roughly; `smaps` is slower and exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statm {
    pub size_pages: u64,
    pub resident_pages: u64,
    /// Of files and of memory shared with other processes, part of the resident ones.
    pub shared_pages: u64,
}

impl Statm {
    /// `None` where the text does not begin with three numbers.
    pub fn parse(text: &[u8]) -> Option<Statm> {
        let (size_pages, text) = decimal(text)?;
        let (resident_pages, text) = decimal(text)?;
        let (shared_pages, _) = decimal(text)?;
        Some(Statm {
            size_pages,
            resident_pages,
            shared_pages,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_three_numbers_count() {
        let read = Statm::parse(b"2013 428 396 5 0 112 0\n").unwrap();
        assert_eq!(read.size_pages, 2013);
        assert_eq!(read.resident_pages, 428);
        assert_eq!(read.shared_pages, 396);
    }

    #[test]
    fn less_is_nothing() {
        for text in [&b""[..], b"\n", b"2013", b"2013 428", b"2013 x 396"] {
            assert_eq!(Statm::parse(text), None);
        }
    }

    #[test]
    fn this_process_has_a_size() {
        let text = std::fs::read("/proc/self/statm").unwrap();
        let read = Statm::parse(&text).unwrap();
        assert!(read.size_pages > read.resident_pages);
        assert!(read.resident_pages > read.shared_pages);
        assert!(read.shared_pages > 0);
    }
}
