//! From linkage names to names that a person would write.

use std::borrow::Cow;
use std::fmt::{self, Write};

use crate::cpp;

/// How much of a C++ function is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DemangleStyle {
    /// With return type (of templates) and parameters: `void f<int>(int)`.
    #[default]
    Full,
    /// The name alone: `f<int>`.
    NoParams,
}

/// The readable form of a C++ or Rust linkage name. Other names pass through.
///
/// - Rust's trailing hash is dropped, and the one that LLVM appends to private
///   functions (`.llvm.1234`).
/// - A symbol version (`memcpy@@GLIBC_2.14`) is dropped; `@plt` stays.
/// - What a compiler appends to a copy or a part of a function is set apart:
///   `f.part.0.cold` becomes `f [.part.0.cold]`.
///
/// Names come out of files that may be broken or hostile, so this never panics,
/// and gives up soon on what is too deep or too long. It then returns the name
/// as it is, which is never wrong.
pub fn demangle(name: &str, style: DemangleStyle) -> Cow<'_, str> {
    let (plain, stub) = match name.split_once('@') {
        // A name cannot begin with its version.
        None | Some(("", _)) => (name, ""),
        Some((plain, "plt")) => (plain, "@plt"),
        Some((plain, _)) => (plain, ""),
    };
    let (body, suffix) = split_suffix(plain);
    let readable = match body {
        _ if body.starts_with("_R") || legacy_rust_length(body) == Some(body.len()) => rust(body),
        _ if body.starts_with("_Z") => cpp::demangle(body, style),
        // Runs the constructors of the static variables of one source file,
        // and is named after its first function or variable.
        _ => body.strip_prefix(STATIC_INITIALISER).and_then(|first| {
            let first = cpp::demangle(first, style)?;
            Some(format!("{STATIC_INITIALISER}{first}"))
        }),
    };
    match readable {
        // What could not be read is left whole, up to its version.
        None if suffix.is_empty() || is_mangled(body) => {
            Cow::Borrowed(&name[..plain.len() + stub.len()])
        }
        readable => {
            let readable = readable.unwrap_or_else(|| body.to_owned());
            Cow::Owned(readable + &bracketed(suffix) + stub)
        }
    }
}

/// Whether dots cannot be part of the name itself.
fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z") || name.starts_with("_R")
}

const STATIC_INITIALISER: &str = "_GLOBAL__sub_I_";

fn bracketed(suffix: &str) -> String {
    let (before, after) = suffix.split_once(".llvm.").unwrap_or((suffix, ""));
    let after = after.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    match (before, after) {
        ("", "") => String::new(),
        _ => format!(" [{before}{after}]"),
    }
}

/// Words that compilers append to C names after a dot. Other dots may be part
/// of the name, as in those of Go.
const SUFFIX_WORDS: [&str; 9] = [
    "cold",
    "constprop",
    "isra",
    "llvm",
    "localalias",
    "lto_priv",
    "part",
    "resolver",
    "warm",
];

/// Splits off what a compiler appended to the name that it was given.
fn split_suffix(name: &str) -> (&str, &str) {
    let at = if let Some(length) = legacy_rust_length(name) {
        Some(length)
    } else if is_mangled(name) {
        name.find('.')
    } else {
        name.match_indices('.').map(|(at, _)| at).find(|&at| {
            let word = name[at + 1..].split('.').next().unwrap_or_default();
            at > 0 && SUFFIX_WORDS.contains(&word)
        })
    };
    name.split_at(at.unwrap_or(name.len()))
}

/// The length of an old-style Rust name without its suffix. It looks like C++,
/// except for a last element of 17 characters, an `h` and a hash. Dots may
/// occur before that, so they cannot be used to find its end.
fn legacy_rust_length(name: &str) -> Option<usize> {
    let elements = name.strip_prefix("_ZN")?.as_bytes();
    let hash = memchr::memmem::rfind(elements, b"17h")? + "_ZN".len() + "17h".len();
    let end = hash + 16;
    let is_hash = name.get(hash..end)?.bytes().all(|b| b.is_ascii_hexdigit());
    let suffix = name.get(end..)?.strip_prefix('E')?;
    (is_hash && (suffix.is_empty() || suffix.starts_with('.'))).then_some(end + 1)
}

fn rust(name: &str) -> Option<String> {
    let mut text = Text::of(name);
    // The alternate form is the one without the hash.
    write!(text, "{:#}", rustc_demangle::try_demangle(name).ok()?).ok()?;
    // Nothing is left of a name that is only a hash.
    Some(text.text).filter(|text| !text.is_empty())
}

/// How long a readable name may become: pages of text help nobody to recognise a function. A
/// name that refers back to itself can grow without bound; of a quarter of a million in the
/// libraries of a system, three have more than four kilobytes, and none grew thirtyfold.
pub(crate) fn longest(linkage_name: &str) -> usize {
    (linkage_name.len().saturating_mul(32)).clamp(4 << 10, 64 << 10)
}

/// Text that refuses to grow beyond its limit.
pub(crate) struct Text {
    text: String,
    longest: usize,
}

impl Text {
    pub(crate) fn of(linkage_name: &str) -> Text {
        Text {
            text: String::with_capacity(512),
            longest: longest(linkage_name),
        }
    }
}

impl Write for Text {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if self.text.len() + piece.len() > self.longest {
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

impl From<Text> for String {
    fn from(text: Text) -> String {
        text.text
    }
}
