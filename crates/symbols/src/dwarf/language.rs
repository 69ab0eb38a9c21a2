//! What the language of a unit says about the order of its entries, and of arrays.

use gimli::{AttributeValue, DwLang, DwTag, Unit};

use super::sections::Slice;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// Functions stand alone, or inside of other functions.
    C,
    /// Functions with code stand alone, whatever they are members of.
    Cpp,
    Other,
}

impl Language {
    pub(super) fn of(unit: &Unit<Slice<'_>>) -> Language {
        said(unit).map_or(Language::Other, Language::from)
    }

    /// Whether no function with code is ever below an entry with this tag. In C and C++
    /// types hold declarations at most.
    pub(super) fn holds_no_code(self, tag: DwTag) -> bool {
        match tag {
            gimli::DW_TAG_call_site
            | gimli::DW_TAG_GNU_call_site
            | gimli::DW_TAG_array_type
            | gimli::DW_TAG_enumeration_type
            | gimli::DW_TAG_subroutine_type => true,
            gimli::DW_TAG_class_type | gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type => {
                self != Language::Other
            }
            _ => false,
        }
    }

    /// Whether the entry of a function never holds the entry of another one with code.
    pub(super) fn functions_hold_no_functions(self) -> bool {
        self == Language::Cpp
    }
}

impl From<DwLang> for Language {
    fn from(language: DwLang) -> Language {
        match language {
            gimli::DW_LANG_C89
            | gimli::DW_LANG_C
            | gimli::DW_LANG_C99
            | gimli::DW_LANG_C11
            | gimli::DW_LANG_C17
            | gimli::DW_LANG_Mips_Assembler => Language::C,
            gimli::DW_LANG_C_plus_plus
            | gimli::DW_LANG_C_plus_plus_03
            | gimli::DW_LANG_C_plus_plus_11
            | gimli::DW_LANG_C_plus_plus_14
            | gimli::DW_LANG_C_plus_plus_17
            | gimli::DW_LANG_C_plus_plus_20 => Language::Cpp,
            _ => Language::Other,
        }
    }
}

/// Whether arrays are counted from one, and their first index runs fastest.
pub(super) fn is_fortran(unit: &Unit<Slice<'_>>) -> bool {
    matches!(
        said(unit),
        Some(
            gimli::DW_LANG_Fortran77
                | gimli::DW_LANG_Fortran90
                | gimli::DW_LANG_Fortran95
                | gimli::DW_LANG_Fortran03
                | gimli::DW_LANG_Fortran08
                | gimli::DW_LANG_Fortran18
        )
    )
}

fn said(unit: &Unit<Slice<'_>>) -> Option<DwLang> {
    let mut entries = unit.entries();
    let (_, root) = entries.next_dfs().ok()??;
    match root.attr_value(gimli::DW_AT_language).ok()?? {
        AttributeValue::Language(language) => Some(language),
        _ => None,
    }
}
