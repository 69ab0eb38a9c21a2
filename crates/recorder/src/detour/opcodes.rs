//! Which operands follow an opcode in 64-bit mode, one letter each, sixteen a row.
//!
//! ```text
//!   .  nothing                    M  ModRM (with SIB and displacement)
//!   b  imm8                       B  ModRM, imm8
//!   z  imm32 (imm16 with 66)      Z  ModRM, imm32 (imm16 with 66)
//!   v  imm16, imm32 or imm64      a  an address of 64 bits (32 with 67)
//!   w  imm16                      e  imm16, imm8
//!   j  rel8                       J  rel32
//!   g  ModRM, and imm8 where its reg field is 0 or 1      G  the same with imm32
//!   x  not an instruction, a prefix, or an escape that the decoder knows
//! ```

pub type Map = [&'static [u8; 16]; 16];

pub const ONE_BYTE: Map = [
    b"MMMMbzxxMMMMbzxx",
    b"MMMMbzxxMMMMbzxx",
    b"MMMMbzxxMMMMbzxx",
    b"MMMMbzxxMMMMbzxx",
    b"xxxxxxxxxxxxxxxx",
    b"................",
    b"xxxMxxxxzZbB....",
    b"jjjjjjjjjjjjjjjj",
    b"BZxBMMMMMMMMMMMM",
    b"..........x.....",
    b"aaaa....bz......",
    b"bbbbbbbbvvvvvvvv",
    b"BBw.xxBZe.w..bx.",
    b"MMMMxxx.MMMMMMMM",
    b"jjjjbbbbJJxj....",
    b"x.xx..gG......MM",
];

/// After 0F.
pub const TWO_BYTE: Map = [
    b"MMMMx.....x.xM.B",
    b"MMMMMMMMMMMMMMMM",
    b"xxxxxxxxMMMMMMMM",
    b"......x.xxxxxxxx",
    b"MMMMMMMMMMMMMMMM",
    b"MMMMMMMMMMMMMMMM",
    b"MMMMMMMMMMMMMMMM",
    b"BBBBMMM.xMxxMMMM",
    b"JJJJJJJJJJJJJJJJ",
    b"MMMMMMMMMMMMMMMM",
    b"...MBMxx...MBMMM",
    b"MMMMMMMMMMBMMMMM",
    b"MMBMBBBM........",
    b"MMMMMMMMMMMMMMMM",
    b"MMMMMMMMMMMMMMMM",
    b"MMMMMMMMMMMMMMMM",
];

/// The letter of an opcode.
pub fn operands(map: &Map, opcode: u8) -> u8 {
    let row = map.get(usize::from(opcode >> 4));
    let letter = row.and_then(|row| row.get(usize::from(opcode & 15)));
    letter.copied().unwrap_or(b'x')
}

/// After 0F 38; what exists has a ModRM byte.
pub fn exists_in_0f38(opcode: u8) -> bool {
    matches!(opcode, 0x00..=0x0b | 0x10 | 0x14 | 0x15 | 0x17 | 0x1c..=0x1e)
        || matches!(opcode, 0x20..=0x25 | 0x28..=0x2b | 0x30..=0x41 | 0x80..=0x82)
        || matches!(opcode, 0xc8..=0xcd | 0xcf | 0xdb..=0xdf | 0xf0..=0xf3 | 0xf5 | 0xf6)
        || matches!(opcode, 0xf8 | 0xf9)
}

/// After 0F 3A; what exists has a ModRM byte and an imm8.
pub fn exists_in_0f3a(opcode: u8) -> bool {
    matches!(opcode, 0x08..=0x0f | 0x14..=0x17 | 0x20..=0x22 | 0x40..=0x42 | 0x44)
        || matches!(opcode, 0x60..=0x63 | 0xcc | 0xce | 0xcf | 0xdf)
}
