//! Shorter names by their structure: namespaces, template arguments, parameters.
//!
//! One pass over the pieces of a name, with a stack of open brackets. Inner types are
//! finished before the ones around them, so each list of arguments is judged once, on
//! what is left of it. A type is recognised by its qualified name without any
//! arguments: `std::map<int, int>::iterator` is `std::map::iterator`.

mod defaults;
mod lookup;

use rustc_hash::FxHashMap;

use crate::tokens::{Token, Tokens, Unbalanced};
use defaults::is_default;
pub(crate) use lookup::{ArgumentRule, ArgumentRules, Which, Words};

/// What is taken out of names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shortening {
    /// Whole qualifications, such as `std::`, dropped where a name begins with them.
    pub prefixes: Words,
    /// Namespaces dropped wherever they stand, such as `__cxx11`.
    pub inner: Words,
    pub arguments: ArgumentRules,
    /// From a type as it is shown, with its namespaces, to another name for it.
    aliases: FxHashMap<String, String>,
    longest_alias: usize,
    pub drops_parameters: bool,
}

/// In place of arguments.
const ELLIPSIS: &str = "…";

impl Shortening {
    /// The shortened name; `None` if brackets do not pair.
    pub fn apply(&self, name: &str) -> Option<String> {
        let mut writer = Writer::new(self, name.len());
        writer
            .write(match self.drops_parameters {
                true => without_qualifiers(name),
                false => name,
            })
            .ok()?;
        Some(writer.shown)
    }

    /// `type_name` as it is after everything else was dropped from it, but with its
    /// namespaces.
    pub fn add_alias(&mut self, type_name: &str, alias: &str) {
        self.longest_alias = self.longest_alias.max(type_name.len());
        self.aliases.insert(type_name.to_owned(), alias.to_owned());
    }

    pub fn and_then(mut self, later: Shortening) -> Shortening {
        self.prefixes.extend(later.prefixes);
        self.inner.extend(later.inner);
        self.arguments.and_then(later.arguments);
        self.aliases.extend(later.aliases);
        self.longest_alias = self.longest_alias.max(later.longest_alias);
        self.drops_parameters |= later.drops_parameters;
        self
    }
}

/// A list in brackets that is still open.
struct List {
    /// Where its bracket stands in what is shown.
    bracket: usize,
    /// Where its first argument is in [`Writer::arguments`].
    arguments: usize,
    /// What goes on when the list is closed: the name that it belongs to.
    outer: Name,
    /// Where the outer name ends in [`Writer::bare`].
    bare_end: usize,
    /// What is dropped from it.
    rule: Option<ArgumentRule>,
}

/// The beginning of the name that is being read.
#[derive(Clone, Copy)]
struct Name {
    /// In what is shown.
    shown: usize,
    /// In [`Writer::bare`].
    bare: usize,
    /// Where its last part begins there: `map` in `std::map`.
    last_part: usize,
}

struct Writer<'a> {
    rules: &'a Shortening,
    shown: String,
    /// The qualified names that are being read, outermost first, without arguments.
    bare: String,
    name: Name,
    lists: Vec<List>,
    /// Where the arguments of all open lists begin in what is shown.
    arguments: Vec<usize>,
}

