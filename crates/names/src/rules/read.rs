//! Reads a file of rules: one rule a line.
//!
//! ```text
//! VERB [module:P] [file:P] [linkage:P] [PATTERN] [-> TEXT]
//! ```

use std::fmt;

use super::pattern::Pattern;
use super::{Action, Rename, Rules, Says, Subject, Verdict};
use crate::shorten::{ArgumentRule, ArgumentRules, Shortening, Which};

/// A line that is no rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    source: String,
    /// Counted from 1.
    line: usize,
    reason: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.source, self.line, self.reason)
    }
}

impl std::error::Error for RuleError {}

pub(super) fn read(text: &str, source: &str) -> Result<Rules, RuleError> {
    let mut rules = Rules::none();
    for (index, line) in text.lines().enumerate() {
        add(&mut rules, line).map_err(|reason| RuleError {
            source: source.to_owned(),
            line: index + 1,
            reason,
        })?;
    }
    Ok(rules)
}

const VERBS: &str = "alias, collapse, cut, drop-default-arguments, drop-namespace, \
    drop-parameters, drop-suffixes, drop-template-arguments, framework, hide, keep, max-length, \
    merge, merge-library, rename";

fn add(rules: &mut Rules, line: &str) -> Result<(), String> {
    let line = without_comment(line).trim();
    if line.is_empty() {
        return Ok(());
    }
    let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let decide = |says: Says| -> Result<Verdict, String> {
        let subject = subject(rest)?;
        Ok(Verdict { subject, says })
    };
    match verb {
        "keep" => rules.verdicts.push(decide(Says::Action(Action::Keep))?),
        "hide" => rules.verdicts.push(decide(Says::Action(Action::Hide))?),
        "collapse" => {
            let says = Says::Action(Action::CollapseBelow);
            rules.verdicts.push(decide(says)?);
        }
        "cut" => rules.verdicts.push(decide(Says::Action(Action::CutAbove))?),
        "framework" => rules.verdicts.push(decide(Says::Framework)?),
        "merge" => {
            let (pattern, name) = arrow(rest)?;
            let subject = subject(pattern)?;
            let says = Says::Merge(Some(shown_text(name)?));
            rules.verdicts.push(Verdict { subject, says });
        }
        "merge-library" => rules.verdicts.push(merge_library(rest)?),
        "rename" => rules.renames.push(rename(rest)?),
        "max-length" => {
            let length = rest.parse().ok().filter(|length| *length >= SHORTEST);
            let wanted = || format!("max-length needs a number of characters, at least {SHORTEST}");
            rules.longest = Some(length.ok_or_else(wanted)?);
        }
        "drop-suffixes" => {
            nothing_after(verb, rest)?;
            rules.drops_suffixes = true;
        }
        _ => shorten(rules.shortening.get_or_insert_default(), verb, rest)?,
    }
    Ok(())
}

/// Shorter than this, names would say nothing.
const SHORTEST: usize = 10;

/// The verbs that look into names.
fn shorten(shortening: &mut Shortening, verb: &str, rest: &str) -> Result<(), String> {
    match verb {
        "drop-parameters" => {
            nothing_after(verb, rest)?;
            shortening.drops_parameters = true;
        }
        "drop-namespace" => {
            let namespace = rest.strip_suffix("::").unwrap_or(rest);
            match namespace.strip_prefix("::") {
                None if namespace.is_empty() => return Err("missing namespace".to_owned()),
                None => shortening.prefixes.insert(format!("{namespace}::")),
                Some(inner) => shortening.inner.insert(inner.to_owned()),
            };
        }
        "drop-template-arguments" => arguments(&mut shortening.arguments, rest, Which::All)?,
        "drop-default-arguments" => {
            arguments(&mut shortening.arguments, rest, Which::Defaults)?;
        }
        "alias" => {
            let (type_name, name) = arrow(rest)?;
            if !type_name.ends_with('>') {
                return Err("an alias is for a type with template arguments".to_owned());
            }
            shortening.add_alias(type_name, &shown_text(name)?);
        }
        _ => return Err(format!("unknown keyword {verb:?}; expected one of {VERBS}")),
    }
    Ok(())
}

