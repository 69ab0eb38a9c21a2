//! Readable names of functions and frames, made when they are first shown.

use residue_calltree::{CUT_FRAMES, LOST_FRAME};
use residue_names::{DemangleStyle, demangle};
use residue_profile::{CUT, FrameId, FunctionId, Profile};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameStyle {
    /// Without parameters.
    NoParams,
    /// With parameters and return type.
    Full,
}

/// Names by [`FunctionId`]; each is demangled once.
pub struct Names<'a> {
    profile: &'a Profile,
    style: NameStyle,
    known: Vec<Option<Box<str>>>,
}

impl<'a> Names<'a> {
    pub fn new(profile: &'a Profile, style: NameStyle) -> Names<'a> {
        Names {
            profile,
            style,
            known: vec![None; profile.functions.len()],
        }
    }

    /// The name of a function; `None` where it has none.
    pub fn function(&mut self, function: FunctionId) -> Option<&str> {
        let symbol = self.profile.functions.get(function as usize)?;
        if symbol.is_empty() {
            return None;
        }
        let known = self.known.get_mut(function as usize)?;
        let style = self.style;
        Some(known.get_or_insert_with(|| readable(symbol, style).into()))
    }

    /// The name of a frame's function, or its address where there is no name:
    /// `libfoo.so+0x12f0`, or `[jit] 0x7f0012f0` for code outside every module.
    pub fn frame(&mut self, id: FrameId) -> String {
        if id == CUT {
            return CUT_FRAMES.to_string();
        }
        let profile = self.profile;
        let Some(frame) = profile.frames.get(id as usize) else {
            return LOST_FRAME.to_string();
        };
        if let Some(name) = self.function(frame.function) {
            return name.to_string();
        }
        match profile.module_name(frame.module) {
            Some(module) => format!("{}+{:#x}", without_controls(module), frame.address),
            None => format!("[jit] {:#x}", frame.address),
        }
    }

    /// The file name of the module of a frame, where it says more than the frame's
    /// name does.
    pub fn module_beside(&self, id: FrameId) -> Option<String> {
        let frame = self.profile.frames.get(id as usize)?;
        let function = self.profile.functions.get(frame.function as usize)?;
        if function.is_empty() {
            return None;
        }
        let module = self.profile.module_name(frame.module)?;
        Some(without_controls(module))
    }
}

fn readable(symbol: &str, style: NameStyle) -> String {
    let name = match style {
        NameStyle::Full => demangle(symbol, DemangleStyle::Full),
        NameStyle::NoParams => demangle(symbol, DemangleStyle::NoParams),
    };
    without_controls(&name)
}

/// Names come from files of anybody's making, and terminals obey control
/// characters.
fn without_controls(text: &str) -> String {
    text.chars().filter(|char| !char.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sample;
    use residue_profile::NONE;

    #[test]
    fn frames_have_a_name_or_an_address() {
        let profile = sample::profile();
        let mut names = Names::new(&profile, NameStyle::NoParams);
        let named: Vec<String> = (0..profile.frames.len() as u32)
            .map(|frame| names.frame(frame))
            .collect();
        assert_eq!(
            named,
            [
                "main",
                "space::Thing::foo",
                "operator new",
                "libfoo.so+0x12f0",
                "[jit] 0x7f0012f0",
                "space::Thing::foo",
                "odd;name",
            ]
        );
        assert_eq!(names.frame(CUT), "[... frames left out ...]");
        assert_eq!(names.frame(NONE), "[lost frame]");
        let mut full = Names::new(&profile, NameStyle::Full);
        assert_eq!(full.frame(1), "space::Thing::foo(std::string const&, int)");
    }

    #[test]
    fn modules_stand_beside_names_only() {
        let profile = sample::profile();
        let names = Names::new(&profile, NameStyle::NoParams);
        assert_eq!(names.module_beside(0).as_deref(), Some("server"));
        assert_eq!(names.module_beside(3), None);
        assert_eq!(names.module_beside(4), None);
        assert_eq!(names.module_beside(CUT), None);
    }

    #[test]
    fn control_characters_are_dropped() {
        assert_eq!(readable("a\u{1b}[31m\nb", NameStyle::Full), "a[31mb");
    }
}
