//! C++ names: nearly all through a reader of our own for plain ones, the others through
//! a general parser that has to be kept on a leash.
//!
//! The general parser backtracks, so a name that it cannot parse takes time exponential
//! in how deeply the name nests. The recursion limit bounds that to a fraction
//! of a second, except for nested `new` and `delete`, which are counted here.

mod plain;

use std::fmt;

use cpp_demangle::{DemangleNodeType, DemangleOptions, DemangleWrite, ParseOptions, Symbol};

use crate::demangle::{DemangleStyle, Text};

/// Of 400,000 names in LLVM and other libraries, this is too low for 150. Each
/// five levels more would double the time that a bad name can take.
const PARSE_DEPTH: u32 = 80;

/// A parsed name nests deeper when its back references are followed.
const PRINT_DEPTH: u32 = 256;

/// The most steps a name may take to print. Names can refer back to parts of
/// themselves, so short ones can be made to print for ever.
const PRINT_STEPS: usize = 1 << 18;

/// The most `new` and `delete` in the expressions of a name. Each doubles the
/// time that the parser may take.
const MOST_NEW_OR_DELETE: usize = 3;

/// The readable form of a name that begins with `_Z`.
pub(crate) fn demangle(name: &str, style: DemangleStyle) -> Option<String> {
    if let Some((kind, target)) = thunk(name) {
        return Some(format!(
            "{kind} to {}",
            readable(&format!("_Z{target}"), style)?
        ));
    }
    readable(name, style)
}

/// Nearly all names are plain; the others go to the general parser.
fn readable(name: &str, style: DemangleStyle) -> Option<String> {
    plain::demangle(name, style).or_else(|| parse(name, style))
}

/// A thunk adjusts `this`, and goes on in the function it is for. The parser
/// prints them in a form of its own, so they are taken apart here: one offset
/// or more, and the name of the function.
fn thunk(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("_ZT")?;
    match *rest.as_bytes().first()? {
        b'h' => Some(("non-virtual thunk", skip_offset(rest)?)),
        b'v' => Some(("virtual thunk", skip_offset(rest)?)),
        b'c' => Some((
            "covariant return thunk",
            skip_offset(skip_offset(&rest[1..])?)?,
        )),
        _ => None,
    }
}

/// Skips `h`, a number and `_`, or `v`, two numbers and two `_`.
fn skip_offset(rest: &str) -> Option<&str> {
    match rest.strip_prefix('v') {
        Some(rest) => skip_number(skip_number(rest)?),
        None => skip_number(rest.strip_prefix('h')?),
    }
}

fn skip_number(rest: &str) -> Option<&str> {
    let (number, rest) = rest.split_once('_')?;
    let digits = number.strip_prefix('n').unwrap_or(number);
    digits.bytes().all(|b| b.is_ascii_digit()).then_some(rest)
}

fn parse(name: &str, style: DemangleStyle) -> Option<String> {
    if new_or_delete(name.as_bytes()) > MOST_NEW_OR_DELETE {
        return None;
    }
    let options = ParseOptions::default().recursion_limit(PARSE_DEPTH);
    let symbol = Symbol::new_with_options(name, &options).ok()?;
    let options = DemangleOptions::new().recursion_limit(PRINT_DEPTH);
    let options = match style {
        DemangleStyle::Full => options,
        DemangleStyle::NoParams => options.no_params().no_return_type(),
    };
    let mut output = Output {
        text: Text::of(name),
        steps: 0,
    };
    symbol.structured_demangle(&mut output, &options).ok()?;
    let text = String::from(output.text);
    // An empty parameter pack leaves its comma behind.
    match text.contains(", >") {
        true => Some(text.replace(", >", ">")),
        false => Some(text),
    }
}

/// Counts what may be `new` or `delete` in an expression, and may rarely be
/// something else: two parameters, a double and a long, look like `delete`.
fn new_or_delete(mut name: &[u8]) -> usize {
    let mut count = 0;
    let mut in_expression = false;
    let mut previous = 0;
    while let [first, rest @ ..] = name {
        match name {
            [b'X' | b'Q', ..] | [b'D', b'A'..=b'Z' | b't' | b'v', ..] => in_expression = true,
            [b'A', next, ..] if !next.is_ascii_digit() => in_expression = true,
            [b'n', b'a' | b'w', ..] | [b'd', b'a' | b'l', ..] if in_expression => count += 1,
            _ => {}
        }
        name = match first {
            b'0'..=b'9' => skip_number_or_identifier(previous, name),
            _ => rest,
        };
        previous = *first;
    }
    count
}

/// Skips a number, and the identifier whose length it is, if it is one.
fn skip_number_or_identifier(previous: u8, mut name: &[u8]) -> &[u8] {
    let mut length = 0usize;
    while let [digit @ b'0'..=b'9', rest @ ..] = name {
        length = length.saturating_mul(10);
        length = length.saturating_add((digit - b'0').into());
        name = rest;
    }
    match name {
        // The value of a literal, or a reference to something before.
        [b'E', ..] => name,
        [b'_', ..] if b"ALSTp_".contains(&previous) => name,
        _ => name.get(length..).unwrap_or(name),
    }
}

struct Output {
    text: Text,
    steps: usize,
}

impl DemangleWrite for Output {
    fn push_demangle_node(&mut self, _: DemangleNodeType) {
        self.steps += 1;
    }

    fn write_string(&mut self, piece: &str) -> fmt::Result {
        self.steps += 1;
        if self.steps > PRINT_STEPS {
            return Err(fmt::Error);
        }
        fmt::Write::write_str(&mut self.text, piece)
    }
}
