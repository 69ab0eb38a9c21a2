//! What letters stand for in C++ names.

pub(super) fn builtin(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'v' => "void",
        b'w' => "wchar_t",
        b'b' => "bool",
        b'c' => "char",
        b'a' => "signed char",
        b'h' => "unsigned char",
        b's' => "short",
        b't' => "unsigned short",
        b'i' => "int",
        b'j' => "unsigned int",
        b'l' => "long",
        b'm' => "unsigned long",
        b'x' => "long long",
        b'y' => "unsigned long long",
        b'n' => "__int128",
        b'o' => "unsigned __int128",
        b'f' => "float",
        b'd' => "double",
        b'e' => "long double",
        b'g' => "__float128",
        b'z' => "...",
        _ => return None,
    })
}

/// After `D`.
pub(super) fn longer_builtin(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'i' => "char32_t",
        b's' => "char16_t",
        b'u' => "char8_t",
        b'a' => "auto",
        b'n' => "std::nullptr_t",
        _ => return None,
    })
}

/// After `S`.
pub(super) fn abbreviation(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'a' => "std::allocator",
        b'b' => "std::basic_string",
        b's' => "std::string",
        b'i' => "std::istream",
        b'o' => "std::ostream",
        b'd' => "std::iostream",
        _ => return None,
    })
}

/// With the space that keyword operators have before them.
pub(super) fn operator(letters: [u8; 2]) -> Option<&'static str> {
    Some(match &letters {
        b"nw" => " new",
        b"na" => " new[]",
        b"dl" => " delete",
        b"da" => " delete[]",
        b"aw" => " co_await",
        b"ps" | b"pl" => "+",
        b"ng" | b"mi" => "-",
        b"ad" | b"an" => "&",
        b"de" | b"ml" => "*",
        b"co" => "~",
        b"dv" => "/",
        b"rm" => "%",
        b"or" => "|",
        b"eo" => "^",
        b"aS" => "=",
        b"pL" => "+=",
        b"mI" => "-=",
        b"mL" => "*=",
        b"dV" => "/=",
        b"rM" => "%=",
        b"aN" => "&=",
        b"oR" => "|=",
        b"eO" => "^=",
        b"ls" => "<<",
        b"rs" => ">>",
        b"lS" => "<<=",
        b"rS" => ">>=",
        b"eq" => "==",
        b"ne" => "!=",
        b"lt" => "<",
        b"gt" => ">",
        b"le" => "<=",
        b"ge" => ">=",
        b"ss" => "<=>",
        b"nt" => "!",
        b"aa" => "&&",
        b"oo" => "||",
        b"pp" => "++",
        b"mm" => "--",
        b"cm" => ",",
        b"pm" => "->*",
        b"pt" => "->",
        b"cl" => "()",
        b"ix" => "[]",
        _ => return None,
    })
}
