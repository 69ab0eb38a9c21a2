//! Writes names as C++ compilers do: what was named before is referred to by number.

use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A type, and a number that tells it from other types.
#[derive(Clone)]
pub(super) struct Type {
    kind: NameKind,
    id: u64,
}

#[derive(Clone)]
enum NameKind {
    Builtin(char),
    /// `P`, `R` or `K`, and the type that it is put before.
    Qualified(char, Box<Type>),
    /// Result and parameters.
    Function(Vec<Type>),
    Class(Vec<Part>),
}

#[derive(Clone)]
struct Part {
    name: String,
    arguments: Option<Vec<Type>>,
}

fn id_of(pieces: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    pieces.hash(&mut hasher);
    hasher.finish()
}

impl Type {
    pub fn builtin(letter: char) -> Type {
        let id = id_of(letter);
        Type {
            kind: NameKind::Builtin(letter),
            id,
        }
    }

    pub fn class(path: &[(&str, Option<Vec<Type>>)]) -> Type {
        let parts = path.iter().map(|(name, arguments)| Part {
            name: (*name).to_owned(),
            arguments: arguments.clone(),
        });
        Type::of_parts(parts.collect())
    }

    pub fn of_path(path: &[(String, Option<Vec<Type>>)]) -> Type {
        Type::of_parts(parts(path))
    }

    fn of_parts(parts: Vec<Part>) -> Type {
        let id = prefix_ids(&parts).last().map_or(0, |ids| ids.whole);
        Type {
            kind: NameKind::Class(parts),
            id,
        }
    }

    pub fn std(name: &str, arguments: Vec<Type>) -> Type {
        Type::class(&[("std", None), (name, Some(arguments))])
    }

    pub fn string() -> Type {
        let character = || Type::builtin('c');
        let traits = Type::std("char_traits", vec![character()]);
        let allocator = Type::std("allocator", vec![character()]);
        let arguments = vec![character(), traits, allocator];
        Type::class(&[
            ("std", None),
            ("__cxx11", None),
            ("basic_string", Some(arguments)),
        ])
    }

    fn qualified(self, letter: char) -> Type {
        let id = id_of((letter, self.id));
        Type {
            kind: NameKind::Qualified(letter, Box::new(self)),
            id,
        }
    }

    pub fn pointer(self) -> Type {
        self.qualified('P')
    }

    pub fn reference(self) -> Type {
        self.qualified('R')
    }

    pub fn constant(self) -> Type {
        match self.kind {
            NameKind::Qualified('K', _) => self,
            _ => self.qualified('K'),
        }
    }

    pub fn function(types: Vec<Type>) -> Type {
        let ids: Vec<u64> = types.iter().map(|part| part.id).collect();
        let id = id_of(('F', ids));
        Type {
            kind: NameKind::Function(types),
            id,
        }
    }

    pub fn into_path(self) -> Vec<(String, Option<Vec<Type>>)> {
        match self.kind {
            NameKind::Class(parts) => parts
                .into_iter()
                .map(|part| (part.name, part.arguments))
                .collect(),
            _ => vec![("global".to_owned(), None)],
        }
    }
}

fn parts(path: &[(String, Option<Vec<Type>>)]) -> Vec<Part> {
    path.iter()
        .map(|(name, arguments)| Part {
            name: name.clone(),
            arguments: arguments.clone(),
        })
        .collect()
}

/// What a name is up to one of its parts.
struct Ids {
    /// Without the arguments of that part.
    template: u64,
    whole: u64,
}

fn prefix_ids(parts: &[Part]) -> Vec<Ids> {
    let mut before = 0;
    let ids = parts.iter().map(|part| {
        let template = id_of((before, &part.name));
        let arguments = part.arguments.as_ref();
        let ids = arguments.map(|types| types.iter().map(|part| part.id).collect::<Vec<u64>>());
        let whole = ids.map_or(template, |ids| id_of((template, ids)));
        before = whole;
        Ids { template, whole }
    });
    ids.collect()
}

