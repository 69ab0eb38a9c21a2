//! Declarations as ts-rs writes them, in one line with comments in between, laid out for
//! people: a member a line, comments and long lines wrapped.

/// Characters of a line.
pub const WIDTH: usize = 96;
const INDENT: &str = "  ";

/// `type Name = { ... };` or any other declaration.
pub fn declaration(text: &str) -> String {
    let object = text.split_once("= {").and_then(|(head, rest)| {
        let members = rest.strip_suffix("};")?;
        let members = split_members(members)?;
        Some(format!("{head}= {{\n{}}};", members.concat()))
    });
    object.unwrap_or_else(|| wrapped(&text.replace(", }", " }"), "", INDENT))
}

/// What a declaration is made of, without what is said of it.
pub fn without_comments(text: &str) -> String {
    let mut parts = text.split("/**");
    let first = parts.next().unwrap_or_default();
    let others = parts.filter_map(|part| part.split_once("*/"));
    others.fold(first.to_string(), |code, (_, behind)| code + behind)
}

/// The members of an object, each laid out; `None` where the text is more than one object.
fn split_members(text: &str) -> Option<Vec<String>> {
    let mut members = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (meaning, after) = match rest.strip_prefix("/**") {
            Some(after) => after.split_once("*/")?,
            None => ("", rest),
        };
        let end = end_of_member(after)?;
        let member = format!("{};", after[..end].trim());
        let member = wrapped(&member, INDENT, &INDENT.repeat(2));
        members.push(format!("{}{member}\n", comment(meaning, INDENT)));
        rest = after[end + 1..].trim_start();
    }
    Some(members)
}

/// Where the comma behind a member stands, outside of all brackets.
fn end_of_member(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' | '<' | '[' | '(' => depth += 1,
            '}' | '>' | ']' | ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// A comment in lines of its own; nothing where there is nothing to say. Takes the lines of
/// another comment, with their stars.
pub fn comment(text: &str, indent: &str) -> String {
    let text = text.trim().trim_start_matches("/**").trim_end_matches("*/");
    let lines = text.lines();
    let lines = lines.map(|line| line.trim().trim_start_matches('*').trim());
    let text = lines.collect::<Vec<&str>>().join(" ");
    match text.trim() {
        "" => String::new(),
        text => {
            let first = format!("{indent}/** ");
            let behind = format!("{indent}    ");
            wrapped(text, &first, &behind) + " */\n"
        }
    }
}

/// Lines of words, the first and the others each behind their own indent.
fn wrapped(text: &str, first: &str, others: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_string();
    let mut is_fresh = true;
    for word in words(text) {
        if !is_fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += &line;
            lines.push('\n');
            line = others.to_string();
            is_fresh = true;
        }
        if !is_fresh {
            line.push(' ');
        }
        line += &word;
        is_fresh = false;
    }
    lines + &line
}

/// The words of a text; all of an object is one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(object) if depth > 0 => *object += &format!(" {word}"),
            _ => words.push(word.to_string()),
        }
        depth += word.matches('{').count();
        depth = depth.saturating_sub(word.matches('}').count());
    }
    words
}
