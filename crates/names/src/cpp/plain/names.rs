//! The names of functions and classes.

use std::ops::Range;

use super::{Reader, words};

/// What else is known of a name that was read.
pub(super) struct Name {
    /// Its own template arguments, if it ends with such.
    pub arguments: Vec<Range<usize>>,
    ends_with_arguments: bool,
    /// Constructors, destructors and conversions return nothing that is written.
    is_without_result: bool,
    /// Of a method: ` const`.
    pub qualifiers: &'static str,
}

impl Name {
    fn plain() -> Name {
        Name {
            arguments: Vec::new(),
            ends_with_arguments: false,
            is_without_result: false,
            qualifiers: "",
        }
    }

    pub fn has_return_type(&self) -> bool {
        self.ends_with_arguments && !self.is_without_result
    }
}

/// What one part of a name is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Ordinary,
    Conversion,
}

impl Reader<'_> {
    pub(super) fn name(&mut self) -> Option<Name> {
        match self.peek()? {
            b'N' => {
                self.at += 1;
                self.nested()
            }
            b'Z' => {
                self.at += 1;
                self.local()
            }
            b'S' => {
                self.at += 1;
                if !self.take(b't') {
                    return None;
                }
                let start = self.shown.len();
                self.push("std::")?;
                self.unscoped(start)
            }
            _ => self.unscoped(self.shown.len()),
        }
    }

    fn unscoped(&mut self, start: usize) -> Option<Name> {
        let part = self.part()?;
        let mut name = Name::plain();
        name.is_without_result = part == Part::Conversion;
        if self.peek() == Some(b'I') {
            self.remember(start);
            name.arguments = self.arguments()?;
            name.ends_with_arguments = true;
        }
        Some(name)
    }

    fn nested(&mut self) -> Option<Name> {
        let mut name = Name::plain();
        name.qualifiers = match (self.take(b'V'), self.take(b'K')) {
            (true, _) => return None,
            (_, true) => " const",
            _ => "",
        };
        let start = self.shown.len();
        // The last part without its arguments, after which constructors are named.
        let mut last = start..start;
        let mut is_reference = false;
        while !self.take(b'E') {
            let is_first = self.shown.len() == start;
            name.ends_with_arguments = false;
            match self.peek()? {
                b'S' if is_first => {
                    self.at += 1;
                    last = self.reference()?;
                    // It is known already, or is part of the standard.
                    is_reference = true;
                    continue;
                }
                b'I' if !is_first => {
                    name.arguments = self.arguments()?;
                    name.ends_with_arguments = true;
                }
                b'C' | b'D' if !is_first => {
                    let is_destructor = self.next()? == b'D';
                    if !matches!(self.next()?, b'0'..=b'5') || last.is_empty() {
                        return None;
                    }
                    self.push(if is_destructor { "::~" } else { "::" })?;
                    self.repeat(last.clone())?;
                    name.is_without_result = true;
                }
                _ => {
                    if !is_first {
                        self.push("::")?;
                    }
                    let from = self.shown.len();
                    name.is_without_result = self.part()? == Part::Conversion;
                    last = from..from + constructor_name(&self.shown[from..]);
                }
            }
            is_reference = false;
            if self.peek()? != b'E' {
                self.remember(start);
            }
        }
        // A reference alone has no need to be nested.
        (!is_reference && self.shown.len() > start).then_some(name)
    }

    /// What a nested name begins with, after `S`. Gives the place of its last part.
    fn reference(&mut self) -> Option<Range<usize>> {
        let start = self.shown.len();
        if self.take(b't') {
            self.push("std")?;
            return Some(start..start);
        }
        if let letter @ b'a'..=b'z' = self.peek()? {
            self.at += 1;
            self.push(words::abbreviation(letter)?)?;
            return Some(start..start);
        }
        let index = self.index(36)?;
        let place = self.known.get(index)?.place.clone();
        self.repeat(place)?;
        Some(start + last_part(&self.shown[start..])?..self.shown.len())
            .map(|place| place.start..place.start + constructor_name(&self.shown[place]))
    }

    /// Something inside a function, which is written with its parameters.
    fn local(&mut self) -> Option<Name> {
        if self.depth >= super::DEEPEST {
            return None;
        }
        self.depth += 1;
        let function = self.name()?;
        if self.peek()? != b'E' {
            let outer = self.template.clone();
            if function.has_return_type() {
                // Only types that nobody can refer to may be read and not written.
                let length = self.shown.len();
                words::builtin(self.next()?)?;
                self.shown.truncate(length);
            }
            self.template = function.arguments;
            self.parameters(self.text.len())?;
            self.template = outer;
        }
        self.push(function.qualifiers)?;
        if !self.take(b'E') {
            return None;
        }
        self.push("::")?;
        // A literal string, or a default argument.
        if matches!(self.peek()?, b's' | b'd') {
            return None;
        }
        let name = self.name()?;
        if self.take(b'_') {
            match self.take(b'_') {
                true => {
                    self.number()?;
                    self.take(b'_').then_some(())?;
                }
                false => drop(self.next()?.is_ascii_digit().then_some(())?),
            }
        }
        self.depth -= 1;
        Some(name)
    }

    /// One part of a name: an identifier, an operator, a lambda, with its tags.
    fn part(&mut self) -> Option<Part> {
        let mut part = Part::Ordinary;
        match self.peek()? {
            b'0'..=b'9' => self.identifier()?,
            b'U' => {
                self.at += 1;
                self.unnamed()?;
            }
            b'a'..=b'z' => {
                let letters = [self.next()?, self.next()?];
                if letters == *b"cv" {
                    self.push("operator ")?;
                    // It may be a template parameter, whose argument comes later.
                    let outer = std::mem::take(&mut self.template);
                    if self.of_type()? {
                        return None;
                    }
                    self.template = outer;
                    part = Part::Conversion;
                } else {
                    self.push("operator")?;
                    self.push(words::operator(letters)?)?;
                }
            }
            _ => return None,
        }
        while self.take(b'B') {
            self.push("[abi:")?;
            self.identifier()?;
            self.push("]")?;
        }
        Some(part)
    }

    fn identifier(&mut self) -> Option<()> {
        let length = self.number()?;
        let end = self.at.checked_add(length).filter(|_| length > 0)?;
        let identifier = std::str::from_utf8(self.text.get(self.at..end)?).ok()?;
        self.at = end;
        match identifier.strip_prefix("_GLOBAL_") {
            Some(rest) if rest.starts_with(['_', '.', '$']) && rest[1..].starts_with('N') => {
                self.push("(anonymous namespace)")
            }
            _ => self.push(identifier),
        }
    }

    /// A lambda or a type without a name.
    fn unnamed(&mut self) -> Option<()> {
        match self.next()? {
            b'l' => {
                self.push("{lambda")?;
                let outer = std::mem::replace(&mut self.is_in_lambda, true);
                self.parameters(self.text.len())?;
                self.is_in_lambda = outer;
                self.take(b'E').then_some(())?;
            }
            b't' => self.push("{unnamed type")?,
            _ => return None,
        }
        let number = self.index(10)? + 1;
        self.push(&format!("#{number}}}"))
    }
}

/// Where the last part of a name begins. `None` if brackets of other kinds make that
/// hard to say.
fn last_part(name: &str) -> Option<usize> {
    let mut depth = 0usize;
    let bytes = name.as_bytes();
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth = depth.checked_sub(1)?,
            b'(' | b'{' | b'[' => return None,
            b':' if depth == 0 && at > 0 && bytes[at - 1] == b':' => start = at + 1,
            _ => {}
        }
    }
    Some(start)
}

/// How much of the name of a class its constructors are named after: neither arguments
/// nor tags, and nothing if it has no name.
fn constructor_name(part: &str) -> usize {
    match part.starts_with('{') {
        true => 0,
        false => part.find(['<', '[']).unwrap_or(part.len()),
    }
}