#[derive(Default)]
pub(super) struct Mangler {
    name: String,
    /// What can be referred to, by [`Type::id`].
    known: HashMap<u64, usize>,
}

impl Mangler {
    pub fn new() -> Mangler {
        Mangler::default()
    }

    /// A member function, or one in a namespace.
    pub fn function(
        mut self,
        path: &[(String, Option<Vec<Type>>)],
        name: &str,
        parameters: &[Type],
    ) -> String {
        self.name.push_str("_ZN");
        self.prefix(&parts(path));
        self.identifier(name);
        self.name.push('E');
        for parameter in parameters {
            self.of_type(parameter);
        }
        self.name
    }

    fn identifier(&mut self, name: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.name, "{}{name}", name.len());
    }

    fn remember(&mut self, id: u64) {
        let next = self.known.len();
        self.known.entry(id).or_insert(next);
    }

    /// A reference, if it was named before.
    fn refer(&mut self, id: u64) -> bool {
        let Some(&number) = self.known.get(&id) else {
            return false;
        };
        self.name.push('S');
        if let Some(number) = number.checked_sub(1) {
            self.name.push_str(&base36(number));
        }
        self.name.push('_');
        true
    }

    fn of_type(&mut self, of: &Type) {
        match &of.kind {
            NameKind::Builtin(letter) => self.name.push(*letter),
            _ if self.refer(of.id) => {}
            NameKind::Qualified(letter, inner) => {
                self.name.push(*letter);
                self.of_type(inner);
                self.remember(of.id);
            }
            NameKind::Function(types) => {
                self.name.push('F');
                for part in types {
                    self.of_type(part);
                }
                self.name.push('E');
                self.remember(of.id);
            }
            NameKind::Class(parts) => {
                let is_plain = matches!(
                    parts.as_slice(),
                    [_] | [
                        Part {
                            arguments: None,
                            ..
                        },
                        _
                    ]
                );
                let is_nested = !(parts.len() == 1 || (is_plain && parts[0].name == "std"));
                if is_nested {
                    self.name.push('N');
                }
                self.prefix(parts);
                if is_nested {
                    self.name.push('E');
                }
            }
        }
    }

    /// The parts of a name, from the last that was named before.
    fn prefix(&mut self, parts: &[Part]) {
        let ids = prefix_ids(parts);
        let known = ids
            .iter()
            .rposition(|ids| self.known.contains_key(&ids.whole));
        let templates = ids
            .iter()
            .rposition(|ids| self.known.contains_key(&ids.template));
        let mut next = 0;
        match (known, templates) {
            (Some(whole), template) if template.is_none_or(|at| at <= whole) => {
                self.refer(ids[whole].whole);
                next = whole + 1;
            }
            (_, Some(template)) => {
                self.refer(ids[template].template);
                self.arguments(&parts[template], &ids[template]);
                next = template + 1;
            }
            _ => {}
        }
        for (index, part) in parts.iter().enumerate().skip(next) {
            let is_std = index == 1 && parts[0].name == "std";
            match (index, part.name.as_str()) {
                (0, "std") if parts.get(1).is_some_and(|part| part.name == "allocator") => {}
                (0, "std") => self.name.push_str("St"),
                (1, "allocator") if is_std => {
                    self.name.push_str("Sa");
                    self.arguments(part, &ids[index]);
                }
                (_, name) => {
                    self.identifier(name);
                    self.remember(ids[index].template);
                    self.arguments(part, &ids[index]);
                }
            }
        }
    }

    fn arguments(&mut self, part: &Part, ids: &Ids) {
        let Some(arguments) = &part.arguments else {
            return;
        };
        self.name.push('I');
        for argument in arguments {
            self.of_type(argument);
        }
        self.name.push('E');
        self.remember(ids.whole);
    }
}

fn base36(mut number: usize) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % 36]);
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().copied().map(char::from).collect()
}
