//! Rules for code without unwind tables, from the code itself. musl is built without tables; without
//! this the caller of its `strdup` would not be known, nor who called a program's callback. In every
//! library the code that runs when it is loaded, and when it is unloaded, has none.
//!
//! Every way through a function is followed from its entry, with how far sp is below the caller's
//! frame: what was pushed, and what was taken for variables. Compilers make code in which that
//! depends on the place alone. Where two ways disagree, where a return would not find the return
//! address, or where an instruction is not understood, there is no rule.
//!
//! ```text
//!   strdup:  push r12 │ push rbp │ sub rsp, 8 │ call strlen ... call malloc ◄─ ip
//!   depth    8          16         24           32                  32: cfa = sp + 32
//! ```
//!
//! Functions that the library exports have a name, an address and a size. Others lie between two of
//! those, one after the other.

use super::rule::{Rule, RuleKind};
use crate::detour::decode::{self, Flow};
use crate::dynamic;
use crate::modules;
use crate::sys;
use core::ffi::CStr;
use core::ops::Range;

/// Functions that do not return: what stands behind a call of them belongs to another.
const ENDLESS: [&CStr; 8] = [
    c"exit",
    c"_Exit",
    c"abort",
    c"quick_exit",
    c"pthread_exit",
    c"longjmp",
    c"__stack_chk_fail",
    c"__assert_fail",
];

/// The rule for an address in musl, or in code that runs when a module is loaded, where no table has one.
///
/// Never part of its caller: what it needs of the stack, every miss of a rule would take.
#[inline(never)]
pub fn rule_for(ip: usize, is_exact: bool) -> Option<Rule> {
    let address = if is_exact { ip } else { ip.wrapping_sub(1) };
    let place = Place { ip, is_exact };
    if let Some(range) = dynamic::runs_with_module(address) {
        return Walk::through(range, &[]).rule(place);
    }
    if !sys::is_musl() || !modules::is_in_linker(address) {
        return None;
    }
    let endless = ENDLESS.map(|name| dynamic::in_module_of(address, name));
    let (range, is_function) = dynamic::function_around(address)?;
    if is_function {
        return Walk::through(range, &endless).rule(place);
    }
    let mut start = range.start;
    // Behind a jump through a table its targets may lie, which begin in any state.
    let mut may_be_a_target = false;
    loop {
        start = after_padding(start..range.end)?;
        let mut walk = Walk::through(start..range.end, &endless);
        if walk.end > address {
            let is_whole = walk.returns || (walk.enters && !may_be_a_target);
            return walk.rule(place).filter(|_| is_whole);
        }
        may_be_a_target = walk.jumps_anywhere;
        if walk.end <= start {
            return None;
        }
        start = walk.end;
    }
}

/// What is asked for: an instruction, or where a call returns to.
#[derive(Clone, Copy)]
struct Place {
    ip: usize,
    is_exact: bool,
}

/// In words: from sp to the caller's frame, the return address included, and from where bp was
/// saved to there; zero while bp is the caller's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    depth: u16,
    bp: u16,
}

const AT_ENTRY: State = State { depth: 1, bp: 0 };

/// A place where ways begin.
#[derive(Clone, Copy)]
struct Block {
    offset: u32,
    state: State,
}

/// Few enough for any stack; functions of more are left alone.
const MOST_BLOCKS: usize = 256;

/// One function, walked through.
struct Walk<'a> {
    range: Range<usize>,
    endless: &'a [usize],
    blocks: [Block; MOST_BLOCKS],
    count: usize,
    /// Behind the last instruction that was met.
    end: usize,
    /// Whether a return was met, and whether it begins with what functions begin with.
    returns: bool,
    enters: bool,
    /// Whether a jump was met that does not say where to.
    jumps_anywhere: bool,
    is_sound: bool,
}

