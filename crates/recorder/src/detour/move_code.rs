//! Which instructions a jump at a function's entry displaces, and how they are
//! moved: they must do in the trampoline exactly what they did in their place.

use super::Refusal;
use super::decode::{self, Flow, Instruction, decode};
use super::emit::{self, Emitter, JUMP_BYTES};

/// `endbr64`, where indirect calls may land. The jump goes behind it, so that they still may.
const LANDING_PAD: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

/// How far behind the end of a function the displaced instructions can reach.
pub const MOST_LOOKAHEAD_BYTES: usize = 2 * decode::LONGEST;

/// Functions begin at multiples of this where padding was inserted before them.
const ALIGNMENT: usize = 16;

/// Where the jump will stand.
pub struct Entry<'a> {
    pub address: usize,
    /// The code from there on.
    pub code: &'a [u8],
}

/// The place for the jump in the function whose code begins at `address`.
pub fn find_entry(code: &[u8], address: usize) -> Result<Entry<'_>, Refusal> {
    let skipped = match code.starts_with(&LANDING_PAD) {
        true => LANDING_PAD.len(),
        false => 0,
    };
    Ok(Entry {
        address: address.wrapping_add(skipped),
        code: code.get(skipped..).ok_or(Refusal::TooShort)?,
    })
}

/// The instructions that the jump displaces, if they may be: `code` is the function
/// and some bytes behind it, `size` its size where that is known.
pub fn displaced<'a>(
    code: &[u8],
    entry: &Entry<'a>,
    size: Option<usize>,
) -> Result<&'a [u8], Refusal> {
    let skipped = code.len().wrapping_sub(entry.code.len());
    let size = sweep(code, skipped, size)?;
    let size = size.checked_sub(skipped).ok_or(Refusal::TooShort)?;

    let mut covered = 0;
    while covered < JUMP_BYTES {
        let rest = entry.code.get(covered..).unwrap_or_default();
        let instruction = decode(rest).ok_or(Refusal::Undecodable)?;
        let bytes = rest.get(..instruction.length).unwrap_or_default();
        if covered >= size && !is_padding(bytes) {
            return Err(Refusal::TooShort);
        }
        covered = covered.wrapping_add(instruction.length);
    }
    let next_function = entry.address.wrapping_add(size).next_multiple_of(ALIGNMENT);
    if size < JUMP_BYTES && entry.address.wrapping_add(JUMP_BYTES) > next_function {
        return Err(Refusal::TooShort);
    }
    entry.code.get(..covered).ok_or(Refusal::TooShort)
}

/// Reads the whole function for branches into its entry, and returns its size.
fn sweep(code: &[u8], entry: usize, size: Option<usize>) -> Result<usize, Refusal> {
    let mut offset = 0_usize;
    // Code goes on at least up to here.
    let mut furthest_target = 0;
    while size.is_none_or(|size| offset < size) {
        let decoded = code.get(offset..).and_then(decode);
        let Some(instruction) = decoded else {
            match size {
                // The end of what can be known; the entry itself is decoded later.
                None => return Ok(offset),
                Some(_) => return Err(Refusal::Undecodable),
            }
        };
        if let Some(target) = target_within(&instruction, offset) {
            let from_entry = target.wrapping_sub(entry);
            if (1..JUMP_BYTES).contains(&from_entry) {
                return Err(Refusal::BranchIntoEntry);
            }
            if from_entry == 0 && !matches!(instruction.flow, Flow::Call(_)) {
                return Err(Refusal::EntryIsLoop);
            }
            furthest_target = furthest_target.max(target);
        }
        offset = offset.wrapping_add(instruction.length);
        let ends = matches!(instruction.flow, Flow::Stop | Flow::Jump(_));
        if size.is_none() && ends && offset > furthest_target {
            return Ok(offset);
        }
    }
    Ok(size.unwrap_or(offset))
}

/// Where a branch leads, counted from the function's start. What leads further than
/// a short function is long is taken for a tail call.
fn target_within(instruction: &Instruction, offset: usize) -> Option<usize> {
    let (Flow::Jump(to) | Flow::Branch { to, .. } | Flow::OddBranch(to) | Flow::Call(to)) =
        instruction.flow
    else {
        return None;
    };
    let target = offset.checked_add_signed(to)?;
    let is_call = matches!(instruction.flow, Flow::Call(_));
    let is_near = target < offset.wrapping_add(super::MOST_UNSIZED_BYTES) && !is_call;
    (is_near || target <= offset).then_some(target)
}

