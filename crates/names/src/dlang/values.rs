//! Values among the template arguments of the D language.

use super::Parser;

impl Parser<'_> {
    /// A type, which decides how the value after it is written, and that value.
    pub(super) fn value_of_type(&mut self) -> Option<()> {
        // What a reference leads to counts; a chain of them would be nonsense.
        let kind = match self.peek()? {
            b'Q' => self.text[self.reference(self.at)?.0],
            kind => kind,
        };
        let type_name = self.aside(|parser| parser.of_type())?;
        self.value(kind, &type_name)
    }

    fn value(&mut self, kind: u8, type_name: &str) -> Option<()> {
        self.nested(|parser| match parser.next()? {
            b'n' => parser.push("null"),
            b'N' => {
                parser.push("-")?;
                parser.integer(kind)
            }
            b'i' => parser.integer(kind),
            b'0'..=b'9' => {
                parser.at -= 1;
                parser.integer(kind)
            }
            b'e' => parser.real(),
            b'c' => {
                parser.real()?;
                parser.push("+")?;
                (parser.next()? == b'c').then_some(())?;
                parser.real()?;
                parser.push("i")
            }
            width @ (b'a' | b'w' | b'd') => parser.string(width),
            b'A' if kind == b'H' => parser.list("[", "]", true),
            b'A' => parser.list("[", "]", false),
            b'S' => {
                parser.push(type_name)?;
                parser.list("(", ")", false)
            }
            b'f' => parser.nested(|parser| parser.mangled_name()),
            _ => None,
        })
    }

    fn integer(&mut self, kind: u8) -> Option<()> {
        let start = self.at;
        let number = self.number()?;
        match kind {
            b'b' => self.push(if number == 0 { "false" } else { "true" }),
            b'a' | b'u' | b'w' => {
                let printable = u8::try_from(number)
                    .ok()
                    .filter(|byte| kind == b'a' && (b' '..0x7f).contains(byte));
                let shown = match (printable, kind) {
                    (Some(byte), _) => format!("'{}'", char::from(byte)),
                    (None, b'a') => format!("'\\x{number:02x}'"),
                    (None, b'u') => format!("'\\u{number:04x}'"),
                    (None, _) => format!("'\\U{number:08x}'"),
                };
                self.push(&shown)
            }
            _ => {
                self.push_text(start, self.at)?;
                match kind {
                    b'h' | b't' | b'k' => self.push("u"),
                    b'l' => self.push("L"),
                    b'm' => self.push("uL"),
                    _ => Some(()),
                }
            }
        }
    }

    /// Hexadecimal: sign, digits, `P`, exponent.
    fn real(&mut self) -> Option<()> {
        for (word, shown) in [(b"NAN", "NaN"), (b"INF", "Inf")] {
            if self.take(word) {
                return self.push(shown);
            }
        }
        if self.take(b"NINF") {
            return self.push("-Inf");
        }
        if self.take(b"N") {
            self.push("-")?;
        }
        let start = self.at;
        while self.peek()?.is_ascii_hexdigit() {
            self.at += 1;
        }
        if start == self.at {
            return None;
        }
        self.push("0x")?;
        self.push_text(start, start + 1)?;
        self.push(".")?;
        self.push_text(start + 1, self.at)?;
        (self.next()? == b'P').then_some(())?;
        self.push("p")?;
        if self.take(b"N") {
            self.push("-")?;
        }
        let exponent = self.number()?;
        self.push(&exponent.to_string())
    }

    /// A length, `_`, and two digits for each byte.
    fn string(&mut self, width: u8) -> Option<()> {
        let length = self.number()?;
        (self.next()? == b'_').then_some(())?;
        self.push("\"")?;
        for _ in 0..length {
            let digits = std::str::from_utf8(self.text.get(self.at..self.at + 2)?).ok()?;
            let byte = u8::from_str_radix(digits, 16).ok()?;
            self.at += 2;
            let shown = match byte {
                b'\t' => "\\t".to_owned(),
                b'\n' => "\\n".to_owned(),
                b'\r' => "\\r".to_owned(),
                0x0b => "\\v".to_owned(),
                0x0c => "\\f".to_owned(),
                b' '..0x7f => char::from(byte).to_string(),
                _ => format!("\\x{digits}"),
            };
            self.push(&shown)?;
        }
        self.push("\"")?;
        match width {
            b'a' => Some(()),
            b'w' => self.push("w"),
            _ => self.push("d"),
        }
    }

    fn list(&mut self, open: &str, close: &str, has_keys: bool) -> Option<()> {
        let count = self.number()?;
        self.push(open)?;
        for index in 0..count {
            if index > 0 {
                self.push(", ")?;
            }
            if has_keys {
                self.value(0, "")?;
                self.push(":")?;
            }
            self.value(0, "")?;
        }
        self.push(close)
    }
}
