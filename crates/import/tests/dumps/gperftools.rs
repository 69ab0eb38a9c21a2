//! Heap profiles as text.

use super::*;

#[test]
fn text_profiles_of_gperftools_and_jemalloc() {
    let imported = import("shop.0001.heap", &fixture("shop.heap"));
    assert_eq!(imported.format, Format::Gperftools);
    let expected = [
        (
            "+0x99;shop+0x1010;shop+0x1030;lib parse.so+0x50",
            made([4, 200, 0, 0, 4]),
        ),
        ("shop+0x1010;shop+0x1020", made([1, 1000, 1000, 1, 0])),
        (
            "shop+0x1010;shop+0x1030;shop+0x1040",
            made([3, 400, 300, 2, 1]),
        ),
    ];
    let expected = expected.map(|(path, counters)| (path.to_string(), StackKind::Heap, counters));
    assert_eq!(stacks(&imported.profile), expected);

    let imported = import("jeprof.heap", &fixture("jemalloc.heap"));
    // A block of 1000 bytes is seen with the chance of 1 - 1/e, one of 150 with 13.9 %.
    let expected = [
        ("shop+0x401010;shop+0x401020", made([0, 0, 1581, 1, 0])),
        ("shop+0x401010;shop+0x401040", made([0, 0, 2153, 14, 0])),
    ];
    let expected = expected.map(|(path, counters)| (path.to_string(), StackKind::Heap, counters));
    assert_eq!(stacks(&imported.profile), expected);
    assert!(notes(&imported).contains("one sample in 1000 bytes"));
}
