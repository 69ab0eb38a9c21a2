//! How long an x86-64 instruction is, and where control goes after it.
//!
//! Enough for what compilers and assembly writers put into functions: the four
//! legacy maps, VEX and EVEX. What is not known is refused, never guessed: AMD's
//! XOP, the moves to control registers, code that only makes sense in 32 bits.

use super::opcodes::{self, ONE_BYTE, TWO_BYTE};

/// The processor faults on anything longer.
pub const LONGEST: usize = 15;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    pub length: usize,
    /// Offset of a 32-bit displacement that counts from the next instruction.
    pub rip_displacement: Option<usize>,
    pub flow: Flow,
}

/// Where control goes. Targets count from the first byte of the instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction, sooner or later.
    Next,
    Jump(isize),
    /// `jcc`, with the low four bits of its opcode.
    Branch {
        condition: u8,
        to: isize,
    },
    /// `loop`, `jrcxz`, `xbegin`: branches without a form that reaches far, or
    /// with a meaning that depends on where they stand.
    OddBranch(isize),
    Call(isize),
    /// `call` through a register or memory; the offset of its ModRM byte.
    IndirectCall {
        modrm: usize,
    },
    /// A jump to where this cannot tell, a return, or an instruction that faults.
    Stop,
}

/// Decodes the first instruction in `code`; `None` for what it does not know.
pub fn decode(code: &[u8]) -> Option<Instruction> {
    let code = code.get(..LONGEST).unwrap_or(code);
    let mut reader = Reader { code, at: 0 };
    let prefixes = reader.prefixes()?;
    match reader.byte()? {
        first @ (0xc4 | 0xc5 | 0x62) if prefixes.allow_vector() => {
            vector(&mut reader, prefixes, first)
        }
        0x0f => two_byte(&mut reader, prefixes),
        opcode => one_byte(&mut reader, prefixes, opcode),
    }
}

struct Reader<'a> {
    code: &'a [u8],
    at: usize,
}

#[derive(Default, Clone, Copy)]
struct Prefixes {
    has_operand_size: bool,
    has_address_size: bool,
    has_lock_or_repeat: bool,
    rex: Option<u8>,
}

impl Prefixes {
    /// VEX and EVEX carry these themselves, and fault on them.
    fn allow_vector(self) -> bool {
        !self.has_operand_size && !self.has_lock_or_repeat && self.rex.is_none()
    }

    fn is_wide(self) -> bool {
        self.rex.is_some_and(|rex| rex & 8 != 0)
    }

    /// The size of an immediate that shrinks with the operand.
    fn immediate_bytes(self) -> usize {
        match self.has_operand_size && !self.is_wide() {
            true => 2,
            false => 4,
        }
    }
}

struct ModRm {
    /// Offset of the byte.
    at: usize,
    byte: u8,
    rip_displacement: Option<usize>,
}

impl ModRm {
    fn register_field(&self) -> u8 {
        (self.byte >> 3) & 7
    }
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.code.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.at += bytes;
        (self.at <= self.code.len()).then_some(())
    }

    /// Legacy prefixes in any order, then at most one REX directly before the opcode.
    fn prefixes(&mut self) -> Option<Prefixes> {
        let mut prefixes = Prefixes::default();
        loop {
            match *self.code.get(self.at)? {
                0x66 => prefixes.has_operand_size = true,
                0x67 => prefixes.has_address_size = true,
                0xf0 | 0xf2 | 0xf3 => prefixes.has_lock_or_repeat = true,
                0x26 | 0x2e | 0x36 | 0x3e | 0x64 | 0x65 => {}
                rex @ 0x40..=0x4f => {
                    prefixes.rex = Some(rex);
                    self.at += 1;
                    return Some(prefixes);
                }
                _ => return Some(prefixes),
            }
            self.at += 1;
        }
    }

    fn modrm(&mut self, prefixes: Prefixes) -> Option<ModRm> {
        let at = self.at;
        let byte = self.byte()?;
        let (mode, base) = (byte >> 6, byte & 7);
        let mut modrm = ModRm {
            at,
            byte,
            rip_displacement: None,
        };
        if mode == 3 {
            return Some(modrm);
        }
        let sib_base = match base {
            4 => Some(self.byte()? & 7),
            _ => None,
        };
        match (mode, base, sib_base) {
            // Relative to the low half of rip: nobody's code on a 64-bit system.
            (0, 5, _) if prefixes.has_address_size => return None,
            (0, 5, _) => {
                modrm.rip_displacement = Some(self.at);
                self.skip(4)?;
            }
            (0, _, Some(5)) | (2, _, _) => self.skip(4)?,
            (1, _, _) => self.skip(1)?,
            _ => {}
        }
        Some(modrm)
    }

    fn relative8(&mut self) -> Option<isize> {
        let distance = self.byte()? as i8;
        Some(self.at as isize + distance as isize)
    }

    fn relative32(&mut self, prefixes: Prefixes) -> Option<isize> {
        // Processors disagree on what the operand size does to a branch.
        if prefixes.immediate_bytes() != 4 {
            return None;
        }
        let distance = i32::from_le_bytes(*self.code.get(self.at..)?.first_chunk()?);
        self.at += 4;
        Some(self.at as isize + distance as isize)
    }

    fn finish(&self, modrm: Option<&ModRm>, flow: Flow) -> Option<Instruction> {
        Some(Instruction {
            length: self.at,
            rip_displacement: modrm.and_then(|modrm| modrm.rip_displacement),
            flow,
        })
    }

    /// Reads the operands that a letter stands for, but for branches.
    fn operands(&mut self, letter: u8, prefixes: Prefixes) -> Option<Option<ModRm>> {
        let modrm = match letter {
            b'M' | b'B' | b'Z' | b'g' | b'G' => Some(self.modrm(prefixes)?),
            _ => None,
        };
        let has_test_immediate = modrm.as_ref().is_some_and(|m| m.register_field() < 2);
        self.skip(match letter {
            b'.' | b'M' => 0,
            b'b' | b'B' => 1,
            b'w' => 2,
            b'e' => 3,
            b'z' | b'Z' => prefixes.immediate_bytes(),
            b'v' if prefixes.is_wide() => 8,
            b'v' => prefixes.immediate_bytes(),
            b'a' if prefixes.has_address_size => 4,
            b'a' => 8,
            b'g' if has_test_immediate => 1,
            b'G' if has_test_immediate => prefixes.immediate_bytes(),
            b'g' | b'G' => 0,
            _ => return None,
        })?;
        Some(modrm)
    }
}

