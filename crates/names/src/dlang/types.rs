//! Types in names of the D language.

use super::Parser;

impl Parser<'_> {
    pub(super) fn of_type(&mut self) -> Option<()> {
        self.nested(|parser| parser.one_type())
    }

    fn one_type(&mut self) -> Option<()> {
        match self.next()? {
            b'O' => self.wrapped("shared("),
            b'x' => self.wrapped("const("),
            b'y' => self.wrapped("immutable("),
            b'N' => match self.next()? {
                b'g' => self.wrapped("inout("),
                b'h' => self.wrapped("__vector("),
                b'n' => self.push("noreturn"),
                _ => None,
            },
            b'A' => {
                self.of_type()?;
                self.push("[]")
            }
            b'G' => {
                let length = self.number()?;
                self.of_type()?;
                self.push(&format!("[{length}]"))
            }
            b'H' => {
                let key = self.aside(|parser| parser.of_type())?;
                self.of_type()?;
                self.push(&format!("[{key}]"))
            }
            b'P' if self.is_at_function() => {
                self.function()?;
                self.push("function")
            }
            b'P' => {
                self.of_type()?;
                self.push("*")
            }
            b'C' | b'S' | b'E' | b'T' | b'I' => self.qualified_name(),
            b'D' => {
                let modifiers = self.modifiers();
                match self.peek()? {
                    b'Q' => self.followed(|parser| parser.function())?,
                    _ => self.function()?,
                }
                self.push("delegate")?;
                self.push(&modifiers)
            }
            b'B' => self.tuple(),
            b'Q' => {
                self.at -= 1;
                self.followed(|parser| parser.of_type())
            }
            b'F' | b'U' | b'W' | b'V' | b'R' | b'Y' => {
                self.at -= 1;
                self.function()
            }
            b'z' => match self.next()? {
                b'i' => self.push("cent"),
                b'k' => self.push("ucent"),
                _ => None,
            },
            letter => self.push(basic_type(letter)?),
        }
    }

    fn wrapped(&mut self, by: &str) -> Option<()> {
        self.push(by)?;
        self.of_type()?;
        self.push(")")
    }

    fn tuple(&mut self) -> Option<()> {
        let count = self.number()?;
        self.push("Tuple!(")?;
        for index in 0..count {
            if index > 0 {
                self.push(", ")?;
            }
            self.of_type()?;
        }
        self.push(")")
    }

    /// Reads what a reference leads to, as long as that lies further back than where
    /// the reference before it led.
    fn followed(&mut self, parse: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let (target, end) = self.reference(self.at)?;
        if self.at >= self.furthest_reference {
            return None;
        }
        let before = std::mem::replace(&mut self.furthest_reference, self.at);
        self.at = target;
        self.nested(parse)?;
        self.furthest_reference = before;
        self.at = end;
        Some(())
    }

    /// What holds for `this` in a method.
    pub(super) fn modifiers(&mut self) -> String {
        let mut modifiers = String::new();
        loop {
            let (letters, word): (&[u8], &str) = match self.peek() {
                Some(b'x') => (b"x", " const"),
                Some(b'y') => (b"y", " immutable"),
                Some(b'O') => (b"O", " shared"),
                _ if self.starts_with(b"Ng") => (b"Ng", " inout"),
                _ => return modifiers,
            };
            self.take(letters);
            modifiers += word;
        }
    }

    pub(super) fn is_at_function(&self) -> bool {
        matches!(self.peek(), Some(b'F' | b'U' | b'W' | b'V' | b'R' | b'Y'))
    }

    /// A function as a type: what it returns, its parameters, its attributes.
    fn function(&mut self) -> Option<()> {
        let convention = match self.peek()? {
            b'U' => "extern(C) ",
            b'W' => "extern(Windows) ",
            b'V' => "extern(Pascal) ",
            b'R' => "extern(C++) ",
            b'Y' => "extern(Objective-C) ",
            _ => "",
        };
        let mut attributes = String::new();
        let parameters = self.aside(|parser| {
            attributes = parser.parameters()?;
            Some(())
        })?;
        self.push(convention)?;
        self.of_type()?;
        self.push(&parameters)?;
        self.push(" ")?;
        self.push(&attributes)
    }

    /// Calling convention, attributes and parameters. The parameters are shown, the
    /// attributes returned.
    pub(super) fn parameters(&mut self) -> Option<String> {
        if !self.is_at_function() {
            return None;
        }
        self.at += 1;
        let attributes = self.attributes()?;
        self.push("(")?;
        let mut is_first = true;
        loop {
            match self.peek()? {
                b'X' => {
                    self.push("...")?;
                    break;
                }
                b'Y' => {
                    self.push(if is_first { "..." } else { ", ..." })?;
                    break;
                }
                b'Z' => break,
                _ => {}
            }
            if !is_first {
                self.push(", ")?;
            }
            is_first = false;
            self.parameter()?;
        }
        self.at += 1;
        self.push(")")?;
        Some(attributes)
    }

    fn parameter(&mut self) -> Option<()> {
        loop {
            let word = match self.peek()? {
                b'M' => "scope ",
                b'I' => "in ",
                b'J' => "out ",
                b'K' => "ref ",
                b'L' => "lazy ",
                b'N' if self.starts_with(b"Nk") => {
                    self.at += 1;
                    "return "
                }
                _ => break,
            };
            self.at += 1;
            self.push(word)?;
        }
        self.of_type()
    }

    fn attributes(&mut self) -> Option<String> {
        let mut attributes = String::new();
        while self.peek() == Some(b'N') {
            attributes += match self.text.get(self.at + 1)? {
                b'a' => "pure ",
                b'b' => "nothrow ",
                b'c' => "ref ",
                b'd' => "@property ",
                b'e' => "@trusted ",
                b'f' => "@safe ",
                b'i' => "@nogc ",
                b'j' => "return ",
                b'l' => "scope ",
                b'm' => "@live ",
                // The first parameter.
                b'g' | b'h' | b'k' | b'n' => break,
                _ => return None,
            };
            self.at += 2;
        }
        Some(attributes)
    }
}

fn basic_type(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'n' => "typeof(null)",
        b'v' => "void",
        b'g' => "byte",
        b'h' => "ubyte",
        b's' => "short",
        b't' => "ushort",
        b'i' => "int",
        b'k' => "uint",
        b'l' => "long",
        b'm' => "ulong",
        b'f' => "float",
        b'd' => "double",
        b'e' => "real",
        b'o' => "ifloat",
        b'p' => "idouble",
        b'j' => "ireal",
        b'q' => "cfloat",
        b'r' => "cdouble",
        b'c' => "creal",
        b'b' => "bool",
        b'a' => "char",
        b'u' => "wchar",
        b'w' => "dchar",
        _ => return None,
    })
}
