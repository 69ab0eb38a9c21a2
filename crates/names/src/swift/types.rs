//! Types in names of Swift.

use super::standard::{standard_concurrency, standard_type};
use super::{Element, Item, Parser, Signature};

impl Parser<'_> {
    /// A type as text.
    pub(super) fn pop_type(&mut self) -> Option<String> {
        match self.stack.pop()? {
            Item::Type(text) => Some(text),
            Item::Nominal(path) => Some(path.join(".")),
            Item::Function(signature) => Some(signature.to_string()),
            Item::Tuple(elements) => Some(format!("({})", list(&elements))),
            _ => None,
        }
    }

    /// Whether the item above the others is a type.
    pub(super) fn is_at_type(&self) -> bool {
        matches!(
            self.stack.last(),
            Some(Item::Type(_) | Item::Nominal(_) | Item::Function(_) | Item::Tuple(_))
        )
    }

    pub(super) fn take_item(&mut self, is_it: impl Fn(&Item) -> bool) -> bool {
        let is_there = self.stack.last().is_some_and(is_it);
        if is_there {
            self.stack.pop();
        }
        is_there
    }

    pub(super) fn take_first_element(&mut self) -> bool {
        self.take_item(|item| matches!(item, Item::FirstElement))
    }

    pub(super) fn take_empty_list(&mut self) -> bool {
        self.take_item(|item| matches!(item, Item::EmptyList))
    }

    /// What a name is in: a module, a type or a function.
    pub(super) fn pop_context(&mut self) -> Option<Vec<String>> {
        match self.stack.pop()? {
            Item::Identifier(name) | Item::Module(name) => Some(vec![name]),
            Item::Nominal(path) => Some(path),
            Item::Type(text) | Item::Entity(text) => Some(vec![text]),
            _ => None,
        }
    }

    pub(super) fn nominal(&mut self) -> Option<Item> {
        let name = self.pop_name()?;
        let mut path = self.pop_context()?;
        path.push(name);
        Some(self.substitutable(Item::Nominal(path)))
    }

    pub(super) fn extension(&mut self) -> Option<Item> {
        self.take_item(|item| matches!(item, Item::GenericSignature));
        match self.stack.pop()? {
            Item::Identifier(_) | Item::Module(_) => {}
            _ => return None,
        }
        self.pop_context().map(Item::Nominal)
    }

    /// A protocol, which may be written as a name in a context.
    pub(super) fn pop_protocol(&mut self) -> Option<Item> {
        if let Some(Item::Nominal(_)) = self.stack.last() {
            return self.stack.pop();
        }
        let name = self.pop_name()?;
        let mut path = self.pop_context()?;
        path.push(name);
        Some(Item::Nominal(path))
    }

    pub(super) fn protocol_list(&mut self) -> Option<Item> {
        let protocols = self.pop_protocols()?;
        Some(Item::Type(match protocols.is_empty() {
            true => "Any".to_owned(),
            false => protocols.join(" & "),
        }))
    }

    fn pop_protocols(&mut self) -> Option<Vec<String>> {
        let mut protocols = Vec::new();
        if self.take_empty_list() {
            return Some(protocols);
        }
        loop {
            let is_first = self.take_first_element();
            match self.pop_protocol()? {
                Item::Nominal(path) => protocols.push(path.join(".")),
                _ => return None,
            }
            if is_first {
                protocols.reverse();
                return Some(protocols);
            }
        }
    }

    /// `S`: modules and types with names of one letter.
    pub(super) fn standard(&mut self) -> Option<Item> {
        match self.peek()? {
            b'o' => {
                self.at += 1;
                return Some(Item::Module("__C".to_owned()));
            }
            b'C' => {
                self.at += 1;
                return Some(Item::Module("__C_Synthesized".to_owned()));
            }
            b'g' => {
                self.at += 1;
                let wrapped = self.pop_type()?;
                return Some(self.substitutable(Item::Type(optional(&wrapped))));
            }
            _ => {}
        }
        let count = match self.peek()? {
            b'0'..=b'9' => self.natural()?,
            _ => 1,
        };
        let name = match self.take(b'c') {
            true => standard_concurrency(self.next()?)?,
            false => standard_type(self.next()?)?,
        };
        let item = Item::Nominal(vec!["Swift".to_owned(), name.to_owned()]);
        for _ in 1..count {
            self.push(item.clone())?;
        }
        Some(item)
    }

    pub(super) fn builtin(&mut self) -> Option<Item> {
        let name = match self.next()? {
            b'b' => "BridgeObject",
            b'B' => "UnsafeValueBuffer",
            b'I' => "IntLiteral",
            b'O' => "UnknownObject",
            b'o' => "NativeObject",
            b'p' => "RawPointer",
            b'w' => "Word",
            b'i' => {
                let bits = self.natural().filter(|_| self.take_bar())?;
                return Some(Item::Type(format!("Builtin.Int{bits}")));
            }
            b'f' => {
                let bits = self.natural().filter(|_| self.take_bar())?;
                return Some(Item::Type(format!("Builtin.FPIEEE{bits}")));
            }
            _ => return None,
        };
        Some(Item::Type(format!("Builtin.{name}")))
    }

    fn take_bar(&mut self) -> bool {
        self.take(b'_')
    }

    pub(super) fn convention(&mut self, word: &str) -> Option<Item> {
        let type_name = self.pop_type()?;
        Some(Item::Type(format!("{word}{type_name}")))
    }

    pub(super) fn annotation(&mut self) -> Option<Item> {
        match self.next()? {
            b'a' => Some(Item::Annotation("async")),
            b'b' => Some(Item::Annotation("")),
            b'c' => {
                self.pop_type()?;
                Some(Item::Annotation(""))
            }
            b'K' => {
                self.pop_type()?;
                Some(Item::Annotation("throws"))
            }
            b'i' => self.convention("isolated "),
            b't' => self.convention("_const "),
            _ => None,
        }
    }

    pub(super) fn special_type(&mut self) -> Option<Item> {
        match self.next()? {
            b'E' | b'f' | b'B' | b'C' => Some(Item::Function(self.pop_signature()?)),
            b'K' | b'A' => {
                let signature = self.pop_signature()?;
                Some(Item::Type(format!("@autoclosure {signature}")))
            }
            b'o' => self.convention("unowned "),
            b'u' => self.convention("unowned(unsafe) "),
            b'w' => self.convention("weak "),
            b'p' => {
                let type_name = self.pop_type()?;
                Some(Item::Type(format!("{type_name}.Type")))
            }
            b'D' => {
                self.pop_type()?;
                Some(Item::Type("Self".to_owned()))
            }
            b'M' | b'm' => {
                self.next()?;
                let type_name = self.pop_type()?;
                Some(Item::Type(format!("{type_name}.Type")))
            }
            b'l' => {
                let mut protocols = self.pop_protocols()?;
                protocols.push("AnyObject".to_owned());
                Some(Item::Type(protocols.join(" & ")))
            }
            b'c' => {
                let class = self.pop_type()?;
                let mut protocols = self.pop_protocols()?;
                protocols.insert(0, class);
                Some(Item::Type(protocols.join(" & ")))
            }
            _ => None,
        }
    }

    /// Result, parameters, and what is said of the function after them.
    pub(super) fn pop_signature(&mut self) -> Option<Signature> {
        let mut words = Vec::new();
        while let Some(Item::Annotation(word)) = self.stack.last() {
            words.push(*word);
            self.stack.pop();
        }
        let mut effects = String::new();
        for word in words.iter().rev().filter(|word| !word.is_empty()) {
            effects += word;
            effects.push(' ');
        }
        let parameters = match self.take_empty_list() {
            true => Vec::new(),
            false => match self.stack.last()? {
                Item::Tuple(_) => match self.stack.pop()? {
                    Item::Tuple(elements) => elements,
                    _ => return None,
                },
                _ => vec![Element {
                    label: None,
                    type_name: self.pop_type()?,
                }],
            },
        };
        let result = match self.take_empty_list() {
            true => "()".to_owned(),
            false => self.pop_type()?,
        };
        Some(Signature {
            parameters,
            result,
            effects,
        })
    }

    pub(super) fn pop_tuple(&mut self) -> Option<Vec<Element>> {
        let mut elements = Vec::new();
        if self.take_empty_list() {
            return Some(elements);
        }
        loop {
            let is_first = self.take_first_element();
            let is_variadic = self.take_item(|item| matches!(item, Item::Variadic));
            let label = match self.stack.last()? {
                Item::Identifier(_) => Some(self.pop_name()?),
                _ => None,
            };
            let mut type_name = self.pop_type()?;
            if is_variadic {
                type_name += "...";
            }
            elements.push(Element { label, type_name });
            if is_first {
                elements.reverse();
                return Some(elements);
            }
        }
    }
}

pub(super) fn optional(wrapped: &str) -> String {
    match wrapped.contains("->") {
        true => format!("({wrapped})?"),
        false => format!("{wrapped}?"),
    }
}

pub(super) fn list(elements: &[Element]) -> String {
    let mut shown = String::new();
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            shown += ", ";
        }
        if let Some(label) = &element.label {
            shown += label;
            shown += ": ";
        }
        shown += &element.type_name;
    }
    shown
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Signature {
            parameters,
            result,
            effects,
        } = self;
        write!(f, "({}) {effects}-> {result}", list(parameters))
    }
}