impl<'a> Writer<'a> {
    fn new(rules: &'a Shortening, length: usize) -> Writer<'a> {
        Writer {
            rules,
            shown: String::with_capacity(length),
            bare: String::with_capacity(64),
            name: Name {
                shown: 0,
                bare: 0,
                last_part: 0,
            },
            lists: Vec::new(),
            arguments: Vec::new(),
        }
    }

    fn write(&mut self, name: &str) -> Result<(), Unbalanced> {
        let mut tokens = Tokens::new(name);
        while let Some(token) = tokens.next() {
            match token? {
                Token::Word(word) => {
                    self.shown.push_str(word);
                    self.bare.push_str(word);
                }
                Token::Scope => self.scope(),
                Token::Open(bracket) => {
                    self.open(bracket);
                    if self.is_full() {
                        self.drop_all(&mut tokens)?;
                    }
                }
                Token::Close(bracket) => {
                    let list = self.close(bracket)?;
                    if bracket == b')' && self.rules.drops_parameters {
                        self.drop_parameters(&list, &mut tokens);
                    }
                }
                Token::Comma if self.is_full() => {
                    skip_list(&mut tokens)?;
                    self.close(b'>')?;
                }
                Token::Comma => {
                    self.shown.push(',');
                    self.next_argument();
                }
                Token::Space => {
                    // Names in C++ have a space between closing brackets.
                    if !tokens.rest().starts_with('>') {
                        self.shown.push(' ');
                    }
                    self.begin_name();
                }
                Token::Mark(mark) => {
                    self.shown.push_str(mark);
                    self.begin_name();
                }
            }
        }
        Ok(())
    }

    fn begin_name(&mut self) {
        self.bare
            .truncate(self.lists.last().map_or(0, |list| list.bare_end));
        self.name = Name {
            shown: self.shown.len(),
            bare: self.bare.len(),
            last_part: self.bare.len(),
        };
    }

    fn scope(&mut self) {
        let part = &self.bare[self.name.last_part..];
        if self.rules.inner.contains(part) && self.shown.ends_with(part) {
            self.shown.truncate(self.shown.len() - part.len());
            self.bare.truncate(self.name.last_part);
            return;
        }
        self.shown.push_str("::");
        self.bare.push_str("::");
        self.name.last_part = self.bare.len();
        if self.rules.prefixes.contains(&self.bare[self.name.bare..]) {
            self.shown.truncate(self.name.shown);
        }
    }

    fn open(&mut self, bracket: u8) {
        let bare = self.bare[self.name.bare..].trim_end_matches("::");
        self.lists.push(List {
            bracket: self.shown.len(),
            arguments: self.arguments.len(),
            outer: self.name,
            bare_end: self.bare.len(),
            rule: match bracket {
                b'<' => self.rules.arguments.find(bare),
                _ => None,
            },
        });
        self.shown.push(bracket.into());
        self.next_argument();
    }

    fn next_argument(&mut self) {
        self.begin_name();
        self.arguments.push(self.shown.len());
    }

    /// Whether nothing more of the innermost list is shown.
    fn is_full(&self) -> bool {
        self.lists.last().is_some_and(|list| {
            let rule = list.rule.filter(|rule| rule.which == Which::All);
            rule.is_some_and(|rule| {
                // The argument that has just begun does not count before it is read.
                let begun = self.arguments.len() - list.arguments;
                let is_empty = self.shown.len() == list.bracket + 1;
                begun - usize::from(is_empty) >= rule.kept
            })
        })
    }

    /// Puts an ellipsis in place of all arguments, if that is not longer.
    fn drop_all(&mut self, tokens: &mut Tokens<'_>) -> Result<(), Unbalanced> {
        let before = tokens.rest();
        skip_list(tokens)?;
        let dropped = &before[..before.len() - tokens.rest().len() - ">".len()];
        self.shown.push_str(match dropped.len() < ELLIPSIS.len() {
            true => dropped,
            false => ELLIPSIS,
        });
        self.close(b'>').map(drop)
    }

    fn close(&mut self, bracket: u8) -> Result<List, Unbalanced> {
        let list = self.lists.pop().ok_or(Unbalanced)?;
        self.bare.truncate(list.bare_end);
        if list.rule.is_some_and(|rule| rule.which == Which::Defaults) {
            self.drop_defaults(&list);
        }
        self.arguments.truncate(list.arguments);
        if bracket == b'>' && self.shown.len() == list.bracket + 1 {
            self.shown.truncate(list.bracket);
        } else {
            self.shown.push(bracket.into());
        }
        self.name = list.outer;
        if bracket == b'>' {
            self.replace_by_alias(&list);
        }
        Ok(list)
    }

    /// Takes arguments off the end of the list that is about to be closed.
    fn drop_defaults(&mut self, list: &List) {
        let starts = &self.arguments[list.arguments..];
        let end = |index: usize| starts.get(index + 1).map_or(self.shown.len(), |at| at - 1);
        let mut kept = starts.len();
        while kept > list.rule.map_or(0, |rule| rule.kept).max(1) {
            let arguments = &self.shown[starts[0]..end(kept - 1)];
            if !is_default(arguments, starts[kept - 1] - starts[0]) {
                break;
            }
            kept -= 1;
        }
        if kept < starts.len() {
            // The comma goes too.
            self.shown.truncate(starts[kept] - 1);
        }
    }

    fn replace_by_alias(&mut self, list: &List) {
        let bare = &self.bare[list.outer.bare..];
        let arguments = &self.shown[list.bracket..];
        if bare.len() + arguments.len() > self.rules.longest_alias {
            return;
        }
        let type_name = [bare, arguments].concat();
        if let Some(alias) = self.rules.aliases.get(&type_name) {
            self.shown.truncate(list.outer.shown);
            self.shown.push_str(alias);
        }
    }

    /// Drops the parameters of a function of which something local is named, and
    /// what follows them: `f(int) const::{lambda()#1}`.
    fn drop_parameters(&mut self, list: &List, tokens: &mut Tokens<'_>) {
        let rest = tokens.rest();
        let mut after = rest;
        while let Some(shorter) = QUALIFIERS.iter().find_map(|word| after.strip_prefix(word)) {
            after = shorter;
        }
        let name = &self.bare[self.name.last_part..];
        let is_function = !["", "decltype", "sizeof", "noexcept", "alignof"].contains(&name);
        if is_function && after.starts_with("::") {
            self.shown.truncate(list.bracket);
            tokens.skip(rest.len() - after.len());
        }
    }
}

/// Reads on to the end of the list that is open, without looking.
fn skip_list(tokens: &mut Tokens<'_>) -> Result<(), Unbalanced> {
    let mut depth = 1;
    while depth > 0 {
        match tokens.next().ok_or(Unbalanced)?? {
            Token::Open(_) => depth += 1,
            Token::Close(_) => depth -= 1,
            _ => {}
        }
    }
    Ok(())
}

/// A function's own qualifiers stand at the end, where it is local to another.
fn without_qualifiers(mut name: &str) -> &str {
    while let Some(shorter) = QUALIFIERS
        .iter()
        .find_map(|word| name.strip_suffix(word))
        .filter(|shorter| shorter.ends_with("operator()"))
    {
        name = shorter;
    }
    name
}

const QUALIFIERS: [&str; 5] = [" const", " volatile", " &&", " &", "&"];
