//! How to find the caller of a frame: one packed word per code address.
//!
//! With `sp`, `bp` as they were in the frame just after the call returned:
//!
//! | kind     | cfa             | return address     | caller's sp |
//! |----------|-----------------|--------------------|-------------|
//! | `Sp`     | sp + offset     | *(cfa - 8)         | cfa         |
//! | `Bp`     | bp + offset     | *(cfa - 8)         | cfa         |
//! | `BpDeref`| *(bp + offset)  | *(cfa - 8)         | cfa         |
//! | `Signal` | the interrupted registers, from the kernel's record at sp | | |
//! | `LazyBinding` | rbx + offset, in the dynamic linker; see `lazy_binding` | *(cfa - 8) | cfa |
//! | `FramePointer` | bp + 16, where what bp points to looks like a frame | *(cfa - 8) | cfa |
//! | `End`    | outermost frame: the unwind table says so             | | |
//! | `None`   | no code is known at the address                       | | |
//!
//! No unwind table covers the code of a `FramePointer` frame: bp is a guess. If that
//! function set up no frame of its own, its caller is passed over; if it uses bp for
//! something else, the guess is refused or, rarely, wrong.
//!
//! The caller's bp is `*(cfa + bp_offset)` where the frame saved it (in a `BpDeref`
//! frame `*(bp + bp_offset)`), else unchanged. Functions that realign the stack
//! for vectors are `BpDeref`, usually with offsets -8 and 0.

use super::stack_memory::OwnStack;
use super::{lazy_binding, rules};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleKind {
    Sp,
    Bp,
    BpDeref,
    Signal,
    LazyBinding,
    FramePointer,
    End,
    None,
}

/// Packed: kind in bits 0..4 (from 1, so that no rule is zero), bit 4 whether bp
/// was saved, offset / 8 in bits 8..32, bp offset / 8 in bits 32..56, signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule(u64);

/// The registers of a frame, as far as unwinding needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    pub sp: usize,
    pub ip: usize,
    pub bp: usize,
    /// The frame was interrupted by a signal: `ip` is no return address.
    pub exact: bool,
}

/// Below the stack pointer, and still the function's own.
const RED_ZONE_BYTES: usize = 128;

/// Offsets from the stack pointer that a signal handler returns to, into the
/// `ucontext` the kernel left there.
const SIGNAL_BP: usize = 120;
const SIGNAL_SP: usize = 160;
const SIGNAL_IP: usize = 168;

impl Rule {
    pub const END: Rule = Rule::plain(RuleKind::End);
    pub const NONE: Rule = Rule::plain(RuleKind::None);
    pub const SIGNAL: Rule = Rule::plain(RuleKind::Signal);
    pub const FRAME_POINTER: Rule = Rule::plain(RuleKind::FramePointer);

    const fn plain(kind: RuleKind) -> Rule {
        Rule(kind as u64 + 1)
    }

    /// `None` where the numbers are not multiples of 8 or too large to pack.
    pub fn new(kind: RuleKind, offset: i64, bp_offset: Option<i64>) -> Option<Rule> {
        let field = |value: i64| {
            let words = value / 8;
            let fits = value % 8 == 0 && (-(1 << 23)..1 << 23).contains(&words);
            fits.then_some(words as u64 & 0xff_ffff)
        };
        let mut packed = Rule::plain(kind).0 | field(offset)? << 8;
        if let Some(bp_offset) = bp_offset {
            packed |= 1 << 4 | field(bp_offset)? << 32;
        }
        Some(Rule(packed))
    }

    #[inline(always)]
    pub fn from_bits(bits: u64) -> Rule {
        Rule(bits)
    }

    #[inline(always)]
    pub fn bits(self) -> u64 {
        self.0
    }

    #[inline(always)]
    pub fn kind(self) -> RuleKind {
        match self.0 & 15 {
            1 => RuleKind::Sp,
            2 => RuleKind::Bp,
            3 => RuleKind::BpDeref,
            4 => RuleKind::Signal,
            5 => RuleKind::LazyBinding,
            6 => RuleKind::FramePointer,
            7 => RuleKind::End,
            _ => RuleKind::None,
        }
    }

    #[inline(always)]
    fn offset(self) -> usize {
        ((self.0 as i64) << 32 >> 40 << 3) as usize
    }

    #[inline(always)]
    fn bp_offset(self) -> usize {
        ((self.0 as i64) << 8 >> 40 << 3) as usize
    }

    #[inline(always)]
    pub fn loads_bp(self) -> bool {
        self.0 & 1 << 4 != 0 || matches!(self.kind(), RuleKind::Signal | RuleKind::FramePointer)
    }

    /// How far below the return address the caller's bp lies in the frame; just below it where
    /// there are frame pointers. `None` where that is too far to be kept, or elsewhere.
    #[inline(always)]
    pub fn words_from_bp_to_return_address(self) -> Option<u8> {
        if self.kind() == RuleKind::FramePointer {
            return Some(1);
        }
        let is_saved_in_frame = self.0 & 1 << 4 != 0 && !self.reads_elsewhere();
        let words = (self.bp_offset() as isize / -8) - 1;
        (is_saved_in_frame && words > 0).then(|| u8::try_from(words).ok())?
    }

    #[inline(always)]
    pub fn uses_bp(self) -> bool {
        matches!(
            self.kind(),
            RuleKind::Bp | RuleKind::BpDeref | RuleKind::FramePointer
        )
    }

    /// The caller's place depends on memory beyond its return address and bp.
    #[inline(always)]
    pub fn reads_elsewhere(self) -> bool {
        matches!(
            self.kind(),
            RuleKind::BpDeref | RuleKind::Signal | RuleKind::LazyBinding
        )
    }

