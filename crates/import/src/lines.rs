//! Lines of a stream, one at a time, with their numbers.

use std::io::{BufRead, ErrorKind, Read};

use crate::error::{Wrong, quoted_bytes};
use crate::unpack::Input;

pub(crate) struct Lines<'a> {
    reader: Box<dyn BufRead + 'a>,
    line: Vec<u8>,
    number: usize,
    /// How much more may be kept of the content, and so how long a line may be.
    kept_bytes_left: u64,
    lacks_end: bool,
    stream_is_cut: bool,
}

impl<'a> Lines<'a> {
    pub fn new(input: Input<'a>) -> Lines<'a> {
        Lines {
            reader: input.reader,
            line: Vec::new(),
            number: 0,
            kept_bytes_left: input.kept_bytes,
            lacks_end: false,
            stream_is_cut: false,
        }
    }

    /// Goes to the next line; false at the end.
    pub fn advance(&mut self) -> Result<bool, Wrong> {
        if self.lacks_end || self.stream_is_cut {
            return Ok(false);
        }
        self.line.clear();
        self.number += 1;
        let mut limited = (&mut self.reader).take(self.kept_bytes_left + 1);
        let read = match limited.read_until(b'\n', &mut self.line) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                self.stream_is_cut = true;
                return Ok(false);
            }
            Err(error) => return Err(self.wrong(format!("it cannot be read: {error}"))),
        };
        if self.line.pop_if(|last| *last == b'\n').is_some() {
            self.line.pop_if(|last| *last == b'\r');
        } else if read as u64 > self.kept_bytes_left {
            return Err(self.wrong("the line is too long for a file of this size"));
        } else {
            self.lacks_end = read > 0;
        }
        Ok(read > 0)
    }

    /// Without its end.
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    /// From one.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Counts the line among what is kept in memory.
    pub fn keep(&mut self) -> Result<(), Wrong> {
        let left = self.kept_bytes_left.checked_sub(self.line.len() as u64);
        self.kept_bytes_left =
            left.ok_or_else(|| self.wrong("the file unpacks to far more than its size allows"))?;
        Ok(())
    }

    /// Whether this line is the last one and lacks its end.
    pub fn lacks_end(&self) -> bool {
        self.lacks_end
    }

    /// Whether the compressed form ended too early.
    pub fn stream_is_cut(&self) -> bool {
        self.stream_is_cut
    }

    /// For formats of which a part is worth nothing.
    pub fn must_be_whole(&self) -> Result<(), Wrong> {
        match self.stream_is_cut {
            true => Err(self.wrong("the compressed data ends here, too early")),
            false => Ok(()),
        }
    }

    /// An error at this line.
    pub fn wrong(&self, reason: impl Into<String>) -> Wrong {
        Wrong::at(self.number, reason)
    }

    /// An error that shows the line, or what is left of it.
    pub fn unreadable(&self, what: &str, rest: &[u8]) -> Wrong {
        self.wrong(format!("{what} at {}", quoted_bytes(rest)))
    }
}
