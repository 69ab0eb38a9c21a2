//! A readable name, piece by piece, with its brackets paired.
//!
//! Names are not regular text: `operator<<`, `operator()`, `(anonymous namespace)`,
//! `{lambda(int)#1}`, `fn(u8) -> u8` and `"a>b"` all hold characters that look like
//! brackets and are none. Whatever wants to know where template arguments begin and
//! end asks here. Brackets that do not pair are an error, and the name is then left
//! alone.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// An identifier, a number, a literal, an operator with its symbol.
    Word(&'a str),
    /// `::`
    Scope,
    /// One of `<({[`
    Open(u8),
    /// One of `>)}]`
    Close(u8),
    Comma,
    Space,
    /// Anything else: `*`, `&`, `->`, `<` where it compares.
    Mark(&'a str),
}

/// Brackets do not pair.
#[derive(Debug)]
pub(crate) struct Unbalanced;

pub(crate) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// The brackets that close what is open, innermost last.
    open: Vec<u8>,
    /// Whether `<` may begin template arguments here.
    may_open: bool,
}

const ANONYMOUS: &str = "(anonymous namespace)";

/// Symbols that may follow `operator`, longer ones first.
const OPERATORS: [&str; 42] = [
    "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "==", "!=", "&&", "||",
    "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "\"\"", "<", ">", "+", "-", "*",
    "/", "%", "^", "&", "|", "~", "!", "=", ",", "?", ".",
];

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Tokens<'a> {
        Tokens {
            text,
            at: 0,
            open: Vec::new(),
            may_open: true,
        }
    }

    /// What has not been read yet.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Passes over the next bytes, which must be whole characters without brackets.
    pub fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let piece = &self.text[self.at..self.at + bytes];
        self.at += bytes;
        piece
    }

    fn open(&mut self, bracket: u8, close: u8) -> Token<'a> {
        self.at += 1;
        self.open.push(close);
        self.may_open = true;
        Token::Open(bracket)
    }

    fn close(&mut self, bracket: u8) -> Result<Token<'a>, Unbalanced> {
        if self.open.pop() != Some(bracket) {
            return Err(Unbalanced);
        }
        self.at += 1;
        self.may_open = matches!(bracket, b'}' | b']');
        Ok(Token::Close(bracket))
    }

    fn mark(&mut self, bytes: usize) -> Token<'a> {
        self.may_open = true;
        Token::Mark(self.take(bytes))
    }

    fn word(&mut self) -> Token<'a> {
        let rest = self.rest().as_bytes();
        let mut length = 0;
        while length < rest.len() {
            match rest[length] {
                b':' if rest.get(length + 1) == Some(&b':') => break,
                byte if !is_word(byte) => break,
                _ => length += 1,
            }
        }
        self.may_open = !rest[0].is_ascii_digit();
        if &rest[..length] == b"operator" {
            length += operator_symbol(&self.rest()[length..]);
        }
        Token::Word(self.take(length))
    }

    /// A literal in quotes, or the quote alone if it is something else.
    fn quoted(&mut self, quote: u8) -> Token<'a> {
        match literal_length(self.rest().as_bytes(), quote) {
            Some(length) => {
                self.may_open = false;
                Token::Word(self.take(length))
            }
            None => Token::Word(self.take(1)),
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Result<Token<'a>, Unbalanced>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let Some(&first) = bytes.first() else {
            let is_paired = self.open.is_empty();
            self.open.clear();
            return (!is_paired).then_some(Err(Unbalanced));
        };
        let innermost = self.open.last().copied();
        let token = match first {
            b':' if bytes.get(1) == Some(&b':') => {
                self.at += 2;
                self.may_open = true;
                Token::Scope
            }
            b'<' if self.may_open => self.open(b'<', b'>'),
            b'(' if rest.starts_with(ANONYMOUS) => {
                self.may_open = true;
                Token::Word(self.take(ANONYMOUS.len()))
            }
            b'(' => self.open(b'(', b')'),
            b'{' => self.open(b'{', b'}'),
            b'[' => self.open(b'[', b']'),
            // Inside round brackets it compares, or shifts.
            b'>' if innermost.is_some_and(|close| close != b'>') => self.mark(1),
            b'>' | b')' | b'}' | b']' => match self.close(first) {
                Ok(token) => token,
                Err(unbalanced) => {
                    self.at = self.text.len();
                    self.open.clear();
                    return Some(Err(unbalanced));
                }
            },
            b'-' if bytes.get(1) == Some(&b'>') => self.mark(2),
            b',' => {
                self.at += 1;
                self.may_open = true;
                Token::Comma
            }
            b' ' => {
                self.at += 1;
                self.may_open = true;
                Token::Space
            }
            b'"' | b'\'' => self.quoted(first),
            byte if is_word(byte) => self.word(),
            _ => self.mark(1),
        };
        Some(Ok(token))
    }
}

