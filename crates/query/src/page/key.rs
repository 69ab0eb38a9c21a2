//! Names of functions and of places in the tree of calls, for addresses of the page: the
//! same in every reading of the same calls, so that an address that was pasted into an
//! issue still leads there, and one into a running program after the next reading.

use std::fmt;
use std::str::FromStr;

use residue_calltree::Label;

/// 64 bits of what something is called; 16 hexadecimal digits in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
pub struct Key(u64);

impl Key {
    /// Of the root of a tree.
    pub const ROOT: Key = Key(0xcbf2_9ce4_8422_2325);

    pub fn of_label(label: &Label) -> Key {
        let texts = [&label.name, &label.module, &label.file];
        let mut key = Key::ROOT;
        for text in texts {
            key = text.bytes().fold(key, Key::with_byte).with_byte(0);
        }
        label
            .line
            .to_le_bytes()
            .into_iter()
            .fold(key, Key::with_byte)
    }

    /// Of a call of the function below the place that this is the key of.
    pub fn then(self, function: Key) -> Key {
        let bytes = function.0.to_le_bytes();
        bytes.into_iter().fold(self, Key::with_byte)
    }

    /// One step of FNV-1a.
    fn with_byte(self, byte: u8) -> Key {
        Key((self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl serde::Serialize for Key {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Key {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Key> {
        let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u64::from_str_radix(text, 16) {
            Ok(key) if is_hex && text.len() == 16 => Ok(Key(key)),
            _ => anyhow::bail!("`{text}` is not the key of a function or a box"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_names_and_places_apart_and_read_back() {
        let main = Key::of_label(&Label::text("main"));
        let run = Key::of_label(&Label::text("run"));
        assert_ne!(main, run);
        assert_ne!(
            Key::ROOT.then(main).then(run),
            Key::ROOT.then(run).then(main)
        );
        assert_eq!(main.to_string().parse::<Key>().unwrap(), main);
        assert_eq!(Key::ROOT.to_string(), "cbf29ce484222325");
        assert!("12".parse::<Key>().is_err());
        assert!("+bf29ce484222325".parse::<Key>().is_err());
    }
}
