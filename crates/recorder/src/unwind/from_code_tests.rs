use super::*;
use crate::unwind::rules;

/// `strdup` of musl 1.2.3: where it calls `malloc`, and each of its instructions.
#[test]
fn what_was_pushed_is_counted_on_every_way() {
    const CODE: [u8; 66] = [
        0x41, 0x54, 0x55, 0x48, 0x89, 0xfd, 0x48, 0x83, 0xec, 0x08, 0xe8, 0, 0, 0, 0, 0x4c, 0x8d,
        0x60, 0x01, 0x4c, 0x89, 0xe7, 0xe8, 0, 0, 0, 0, 0x48, 0x85, 0xc0, 0x74, 0x18, 0x48, 0x83,
        0xc4, 0x08, 0x4c, 0x89, 0xe2, 0x48, 0x89, 0xee, 0x48, 0x89, 0xc7, 0x5d, 0x41, 0x5c, 0xe9,
        0, 0, 0, 0x7f, 0x0f, 0x1f, 0x00, 0x48, 0x83, 0xc4, 0x08, 0x31, 0xc0, 0x5d, 0x41, 0x5c,
        0xc3,
    ];
    let start = CODE.as_ptr() as usize;
    let mut walk = Walk::through(start..start + CODE.len(), &[]);
    assert!(walk.is_sound && walk.returns && walk.enters);
    assert_eq!(walk.end, start + CODE.len());
    let mut at = |offset: usize, is_exact: bool| {
        let ip = start + offset;
        walk.rule(Place { ip, is_exact })
    };
    let sp = |depth, bp| Rule::new(RuleKind::Sp, depth, bp);
    assert_eq!(at(27, false), sp(32, Some(-24)));
    assert_eq!(at(0, true), sp(8, None));
    assert_eq!(at(2, true), sp(16, None));
    assert_eq!(at(3, true), sp(24, Some(-24)));
    assert_eq!(at(65, true), sp(8, None));
    assert_eq!(at(28, false), None, "no call ends there");
}

#[test]
fn ways_that_disagree_are_refused() {
    for (code, why) in [
        (
            &[0x74, 0x01, 0x50, 0x90, 0xc3][..],
            "pushed on one way only",
        ),
        (&[0x58, 0xc3], "takes its own return address"),
        // push rbp; mov rbp, rsp; test; je over the sub; sub rsp, rax; leave; ret
        (
            &[
                0x55, 0x48, 0x89, 0xe5, 0x85, 0xff, 0x74, 0x03, 0x48, 0x29, 0xc4, 0xc9, 0xc3,
            ],
            "makes room for an array on one way only",
        ),
        (&[0x50, 0xc3], "returns to what it pushed"),
    ] {
        let start = code.as_ptr() as usize;
        let walk = Walk::through(start..start + code.len(), &[]);
        assert!(!walk.is_sound, "{why}");
    }
}

/// The C library of this process has tables: wherever one of its functions makes a call, the code
/// says what they say, or nothing.
/// What lies behind it may be one of its targets, and no function.
#[test]
fn a_jump_through_a_table_is_told_from_a_return() {
    let jump: &[u8] = &[0x48, 0x83, 0xec, 0x08, 0xff, 0xe0]; // sub rsp, 8; jmp rax
    let call: &[u8] = &[0x48, 0x83, 0xec, 0x08, 0xff, 0xd0, 0x0f, 0x0b]; // call rax; ud2
    let leave: &[u8] = &[0x48, 0x83, 0xec, 0x08, 0x58, 0xc3]; // pop rax; ret
    for (code, jumps, returns) in [
        (jump, true, false),
        (call, false, false),
        (leave, false, true),
    ] {
        let start = code.as_ptr() as usize;
        let walk = Walk::through(start..start + code.len(), &[]);
        assert!(walk.is_sound && walk.enters, "{code:x?}");
        assert_eq!(
            (walk.jumps_anywhere, walk.returns),
            (jumps, returns),
            "{code:x?}"
        );
    }
}

#[test]
fn the_code_of_a_library_with_tables_says_what_the_tables_say() {
    let (mut same, mut silent) = (0, 0);
    let mut wrong = Vec::new();
    let malloc = dynamic::anywhere(c"malloc");
    let endless = ENDLESS.map(|name| dynamic::in_module_of(malloc, name));
    for range in dynamic::functions_for_test(malloc) {
        let mut walk = Walk::through(range.clone(), &endless);
        let mut at = range.start;
        while at < range.end {
            let Some(instruction) = decode::decode(walk.code(at)) else {
                break;
            };
            at += instruction.length;
            let is_call = matches!(instruction.flow, Flow::Call(_) | Flow::IndirectCall { .. });
            if !is_call || at >= range.end {
                continue;
            }
            let by_table = rules::find(at, false, &mut 0).rule;
            match walk.rule(Place {
                ip: at,
                is_exact: false,
            }) {
                None => silent += 1,
                Some(rule) if rule == by_table => same += 1,
                // Tables that count from bp say the same in other words, as long as sp depends on the
                // place alone.
                Some(_) if by_table.kind() != RuleKind::Sp => silent += 1,
                Some(rule) => wrong.push((at - range.start, rule, by_table)),
            }
        }
    }
    println!(
        "{same} calls as in the tables, {silent} without a rule, {} otherwise",
        wrong.len()
    );
    assert!(same > 4000, "{same}");
    assert_eq!(wrong, []);
}

/// A sample in libgcc's `_init`, where the first touch of a page had taken its time, had no caller.
#[test]
fn code_that_runs_when_a_module_is_loaded_has_a_rule_at_each_instruction() {
    unsafe extern "C" {
        fn _init();
    }
    let start = _init as *const () as usize;
    assert_eq!(
        dynamic::runs_with_module(start).map(|it| it.start),
        Some(start)
    );
    assert_eq!(dynamic::runs_with_module(start - 1), None);
    // SAFETY: a function is longer than that.
    let code = unsafe { (start as *const [u8; 8]).read() };
    let push = match code {
        [0xf3, 0x0f, 0x1e, 0xfa, ..] => 4,
        _ => 0,
    };
    let at = |offset: usize| rule_for(start + offset, true);
    // sub rsp, 8
    assert_eq!(at(push), Rule::new(RuleKind::Sp, 8, None));
    assert_eq!(at(push + 1), None, "inside an instruction");
    assert_eq!(at(push + 4), Rule::new(RuleKind::Sp, 16, None));
}
