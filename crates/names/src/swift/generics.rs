//! Generic types and functions in names of Swift.

use super::types::optional;
use super::{Item, Parser};

impl Parser<'_> {
    pub(super) fn bound_generic(&mut self) -> Option<Item> {
        // The arguments of the innermost type come last, and are found first.
        let mut lists = Vec::new();
        loop {
            let mut arguments = Vec::new();
            while self.is_at_type() {
                arguments.push(self.pop_type()?);
            }
            arguments.reverse();
            lists.push(arguments);
            if self.take_empty_list() {
                break;
            }
            if !self.take_first_element() {
                return None;
            }
        }
        let Item::Nominal(mut path) = self.stack.pop()? else {
            return None;
        };
        let bound = match (path.join(".").as_str(), lists.as_slice()) {
            ("Swift.Optional", [list]) if list.len() == 1 => Item::Type(optional(&list[0])),
            ("Swift.Array", [list]) if list.len() == 1 => Item::Type(format!("[{}]", list[0])),
            ("Swift.Dictionary", [list]) if list.len() == 2 => {
                Item::Type(format!("[{} : {}]", list[0], list[1]))
            }
            _ => {
                for (part, list) in path.iter_mut().rev().zip(&lists) {
                    if !list.is_empty() {
                        *part += &format!("<{}>", list.join(", "));
                    }
                }
                Item::Nominal(path)
            }
        };
        Some(self.substitutable(bound))
    }

    /// `z` is the first, an index a later one, `d` one of an inner generic.
    pub(super) fn generic_parameter(&mut self) -> Option<String> {
        if self.take(b'd') {
            let depth = self.index()? + 1;
            let index = self.index()?;
            return Some(format!("{}{depth}", letters(index)));
        }
        match self.take(b'z') {
            true => Some("A".to_owned()),
            false => Some(letters(self.index()? + 1)),
        }
    }

    /// A type that belongs to a generic parameter or to another type.
    pub(super) fn associated(&mut self) -> Option<Item> {
        let kind = self.next()?;
        let names = match kind {
            b'a' | b'x' | b'y' | b'z' => vec![self.pop_associated_name()?],
            b'X' | b'Y' | b'Z' => {
                let mut names = Vec::new();
                loop {
                    let is_first = self.take_first_element();
                    names.push(self.pop_associated_name()?);
                    if is_first {
                        names.reverse();
                        break names;
                    }
                }
            }
            b'r' => return Some(Item::Type("some".to_owned())),
            _ => return None,
        };
        let base = match kind {
            b'z' | b'Z' => "A".to_owned(),
            b'y' | b'Y' => self.generic_parameter()?,
            _ => self.pop_type()?,
        };
        let type_name = format!("{base}.{}", names.join("."));
        Some(self.substitutable(Item::Type(type_name)))
    }

    fn pop_associated_name(&mut self) -> Option<String> {
        if let Some(Item::Nominal(_)) = self.stack.last() {
            self.stack.pop();
        }
        match self.stack.pop()? {
            Item::Identifier(name) => Some(name),
            _ => None,
        }
    }

    /// What a generic parameter must be. It is not shown, but it must be read.
    pub(super) fn requirement(&mut self) -> Option<Item> {
        let kind = self.peek()?;
        if kind.is_ascii_alphabetic() && !matches!(kind, b'z' | b'd') {
            self.at += 1;
        }
        match kind {
            b'c' | b't' | b'm' | b'p' => {
                let name = self.pop_associated_name()?;
                let base = self.generic_parameter()?;
                self.substitutable(Item::Type(format!("{base}.{name}")));
            }
            b'b' | b's' | b'l' | b'h' | b'v' | b'z' | b'd' | b'_' | b'0'..=b'9' => {
                self.generic_parameter()?;
            }
            b'B' | b'S' | b'L' | b'Q' => drop(self.pop_type()?),
            _ => return None,
        }
        match kind {
            b'b' | b'c' | b'B' | b's' | b't' | b'S' | b'h' => drop(self.pop_type()?),
            b'l' | b'm' | b'L' => {
                if !b"NRTCDUBS".contains(&self.next()?) {
                    return None;
                }
            }
            b'v' => {}
            _ => drop(self.pop_protocol()?),
        }
        Some(Item::Requirement)
    }

    pub(super) fn generic_signature(&mut self, has_counts: bool) -> Option<Item> {
        while has_counts && !self.take(b'l') {
            if !self.take(b'z') {
                self.index()?;
            }
        }
        while self.take_item(|item| matches!(item, Item::Requirement)) {}
        Some(Item::GenericSignature)
    }

    pub(super) fn pop_generic_signature(&mut self, signature: Item) -> Option<Item> {
        match signature {
            Item::GenericSignature => self.stack.pop(),
            _ => None,
        }
    }
}

/// Generic parameters have no names any more: A, B, ... Z, AB, ...
fn letters(mut index: usize) -> String {
    let mut name = String::new();
    loop {
        name.push(char::from(b'A' + (index % 26) as u8));
        index /= 26;
        if index == 0 {
            return name;
        }
    }
}
