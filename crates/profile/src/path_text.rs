//! Paths and arguments as text. Linux allows any bytes in them; those that are not UTF-8
//! are written `\xff`, so that the file can still be found.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

const ESCAPE: &str = "\\x";

/// The text of a path or an argument.
pub fn to_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("{ESCAPE}{byte:02x}"));
        }
    }
    text
}

/// The path of a text made by [`to_text`].
pub fn to_path(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(ESCAPE) {
        let (before, escaped) = rest.split_at(at);
        bytes.extend(before.as_bytes());
        let digits = escaped.get(ESCAPE.len()..ESCAPE.len() + 2);
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        // Bytes of ASCII are never escaped.
        let (taken, length) = match byte.filter(|byte| !byte.is_ascii()) {
            Some(byte) => (vec![byte], ESCAPE.len() + 2),
            None => (ESCAPE.as_bytes().to_vec(), ESCAPE.len()),
        };
        bytes.extend(taken);
        rest = &escaped[length..];
    }
    bytes.extend(rest.as_bytes());
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn bytes_that_are_no_text_come_back() {
        for (bytes, text) in [
            (&b"/opt/job"[..], "/opt/job"),
            ("/größe".as_bytes(), "/größe"),
            (b"/\xff\xe9/a", "/\\xff\\xe9/a"),
            (b"/a\\x41", "/a\\x41"),
            (b"/a\\x", "/a\\x"),
            (b"", ""),
        ] {
            assert_eq!(to_text(bytes), text);
            assert_eq!(to_path(text).as_os_str().as_bytes(), bytes);
        }
    }
}
