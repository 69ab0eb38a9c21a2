//! From an unwind table entry to the rule for one address in it.

use super::cfi::{Common, Entry};
use super::reader::Reader;
use super::rule::{Rule, RuleKind};

const REGISTER_BX: u64 = 3;
const REGISTER_BP: u64 = 6;
const REGISTER_SP: u64 = 7;
const REGISTER_IP: u64 = 16;

/// How deep `remember_state` may nest; compilers emit one level.
const REMEMBERED: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cfa {
    Register {
        register: u64,
        offset: i64,
    },
    /// `*(bp + offset)`
    BpDeref {
        offset: i64,
    },
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Saved {
    /// The register still holds the caller's value.
    Same,
    AtCfa(i64),
    AtBp(i64),
    /// For the return address: this is the outermost frame.
    Undefined,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct UnwindRow {
    cfa: Cfa,
    bp: Saved,
    ip: Saved,
}

/// The rule for `address` (of the call, or exactly where a signal struck).
/// `None` where the table says something no rule can express.
pub fn rule_for(entry: &Entry, address: usize, frame_ip: usize) -> Option<Rule> {
    if entry.common.return_register != REGISTER_IP {
        return None;
    }
    let row = row_at(entry, address, frame_ip)?;
    if row.ip == Saved::Undefined {
        return Some(Rule::END);
    }
    if row.ip != Saved::AtCfa(-8) {
        return None;
    }
    match (row.cfa, row.bp) {
        (
            Cfa::Register {
                register: REGISTER_BX,
                offset,
            },
            Saved::Same,
        ) => Rule::new(RuleKind::LazyBinding, offset, None),
        (Cfa::Register { register, offset }, bp) => {
            let (kind, bp_offset) = match (register, bp) {
                (REGISTER_SP, Saved::Same) => (RuleKind::Sp, None),
                (REGISTER_SP, Saved::AtCfa(place)) => (RuleKind::Sp, Some(place)),
                (REGISTER_BP, Saved::Same) => (RuleKind::Bp, None),
                (REGISTER_BP, Saved::AtCfa(place)) => (RuleKind::Bp, Some(place)),
                (REGISTER_BP, Saved::AtBp(place)) => (RuleKind::Bp, Some(place - offset)),
                _ => return None,
            };
            Rule::new(kind, offset, bp_offset)
        }
        (Cfa::BpDeref { offset }, Saved::AtBp(place)) => {
            Rule::new(RuleKind::BpDeref, offset, Some(place))
        }
        (Cfa::BpDeref { .. } | Cfa::Unknown, _) => None,
    }
}

fn row_at(entry: &Entry, address: usize, frame_ip: usize) -> Option<UnwindRow> {
    let mut machine = Machine {
        row: UnwindRow {
            cfa: Cfa::Unknown,
            bp: Saved::Same,
            ip: Saved::Same,
        },
        initial: None,
        remembered: [None; REMEMBERED],
        depth: 0,
        location: entry.start,
        frame_ip,
    };
    machine.run(entry.common.initial, &entry.common, usize::MAX)?;
    machine.initial = Some(machine.row);
    machine.run(entry.instructions, &entry.common, address)?;
    Some(machine.row)
}

/// The little machine that call frame instructions are written for.
struct Machine {
    row: UnwindRow,
    /// The row after the common instructions, which `restore` goes back to.
    initial: Option<UnwindRow>,
    remembered: [Option<UnwindRow>; REMEMBERED],
    depth: usize,
    location: usize,
    frame_ip: usize,
}

impl Machine {
    /// Runs until the row of `address` is complete.
    fn run(&mut self, mut code: Reader, common: &Common, address: usize) -> Option<()> {
        while !code.is_empty() {
            let byte = code.u8()?;
            let low = u64::from(byte & 0x3f);
            let advance = match byte >> 6 {
                1 => Some(low),
                2 => {
                    let offset = code.uleb()? as i64;
                    self.save(
                        low,
                        Saved::AtCfa(offset.wrapping_mul(common.data_alignment)),
                    );
                    None
                }
                3 => {
                    self.restore(low);
                    None
                }
                _ => self.extended(byte, &mut code, common)?,
            };
            if let Some(units) = advance {
                let bytes = units.wrapping_mul(common.code_alignment) as usize;
                let next = self.location.wrapping_add(bytes);
                if next > address {
                    return Some(());
                }
                self.location = next;
            }
        }
        Some(())
    }

    /// The instructions whose opcode takes a whole byte. Returns how far to
    /// advance, for those that do; `None` outside for what is not understood.
    fn extended(&mut self, byte: u8, code: &mut Reader, common: &Common) -> Option<Option<u64>> {
        let factored = |offset: i64| offset.wrapping_mul(common.data_alignment);
        match byte {
            0x00 => {}
            0x01 => {
                let encoded = code.u64()? as usize;
                self.location = encoded;
            }
            0x02 => return Some(Some(u64::from(code.u8()?))),
            0x03 => return Some(Some(u64::from(code.u16()?))),
            0x04 => return Some(Some(u64::from(code.u32()?))),
            0x05 => {
                let register = code.uleb()?;
                let offset = factored(code.uleb()? as i64);
                self.save(register, Saved::AtCfa(offset));
            }
            0x06 => {
                let register = code.uleb()?;
                self.restore(register);
            }
            0x07 => {
                let register = code.uleb()?;
                self.save(register, Saved::Undefined);
            }
            0x08 => {
                let register = code.uleb()?;
                self.save(register, Saved::Same);
            }
            0x09 => {
                let register = code.uleb()?;
                code.uleb()?;
                self.save(register, Saved::Unknown);
            }
            0x0a => {
                *self.remembered.get_mut(self.depth)? = Some(self.row);
                self.depth += 1;
            }
            0x0b => {
                self.depth = self.depth.checked_sub(1)?;
                self.row = (*self.remembered.get(self.depth)?)?;
            }
            0x0c => {
                let register = code.uleb()?;
                let offset = code.uleb()? as i64;
                self.row.cfa = Cfa::Register { register, offset };
            }
            0x0d => {
                let register = code.uleb()?;
                self.row.cfa = match self.row.cfa {
                    Cfa::Register { offset, .. } => Cfa::Register { register, offset },
                    _ => Cfa::Unknown,
                };
            }
            0x0e => {
                let offset = code.uleb()? as i64;
                self.set_cfa_offset(offset);
            }
            0x0f => {
                let bytes = code.uleb()?;
                let expression = code.take(bytes as usize)?;
                self.row.cfa = self.cfa_of_expression(expression);
            }
            0x10 | 0x16 => {
                let register = code.uleb()?;
                let bytes = code.uleb()?;
                let expression = code.take(bytes as usize)?;
                let saved = match byte {
                    0x10 => saved_by_expression(expression),
                    _ => Saved::Unknown,
                };
                self.save(register, saved);
            }
            0x11 => {
                let register = code.uleb()?;
                let offset = factored(code.sleb()?);
                self.save(register, Saved::AtCfa(offset));
            }
            0x12 => {
                let register = code.uleb()?;
                let offset = factored(code.sleb()?);
                self.row.cfa = Cfa::Register { register, offset };
            }
            0x13 => {
                let offset = factored(code.sleb()?);
                self.set_cfa_offset(offset);
            }
            0x14 | 0x15 => {
                let register = code.uleb()?;
                if byte == 0x14 {
                    code.uleb()?;
                } else {
                    code.sleb()?;
                }
                self.save(register, Saved::Unknown);
            }
            // GNU_args_size: for exception handlers only.
            0x2e => {
                code.uleb()?;
            }
            0x2f => {
                let register = code.uleb()?;
                let offset = factored(-(code.uleb()? as i64));
                self.save(register, Saved::AtCfa(offset));
            }
            _ => return None,
        }
        Some(None)
    }

    fn save(&mut self, register: u64, saved: Saved) {
        match register {
            REGISTER_BP => self.row.bp = saved,
            REGISTER_IP => self.row.ip = saved,
            _ => {}
        }
    }

    fn restore(&mut self, register: u64) {
        let Some(initial) = self.initial else {
            return;
        };
        match register {
            REGISTER_BP => self.row.bp = initial.bp,
            REGISTER_IP => self.row.ip = initial.ip,
            _ => {}
        }
    }

    fn set_cfa_offset(&mut self, offset: i64) {
        self.row.cfa = match self.row.cfa {
            Cfa::Register { register, .. } => Cfa::Register { register, offset },
            _ => Cfa::Unknown,
        };
    }

    /// The two expressions that compilers and linkers emit for the cfa.
    fn cfa_of_expression(&self, mut code: Reader) -> Cfa {
        let mut parse = || -> Option<Cfa> {
            match code.u8()? {
                // breg6 offset; deref: a function that realigned its stack.
                0x76 => {
                    let offset = code.sleb()?;
                    (code.u8()? == 0x06 && code.is_empty()).then_some(Cfa::BpDeref { offset })
                }
                // The PLT: breg7 8; breg16 0; lit15; and; litN; ge; lit3; shl; plus:
                // sp + 8, and 8 more from the byte N of the stub on.
                0x77 => {
                    let offset = code.sleb()?;
                    if code.u8()? != 0x80 || code.sleb()? != 0 {
                        return None;
                    }
                    if code.u8()? != 0x3f || code.u8()? != 0x1a {
                        return None;
                    }
                    let pushed_from = usize::from(code.u8()?.checked_sub(0x30)?);
                    let rest = [code.u8()?, code.u8()?, code.u8()?, code.u8()?];
                    if rest != [0x2a, 0x33, 0x24, 0x22] || !code.is_empty() {
                        return None;
                    }
                    let pushed = self.frame_ip & 15 >= pushed_from;
                    Some(Cfa::Register {
                        register: REGISTER_SP,
                        offset: offset + if pushed { 8 } else { 0 },
                    })
                }
                _ => None,
            }
        };
        parse().unwrap_or(Cfa::Unknown)
    }
}

/// `breg6 N`: frames that GCC realigned save registers at places known relative
/// to bp, not to the cfa.
fn saved_by_expression(mut code: Reader) -> Saved {
    let mut parse = || -> Option<Saved> {
        let is_bp_relative = code.u8()? == 0x76;
        let place = code.sleb()?;
        (is_bp_relative && code.is_empty()).then_some(Saved::AtBp(place))
    };
    parse().unwrap_or(Saved::Unknown)
}
