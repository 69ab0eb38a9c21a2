//! What the kernel has mapped at an address, from `/proc/self/maps`.

use crate::sys;

/// Neighbours with the same properties are one: the kernel keeps pages apart from
/// then on that were written once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapping {
    pub start: usize,
    pub end: usize,
    /// As `mprotect` takes it.
    pub protection: usize,
    pub is_private: bool,
}

impl Mapping {
    pub fn at(address: usize) -> Option<Mapping> {
        let flags = sys::O_RDONLY | sys::O_CLOEXEC;
        let file = sys::open(b"/proc/self/maps\0", flags, 0).ok()?;
        let found = find(file, address);
        sys::close(file);
        found
    }

    /// Both as one, where this follows the other and is like it.
    fn joined_to(self, before: Mapping) -> Option<Mapping> {
        let joined = Mapping {
            end: self.end,
            ..before
        };
        let start = before.start;
        (self.start == before.end && Mapping { start, ..self } == joined).then_some(joined)
    }

    pub fn holds(&self, address: usize) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// Whether it is code whose bytes may be read, and changed without changing a file.
    pub fn is_private_code(&self) -> bool {
        let needed = sys::PROT_READ | sys::PROT_EXEC;
        self.is_private && self.protection & needed == needed
    }
}

/// A line is `start-end rwxp ...`; what comes later does not matter.
#[derive(Default)]
struct Line {
    start: usize,
    end: usize,
    protection: usize,
    is_private: bool,
    field: Field,
}

#[derive(Default, PartialEq)]
enum Field {
    #[default]
    Start,
    End,
    Permissions,
    Rest,
}

impl Line {
    fn take(&mut self, byte: u8) {
        match (&self.field, byte) {
            (Field::Start, b'-') => self.field = Field::End,
            (Field::End, b' ') => self.field = Field::Permissions,
            (Field::Start, digit) => self.start = self.start << 4 | hex(digit),
            (Field::End, digit) => self.end = self.end << 4 | hex(digit),
            (Field::Permissions, b'r') => self.protection |= sys::PROT_READ,
            (Field::Permissions, b'w') => self.protection |= sys::PROT_WRITE,
            (Field::Permissions, b'x') => self.protection |= sys::PROT_EXEC,
            (Field::Permissions, b'p') => self.is_private = true,
            (Field::Permissions, b' ') => self.field = Field::Rest,
            (Field::Permissions | Field::Rest, _) => {}
        }
    }
}

fn hex(digit: u8) -> usize {
    let value = match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => 0,
    };
    usize::from(value)
}

fn find(file: usize, address: usize) -> Option<Mapping> {
    let mut buffer = [0_u8; 1024];
    let mut line = Line::default();
    let mut found: Option<Mapping> = None;
    loop {
        let length = sys::read(file, &mut buffer).unwrap_or(0);
        if length == 0 {
            return found;
        }
        for &byte in buffer.get(..length).unwrap_or_default() {
            if byte != b'\n' {
                line.take(byte);
                continue;
            }
            let this = Mapping {
                start: line.start,
                end: line.end,
                protection: line.protection,
                is_private: line.is_private,
            };
            match found {
                None if this.holds(address) => found = Some(this),
                None => {}
                Some(before) => match this.joined_to(before) {
                    Some(joined) => found = Some(joined),
                    None => return found,
                },
            }
            line = Line::default();
        }
    }
}