    /// The caller of `frame`, or `None` at the end of the stack.
    ///
    /// # Safety
    /// As for [`Rule::advance`].
    pub unsafe fn step(self, frame: &Cursor, own: &mut OwnStack) -> Option<Cursor> {
        let mut cursor = *frame;
        // SAFETY: handed on to the caller.
        unsafe { self.advance(&mut cursor, own) }.then_some(cursor)
    }

    /// Moves from a frame to its caller; false at the end of the stack, or where the
    /// memory that the rule asks for is not there.
    ///
    /// # Safety
    /// The cursor must stand in a live frame of this thread, and `self` be the rule for its
    /// address.
    #[inline(always)]
    pub unsafe fn advance(self, cursor: &mut Cursor, own: &mut OwnStack) -> bool {
        // Nearly every frame is of this kind; asked first, it costs one branch, and
        // the cursor stays in registers.
        if self.kind() == RuleKind::Sp {
            let cfa = cursor.sp.wrapping_add(self.offset());
            // SAFETY: handed on to the caller.
            return unsafe { self.advance_to(cfa, cursor, own) };
        }
        let mut moved = *cursor;
        // SAFETY: handed on to the caller.
        let is_moved = unsafe { self.advance_otherwise(&mut moved, own) };
        cursor.sp = moved.sp;
        cursor.ip = moved.ip;
        cursor.bp = moved.bp;
        cursor.exact = moved.exact;
        is_moved
    }

    /// The same for the other kinds.
    #[inline(never)]
    unsafe fn advance_otherwise(self, cursor: &mut Cursor, own: &mut OwnStack) -> bool {
        let cfa = match self.kind() {
            RuleKind::Sp => cursor.sp.wrapping_add(self.offset()),
            RuleKind::Bp => cursor.bp.wrapping_add(self.offset()),
            RuleKind::BpDeref => {
                let at = cursor.bp.wrapping_add(self.offset());
                if !own.is_there(cursor.sp, at) {
                    return false;
                }
                // SAFETY: the word is there.
                unsafe { (at as *const usize).read() }
            }
            RuleKind::Signal => {
                let record = cursor.sp;
                // SAFETY: sp points at the record the kernel made for the handler.
                unsafe {
                    cursor.ip = ((record + SIGNAL_IP) as *const usize).read();
                    cursor.sp = ((record + SIGNAL_SP) as *const usize).read();
                    cursor.bp = ((record + SIGNAL_BP) as *const usize).read();
                }
                cursor.exact = true;
                return true;
            }
            RuleKind::LazyBinding => match lazy_binding::cfa(cursor.sp, self.offset(), own) {
                Some(cfa) => cfa,
                None => return false,
            },
            // SAFETY: handed on to the caller.
            RuleKind::FramePointer => return unsafe { follow_frame_pointer(cursor, own) },
            RuleKind::End | RuleKind::None => return false,
        };
        // SAFETY: handed on to the caller.
        unsafe { self.advance_to(cfa, cursor, own) }
    }

    /// Moves to the caller of a frame whose cfa is known.
    #[inline(always)]
    unsafe fn advance_to(self, cfa: usize, cursor: &mut Cursor, own: &mut OwnStack) -> bool {
        let return_slot = cfa.wrapping_sub(8);
        // Above sp, which also makes every walk end.
        if !own.is_there(cursor.sp, return_slot) {
            return false;
        }
        if self.0 & 1 << 4 != 0 {
            let base = match self.kind() {
                RuleKind::BpDeref => cursor.bp,
                _ => cfa,
            };
            let at = base.wrapping_add(self.bp_offset());
            // What lies between two words of one page, or of the own stack, is there too.
            let is_between = (cursor.sp..return_slot).contains(&at);
            // A frame that was interrupted where it ends has taken bp from there already; signals
            // leave that part of the stack alone.
            let is_there = is_between
                || own.is_there(cursor.sp, at)
                || cursor.exact && own.is_there(cursor.sp.wrapping_sub(RED_ZONE_BYTES), at);
            if !is_there {
                return false;
            }
            // SAFETY: the word is there.
            cursor.bp = unsafe { (at as *const usize).read_unaligned() };
        }
        // SAFETY: asked above.
        cursor.ip = unsafe { (return_slot as *const usize).read() };
        cursor.sp = cfa;
        cursor.exact = false;
        true
    }
}

/// The largest frame that is believed without an unwind table.
const MOST_FRAME_BYTES: usize = 1 << 20;

/// Moves to the caller of a frame without an unwind table, if bp points to what looks like
/// the caller's bp and a return address.
///
/// # Safety
/// As for [`Rule::advance`].
unsafe fn follow_frame_pointer(cursor: &mut Cursor, own: &mut OwnStack) -> bool {
    let at = cursor.bp;
    if at == 0 {
        // So does a thread begin, by the ABI.
        cursor.ip = 0;
        return true;
    }
    let is_near = at.wrapping_sub(cursor.sp) < MOST_FRAME_BYTES;
    if !(is_near && own.is_there(cursor.sp, at) && own.is_there(cursor.sp, at + 8)) {
        return false;
    }
    // SAFETY: both words are there.
    let (bp, ip) = unsafe {
        (
            (at as *const usize).read(),
            ((at + 8) as *const usize).read(),
        )
    };
    if ip != 0 && !rules::is_code(ip) {
        return false;
    }
    *cursor = Cursor {
        sp: at + 16,
        ip,
        bp,
        exact: false,
    };
    true
}

#[cfg(test)]
#[path = "rule_tests.rs"]
mod tests;
