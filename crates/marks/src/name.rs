//! Names as the recorder wants them: ending in zero, and made without allocating.

use core::ffi::{CStr, c_char};

/// Longer names are cut, at a character, to at most so many bytes.
const MOST_BYTES: usize = 255;

/// What names a stamp, counter, scope or snapshot: a `&CStr`, used as it is, or a `&str`,
/// of which the recorder gets at most 255 bytes and nothing from a zero character on.
pub trait Name: sealed::Sealed {
    #[doc(hidden)]
    fn with_pointer(&self, use_it: impl FnOnce(*const c_char));
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for &core::ffi::CStr {}
    impl Sealed for &str {}
}

impl Name for &CStr {
    #[inline]
    fn with_pointer(&self, use_it: impl FnOnce(*const c_char)) {
        use_it(self.as_ptr());
    }
}

impl Name for &str {
    fn with_pointer(&self, use_it: impl FnOnce(*const c_char)) {
        let mut end = self.len().min(MOST_BYTES);
        while !self.is_char_boundary(end) {
            end -= 1;
        }
        let kept = &self.as_bytes()[..end];
        let mut buffer = [0; MOST_BYTES + 1];
        buffer[..kept.len()].copy_from_slice(kept);
        use_it(buffer.as_ptr().cast());
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::{String, ToString};

    fn seen(name: impl Name) -> String {
        let mut seen = None;
        name.with_pointer(|pointer| {
            // SAFETY: names end in zero and live during the call.
            seen = Some(
                unsafe { CStr::from_ptr(pointer) }
                    .to_str()
                    .unwrap()
                    .to_string(),
            );
        });
        seen.unwrap()
    }

    #[test]
    fn short_names_arrive_whole() {
        assert_eq!(seen(""), "");
        assert_eq!(seen("read"), "read");
        assert_eq!(seen(c"read"), "read");
    }

    #[test]
    fn names_of_255_bytes_arrive_whole_and_longer_ones_are_cut() {
        let name = "x".repeat(300);
        assert_eq!(seen(&name[..255]), name[..255]);
        assert_eq!(seen(&name[..256]), name[..255]);
        assert_eq!(seen(name.as_str()), name[..255]);
    }

    #[test]
    fn names_are_cut_between_characters() {
        // Three bytes each: 85 of them fill 255; one byte before them moves the cut.
        let name = "€".repeat(100);
        assert_eq!(seen(name.as_str()), "€".repeat(85));
        let moved = "x".to_string() + &name;
        assert_eq!(seen(moved.as_str()), "x".to_string() + &"€".repeat(84));
    }

    #[test]
    fn a_name_ends_at_a_zero_character() {
        assert_eq!(seen("read\0write"), "read");
    }
}
