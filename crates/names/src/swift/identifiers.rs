//! Identifiers in names of Swift: plain, put together from earlier words, or with
//! characters that are not ASCII.

use super::{Item, Parser};

/// Later words are not counted.
const MOST_WORDS: usize = 26;

impl Parser<'_> {
    pub(super) fn identifier(&mut self) -> Option<String> {
        if !self.take(b'0') {
            return self.plain();
        }
        if self.take(b'0') {
            let length = self.natural()?;
            self.take(b'_');
            return decode(self.slice(length)?);
        }
        let mut identifier = String::new();
        let mut has_more_words = true;
        while has_more_words {
            while let Some(letter) = self.peek().filter(|byte| byte.is_ascii_alphabetic()) {
                self.at += 1;
                has_more_words = letter.is_ascii_lowercase();
                let index = usize::from(letter.to_ascii_lowercase() - b'a');
                identifier += self.words.get(index)?;
                if !has_more_words {
                    break;
                }
            }
            if self.take(b'0') {
                break;
            }
            identifier += &self.plain()?;
        }
        Some(identifier)
    }

    fn slice(&mut self, length: usize) -> Option<&str> {
        let end = self.at.checked_add(length)?;
        let slice = self.text.get(self.at..end).filter(|_| length > 0)?;
        self.at = end;
        std::str::from_utf8(slice).ok()
    }

    fn plain(&mut self) -> Option<String> {
        let length = self.natural()?;
        let text = self.slice(length)?.to_owned();
        self.remember_words(&text);
        Some(text)
    }

    /// A word begins with a letter, and ends before `_` or where capitals begin.
    fn remember_words(&mut self, text: &str) {
        let mut start = None;
        let mut previous = 0;
        for (at, byte) in text.bytes().chain([0]).enumerate() {
            let ends = matches!(byte, 0 | b'_')
                || (byte.is_ascii_uppercase() && !u8::is_ascii_uppercase(&previous));
            if let Some(from) = start.filter(|_| ends) {
                if at - from >= 2 && self.words.len() < MOST_WORDS {
                    self.words.push(text[from..at].to_owned());
                }
                start = None;
            }
            if start.is_none() && !matches!(byte, 0 | b'_' | b'0'..=b'9') {
                start = Some(at);
            }
            previous = byte;
        }
    }

    /// The identifier before this is an operator, in letters.
    pub(super) fn operator_name(&mut self) -> Option<Item> {
        let Item::Identifier(letters) = self.stack.pop()? else {
            return None;
        };
        let fixity = match self.next()? {
            b'p' => "prefix",
            b'P' => "postfix",
            b'i' => "infix",
            _ => return None,
        };
        let mut name = String::new();
        for letter in letters.chars() {
            name.push(match letter {
                'a'..='z' => char::from(*b"& @/= >    <*!|+?%-~   ^ .".get(letter as usize - 97)?),
                other => other,
            });
        }
        (!name.contains(' ')).then(|| Item::DeclName(format!("{name} {fixity}")))
    }

    /// A name that is private to a file, or local to a function.
    pub(super) fn local_name(&mut self) -> Option<Item> {
        match self.peek()? {
            b'L' => {
                self.at += 1;
                let Item::Identifier(_) = self.stack.pop()? else {
                    return None;
                };
                Some(Item::DeclName(self.pop_name()?))
            }
            b'l' => {
                self.at += 1;
                match self.stack.pop()? {
                    Item::Identifier(_) => Some(Item::Discriminator),
                    _ => None,
                }
            }
            b'a'..=b'j' | b'A'..=b'J' => {
                self.at += 1;
                Some(Item::DeclName(self.pop_name()?))
            }
            _ => {
                let index = self.index()?;
                let name = self.pop_name()?;
                Some(Item::DeclName(format!("{name} #{}", index + 1)))
            }
        }
    }

    pub(super) fn pop_name(&mut self) -> Option<String> {
        match self.stack.pop()? {
            Item::Identifier(name) | Item::DeclName(name) => Some(name),
            _ => None,
        }
    }
}

/// Punycode with `_` for the hyphen and `A` to `J` for the digits.
fn decode(encoded: &str) -> Option<String> {
    const BASE: usize = 36;
    let (plain, rest) = encoded.rsplit_once('_').unwrap_or(("", encoded));
    let mut characters: Vec<char> = plain.chars().collect();
    let (mut number, mut position, mut bias) = (128usize, 0usize, 72usize);
    let mut digits = rest.bytes();
    let mut is_first = true;
    while digits.len() > 0 {
        let before = position;
        let mut weight = 1usize;
        for step in (BASE..).step_by(BASE) {
            let digit = usize::from(match digits.next()? {
                letter @ b'a'..=b'z' => letter - b'a',
                letter @ b'A'..=b'J' => letter - b'A' + 26,
                _ => return None,
            });
            position = position.checked_add(digit.checked_mul(weight)?)?;
            let threshold = step.saturating_sub(bias).clamp(1, 26);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
        }
        let count = characters.len() + 1;
        bias = adapt(position - before, count, is_first);
        is_first = false;
        number = number.checked_add(position / count)?;
        position %= count;
        characters.insert(position, char::from_u32(u32::try_from(number).ok()?)?);
        position += 1;
    }
    Some(characters.into_iter().collect())
}

fn adapt(delta: usize, count: usize, is_first: bool) -> usize {
    let mut delta = delta / if is_first { 700 } else { 2 };
    delta += delta / count;
    let mut bias = 0;
    while delta > 455 {
        delta /= 35;
        bias += 36;
    }
    bias + 36 * delta / (delta + 38)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn identifiers_beyond_ascii() {
        assert_eq!(decode("vergenza_JFa").as_deref(), Some("vergüenza"));
        assert_eq!(decode("p_qcaDc").as_deref(), Some("«p»"));
        assert_eq!(
            decode("Proprostnemluvesky_uybCEdmaEBa").as_deref(),
            Some("Pročprostěnemluvíčesky")
        );
        assert_eq!(decode("abc_9"), None);
    }
}