fn is_word(byte: u8) -> bool {
    const IS_WORD: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            let is_other = matches!(byte as u8, b'_' | b'$' | b'~' | b'#' | b'.' | b':');
            table[byte] = is_other || (byte as u8).is_ascii_alphanumeric() || byte >= 128;
            byte += 1;
        }
        table
    };
    IS_WORD[usize::from(byte)]
}

/// The length of the symbol that makes `operator` one word with what follows. Template
/// arguments of `operator<` stand after a space, which then belongs to it as well.
fn operator_symbol(after: &str) -> usize {
    let symbol = OPERATORS.iter().find(|symbol| after.starts_with(**symbol));
    let length = symbol.map_or(0, |symbol| symbol.len());
    match length > 0 && after[length..].starts_with(" <") {
        true => length + 1,
        false => length,
    }
}

/// The length of a literal that begins with a quote. `'a` may be a lifetime instead.
fn literal_length(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            byte if byte == quote => return Some(at + 1),
            byte if quote == b'\'' && at > 4 && text[1] != b'\\' && byte.is_ascii() => return None,
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn balanced(text: &str) -> bool {
        Tokens::new(text).all(|token| token.is_ok())
    }

    /// How deep each template argument list is, by its first word.
    fn words(text: &str) -> Vec<&str> {
        let tokens = Tokens::new(text).map(Result::unwrap);
        tokens
            .filter_map(|token| match token {
                Token::Word(word) => Some(word),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn operators_are_words() {
        assert_eq!(words("a::operator<"), ["a", "operator<"]);
        assert_eq!(words("a::operator<< <int>"), ["a", "operator<< ", "int"]);
        assert_eq!(words("operator<=><a>"), ["operator<=>", "a"]);
        assert_eq!(words("b<int>::operator->"), ["b", "int", "operator->"]);
        assert_eq!(words("operator()<a, b>"), ["operator()", "a", "b"]);
        assert_eq!(words("my_operator<a>"), ["my_operator", "a"]);
        assert_eq!(words("operator bool"), ["operator", "bool"]);
        assert_eq!(words("operator new[]"), ["operator", "new"]);
    }

    #[test]
    fn comparisons_are_no_brackets() {
        for name in [
            "f<(1)<(2)>",
            "f<((1)>(2))>",
            "f<(1)<(2), ((3)>(4))>::g",
            "<a as b<c>>::f::<fn(u8) -> u8>",
            "f<'>', \"a>b\\\">\">::g",
            "f<'a, '_>::g",
            "g<&'static str>",
            "(anonymous namespace)::f<(anonymous namespace)::g>",
        ] {
            assert!(balanced(name), "{name}");
        }
    }

    #[test]
    fn brackets_must_pair() {
        for name in [
            "f<",
            "f>",
            "f<(>)",
            "f(",
            "f)",
            "f<a]>",
            "{lambda(int#1}",
            "a<b<c>",
        ] {
            assert!(!balanced(name), "{name}");
        }
    }
}
