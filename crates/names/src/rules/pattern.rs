//! What a rule looks for: a glob, or a regular expression.

use memchr::memmem::Finder;
use regex::Regex;

/// Text in which `*` stands for anything. The whole name must match.
#[derive(Debug, Clone)]
pub(crate) struct Glob {
    head: Head,
    first: String,
    /// Between two `*`, in their order.
    middle: Vec<Finder<'static>>,
    /// After the last `*`; without a `*` there is only `first`.
    last: Option<String>,
}

impl Glob {
    pub fn new(text: &str) -> Glob {
        let mut parts = text.split('*');
        let first = parts.next().unwrap_or_default().to_owned();
        let last = parts.next_back().map(str::to_owned);
        let middle = parts.filter(|part| !part.is_empty());
        Glob {
            head: Head::new(&first),
            first,
            middle: middle.map(|part| Finder::new(part).into_owned()).collect(),
            last,
        }
    }

    /// Linear in the text: the first place that fits each part is as good as any.
    pub fn matches(&self, text: &str) -> bool {
        self.may_match(Head::of(text)) && self.matches_fully(text)
    }

    /// Nearly all names differ from nearly all patterns in their first bytes, and there
    /// are hundreds of patterns for each name.
    #[inline]
    pub fn may_match(&self, head: u64) -> bool {
        head & self.head.mask == self.head.bytes
    }

    fn matches_fully(&self, text: &str) -> bool {
        let Some(last) = &self.last else {
            return text == self.first;
        };
        let Some(mut rest) = text
            .strip_prefix(self.first.as_str())
            .and_then(|rest| rest.strip_suffix(last.as_str()))
            .map(str::as_bytes)
        else {
            return false;
        };
        for part in &self.middle {
            match part.find(rest) {
                Some(at) => rest = &rest[at + part.needle().len()..],
                None => return false,
            }
        }
        true
    }
}

/// The first eight bytes of what must come first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    bytes: u64,
    mask: u64,
}

impl Head {
    fn new(first: &str) -> Head {
        let length = first.len().min(8) as u32;
        let mask = u64::MAX.checked_shr(64 - 8 * length).unwrap_or(0);
        let bytes = Head::of(first);
        Head { bytes, mask }
    }

    /// The first eight bytes of a text, and zeros where it is shorter.
    pub fn of(text: &str) -> u64 {
        let mut eight = [0; 8];
        match text.as_bytes().first_chunk() {
            Some(first) => eight = *first,
            None => eight[..text.len()].copy_from_slice(text.as_bytes()),
        }
        u64::from_le_bytes(eight)
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    Glob(Glob),
    /// Matches anywhere, unless it says `^` and `$`.
    Regex(Regex),
}

impl Pattern {
    /// `/regex/` or a glob.
    pub fn parse(text: &str) -> Result<Pattern, String> {
        let inner = text
            .strip_prefix('/')
            .and_then(|inner| inner.strip_suffix('/'));
        match inner {
            Some(inner) => Ok(Pattern::Regex(regex(inner)?)),
            None => Ok(Pattern::Glob(Glob::new(text))),
        }
    }

    /// False only if [`Pattern::matches`] is; see [`Glob::may_match`].
    #[inline]
    pub fn may_match(&self, head: u64) -> bool {
        match self {
            Pattern::Glob(glob) => glob.may_match(head),
            Pattern::Regex(_) => true,
        }
    }

    pub fn matches(&self, text: &str) -> bool {
        match self {
            Pattern::Glob(glob) => glob.matches(text),
            Pattern::Regex(regex) => regex.is_match(text),
        }
    }
}

/// The last line of what the parser says is the reason; the others point at it.
fn regex(text: &str) -> Result<Regex, String> {
    Regex::new(&text.replace("\\/", "/")).map_err(|error| {
        let error = error.to_string();
        let reason = error.lines().last().unwrap_or_default();
        let reason = reason.trim().trim_start_matches("error: ");
        format!("invalid regular expression {text:?}: {reason}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_names() {
        for (glob, yes, no) in [
            ("malloc", vec!["malloc"], vec!["mallocx", "xmalloc", ""]),
            ("a*", vec!["a", "ab"], vec!["ba", ""]),
            ("*a", vec!["a", "ba"], vec!["ab"]),
            ("a*a", vec!["aa", "aba"], vec!["a", "ab"]),
            ("a*b*c", vec!["abc", "axbxc", "abcbc"], vec!["acb", "ac"]),
            ("*b*", vec!["b", "abc"], vec!["ac", ""]),
            ("*", vec!["", "x"], vec![]),
            ("", vec![""], vec!["x"]),
            ("a**b", vec!["ab", "axb"], vec!["a"]),
        ] {
            let pattern = Glob::new(glob);
            for text in yes {
                assert!(pattern.matches(text), "{glob} {text}");
            }
            for text in no {
                assert!(!pattern.matches(text), "{glob} {text}");
            }
        }
    }

    #[test]
    fn regexes_match_anywhere_and_say_what_is_wrong() {
        let pattern = Pattern::parse("/a+b/").unwrap();
        assert!(pattern.matches("xaaby"));
        assert!(!pattern.matches("ba"));
        let wrong = Pattern::parse("/a(b/").unwrap_err();
        assert_eq!(wrong, "invalid regular expression \"a(b\": unclosed group");
        let slash = Pattern::parse(r"/a\/b/").unwrap();
        assert!(slash.matches("a/b"));
    }
}
