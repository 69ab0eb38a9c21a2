//! Where a jump fits, where it does not, and what moved instructions look like.

use super::Refusal;
use super::emit::Emitter;
use super::move_code::{displaced, find_entry, has_breakpoint, move_instructions};

const ADDRESS: usize = 0x40_1000;
const ELSEWHERE: usize = 0x30_0000;
const RETURN_WORD: usize = 0x30_0100;

/// How many bytes a function's jump displaces. What follows the function is in `code`.
fn fits(code: &[u8], size: Option<usize>) -> Result<usize, Refusal> {
    let mut padded = code.to_vec();
    padded.resize(code.len() + 64, 0x06);
    let entry = find_entry(&padded, ADDRESS)?;
    displaced(&padded, &entry, size).map(<[u8]>::len)
}

/// The bytes that the instructions become elsewhere, without the jump back.
fn moved(code: &[u8]) -> Result<(Vec<u8>, Option<usize>), Refusal> {
    let mut buffer = [0; 64];
    let mut emitter = Emitter::new(&mut buffer, ELSEWHERE);
    let returned = move_instructions(code, ADDRESS, &mut emitter, RETURN_WORD)?;
    let length = emitter.address() - ELSEWHERE;
    let (instructions, jump) = buffer[..length].split_at(length - 5);
    let back = (ADDRESS + code.len()).wrapping_sub(ELSEWHERE + length) as i32;
    assert_eq!(jump[0], 0xe9);
    assert_eq!(jump[1..], back.to_le_bytes());
    Ok((instructions.to_vec(), returned))
}

#[test]
fn whole_instructions_are_displaced() {
    // push rbp; mov rbp, rsp; sub rsp, 0x20; ret
    let prologue = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0xc3];
    assert_eq!(fits(&prologue, Some(9)), Ok(8));
    assert_eq!(fits(&prologue, None), Ok(8));
    // The same behind endbr64.
    let guarded = [&[0xf3, 0x0f, 0x1e, 0xfa], &prologue[..]].concat();
    assert_eq!(fits(&guarded, Some(13)), Ok(8));
    assert_eq!(
        find_entry(&guarded, ADDRESS).map(|e| e.address),
        Ok(ADDRESS + 4)
    );
}

#[test]
fn a_short_function_needs_padding() {
    let short = [0x0f, 0xb6, 0xc0, 0xc3];
    let padded = |padding: &[u8]| fits(&[&short, padding].concat(), Some(4));
    assert_eq!(padded(&[0xcc; 12]), Ok(5));
    assert_eq!(padded(&[0x90; 12]), Ok(5));
    // A nop of nine bytes, and one of eleven.
    assert_eq!(padded(&[0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0]), Ok(13));
    let long = [0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0];
    assert_eq!(padded(&long), Ok(15));
    // Another function.
    assert_eq!(padded(&[0xc3; 12]), Err(Refusal::TooShort));
    assert_eq!(padded(&[0x55, 0xc3]), Err(Refusal::TooShort));
    // Fourteen bytes into a piece of sixteen, the padding is not long enough.
    let mut code = vec![0xc3, 0xcc];
    code.resize(64, 0xcc);
    let entry = find_entry(&code, ADDRESS + 14).unwrap();
    let refused = displaced(&code, &entry, Some(1)).map(<[u8]>::len);
    assert_eq!(refused, Err(Refusal::TooShort));
}

#[test]
fn branches_into_the_entry_are_refused_wherever_they_are() {
    // mov eax, 1; (nops); jmp to the byte at `target`
    for target in 0..8_u8 {
        let mut code = vec![0xb8, 1, 0, 0, 0];
        code.resize(40, 0x90);
        code.extend([0xeb, target.wrapping_sub(42)]);
        let expected = match target {
            0 => Err(Refusal::EntryIsLoop),
            1..=4 => Err(Refusal::BranchIntoEntry),
            _ => Ok(5),
        };
        assert_eq!(fits(&code, Some(42)), expected);
        assert_eq!(fits(&code, None), expected);
        // Beyond the function it is somebody else's.
        assert_eq!(fits(&code, Some(40)), Ok(5));
    }
    // A call of two bytes would return into the jump.
    assert_eq!(
        moved(&[0xff, 0xd0, 0x48, 0x89, 0xc3]),
        Err(Refusal::BranchIntoEntry)
    );
}

