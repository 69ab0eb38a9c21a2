//! Pieces of one line, taken from its start.

#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'a> {
    pub rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub fn new(line: &'a [u8]) -> Fields<'a> {
        Fields { rest: line }
    }

    /// Takes `text` if it comes next.
    pub fn eat(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text.as_bytes())?;
        Some(())
    }

    /// What stands before `end`; both are taken.
    pub fn until(&mut self, end: &str) -> Option<&'a [u8]> {
        let end = end.as_bytes();
        let first = end.first()?;
        let mut at = 0;
        loop {
            at += self.rest.get(at..)?.iter().position(|byte| byte == first)?;
            if self.rest[at..].starts_with(end) {
                break;
            }
            at += 1;
        }
        let before = &self.rest[..at];
        self.rest = &self.rest[at + end.len()..];
        Some(before)
    }

    /// As many bytes as there are said to be.
    pub fn take(&mut self, bytes: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(bytes).ok()?)?;
        self.rest = rest;
        Some(taken)
    }

    pub fn hexadecimal(&mut self) -> Option<u64> {
        self.number(16)
    }

    pub fn decimal(&mut self) -> Option<u64> {
        self.number(10)
    }

    /// `None` where there is no digit or the number has more than 64 bits.
    pub fn number(&mut self, base: u32) -> Option<u64> {
        let mut number: u64 = 0;
        let mut digits = 0;
        while let Some(digit) = self
            .rest
            .get(digits)
            .and_then(|byte| char::from(*byte).to_digit(base))
        {
            number = number
                .checked_mul(u64::from(base))?
                .checked_add(u64::from(digit))?;
            digits += 1;
        }
        self.rest = &self.rest[digits..];
        (digits > 0).then_some(number)
    }

    /// A blank and a hexadecimal number.
    pub fn next_hexadecimal(&mut self) -> Option<u64> {
        self.eat(" ")?;
        self.hexadecimal()
    }

    pub fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}
