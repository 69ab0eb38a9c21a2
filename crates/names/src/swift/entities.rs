//! Functions, variables and what the compiler makes of them, in names of Swift.

use super::types::list;
use super::{Element, Item, Parser, Signature};
use crate::demangle::DemangleStyle;

impl Parser<'_> {
    pub(super) fn function(&mut self) -> Option<Item> {
        self.take_item(|item| matches!(item, Item::GenericSignature));
        let signature = self.pop_signature()?;
        let labels = self.pop_labels(&signature)?;
        let name = self.pop_name()?;
        let context = self.pop_context()?;
        let shown = self.call(&name, &labels, &signature);
        Some(Item::Entity(inside(&context, &shown)))
    }

    /// The labels of the parameters, if they have any. Where none has, an empty list
    /// stands for all; a function without parameters has nothing there.
    fn pop_labels(&mut self, signature: &Signature) -> Option<Vec<Option<String>>> {
        let parameters = &signature.parameters;
        if self.has_labels_in_tuples {
            return Some(
                parameters
                    .iter()
                    .map(|element| element.label.clone())
                    .collect(),
            );
        }
        if self.take_empty_list() {
            return Some(vec![None; parameters.len()]);
        }
        let mut labels = Vec::new();
        for _ in parameters {
            labels.push(match self.stack.pop()? {
                Item::Identifier(label) => Some(label),
                Item::FirstElement => None,
                _ => return None,
            });
        }
        labels.reverse();
        Some(labels)
    }

    /// A function with its labels, and with its types if they are asked for.
    fn call(&self, name: &str, labels: &[Option<String>], signature: &Signature) -> String {
        let Signature {
            result, effects, ..
        } = signature;
        match self.style {
            DemangleStyle::NoParams => {
                let mut shown = format!("{name}(");
                for label in labels {
                    shown += label.as_deref().unwrap_or("_");
                    shown.push(':');
                }
                shown + ")"
            }
            DemangleStyle::Full => {
                let pairs = labels.iter().zip(&signature.parameters);
                let elements: Vec<Element> = pairs
                    .map(|(label, element)| Element {
                        label: label.clone(),
                        type_name: element.type_name.clone(),
                    })
                    .collect();
                format!("{name}({}) {effects}-> {result}", list(&elements))
            }
        }
    }

    pub(super) fn variable(&mut self) -> Option<Item> {
        self.stack.pop().filter(is_type)?;
        // Labels of a variable that is a function are never written.
        let name = self.pop_name()?;
        let context = self.pop_context()?;
        let accessor = self.accessor()?;
        Some(Item::Entity(inside(&context, &(name + accessor))))
    }

    pub(super) fn subscript(&mut self) -> Option<Item> {
        self.take_item(|item| matches!(item, Item::Discriminator));
        let signature = self.pop_function()?;
        let labels = self.pop_labels(&signature)?;
        let context = self.pop_context()?;
        let shown = self.call("subscript", &labels, &signature);
        let accessor = self.accessor()?;
        Some(Item::Entity(inside(&context, &(shown + accessor))))
    }

    fn accessor(&mut self) -> Option<&'static str> {
        Some(match self.next()? {
            b'g' | b'G' => ".getter",
            b's' => ".setter",
            b'm' => ".materializeForSet",
            b'w' => ".willset",
            b'W' => ".didset",
            b'r' => ".read",
            b'M' => ".modify",
            b'p' => "",
            b'a' => {
                self.next()?;
                ".unsafeMutableAddressor"
            }
            b'l' => {
                self.next()?;
                ".unsafeAddressor"
            }
            _ => return None,
        })
    }

    fn pop_function(&mut self) -> Option<Signature> {
        match self.stack.pop()? {
            Item::Function(signature) => Some(signature),
            _ => None,
        }
    }

    /// `f`: functions without a name of their own.
    pub(super) fn special_function(&mut self) -> Option<Item> {
        let untyped = |parser: &mut Self, name: &str| {
            let context = parser.pop_context()?;
            Some(Item::Entity(inside(&context, name)))
        };
        match self.next()? {
            b'D' => untyped(self, "__deallocating_deinit"),
            b'd' => untyped(self, "deinit"),
            b'E' => untyped(self, "__ivar_destroyer"),
            b'e' => untyped(self, "__ivar_initializer"),
            // One allocates and calls the other; in the source they are one.
            b'C' | b'c' => self.initialiser(),
            b'U' => self.closure("closure"),
            b'u' => self.closure("implicit closure"),
            b'A' => {
                let index = self.index()?;
                let context = self.pop_context()?.join(".");
                Some(Item::Entity(format!(
                    "default argument {index} of {context}"
                )))
            }
            b'i' => self.derived("variable initialization expression of "),
            _ => None,
        }
    }

    fn initialiser(&mut self) -> Option<Item> {
        self.take_item(|item| matches!(item, Item::Discriminator));
        let signature = self.pop_function()?;
        let labels = self.pop_labels(&signature)?;
        let context = self.pop_context()?;
        let shown = self.call("init", &labels, &signature);
        Some(Item::Entity(inside(&context, &shown)))
    }

    fn closure(&mut self, kind: &str) -> Option<Item> {
        let number = self.index()? + 1;
        let signature = self.pop_function()?;
        let context = self.pop_context()?.join(".");
        let types = match self.style {
            DemangleStyle::Full => format!("{signature} "),
            DemangleStyle::NoParams => String::new(),
        };
        let shown = format!("{kind} #{number} {types}in {context}");
        Some(Item::Entity(shown))
    }

    fn derived(&mut self, from: &str) -> Option<Item> {
        match self.stack.pop()? {
            Item::Entity(shown) => Some(Item::Entity(format!("{from}{shown}"))),
            _ => None,
        }
    }

    fn derived_from_type(&mut self, from: &str) -> Option<Item> {
        let type_name = self.pop_type()?;
        Some(Item::Entity(format!("{from}{type_name}")))
    }

    /// `T`: thunks, and versions of functions for some of their arguments.
    pub(super) fn thunk(&mut self) -> Option<Item> {
        match self.next()? {
            b'A' => self.derived("partial apply forwarder for "),
            b'a' => self.derived("partial apply ObjC forwarder for "),
            b'o' => self.derived("@objc "),
            b'O' => self.derived("@nonobjc "),
            b'D' => self.derived("dynamic "),
            b'd' => self.derived("super "),
            b'c' => self.derived("curry thunk of "),
            b'j' => self.derived("dispatch thunk of "),
            b'm' => self.derived("merged "),
            b'I' | b'X' | b'x' => self.derived("dynamically replaceable "),
            // The parts of an asynchronous function are shown as one.
            b'Q' | b'Y' => {
                self.index()?;
                self.derived("")
            }
            b'R' | b'r' => {
                self.stack.clear();
                Some(Item::Entity("reabstraction thunk helper".to_owned()))
            }
            b'W' => self.witness_thunk(),
            b'g' | b'G' | b'B' | b's' | b'p' | b'P' => {
                self.specialisation_info()?;
                self.specialised()
            }
            b'f' => {
                self.specialisation_info()?;
                // How each argument is specialised, and the result.
                while self.next()? != b'_' {}
                while self.peek().is_some_and(|byte| byte.is_ascii_lowercase()) {
                    self.at += 1;
                }
                self.specialised()
            }
            _ => None,
        }
    }

    fn specialisation_info(&mut self) -> Option<()> {
        while self.take(b'm') || self.take(b'q') || self.take(b'a') {}
        self.next()?.is_ascii_digit().then_some(())
    }

    /// What lies above the function on the stack are the arguments that were chosen.
    fn specialised(&mut self) -> Option<Item> {
        while !matches!(self.stack.last()?, Item::Entity(_)) {
            self.stack.pop();
        }
        match self.stack.last()? {
            Item::Entity(shown) if shown.starts_with("specialized ") => self.stack.pop(),
            _ => self.derived("specialized "),
        }
    }

    fn witness_thunk(&mut self) -> Option<Item> {
        let Item::Entity(witness) = self.stack.pop()? else {
            return None;
        };
        self.take_item(|item| matches!(item, Item::GenericSignature));
        match self.stack.pop()? {
            Item::Identifier(_) | Item::Module(_) => {}
            _ => return None,
        }
        self.pop_protocol()?;
        let type_name = self.pop_type()?;
        let shown = format!("protocol witness for {witness} in conformance {type_name}");
        Some(Item::Entity(shown))
    }

    /// `M`: functions that make descriptions of types.
    pub(super) fn metadata(&mut self) -> Option<Item> {
        match self.next()? {
            b'a' => self.derived_from_type("type metadata accessor for "),
            b'r' => self.derived_from_type("type metadata completion function for "),
            b'i' => self.derived_from_type("type metadata instantiation function for "),
            _ => None,
        }
    }

    /// `W`: of these, only what is code.
    pub(super) fn witness(&mut self) -> Option<Item> {
        if !self.take(b'O') {
            return None;
        }
        let what = match self.next()? {
            b'y' => "outlined copy of ",
            b'e' => "outlined consume of ",
            b'r' => "outlined retain of ",
            b's' => "outlined release of ",
            b'b' => "outlined init with take of ",
            b'c' => "outlined init with copy of ",
            b'd' => "outlined assign with take of ",
            b'f' => "outlined assign with copy of ",
            b'h' => "outlined destroy of ",
            _ => return None,
        };
        self.take_item(|item| matches!(item, Item::GenericSignature));
        self.derived_from_type(what)
    }

    /// `w`: how values of a type are copied, moved and destroyed.
    pub(super) fn value_witness(&mut self) -> Option<Item> {
        let what = match [self.next()?, self.next()?] {
            [b'c', b'a'] => "assignWithCopy",
            [b't', b'a'] => "assignWithTake",
            [b'x', b'x'] => "destroy",
            [b'C', b'P'] => "initializeBufferWithCopyOfBuffer",
            [b'c', b'p'] => "initializeWithCopy",
            [b't', b'k'] => "initializeWithTake",
            [b'u', b'g'] => "getEnumTag",
            [b'u', b'p'] => "destructiveProjectEnumData",
            [b'u', b'i'] => "destructiveInjectEnumTag",
            [b'e', b't'] => "getEnumTagSinglePayload",
            [b's', b't'] => "storeEnumTagSinglePayload",
            _ => return None,
        };
        self.derived_from_type(&format!("{what} value witness for "))
    }

    /// `I`: a function as it is called in the end. Only thunks between two of them have
    /// such types, and do not show them.
    pub(super) fn lowered_function(&mut self) -> Option<Item> {
        while self.next()? != b'_' {}
        Some(Item::Type("function".to_owned()))
    }
}

fn is_type(item: &Item) -> bool {
    matches!(
        item,
        Item::Type(_) | Item::Nominal(_) | Item::Function(_) | Item::Tuple(_)
    )
}

fn inside(context: &[String], name: &str) -> String {
    let mut shown = context.join(".");
    shown.push('.');
    shown + name
}
