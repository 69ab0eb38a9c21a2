//! Runs a seccomp filter as the kernel does: a program of classic BPF over the number, the
//! architecture and the arguments of a system call.

/// As the kernel lays it out.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    k: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Allowed,
    /// It fails with this error, and nothing else happens.
    Fails(u32),
    /// The process is killed or stopped, or gets a signal; or nobody can say.
    Punished,
}

const X86_64: u32 = 0xc000_003e;

/// What a filter reads: number, architecture, address of the instruction, six arguments.
const WORDS: usize = 16;
const INSTRUCTION_POINTER: core::ops::Range<usize> = 2..4;
const SCRATCH_WORDS: usize = 16;

pub fn judge(filter: &[Instruction], number: usize, arguments: &[usize; 6]) -> Verdict {
    const ACTION: u32 = 0xffff_0000;
    const ALLOW: u32 = 0x7fff_0000;
    const LOG: u32 = 0x7ffc_0000;
    const ERROR: u32 = 0x0005_0000;
    const MOST_ERRNO: u32 = 4095;
    let mut words = [0; WORDS];
    words[0] = number as u32;
    words[1] = X86_64;
    for (pair, &argument) in words[4..].chunks_exact_mut(2).zip(arguments) {
        pair[0] = argument as u32;
        pair[1] = (argument as u64 >> 32) as u32;
    }
    let Some(result) = run(filter, &words) else {
        return Verdict::Punished;
    };
    match result & ACTION {
        ALLOW | LOG => Verdict::Allowed,
        ERROR => Verdict::Fails((result & !ACTION).min(MOST_ERRNO)),
        _ => Verdict::Punished,
    }
}

/// What the filter returns; `None` where it does what is not known here, or asks from where
/// the call comes.
fn run(filter: &[Instruction], words: &[u32; WORDS]) -> Option<u32> {
    let (mut a, mut x) = (0_u32, 0_u32);
    let mut scratch = [0_u32; SCRATCH_WORDS];
    let mut at = 0_usize;
    // Jumps lead forward only, so this ends.
    loop {
        let instruction = filter.get(at)?;
        let k = instruction.k;
        at += 1;
        match instruction.code {
            // Loads of a word, a constant, the length, and from scratch memory.
            0x20 => {
                let index = k as usize / 4;
                if k % 4 != 0 || INSTRUCTION_POINTER.contains(&index) {
                    return None;
                }
                a = *words.get(index)?;
            }
            0x00 => a = k,
            0x01 => x = k,
            0x80 => a = (WORDS * 4) as u32,
            0x81 => x = (WORDS * 4) as u32,
            0x60 => a = *scratch.get(k as usize)?,
            0x61 => x = *scratch.get(k as usize)?,
            0x02 => *scratch.get_mut(k as usize)? = a,
            0x03 => *scratch.get_mut(k as usize)? = x,
            0x07 => x = a,
            0x87 => a = x,
            0x06 => return Some(k),
            0x16 => return Some(a),
            code if code & 0x07 == 0x04 => {
                let operand = if code & 0x08 != 0 { x } else { k };
                a = calculate(code & 0xf0, a, operand)?;
            }
            code if code & 0x07 == 0x05 => {
                let operand = if code & 0x08 != 0 { x } else { k };
                let is_true = match code & 0xf0 {
                    0x00 => {
                        at = at.checked_add(k as usize)?;
                        continue;
                    }
                    0x10 => a == operand,
                    0x20 => a > operand,
                    0x30 => a >= operand,
                    0x40 => a & operand != 0,
                    _ => return None,
                };
                at += usize::from(match is_true {
                    true => instruction.if_true,
                    false => instruction.if_false,
                });
            }
            _ => return None,
        }
    }
}

fn calculate(operation: u16, a: u32, operand: u32) -> Option<u32> {
    Some(match operation {
        0x00 => a.wrapping_add(operand),
        0x10 => a.wrapping_sub(operand),
        0x20 => a.wrapping_mul(operand),
        0x30 => a.checked_div(operand)?,
        0x40 => a | operand,
        0x50 => a & operand,
        0x60 => a.checked_shl(operand)?,
        0x70 => a.checked_shr(operand)?,
        0x80 => a.wrapping_neg(),
        0x90 => a.checked_rem(operand)?,
        0xa0 => a ^ operand,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn instruction(code: u16, if_true: u8, if_false: u8, k: u32) -> Instruction {
        Instruction {
            code,
            if_true,
            if_false,
            k,
        }
    }

    /// `mprotect` kills, `mmap` that may execute is trapped, `open` fails, `write` is told to a
    /// tracer; the rest passes.
    const FILTER: [Instruction; 13] = [
        instruction(0x20, 0, 0, 4),
        instruction(0x15, 1, 0, X86_64),
        instruction(0x06, 0, 0, 0),
        instruction(0x20, 0, 0, 0),
        instruction(0x15, 7, 0, 10),
        instruction(0x15, 5, 0, 2),
        instruction(0x15, 6, 0, 1),
        instruction(0x15, 0, 3, 9),
        instruction(0x20, 0, 0, 32),
        instruction(0x45, 2, 1, 4),
        instruction(0x06, 0, 0, 0x0003_0000),
        instruction(0x06, 0, 0, 0x7fff_0000),
        instruction(0x06, 0, 0, 0x8000_0000),
    ];

    #[test]
    fn calls_are_judged_as_the_kernel_does() {
        let judged = |number, protection| judge(&FILTER, number, &[0, 0, protection, 0, 0, 0]);
        assert_eq!(judged(39, 0), Verdict::Allowed);
        assert_eq!(judged(10, 0), Verdict::Punished);
        assert_eq!(judged(9, 3), Verdict::Allowed);
        assert_eq!(judged(9, 7), Verdict::Punished);
        assert_eq!(judged(1, 0), Verdict::Punished);
    }

    #[test]
    fn errors_are_answers_and_all_that_is_not_known_is_not_proven() {
        let fails = [instruction(0x06, 0, 0, 0x0005_0001)];
        assert_eq!(judge(&fails, 1, &[0; 6]), Verdict::Fails(1));
        let asks_where = [
            instruction(0x20, 0, 0, 8),
            instruction(0x06, 0, 0, 0x7fff_0000),
        ];
        assert_eq!(judge(&asks_where, 1, &[0; 6]), Verdict::Punished);
        let returns_what_it_calculated = [
            instruction(0x00, 0, 0, 0x7fff_0001),
            instruction(0x54, 0, 0, 0xffff_0000),
            instruction(0x02, 0, 0, 3),
            instruction(0x00, 0, 0, 0),
            instruction(0x60, 0, 0, 3),
            instruction(0x16, 0, 0, 0),
        ];
        assert_eq!(
            judge(&returns_what_it_calculated, 1, &[0; 6]),
            Verdict::Allowed
        );
        assert_eq!(judge(&[], 1, &[0; 6]), Verdict::Punished);
        let unknown = [instruction(0xffff, 0, 0, 0)];
        assert_eq!(judge(&unknown, 1, &[0; 6]), Verdict::Punished);
    }
}