#[test]
fn without_a_size_a_function_ends_where_control_does() {
    // test edi, edi; je +1; ret; (target of je:) jmp back to the ret
    let code = [0x85, 0xff, 0x74, 0x01, 0xc3, 0xeb, 0xfd];
    assert_eq!(fits(&code, None), Err(Refusal::BranchIntoEntry));
    // The loop behind the first ret belongs to the next function.
    let code = [0xb8, 1, 0, 0, 0, 0xc3, 0xeb, 0xf9];
    assert_eq!(fits(&code, None), Ok(5));
    assert_eq!(fits(&code, Some(8)), Err(Refusal::BranchIntoEntry));
}

#[test]
fn undecodable_code_is_refused() {
    // The bytes behind the function are no instructions.
    assert_eq!(fits(&[0x55], None), Err(Refusal::Undecodable));
    assert_eq!(
        fits(&[0xb8, 0, 0, 0, 0, 0x06], Some(6)),
        Err(Refusal::Undecodable)
    );
}

#[test]
fn references_are_kept() {
    // lea rax, [rip + 0x10]: refers to 0x401017.
    let (code, _) = moved(&[0x48, 0x8d, 0x05, 0x10, 0, 0, 0]).unwrap();
    let displacement = (0x40_1017_i32 - (ELSEWHERE as i32 + 7)).to_le_bytes();
    assert_eq!(code, [&[0x48, 0x8d, 0x05], &displacement[..]].concat());
    // je +0x20 becomes its long form: to 0x401022.
    let (code, _) = moved(&[0x74, 0x20]).unwrap();
    let displacement = (0x40_1022_i32 - (ELSEWHERE as i32 + 6)).to_le_bytes();
    assert_eq!(code, [&[0x0f, 0x84], &displacement[..]].concat());
    // jmp +0x20 too.
    let (code, _) = moved(&[0xeb, 0x20]).unwrap();
    let displacement = (0x40_1022_i32 - (ELSEWHERE as i32 + 5)).to_le_bytes();
    assert_eq!(code, [&[0xe9], &displacement[..]].concat());
}

#[test]
fn calls_become_a_push_and_a_jump() {
    let push = (RETURN_WORD as i32 - (ELSEWHERE as i32 + 6)).to_le_bytes();
    let push = [&[0xff, 0x35], &push[..]].concat();
    let (code, returned) = moved(&[0xe8, 0, 1, 0, 0]).unwrap();
    let jump = (0x40_1105_i32 - (ELSEWHERE as i32 + 11)).to_le_bytes();
    assert_eq!(code, [&push[..], &[0xe9], &jump].concat());
    assert_eq!(returned, Some(ADDRESS + 5));
    // call [rdi + 0x100] becomes jmp [rdi + 0x100].
    let (code, returned) = moved(&[0xff, 0x97, 0, 1, 0, 0]).unwrap();
    assert_eq!(code, [&push[..], &[0xff, 0xa7, 0, 1, 0, 0]].concat());
    assert_eq!(returned, Some(ADDRESS + 6));
    // call [rsp + 0x100] would find another word after the push.
    let on_stack = moved(&[0xff, 0x94, 0x24, 0, 1, 0, 0]);
    assert_eq!(on_stack, Err(Refusal::Immovable));
}

#[test]
fn what_cannot_be_moved_is_refused() {
    // loop, jrcxz, xbegin.
    assert_eq!(moved(&[0xe2, 0x10]), Err(Refusal::Immovable));
    assert_eq!(moved(&[0xe3, 0x10]), Err(Refusal::Immovable));
    assert_eq!(moved(&[0xc7, 0xf8, 0, 0, 0, 0]), Err(Refusal::Immovable));
    // Refers to the far end of its reach, which is out of reach from elsewhere.
    let far = [0x48, 0x8d, 0x05, 0xff, 0xff, 0xff, 0x7f];
    assert_eq!(moved(&far), Err(Refusal::OutOfReach));
}

#[test]
fn breakpoints_are_seen_where_instructions_begin() {
    let push_and_move = [0x53, 0x48, 0x89, 0xfb, 0x90];
    assert!(!has_breakpoint(&push_and_move, 5));
    for at in [0, 1, 4] {
        let mut code = push_and_move;
        code[at] = 0xcc;
        assert!(has_breakpoint(&code, 5), "at {at}");
        // Behind the end of the function it is padding.
        assert!(!has_breakpoint(&code, at), "at {at}");
    }
    // A number in an instruction: sub $0xcc, %rsp.
    let subtract = [0x48, 0x81, 0xec, 0xcc, 0, 0, 0];
    assert!(!has_breakpoint(&subtract, 7));
}
