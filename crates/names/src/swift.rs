//! Names of Swift, written in reverse Polish: what a name is made of comes first, and
//! an operator after it says what to make of it.
//!
//! Functions, methods, accessors, initialisers, closures, generic types and what the
//! compiler derives from them are read. Anything else gives up, and the name is then
//! left as it is.

mod entities;
mod generics;
mod identifiers;
mod standard;
mod types;

use crate::demangle::{DemangleStyle, LONGEST};

/// The most operators in a name, those repeated by references included.
const MOST_STEPS: usize = 1 << 14;

/// What names begin with. The last is that of Swift 4.0, which wrote labels in tuples.
const PREFIXES: [&str; 7] = ["$s", "_$s", "$S", "_$S", "$e", "_$e", "_T0"];

pub(crate) fn is_mangled(name: &str) -> bool {
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The readable form of a name for which [`is_mangled`] holds.
pub(crate) fn demangle(name: &str, style: DemangleStyle) -> Option<String> {
    let prefix = PREFIXES.iter().find(|prefix| name.starts_with(**prefix))?;
    if !name.is_ascii() {
        return None;
    }
    let mut parser = Parser {
        text: name.as_bytes(),
        at: prefix.len(),
        stack: Vec::new(),
        substitutions: Vec::new(),
        words: Vec::new(),
        style,
        has_labels_in_tuples: *prefix == "_T0",
        steps: 0,
        bytes: 0,
    };
    while parser.at < name.len() {
        let item = parser.operator()?;
        parser.push(item)?;
    }
    match (parser.stack.pop()?, parser.stack.is_empty()) {
        (Item::Entity(shown), true) => Some(shown),
        _ => None,
    }
}

/// What stands on the stack.
#[derive(Debug, Clone)]
enum Item {
    Identifier(String),
    /// An identifier that was given a file or a number.
    DeclName(String),
    /// Tells apart things without names.
    Discriminator,
    Module(String),
    /// A class, structure, enumeration, protocol: its module, what it is in, and it.
    Nominal(Vec<String>),
    Type(String),
    Function(Signature),
    Tuple(Vec<Element>),
    /// Something that code belongs to, whole.
    Entity(String),
    EmptyList,
    FirstElement,
    Annotation(&'static str),
    Variadic,
    Requirement,
    /// How many parameters, at each depth.
    GenericSignature,
}

#[derive(Debug, Clone)]
struct Signature {
    parameters: Vec<Element>,
    result: String,
    /// `async`, `throws`
    effects: String,
}

#[derive(Debug, Clone)]
struct Element {
    label: Option<String>,
    type_name: String,
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    stack: Vec<Item>,
    substitutions: Vec<Item>,
    /// Parts of identifiers, which later ones refer to.
    words: Vec<String>,
    style: DemangleStyle,
    has_labels_in_tuples: bool,
    steps: usize,
    /// Of all that was ever put on the stack; references repeat what they lead to.
    bytes: usize,
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

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn push(&mut self, item: Item) -> Option<()> {
        self.steps += 1;
        self.bytes += match &item {
            Item::Identifier(text)
            | Item::DeclName(text)
            | Item::Module(text)
            | Item::Type(text)
            | Item::Entity(text) => text.len(),
            Item::Nominal(path) => path.iter().map(String::len).sum(),
            Item::Function(signature) => {
                let parameters = signature.parameters.iter();
                let bytes: usize = parameters.map(|element| element.type_name.len()).sum();
                bytes + signature.result.len()
            }
            Item::Tuple(elements) => elements.iter().map(|element| element.type_name.len()).sum(),
            _ => 0,
        };
        if self.steps > MOST_STEPS || self.bytes > 4 * LONGEST {
            return None;
        }
        self.stack.push(item);
        Some(())
    }

    fn natural(&mut self) -> Option<usize> {
        let start = self.at;
        let mut number = 0usize;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number.checked_mul(10)?.checked_add((digit - b'0').into())?;
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// `_` is 0, `0_` is 1.
    fn index(&mut self) -> Option<usize> {
        if self.take(b'_') {
            return Some(0);
        }
        let number = self.natural()?;
        self.take(b'_').then(|| number + 1)
    }

    /// Remembers something that may be referred to.
    fn substitutable(&mut self, item: Item) -> Item {
        self.substitutions.push(item.clone());
        item
    }

    /// Reads one operator and gives what it makes; the caller puts it on the stack.
    fn operator(&mut self) -> Option<Item> {
        if self.peek()?.is_ascii_digit() {
            let identifier = Item::Identifier(self.identifier()?);
            return Some(self.substitutable(identifier));
        }
        match self.next()? {
            b'A' => self.references(),
            b'B' => self.builtin(),
            b'C' | b'O' | b'V' | b'a' => self.nominal(),
            b'P' => {
                let protocol = self.pop_protocol()?;
                Some(self.substitutable(protocol))
            }
            b'E' => self.extension(),
            b'F' => self.function(),
            b'G' => self.bound_generic(),
            b'I' => self.lowered_function(),
            b'K' => Some(Item::Annotation("throws")),
            b'L' => self.local_name(),
            b'M' => self.metadata(),
            b'Q' => self.associated(),
            b'R' => self.requirement(),
            b'S' => self.standard(),
            b'T' => self.thunk(),
            b'W' => self.witness(),
            b'X' => self.special_type(),
            b'Y' => self.annotation(),
            b'Z' => match self.stack.pop()? {
                Item::Entity(shown) => Some(Item::Entity(format!("static {shown}"))),
                _ => None,
            },
            b'c' => Some(Item::Function(self.pop_signature()?)),
            b'd' => Some(Item::Variadic),
            b'f' => self.special_function(),
            b'h' => self.convention("__shared "),
            b'i' => self.subscript(),
            b'l' => self.generic_signature(false),
            b'm' => {
                let type_name = self.pop_type()?;
                Some(Item::Type(format!("{type_name}.Type")))
            }
            b'n' => self.convention("__owned "),
            b'o' => self.operator_name(),
            b'p' => self.protocol_list(),
            b'q' => Some(Item::Type(self.generic_parameter()?)),
            b'r' => self.generic_signature(true),
            b's' => Some(Item::Module("Swift".to_owned())),
            b't' => Some(Item::Tuple(self.pop_tuple()?)),
            b'u' => {
                let inner = self.stack.pop()?;
                self.pop_generic_signature(inner)
            }
            b'v' => self.variable(),
            b'w' => self.value_witness(),
            b'x' => Some(Item::Type("A".to_owned())),
            b'y' => Some(Item::EmptyList),
            b'z' => self.convention("inout "),
            b'_' => Some(Item::FirstElement),
            _ => None,
        }
    }

    /// One reference, or several in a row; all but the last are put on the stack here.
    fn references(&mut self) -> Option<Item> {
        loop {
            let count = match self.peek()? {
                b'0'..=b'9' => Some(self.natural()?),
                _ => None,
            };
            let (index, is_last) = match self.next()? {
                letter @ b'a'..=b'z' => (usize::from(letter - b'a'), false),
                letter @ b'A'..=b'Z' => (usize::from(letter - b'A'), true),
                b'_' => {
                    let index = count.map_or(26, |count| count + 27);
                    return self.substitutions.get(index).cloned();
                }
                _ => return None,
            };
            let item = self.substitutions.get(index)?.clone();
            for _ in 1..count.unwrap_or(1) {
                self.push(item.clone())?;
            }
            if is_last {
                return Some(item);
            }
            self.push(item)?;
        }
    }
}
