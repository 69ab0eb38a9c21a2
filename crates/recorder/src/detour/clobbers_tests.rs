use super::*;
use core::arch::global_asm;

global_asm!(
    ".pushsection .text.clobbers_tests, \"ax\", @progbits",
    ".p2align 4",
    "clobbers_leaf:",
    "lea rax, [rdi + rsi]",
    "ret",
    ".p2align 4",
    // Calls itself and a leaf, and jumps by a table of its own.
    "clobbers_known:",
    "call clobbers_leaf",
    "test rax, rax",
    "jz clobbers_known",
    "jmp rax",
    ".p2align 4",
    "clobbers_by_pointer:",
    "call clobbers_leaf",
    "test rax, rax",
    "jz 2f",
    "ret",
    "2:",
    "call rax",
    "ret",
    ".p2align 4",
    "clobbers_stub:",
    "endbr64",
    "jmp qword ptr [rip + clobbers_table]",
    ".p2align 4",
    "clobbers_by_stub:",
    "sub rsp, 8",
    "call 3f",
    "add rsp, 8",
    "ret",
    "3:",
    "jmp clobbers_stub",
    ".p2align 4",
    "clobbers_table:",
    ".quad 0",
    ".popsection",
);

unsafe extern "C" {
    fn clobbers_leaf();
    fn clobbers_known();
    fn clobbers_by_pointer();
    fn clobbers_by_stub();
}

#[test]
fn what_reaches_the_unknown_is_found_and_nothing_else() {
    let cases: [(unsafe extern "C" fn(), bool); 4] = [
        (clobbers_leaf, false),
        (clobbers_known, false),
        (clobbers_by_pointer, true),
        (clobbers_by_stub, true),
    ];
    for (index, (function, expected)) in cases.into_iter().enumerate() {
        let function = function as usize;
        let mapping = Mapping::at(function).unwrap();
        assert!(mapping.holds(function));
        assert_eq!(calls_unknown(function, &mapping), expected, "{index}");
    }
}
