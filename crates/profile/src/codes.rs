//! The numbers that stand for ids, kinds and values in the columns of
//! [`mod@crate::encode`] and [`crate::encode_timeline`].

use crate::counters::Counters;
use crate::model::StackKind;
use crate::timeline::MomentKind;

/// Ids are stored two higher, modulo 2^32, which makes the two special ones
/// small: `CUT` is 0 and `NONE` is 1.
pub(crate) fn id_to_code(id: u32) -> u64 {
    u64::from(id.wrapping_add(2))
}

pub(crate) fn id_from_code(code: u32) -> u32 {
    code.wrapping_sub(2)
}

pub(crate) fn kind_to_code(kind: StackKind) -> u64 {
    match kind {
        StackKind::Heap => 0,
        StackKind::Mapping => 1,
        StackKind::Pooled => 2,
        StackKind::Overflow => 3,
        StackKind::Reported => 4,
        StackKind::Cpu => 5,
    }
}

pub(crate) fn kind_from_code(code: u64) -> Option<StackKind> {
    match code {
        0 => Some(StackKind::Heap),
        1 => Some(StackKind::Mapping),
        2 => Some(StackKind::Pooled),
        3 => Some(StackKind::Overflow),
        4 => Some(StackKind::Reported),
        5 => Some(StackKind::Cpu),
        _ => None,
    }
}

pub(crate) fn moment_kind_to_code(kind: MomentKind) -> u64 {
    match kind {
        MomentKind::Begin => 0,
        MomentKind::End => 1,
        MomentKind::Tick => 2,
        MomentKind::Snapshot => 3,
        MomentKind::Last => 4,
    }
}

pub(crate) fn moment_kind_from_code(code: u64) -> Option<MomentKind> {
    match code {
        0 => Some(MomentKind::Begin),
        1 => Some(MomentKind::End),
        2 => Some(MomentKind::Tick),
        3 => Some(MomentKind::Snapshot),
        4 => Some(MomentKind::Last),
        _ => None,
    }
}

/// In the flags of `MOMT`, above the bits of its five sizes.
pub(crate) const FLAG_HAS_CHANGES: u64 = 1 << 5;
pub(crate) const FLAG_HAS_TOTALS: u64 = 1 << 6;
/// In the flags of `MOMT` and `STMP`: the first bit of what was spent.
pub(crate) const FIRST_SPENT_BIT: u32 = 8;
/// The bit of the CPU time of a thread, and of its number.
pub(crate) const FLAG_HAS_THREAD_CPU: u64 = 1 << (FIRST_SPENT_BIT + 2);

/// Floating-point numbers are stored with their bytes reversed, which makes
/// those of few digits, and so most counts, small.
pub(crate) fn value_to_code(value: f64) -> u64 {
    value.to_bits().swap_bytes()
}

pub(crate) fn value_from_code(code: u64) -> f64 {
    f64::from_bits(code.swap_bytes())
}

/// Of the columns of `CNTR`, that of the frees holds the calls less the frees: mostly
/// zero or small, as the frees themselves are not. There and back are the same step.
pub(crate) fn swap_frees(counters: Counters) -> Counters {
    Counters {
        frees: counters.calls.wrapping_sub(counters.frees),
        ..counters
    }
}
