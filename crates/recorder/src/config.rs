//! What `residue run` asks for, handed over in one environment variable:
//!
//! ```text
//!   RESIDUE_CONFIG=min=0;max=18446744073709551615;depth=4096;verify=0;paused=0;
//!                  root=1234;children=1;match=cc1*;dir=/dev/shm/residue-...
//! ```
//!
//! It is read from `/proc/self/environ`, because allocations happen before libc
//! has an environment, and kept for forked children, because programs overwrite
//! that memory to change their title.

use crate::sys;
use residue_arena::{CONFIG_VARIABLE, MOST_CONFIG_BYTES};

pub struct Config {
    value: [u8; MOST_CONFIG_BYTES],
    length: usize,
}

impl Config {
    pub const fn empty() -> Config {
        Config {
            value: [0; MOST_CONFIG_BYTES],
            length: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Reads the variable; leaves the value empty when it is not set.
    pub fn load(&mut self) {
        let Ok(file) = sys::open(b"/proc/self/environ\0", sys::O_RDONLY | sys::O_CLOEXEC, 0) else {
            return;
        };
        let mut search = Search::default();
        let mut chunk = [0_u8; 512];
        while let Ok(bytes @ 1..) = sys::read(file, &mut chunk) {
            let found = chunk
                .iter()
                .take(bytes)
                .any(|&byte| search.feed(byte, self));
            if found {
                break;
            }
        }
        sys::close(file);
    }

    fn value(&self) -> &[u8] {
        self.value.get(..self.length).unwrap_or(&[])
    }

    /// The text of one setting; `dir` is the last and takes the rest.
    pub fn text(&self, name: &str) -> Option<&[u8]> {
        let mut rest = self.value();
        loop {
            let equals = rest.iter().position(|&byte| byte == b'=')?;
            let (this_name, tail) = (rest.get(..equals)?, rest.get(equals + 1..)?);
            let end = if this_name == b"dir" {
                tail.len()
            } else {
                tail.iter().position(|&byte| byte == b';')?
            };
            if this_name == name.as_bytes() {
                return tail.get(..end);
            }
            rest = tail.get(end + 1..)?;
        }
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        let mut value = 0_u64;
        let digits = self.text(name)?;
        for &digit in digits {
            let digit = digit.checked_sub(b'0').filter(|&digit| digit < 10)?;
            value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        }
        (!digits.is_empty()).then_some(value)
    }
}

/// Finds the variable in a stream of bytes.
#[derive(Default)]
struct Search {
    /// Bytes of `NAME=` matched in the current variable; `None` once it is another.
    matched: usize,
    is_other: bool,
}

impl Search {
    /// Takes the next byte; true when the value is complete.
    fn feed(&mut self, byte: u8, config: &mut Config) -> bool {
        let name = CONFIG_VARIABLE.as_bytes();
        if byte == 0 {
            let complete = !self.is_other && self.matched > name.len();
            *self = Search::default();
            return complete;
        }
        if self.is_other {
            return false;
        }
        if self.matched > name.len() {
            if let Some(place) = config.value.get_mut(config.length) {
                *place = byte;
                config.length += 1;
            }
            return false;
        }
        let expected = name.get(self.matched).copied().unwrap_or(b'=');
        if byte == expected {
            self.matched += 1;
        } else {
            self.is_other = true;
        }
        false
    }
}

/// Whether a program name matches a pattern with `*` and `?`.
pub fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut name_at) = (0, 0);
    // Where to go on after a `*` took one more byte.
    let mut retry: Option<(usize, usize)> = None;
    while name_at < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at + 1, name_at));
                at += 1;
            }
            Some(&byte) if byte == b'?' || name.get(name_at) == Some(&byte) => {
                at += 1;
                name_at += 1;
            }
            _ => match retry {
                Some((after_star, taken)) => {
                    retry = Some((after_star, taken + 1));
                    at = after_star;
                    name_at = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern
        .get(at..)
        .is_some_and(|rest| rest.iter().all(|&byte| byte == b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(environment: &[u8]) -> Config {
        let mut config = Config::empty();
        let mut search = Search::default();
        for &byte in environment {
            if search.feed(byte, &mut config) {
                break;
            }
        }
        config
    }

    #[test]
    fn the_variable_is_found_among_others() {
        let config = parse(
            b"PATH=/bin\0RESIDUE_CONFIGX=min=9\0RESIDUE_CONFIG=min=16;max=20;match=a;dir=/x;y\0Z=1\0",
        );
        assert_eq!(config.number("min"), Some(16));
        assert_eq!(config.number("max"), Some(20));
        assert_eq!(config.text("match"), Some(&b"a"[..]));
        assert_eq!(config.text("dir"), Some(&b"/x;y"[..]));
        assert_eq!(config.number("other"), None);
        assert!(parse(b"PATH=/bin\0").is_empty());
    }

    #[test]
    fn patterns_match_as_in_a_shell() {
        let yes = [
            ("", ""),
            ("*", ""),
            ("cc1*", "cc1plus"),
            ("*p?us", "cc1plus"),
            ("a*b*c", "axbxbc"),
        ];
        let no = [("", "a"), ("cc1", "cc1plus"), ("*x", "cc1plus"), ("?", "")];
        for (pattern, name) in yes {
            assert!(
                matches(pattern.as_bytes(), name.as_bytes()),
                "{pattern} {name}"
            );
        }
        for (pattern, name) in no {
            assert!(
                !matches(pattern.as_bytes(), name.as_bytes()),
                "{pattern} {name}"
            );
        }
    }
}