impl<'a> Walk<'a> {
    fn through(range: Range<usize>, endless: &'a [usize]) -> Walk<'a> {
        let first = Block {
            offset: 0,
            state: AT_ENTRY,
        };
        let mut walk = Walk {
            end: range.start,
            range,
            endless,
            blocks: [first; MOST_BLOCKS],
            count: 1,
            returns: false,
            enters: false,
            jumps_anywhere: false,
            is_sound: true,
        };
        let mut index = 0;
        while let Some(&block) = walk.blocks.get(..walk.count).and_then(|it| it.get(index)) {
            if !walk.is_sound {
                break;
            }
            walk.follow(block, None);
            index += 1;
        }
        walk
    }

    fn rule(&mut self, place: Place) -> Option<Rule> {
        let mut index = 0;
        while self.is_sound
            && let Some(&block) = self.blocks.get(..self.count).and_then(|it| it.get(index))
        {
            if let Some(State { depth, bp }) = self.follow(block, Some(place)) {
                let bp = (bp != 0).then(|| -8 * i64::from(bp));
                return Rule::new(RuleKind::Sp, 8 * i64::from(depth), bp);
            }
            index += 1;
        }
        None
    }

    /// Goes on from a block to where the way ends; the state at `place`, if it is on the way.
    fn follow(&mut self, block: Block, place: Option<Place>) -> Option<State> {
        let mut at = self.range.start + block.offset as usize;
        let mut state = block.state;
        while self.range.contains(&at) {
            let begun = self.block_at(at).filter(|it| it.offset != block.offset);
            if let Some(begun) = begun {
                self.is_sound &= begun.state == state;
                return None;
            }
            if place.is_some_and(|place| place.is_exact && place.ip == at) {
                return Some(state);
            }
            let code = self.code(at);
            let Some(instruction) = decode::decode(code) else {
                self.is_sound = false;
                return None;
            };
            let code = code.get(..instruction.length).unwrap_or(code);
            let next = at + instruction.length;
            self.end = self.end.max(next);
            let target = |by: isize| at.wrapping_add_signed(by);
            match instruction.flow {
                Flow::Next => {
                    let before = state;
                    state = match effect(code, state) {
                        Effect::Now(state) => state,
                        Effect::Unknown => return None,
                        Effect::Wrong => {
                            self.is_sound = false;
                            return None;
                        }
                    };
                    self.enters |= at == self.range.start && state.depth > before.depth;
                }
                Flow::Branch { to, .. } | Flow::OddBranch(to) => self.add(target(to), state),
                // What begins as another function does may be another.
                Flow::Jump(_) if state == AT_ENTRY => return None,
                Flow::Jump(to) => {
                    self.add(target(to), state);
                    return None;
                }
                Flow::Call(_) | Flow::IndirectCall { .. } => {
                    if place.is_some_and(|place| !place.is_exact && place.ip == next) {
                        return Some(state);
                    }
                    if let Flow::Call(to) = instruction.flow
                        && self.endless.contains(&target(to))
                    {
                        return None;
                    }
                }
                Flow::Stop => {
                    if is_return(code) {
                        self.is_sound &= state == AT_ENTRY;
                        self.returns = true;
                    }
                    self.jumps_anywhere |= is_indirect_jump(code);
                    return None;
                }
            }
            at = next;
        }
        None
    }

    fn code(&self, at: usize) -> &'static [u8] {
        code(at..self.range.end)
    }

    /// A way begins there, with this state.
    fn add(&mut self, at: usize, state: State) {
        if !self.range.contains(&at) {
            return;
        }
        let offset = (at - self.range.start) as u32;
        match (self.block_at(at), self.blocks.get_mut(self.count)) {
            (Some(block), _) => self.is_sound &= block.state == state,
            (None, Some(place)) => {
                *place = Block { offset, state };
                self.count += 1;
            }
            (None, None) => self.is_sound = false,
        }
    }

    fn block_at(&self, at: usize) -> Option<Block> {
        let offset = (at - self.range.start) as u32;
        let mut known = self.blocks.iter().take(self.count);
        known.find(|block| block.offset == offset).copied()
    }
}

/// The first instruction of a range, and what follows it as far as one may reach.
fn code(range: Range<usize>) -> &'static [u8] {
    const PAGE_BYTES: usize = 4096;
    let mut bytes = (range.end - range.start).min(decode::LONGEST);
    let left_of_page = PAGE_BYTES - range.start % PAGE_BYTES;
    // Code may end with the page, and nothing be behind it.
    if bytes > left_of_page && !sys::is_readable(range.start + left_of_page) {
        bytes = left_of_page;
    }
    // SAFETY: the code of a library that is never unloaded, or that somebody is running.
    unsafe { core::slice::from_raw_parts(range.start as *const u8, bytes) }
}

/// Where the next function begins: behind instructions that do nothing.
fn after_padding(range: Range<usize>) -> Option<usize> {
    let mut at = range.start;
    while range.contains(&at) {
        let code = code(at..range.end);
        let (opcode, _, rest) = split(code)?;
        let is_padding = matches!((opcode, rest), (0x90 | 0xcc, _) | (0x0f, [0x1f, ..]));
        if !is_padding {
            return Some(at);
        }
        at += decode::decode(code)?.length;
    }
    None
}

/// What an instruction does to sp and bp.
enum Effect {
    Now(State),
    /// It ends what is known of this way: sp is taken from bp, as where functions with a frame
    /// pointer end.
    Unknown,
    /// What no compiler does, or what makes sp depend on more than the place: room for an array
    /// whose length is known only then.
    Wrong,
}

