//! Names of the D language: `_D`, a qualified name, and the type of what it names.
//!
//! A name may refer back to earlier parts of itself, always further back, so that it
//! comes to an end; depth, steps and length are limited all the same. Anything that is
//! not understood gives up the whole name.

mod types;
mod values;

use crate::demangle::{DemangleStyle, LONGEST};

/// A name nests less deep than this.
const DEEPEST: usize = 100;
/// The most pieces that a name is made of, references followed.
const MOST_STEPS: usize = 1 << 16;

/// The readable form of a name that begins with `_D`.
pub(crate) fn demangle(name: &str, style: DemangleStyle) -> Option<String> {
    if name == "_Dmain" {
        return Some("D main".to_owned());
    }
    if !name.is_ascii() {
        return None;
    }
    let mut parser = Parser {
        text: name.as_bytes(),
        at: 0,
        shown: String::with_capacity(2 * name.len()),
        style,
        depth: 0,
        steps: 0,
        furthest_reference: name.len(),
    };
    parser.mangled_name()?;
    (parser.at == name.len()).then_some(parser.shown)
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    shown: String,
    style: DemangleStyle,
    depth: usize,
    steps: usize,
    /// References to types must lie before the one that is being followed.
    furthest_reference: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn starts_with(&self, prefix: &[u8]) -> bool {
        self.text[self.at..].starts_with(prefix)
    }

    fn take(&mut self, prefix: &[u8]) -> bool {
        let is_there = self.starts_with(prefix);
        if is_there {
            self.at += prefix.len();
        }
        is_there
    }

    fn push(&mut self, piece: &str) -> Option<()> {
        self.steps += 1;
        if self.steps > MOST_STEPS || self.shown.len() + piece.len() > LONGEST {
            return None;
        }
        self.shown.push_str(piece);
        Some(())
    }

    fn push_text(&mut self, from: usize, to: usize) -> Option<()> {
        let piece = std::str::from_utf8(self.text.get(from..to)?).ok()?;
        self.push(piece)
    }

    /// One level further down.
    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.steps += 1;
        if self.depth >= DEEPEST || self.steps > MOST_STEPS {
            return None;
        }
        self.depth += 1;
        parse(self)?;
        self.depth -= 1;
        Some(())
    }

    /// What the parser would show, without showing it.
    fn aside(&mut self, parse: impl FnOnce(&mut Self) -> Option<()>) -> Option<String> {
        let before = std::mem::take(&mut self.shown);
        let parsed = parse(self);
        let aside = std::mem::replace(&mut self.shown, before);
        parsed.map(|()| aside)
    }

    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        let mut number = 0usize;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number.checked_mul(10)?.checked_add((digit - b'0').into())?;
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    fn mangled_name(&mut self) -> Option<()> {
        if !self.take(b"_D") {
            return None;
        }
        self.nested(|parser| parser.qualified_name())?;
        // Made by the compiler, without a type.
        if self.take(b"Z") {
            return Some(());
        }
        self.aside(|parser| parser.of_type()).map(drop)
    }

    fn qualified_name(&mut self) -> Option<()> {
        let mut is_first = true;
        while is_first || self.is_at_symbol() {
            // Names that were left out in the source.
            while self.take(b"0") {}
            if !is_first {
                self.push(".")?;
            }
            is_first = false;
            self.nested(|parser| parser.symbol())?;
            self.parameters_inside()?;
        }
        Some(())
    }

    /// The parameters of a function whose return type, or member, follows.
    fn parameters_inside(&mut self) -> Option<()> {
        let (start, length) = (self.at, self.shown.len());
        let modifiers = match self.take(b"M") {
            true => self.modifiers(),
            false => String::new(),
        };
        if !self.is_at_function() {
            self.at = start;
            return Some(());
        }
        let depth = self.depth;
        let parameters = self.aside(|parser| parser.parameters().map(drop));
        match parameters {
            Some(parameters) if self.at < self.text.len() => match self.style {
                DemangleStyle::Full => self.push(&(parameters + &modifiers)),
                DemangleStyle::NoParams => Some(()),
            },
            _ => {
                // It was the type of a variable.
                self.at = start;
                self.depth = depth;
                self.shown.truncate(length);
                Some(())
            }
        }
    }

    fn is_at_symbol(&self) -> bool {
        match self.peek() {
            Some(b'0'..=b'9') => true,
            Some(b'_') => self.starts_with(b"__T") || self.starts_with(b"__U"),
            // A reference to a type would be that of the whole.
            Some(b'Q') => match self.reference(self.at) {
                Some((target, _)) => self.text[target].is_ascii_digit(),
                None => false,
            },
            _ => false,
        }
    }

    /// Where the reference at a `Q` leads, and where it ends. The distance is written
    /// in base 26, its last digit in lower case.
    fn reference(&self, at: usize) -> Option<(usize, usize)> {
        let mut distance = 0usize;
        for (index, byte) in self.text.iter().enumerate().skip(at + 1) {
            let (digit, is_last) = match byte {
                b'A'..=b'Z' => (byte - b'A', false),
                b'a'..=b'z' => (byte - b'a', true),
                _ => return None,
            };
            distance = distance.checked_mul(26)?.checked_add(digit.into())?;
            if is_last {
                let target = at.checked_sub(distance).filter(|_| distance > 0)?;
                return Some((target, index + 1));
            }
        }
        None
    }

    fn symbol(&mut self) -> Option<()> {
        match self.peek()? {
            b'Q' => {
                let (target, end) = self.reference(self.at)?;
                self.at = target;
                self.identifier()?;
                self.at = end;
                Some(())
            }
            b'_' => self.template(),
            _ => self.identifier(),
        }
    }

    /// A length and a word, or, in old names, a template.
    fn identifier(&mut self) -> Option<()> {
        let length = self.number().filter(|length| *length > 0)?;
        let end = self.at.checked_add(length)?;
        let word = self.text.get(self.at..end)?;
        if word.starts_with(b"__T") || word.starts_with(b"__U") {
            self.nested(|parser| parser.template())?;
            return (self.at == end).then_some(());
        }
        // A scope that the compiler made up, to tell apart things of the same name.
        if let [b'_', b'_', b'S', number @ ..] = word
            && !number.is_empty()
            && number.iter().all(u8::is_ascii_digit)
        {
            self.at = end;
            return self.nested(|parser| parser.symbol());
        }
        let start = std::mem::replace(&mut self.at, end);
        match word {
            b"__ctor" => self.push("this"),
            b"__dtor" => self.push("~this"),
            b"__postblit" => self.push("this(this)"),
            _ => self.push_text(start, end),
        }
    }

    fn template(&mut self) -> Option<()> {
        if !(self.take(b"__T") || self.take(b"__U")) {
            return None;
        }
        self.nested(|parser| parser.symbol())?;
        self.push("!(")?;
        let mut is_first = true;
        while !self.take(b"Z") {
            if !is_first {
                self.push(", ")?;
            }
            is_first = false;
            // The argument that a specialisation was chosen for.
            self.take(b"H");
            self.nested(|parser| parser.argument())?;
        }
        self.push(")")
    }

    fn argument(&mut self) -> Option<()> {
        match self.next()? {
            b'T' => self.of_type(),
            b'V' => self.value_of_type(),
            b'X' => {
                let length = self.number()?;
                let start = self.at;
                self.at = start.checked_add(length)?;
                self.push_text(start, self.at)
            }
            b'S' => {
                let start = self.at;
                // Old names give the length of a mangled name.
                if self.number().is_none() || !self.starts_with(b"_D") {
                    self.at = start;
                }
                match self.starts_with(b"_D") {
                    true => self.nested(|parser| parser.mangled_name()),
                    false => self.qualified_name(),
                }
            }
            _ => None,
        }
    }
}
