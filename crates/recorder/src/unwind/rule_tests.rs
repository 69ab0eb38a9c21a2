//! The rules, as words and as equations.

use super::*;

#[test]
fn a_rule_is_one_word() {
    assert_eq!(size_of::<Rule>(), 8);
}

#[test]
fn fields_come_back_signed() {
    for offset in [-67108864, -8, 0, 8, 16, 67108856] {
        let rule = Rule::new(RuleKind::Bp, offset, Some(-16)).unwrap();
        assert_eq!(rule.offset() as i64, offset);
        assert_eq!(rule.bp_offset() as i64, -16);
        assert_eq!(rule.words_from_bp_to_return_address(), Some(1));
        assert_eq!(rule.kind(), RuleKind::Bp);
    }
    assert_eq!(Rule::new(RuleKind::Sp, 4, None), None);
    assert_eq!(Rule::new(RuleKind::Sp, 1 << 27, None), None);
    let rule = Rule::new(RuleKind::Sp, 40, None).unwrap();
    assert!(!rule.loads_bp() && !rule.uses_bp());
}

#[test]
fn stepping_reads_what_the_equations_say() {
    let stack: [usize; 8] = [0, 0, 77, 0x1234, 0, 0, 0, 0];
    let base = stack.as_ptr() as usize;
    let frame = Cursor {
        sp: base,
        ip: 1,
        bp: base + 16,
        exact: false,
    };
    let by_sp = Rule::new(RuleKind::Sp, 32, Some(-16)).unwrap();
    let by_bp = Rule::new(RuleKind::Bp, 16, Some(-16)).unwrap();
    let caller = Some(Cursor {
        sp: base + 32,
        ip: 0x1234,
        bp: 77,
        exact: false,
    });
    let mut own = OwnStack::of_this_thread();
    // SAFETY: the array stands for a stack and both rules stay inside it.
    unsafe {
        assert_eq!(by_sp.step(&frame, &mut own), caller);
        assert_eq!(by_bp.step(&frame, &mut own), caller);
        assert_eq!(Rule::END.step(&frame, &mut own), None);
    }
    let backwards = Rule::new(RuleKind::Sp, 0, None).unwrap();
    // SAFETY: the rule is refused before anything is read.
    unsafe { assert_eq!(backwards.step(&frame, &mut own), None) };
}

/// Where a function ends it takes bp back before its return address is on top; its unwind table says
/// where bp was saved all the same.
#[test]
fn a_frame_interrupted_where_it_ends_has_its_bp_below_the_stack_pointer() {
    let stack: [usize; 8] = [0, 77, 0, 0, 0, 0x1234, 0, 0];
    let base = stack.as_ptr() as usize;
    let interrupted = Cursor {
        sp: base + 40,
        ip: 1,
        bp: 0,
        exact: true,
    };
    let rule = Rule::new(RuleKind::Sp, 8, Some(-40)).unwrap();
    let caller = Cursor {
        sp: base + 48,
        ip: 0x1234,
        bp: 77,
        exact: false,
    };
    let mut own = OwnStack::of_this_thread();
    let calling = Cursor {
        exact: false,
        ..interrupted
    };
    // SAFETY: the array stands for a stack and the rule stays inside it.
    unsafe {
        assert_eq!(rule.step(&interrupted, &mut own), Some(caller));
        assert_eq!(rule.step(&calling, &mut own), None);
    }
}