/// The opcode of an instruction, its REX prefix (zero where there is none) and what follows.
fn split(code: &[u8]) -> Option<(u8, u8, &[u8])> {
    const PREFIXES: [u8; 11] = [
        0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
    ];
    let prefixes = code.iter().take_while(|byte| PREFIXES.contains(byte));
    let (&first, rest) = code.get(prefixes.count()..)?.split_first()?;
    match first {
        rex @ 0x40..=0x4f => rest
            .split_first()
            .map(|(&opcode, rest)| (opcode, rex, rest)),
        opcode => Some((opcode, 0, rest)),
    }
}

fn is_return(code: &[u8]) -> bool {
    split(code).is_some_and(|(opcode, ..)| matches!(opcode, 0xc3 | 0xc2))
}

fn is_indirect_jump(code: &[u8]) -> bool {
    const JUMP: u8 = 4;
    split(code).is_some_and(|(opcode, _, rest)| {
        opcode == 0xff && rest.first().is_some_and(|modrm| modrm >> 3 & 7 == JUMP)
    })
}

fn effect(code: &[u8], state: State) -> Effect {
    const SP: u8 = 4;
    const BP: u8 = 5;
    let Some((opcode, rex, rest)) = split(code) else {
        return Effect::Wrong;
    };
    let high = rex & 1 == 1;
    let modrm = rest.first().copied().unwrap_or(0);
    let (mode, field, register) = (modrm >> 6, modrm >> 3 & 7, modrm & 7);
    // The register that the instruction writes by its last operand, or by its first, is sp.
    let last_is_sp = mode == 3 && register == SP && !high;
    let first_is_sp = field == SP && rex & 4 == 0;
    match opcode {
        // push
        0x50..=0x57 => match state.pushed(1) {
            Effect::Now(now) if opcode & 7 == BP && !high && state.bp == 0 => Effect::Now(State {
                bp: now.depth,
                ..now
            }),
            effect => effect,
        },
        0x68 | 0x6a | 0x9c => state.pushed(1),
        0xff if field == 6 => state.pushed(1),
        // pop
        0x58..=0x5f if opcode & 7 == SP && !high => Effect::Wrong,
        0x58..=0x5f if opcode & 7 == BP && !high => match state.bp == state.depth {
            true => State { bp: 0, ..state }.pushed(-1),
            false => Effect::Unknown,
        },
        0x58..=0x5f | 0x8f | 0x9d => state.pushed(-1),
        // enter, leave
        0xc8 => Effect::Wrong,
        0xc9 => Effect::Unknown,
        // add and sub of a number; cmp changes nothing.
        0x81 | 0x83 if last_is_sp => match (field, number(rest)) {
            (7, _) => Effect::Now(state),
            (0, Some(bytes)) => state.moved(-bytes),
            (5, Some(bytes)) => state.moved(bytes),
            _ => Effect::Wrong,
        },
        // lea
        0x8d if first_is_sp => match (mode, register, rest.get(1), rex & 3) {
            (1 | 2, SP, Some(0x24), 0) => match number(&rest[1..]) {
                Some(bytes) => state.moved(-bytes),
                None => Effect::Wrong,
            },
            (1 | 2, BP, _, 0) => Effect::Unknown,
            _ => Effect::Wrong,
        },
        // mov of bp to sp
        0x89 if last_is_sp && field == BP && rex & 4 == 0 => Effect::Unknown,
        0x8b if first_is_sp && mode == 3 && register == BP && !high => Effect::Unknown,
        // Other arithmetic, mov and xchg with sp as what is written.
        0x01 | 0x09 | 0x11 | 0x19 | 0x21 | 0x29 | 0x31 | 0x87 | 0x89 | 0xc7 | 0xf7
            if last_is_sp =>
        {
            Effect::Wrong
        }
        0x03 | 0x0b | 0x13 | 0x1b | 0x23 | 0x2b | 0x33 | 0x63 | 0x87 | 0x8b if first_is_sp => {
            Effect::Wrong
        }
        0x94 | 0xbc if !high => Effect::Wrong,
        _ => Effect::Now(state),
    }
}

/// The number behind the first byte, of one byte or of four: what is left of an instruction.
fn number(rest: &[u8]) -> Option<i64> {
    match *rest.get(1..)? {
        [byte] => Some(i64::from(byte as i8)),
        [a, b, c, d] => Some(i64::from(i32::from_le_bytes([a, b, c, d]))),
        _ => None,
    }
}

impl State {
    /// Words were pushed, or popped: never the return address.
    fn pushed(self, words: i64) -> Effect {
        match u16::try_from(i64::from(self.depth) + words) {
            Ok(depth @ 1..) => Effect::Now(State { depth, ..self }),
            Ok(0) => Effect::Wrong,
            Err(_) => Effect::Unknown,
        }
    }

    fn moved(self, bytes: i64) -> Effect {
        match bytes % 8 {
            0 => self.pushed(bytes / 8),
            _ => Effect::Unknown,
        }
    }
}

#[cfg(test)]
#[path = "from_code_tests.rs"]
mod tests;
