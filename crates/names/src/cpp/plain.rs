//! C++ names without expressions, which nearly all are: read in one pass, in time
//! proportional to what is written.
//!
//! Whatever can be referred to later is contiguous in what was written, so a reference
//! is a copy from there. What would not be (pointers to functions, arrays) and what is
//! rare gives up, and the general parser takes over.

mod names;
mod words;

use std::ops::Range;

use crate::demangle::{DemangleStyle, longest};

/// Levels of types within types. Real names have less than 60.
const DEEPEST: usize = 300;

/// The readable form of a name that begins with `_Z`.
pub(super) fn demangle(mangled: &str, style: DemangleStyle) -> Option<String> {
    let mut reader = Reader {
        text: mangled.as_bytes(),
        at: "_Z".len(),
        shown: String::with_capacity(2 * mangled.len()),
        longest: longest(mangled),
        known: Vec::new(),
        template: Vec::new(),
        depth: 0,
        is_in_lambda: false,
    };
    let name = reader.name()?;
    if style == DemangleStyle::NoParams || reader.at == mangled.len() {
        return Some(reader.shown);
    }
    // What is returned is written before the name, but read after it.
    let name_end = reader.shown.len();
    if name.has_return_type() {
        reader.template = name.arguments;
        reader.of_type()?;
        reader.shown.push(' ');
    }
    let result_end = reader.shown.len();
    reader.parameters(mangled.len())?;
    let (name_and_result, parameters) = reader.shown.split_at(result_end);
    let (function, result) = name_and_result.split_at(name_end);
    Some([result, function, parameters, name.qualifiers].concat())
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    shown: String,
    longest: usize,
    /// What can be referred to by number.
    known: Vec<Known>,
    /// The template arguments of the function whose parameters are being read.
    template: Vec<Range<usize>>,
    depth: usize,
    /// Template parameters of a lambda are types that it was never told.
    is_in_lambda: bool,
}

/// A place in what was written.
#[derive(Clone)]
struct Known {
    place: Range<usize>,
    is_function: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn push(&mut self, piece: &str) -> Option<()> {
        if self.shown.len() + piece.len() > self.longest {
            return None;
        }
        self.shown.push_str(piece);
        Some(())
    }

    fn repeat(&mut self, place: Range<usize>) -> Option<()> {
        if self.shown.len() + place.len() > self.longest {
            return None;
        }
        self.shown.extend_from_within(place);
        Some(())
    }

    fn remember(&mut self, start: usize) {
        self.known.push(Known {
            place: start..self.shown.len(),
            is_function: false,
        });
    }

    /// A number in decimal.
    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        let mut number = 0usize;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number.checked_mul(10)?.checked_add((digit - b'0').into())?;
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// `_` is 0, `0_` is 1; in base 36 for references.
    fn index(&mut self, base: u32) -> Option<usize> {
        if self.take(b'_') {
            return Some(0);
        }
        let mut number = 0usize;
        loop {
            match self.next()? {
                b'_' => return Some(number + 1),
                b'a'..=b'z' => return None,
                byte => {
                    let digit = char::from(byte).to_digit(base)? as usize;
                    number = number.checked_mul(base as usize)?.checked_add(digit)?;
                }
            }
        }
    }

    /// Parameters up to a place, or to `E`.
    fn parameters(&mut self, end: usize) -> Option<()> {
        self.push("(")?;
        if self.peek()? == b'v' && (self.at + 1 == end || self.text.get(self.at + 1) == Some(&b'E'))
        {
            self.at += 1;
            return self.push(")");
        }
        let mut is_first = true;
        while self.at < end && self.peek() != Some(b'E') {
            if !is_first {
                self.push(", ")?;
            }
            is_first = false;
            self.of_type()?;
        }
        self.push(")")
    }