fn nothing_after(verb: &str, rest: &str) -> Result<(), String> {
    match rest.is_empty() {
        true => Ok(()),
        false => Err(format!("{verb} takes no arguments")),
    }
}

/// A comment begins with `#` at the start of a line or after a space. In a name `#`
/// stands after something else: `{lambda()#1}`.
fn without_comment(line: &str) -> &str {
    let comment = line
        .match_indices('#')
        .find(|(at, _)| line[..*at].ends_with(char::is_whitespace) || *at == 0);
    &line[..comment.map_or(line.len(), |(at, _)| at)]
}

/// `FROM -> TO`. A regular expression may hold arrows of its own, so the last counts.
fn arrow(rest: &str) -> Result<(&str, &str), String> {
    let (from, to) = rest
        .rsplit_once(" -> ")
        .or_else(|| Some((rest.strip_suffix(" ->")?, "")))
        .ok_or("missing new name: PATTERN -> TEXT")?;
    Ok((from.trim(), to.trim()))
}

fn shown_text(text: &str) -> Result<String, String> {
    match text {
        "" => Err("the new name is missing".to_owned()),
        text if text.contains(char::is_control) => {
            Err("the new name has control characters".to_owned())
        }
        text => Ok(text.to_owned()),
    }
}

/// `[module:P] [file:P] [linkage:P] [PATTERN]`, at least one of them.
fn subject(text: &str) -> Result<Subject, String> {
    let mut rest = text;
    let (mut module, mut file, mut linkage) = (None, None, None);
    loop {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let (place, pattern) = match word.split_once(':') {
            // A namespace may have such a name too.
            Some((_, pattern)) if pattern.starts_with(':') => break,
            Some(("module", pattern)) => (&mut module, pattern),
            Some(("file", pattern)) => (&mut file, pattern),
            Some(("linkage", pattern)) => (&mut linkage, pattern),
            _ => break,
        };
        if pattern.is_empty() {
            return Err(format!("{word} needs a pattern without spaces"));
        }
        *place = Some(Pattern::parse(pattern)?);
        rest = after.trim_start();
    }
    if text.is_empty() {
        return Err("missing pattern for names".to_owned());
    }
    let name = if rest.is_empty() { "*" } else { rest };
    Ok(Subject {
        name: Pattern::parse(name)?,
        module,
        file,
        linkage,
    })
}

fn merge_library(rest: &str) -> Result<Verdict, String> {
    let (module, name) = match arrow(rest) {
        Ok((module, name)) => (module, Some(shown_text(name)?)),
        Err(_) => (rest, None),
    };
    if module.is_empty() {
        return Err("missing pattern for the library's file name".to_owned());
    }
    Ok(Verdict {
        subject: Subject {
            name: Pattern::parse("*")?,
            module: Some(Pattern::parse(module)?),
            file: None,
            linkage: None,
        },
        says: Says::Merge(name),
    })
}

fn rename(rest: &str) -> Result<Rename, String> {
    let (pattern, to) = arrow(rest)?;
    let subject = subject(pattern)?;
    // Only a match inside a name may be replaced by nothing.
    let to = match (&subject.name, to) {
        (Pattern::Regex(_), "") => String::new(),
        _ => shown_text(to)?,
    };
    Ok(Rename { subject, to })
}

/// `TEMPLATE [after N]`
fn arguments(rules: &mut ArgumentRules, rest: &str, which: Which) -> Result<(), String> {
    let (template, kept) = match rest.rsplit_once(" after ") {
        None => (rest, 0),
        Some((template, kept)) => {
            let kept = kept.trim().parse();
            (
                template,
                kept.map_err(|_| "missing number of arguments after `after`")?,
            )
        }
    };
    match template.trim() {
        "" => Err("missing pattern for templates".to_owned()),
        template if template.starts_with('/') => {
            Err("templates are named by a glob, not a regular expression".to_owned())
        }
        template => {
            rules.add(template, ArgumentRule { kept, which });
            Ok(())
        }
    }
}