/// Whether a breakpoint stands where an instruction of the function begins, up to `size`. A
/// debugger keeps the byte that was there, and puts it back over whatever is there then.
pub fn has_breakpoint(displaced: &[u8], size: usize) -> bool {
    const BREAKPOINT: u8 = 0xcc;
    let mut offset = 0;
    while offset < size {
        let rest = displaced.get(offset..).unwrap_or_default();
        match (rest.first(), decode(rest)) {
            (Some(&BREAKPOINT), _) => return true,
            (_, Some(instruction)) => offset = offset.wrapping_add(instruction.length),
            (_, None) => return false,
        }
    }
    false
}

/// What compilers and linkers put between functions: `int3` and `nop`s.
fn is_padding(instruction: &[u8]) -> bool {
    let is_prefix = |byte: &&u8| matches!(byte, 0x66 | 0x2e);
    let prefixes = instruction.iter().take_while(is_prefix).count();
    let opcode = instruction.get(prefixes..);
    matches!(opcode, Some([0x90 | 0xcc] | [0x0f, 0x1f, ..]))
}

/// Writes the displaced instructions to where they will run from now on. A call
/// among them needs the word at `return_word` to hold what is returned here.
pub fn move_instructions(
    displaced: &[u8],
    address: usize,
    to: &mut Emitter<'_>,
    return_word: usize,
) -> Result<Option<usize>, Refusal> {
    let mut offset = 0;
    let mut return_address = None;
    while offset < displaced.len() {
        let rest = displaced.get(offset..).unwrap_or_default();
        let instruction = decode(rest).ok_or(Refusal::Undecodable)?;
        let bytes = rest.get(..instruction.length).unwrap_or_default();
        let start = address.wrapping_add(offset);
        offset = offset.wrapping_add(instruction.length);
        if matches!(instruction.flow, Flow::Call(_) | Flow::IndirectCall { .. }) {
            // The callee comes back to the original code, which must be there.
            if offset < JUMP_BYTES {
                return Err(Refusal::BranchIntoEntry);
            }
            const PUSH_WORD: [u8; 2] = [0xff, 0x35];
            to.with_target(&PUSH_WORD, return_word)?;
            return_address = Some(address.wrapping_add(offset));
        }
        let target = |distance: isize| start.wrapping_add_signed(distance);
        match instruction.flow {
            Flow::Next | Flow::Stop => copy(bytes, &instruction, start, to)?,
            Flow::Jump(distance) | Flow::Call(distance) => to.jump(target(distance))?,
            Flow::Branch {
                condition,
                to: distance,
            } => to.with_target(&[0x0f, 0x80 | condition], target(distance))?,
            Flow::IndirectCall { modrm } => {
                let jump = indirect_jump(bytes, modrm).ok_or(Refusal::Immovable)?;
                let jump = jump.get(..bytes.len()).unwrap_or_default();
                copy(jump, &instruction, start, to)?;
            }
            Flow::OddBranch(_) => return Err(Refusal::Immovable),
        }
    }
    to.jump(address.wrapping_add(displaced.len()))?;
    Ok(return_address)
}

/// Copies an instruction that stood at `start`; what it refers to stays in its place.
fn copy(
    bytes: &[u8],
    instruction: &Instruction,
    start: usize,
    to: &mut Emitter<'_>,
) -> Result<(), Refusal> {
    let Some(at) = instruction.rip_displacement else {
        return to.bytes(bytes);
    };
    let field = bytes.get(at..).and_then(|field| field.first_chunk());
    let displacement = i32::from_le_bytes(*field.ok_or(Refusal::Undecodable)?);
    let old_next = start.wrapping_add(instruction.length);
    let referred = old_next.wrapping_add_signed(displacement as isize);
    let new_next = to.address().wrapping_add(instruction.length);
    let displacement = emit::distance(new_next, referred)?;
    to.bytes(bytes.get(..at).unwrap_or_default())?;
    to.bytes(&displacement.to_le_bytes())?;
    to.bytes(bytes.get(at.wrapping_add(4)..).unwrap_or_default())
}

/// The indirect call as a jump, to go behind a push of the return address. `None`
/// where the operand may be rsp, which the push has changed.
fn indirect_jump(call: &[u8], modrm: usize) -> Option<[u8; decode::LONGEST]> {
    const MAY_BE_STACK: u8 = 4;
    const REGISTER_FIELD: u8 = 0b111 << 3;
    const JUMP: u8 = 4 << 3;
    let mut jump = [0; decode::LONGEST];
    jump.get_mut(..call.len())?.copy_from_slice(call);
    let operand = jump.get_mut(modrm)?;
    if *operand & 7 == MAY_BE_STACK {
        return None;
    }
    *operand = *operand & !REGISTER_FIELD | JUMP;
    Some(jump)
}