    /// Writes a type. Says whether it is a function, of which pointers are written in
    /// another way.
    fn of_type(&mut self) -> Option<bool> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let start = self.shown.len();
        let mut is_function = false;
        let is_new = match self.next()? {
            letter @ (b'P' | b'R' | b'O' | b'K') => {
                is_function = self.of_type()?;
                let is_reference = self.shown.ends_with('&');
                // References to references collapse.
                if is_function || (is_reference && letter != b'K') {
                    return None;
                }
                self.push(match letter {
                    b'P' => "*",
                    b'R' => "&",
                    b'O' => "&&",
                    _ if self.shown.ends_with(" const") => return None,
                    _ => " const",
                })?;
                true
            }
            b'F' => {
                self.function()?;
                is_function = true;
                true
            }
            b'S' => match self.peek()? {
                b't' => {
                    self.at -= 1;
                    self.name()?;
                    true
                }
                letter @ b'a'..=b'z' => {
                    self.at += 1;
                    self.push(words::abbreviation(letter)?)?;
                    let has_arguments = self.peek() == Some(b'I');
                    if has_arguments {
                        self.arguments()?;
                    }
                    has_arguments
                }
                _ => {
                    let index = self.index(36)?;
                    let known = self.known.get(index)?.clone();
                    self.repeat(known.place)?;
                    is_function = known.is_function;
                    let has_arguments = self.peek() == Some(b'I');
                    if has_arguments {
                        self.arguments()?;
                    }
                    has_arguments
                }
            },
            b'T' if !self.is_in_lambda => {
                let index = self.index(10)?;
                let place = self.template.get(index)?.clone();
                self.repeat(place)?;
                // As a template it would be another thing.
                if self.peek() == Some(b'I') {
                    return None;
                }
                true
            }
            b'N' | b'Z' | b'0'..=b'9' => {
                self.at -= 1;
                self.name()?;
                true
            }
            b'D' => {
                let letter = self.next()?;
                self.push(words::longer_builtin(letter)?)?;
                false
            }
            letter => {
                self.push(words::builtin(letter)?)?;
                false
            }
        };
        if is_new {
            self.remember(start);
            if let Some(known) = self.known.last_mut() {
                known.is_function = is_function;
            }
        }
        self.depth -= 1;
        Some(is_function)
    }

    fn function(&mut self) -> Option<()> {
        if self.of_type()? {
            return None;
        }
        self.push(" ")?;
        self.parameters(self.text.len())?;
        self.take(b'E').then_some(())
    }

    /// Template arguments in their brackets. Gives the place of each.
    fn arguments(&mut self) -> Option<Vec<Range<usize>>> {
        if self.depth >= DEEPEST || !self.take(b'I') {
            return None;
        }
        self.depth += 1;
        self.push(if self.shown.ends_with('<') { " <" } else { "<" })?;
        let mut places = Vec::new();
        let mut needs_comma = false;
        while !self.take(b'E') {
            if self.peek()? == b'J' {
                self.at += 1;
                let start = self.shown.len();
                while !self.take(b'E') {
                    self.argument(&mut needs_comma)?;
                }
                // Which of them a parameter means is not known.
                places.push(start..start);
                continue;
            }
            places.push(self.argument(&mut needs_comma)?);
        }
        self.push(if self.shown.ends_with('>') { " >" } else { ">" })?;
        self.depth -= 1;
        Some(places)
    }

    fn argument(&mut self, needs_comma: &mut bool) -> Option<Range<usize>> {
        if *needs_comma {
            self.push(", ")?;
        }
        *needs_comma = true;
        let start = self.shown.len();
        match self.peek()? {
            b'L' => self.literal()?,
            b'X' | b'J' => return None,
            _ => drop(self.of_type()?),
        }
        Some(start..self.shown.len())
    }

    /// A number: its type, its value and `E`.
    fn literal(&mut self) -> Option<()> {
        self.at += 1;
        let kind = self.peek()?;
        match kind {
            b'b' | b'i' => self.at += 1,
            b'_' | b'A' | b'D' | b'f' | b'd' | b'e' => return None,
            _ => {
                self.push("(")?;
                self.of_type()?;
                self.push(")")?;
            }
        }
        if self.take(b'n') {
            self.push("-")?;
        }
        let start = self.at;
        self.number()?;
        match (kind, &self.text[start..self.at]) {
            (b'b', b"0") => self.push("false")?,
            (b'b', b"1") => self.push("true")?,
            (_, digits) => {
                let digits = std::str::from_utf8(digits).ok()?;
                self.shown.push_str(digits);
            }
        }
        self.take(b'E').then_some(())
    }
}