fn one_byte(reader: &mut Reader<'_>, prefixes: Prefixes, opcode: u8) -> Option<Instruction> {
    let branch = match opcode {
        0x70..=0x7f => Flow::Branch {
            condition: opcode & 15,
            to: reader.relative8()?,
        },
        0xe0..=0xe3 => Flow::OddBranch(reader.relative8()?),
        0xe8 => Flow::Call(reader.relative32(prefixes)?),
        0xe9 => Flow::Jump(reader.relative32(prefixes)?),
        0xeb => Flow::Jump(reader.relative8()?),
        _ => Flow::Next,
    };
    if branch != Flow::Next {
        return reader.finish(None, branch);
    }
    let modrm = reader.operands(opcodes::operands(&ONE_BYTE, opcode), prefixes)?;
    let flow = match (opcode, &modrm) {
        // ret, far ret, iret, hlt.
        (0xc2 | 0xc3 | 0xca | 0xcb | 0xcf | 0xf4, _) => Flow::Stop,
        (0xc7, Some(modrm)) if modrm.byte == 0xf8 => {
            // xbegin, whose immediate is a distance.
            reader.at -= prefixes.immediate_bytes();
            Flow::OddBranch(reader.relative32(prefixes)?)
        }
        (0xc6, Some(modrm)) if modrm.byte == 0xf8 => Flow::Next,
        (0xff, Some(modrm)) => match modrm.register_field() {
            2 => Flow::IndirectCall { modrm: modrm.at },
            4 | 5 => Flow::Stop,
            // A far call goes to another segment; 7 is nothing.
            3 | 7 => return None,
            _ => Flow::Next,
        },
        // With another register field these are something else, or nothing.
        (0x8f | 0xc6 | 0xc7, Some(modrm)) if modrm.register_field() != 0 => return None,
        (0xfe, Some(modrm)) if modrm.register_field() > 1 => return None,
        _ => Flow::Next,
    };
    reader.finish(modrm.as_ref(), flow)
}

fn two_byte(reader: &mut Reader<'_>, prefixes: Prefixes) -> Option<Instruction> {
    let opcode = reader.byte()?;
    let letter = match opcode {
        0x80..=0x8f => {
            let flow = Flow::Branch {
                condition: opcode & 15,
                to: reader.relative32(prefixes)?,
            };
            return reader.finish(None, flow);
        }
        0x38 if opcodes::exists_in_0f38(reader.byte()?) => b'M',
        0x3a if opcodes::exists_in_0f3a(reader.byte()?) => b'B',
        0x38 | 0x3a => return None,
        _ => opcodes::operands(&TWO_BYTE, opcode),
    };
    let modrm = reader.operands(letter, prefixes)?;
    let flow = match opcode {
        // sysret, ud2, sysexit, ud1, ud0.
        0x07 | 0x0b | 0x35 | 0xb9 | 0xff => Flow::Stop,
        _ => Flow::Next,
    };
    reader.finish(modrm.as_ref(), flow)
}

/// VEX (C4, C5) and EVEX (62).
fn vector(reader: &mut Reader<'_>, prefixes: Prefixes, first: u8) -> Option<Instruction> {
    let payload = reader.byte()?;
    let map = match first {
        0xc5 => 1,
        0xc4 => {
            reader.skip(1)?;
            payload & 0x1f
        }
        _ => {
            let is_evex = payload & 8 == 0 && reader.byte()? & 4 != 0;
            reader.skip(1)?;
            is_evex.then_some(payload & 7)?
        }
    };
    let opcode = reader.byte()?;
    let letter = match (map, opcode) {
        // vzeroupper and vzeroall.
        (1, 0x77) if first != 0x62 => b'.',
        (1, 0x70..=0x73 | 0xc2 | 0xc4..=0xc6) => b'B',
        (1 | 2, _) => b'M',
        (3, _) => b'B',
        // Half precision.
        (5 | 6, _) if first == 0x62 => b'M',
        _ => return None,
    };
    let modrm = reader.operands(letter, prefixes)?;
    reader.finish(modrm.as_ref(), Flow::Next)
}
