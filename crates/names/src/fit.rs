//! Makes a long name fit.
//!
//! Inner arguments say least, so they go first: those of the deepest level that must
//! go become `<…>` or `(…)`, with all below it. Only if the bare name is too long
//! is it cut in the middle.

use crate::columns::{columns, cut_middle};
use crate::tokens::{Token, Tokens};

/// The name in at most `longest` columns, and so characters.
pub(crate) fn fit(name: String, longest: usize) -> String {
    if name.len() <= longest || columns(&name) <= longest {
        return name;
    }
    match without_inner(&name, longest) {
        Some(shorter) => shorter,
        None => cut_middle(&name, longest),
    }
}

/// Keeps as many levels of arguments as fit. `None` if even the name without any is
/// too long, or brackets do not pair.
fn without_inner(name: &str, longest: usize) -> Option<String> {
    // By depth: columns that are so deep, and lists that open there.
    let mut levels: Vec<(usize, usize)> = vec![(0, 0)];
    let mut nesting = Nesting::default();
    let mut tokens = Tokens::new(name);
    loop {
        let before = tokens.rest();
        let Some(token) = tokens.next() else { break };
        let piece = &before[..before.len() - tokens.rest().len()];
        let depth = nesting.enter(token.ok()?);
        while levels.len() <= nesting.depth.max(depth) {
            levels.push((0, 0));
        }
        levels[depth].0 += columns(piece);
        if nesting.depth > depth {
            levels[depth].1 += 1;
        }
    }
    let mut length = 0;
    let mut kept = None;
    for (depth, (columns, lists)) in levels.iter().enumerate() {
        length += columns;
        if length + lists > longest {
            break;
        }
        kept = Some(depth);
    }
    Some(elide(name, kept?))
}

/// The name with everything deeper than `kept` replaced by ellipses.
fn elide(name: &str, kept: usize) -> String {
    let mut shown = String::with_capacity(name.len());
    let mut nesting = Nesting::default();
    let mut tokens = Tokens::new(name);
    loop {
        let before = tokens.rest();
        let Some(Ok(token)) = tokens.next() else {
            return shown;
        };
        let depth = nesting.enter(token);
        if depth <= kept {
            shown.push_str(&before[..before.len() - tokens.rest().len()]);
            let is_empty = tokens.rest().starts_with([')', '>']);
            if nesting.depth > kept && !is_empty {
                shown.push('…');
            }
        }
    }
}

/// Counts lists in angle and round brackets. The brackets themselves belong to the
/// level outside. In Rust a name may begin with a type in brackets, `<A as B>::c`, which
/// is not a list but the name itself.
#[derive(Default)]
struct Nesting {
    depth: usize,
    /// Whether each open bracket is that of a list.
    open: Vec<bool>,
    is_in_name: bool,
}

impl Nesting {
    /// The level that the token belongs to.
    fn enter(&mut self, token: Token<'_>) -> usize {
        let is_in_name = self.is_in_name;
        self.is_in_name = matches!(token, Token::Word(_) | Token::Scope | Token::Close(_));
        let level = self.depth;
        match token {
            Token::Open(bracket) => {
                let is_list = bracket == b'(' || (bracket == b'<' && is_in_name);
                self.open.push(is_list);
                self.depth += usize::from(is_list);
                level
            }
            Token::Close(_) => {
                let is_list = self.open.pop().unwrap_or(false);
                self.depth -= usize::from(is_list);
                self.depth
            }
            _ => level,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(name: &str, longest: usize) -> String {
        let shown = fit(name.to_owned(), longest);
        assert!(shown.chars().count() <= longest, "{shown}");
        shown
    }

    #[test]
    fn inner_arguments_go_first() {
        let name = "a<b<c<d>>, e<f>>::g(h<i>)";
        assert_eq!(fitted(name, 25), name);
        assert_eq!(fitted(name, 24), "a<b<…>, e<…>>::g(h<…>)");
        assert_eq!(fitted(name, 21), "a<…>::g(…)");
        assert_eq!(fitted("f()::operator()<abc>", 19), "f()::operator()<…>");
        let anonymous = "(anonymous namespace)::f<abc<bcd>>";
        assert_eq!(fitted(anonymous, 33), "(anonymous namespace)::f<abc<…>>");
        let rust = "<core::Result<A, B> as core::Display>::fmt";
        assert_eq!(fitted(rust, 40), "<core::Result<…> as core::Display>::fmt");
    }

    #[test]
    fn bare_names_are_cut_in_the_middle() {
        assert_eq!(fitted("abcdefg", 6), "abc…fg");
        assert_eq!(fitted("äbcdéfg", 4), "äb…g");
        assert_eq!(fitted("a<b>c>defghijkl", 10), "a<b>c…ijkl");
    }
}
