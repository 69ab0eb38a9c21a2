//! Names of D and Swift.

use std::io::Write;
use std::process::{Command, Stdio};

use residue_names::{DemangleStyle, demangle};

fn full(name: &str) -> String {
    demangle(name, DemangleStyle::Full).into_owned()
}

fn no_params(name: &str) -> String {
    demangle(name, DemangleStyle::NoParams).into_owned()
}

/// From the standard library of gdc 12, with what `c++filt --format=dlang` says.
const D: &[(&str, &str, &str)] = &[
    (
        "_D3std5range10primitives__T7popBackTaZQlFNaNfMKANgaZv",
        "std.range.primitives.popBack!(char).popBack(scope ref inout(char)[])",
        "std.range.primitives.popBack!(char).popBack",
    ),
    (
        "_D3gcc3deh15ExceptionHeader11__xopEqualsMxFKxSQBsQBrQBqZb",
        "gcc.deh.ExceptionHeader.__xopEquals(ref const(gcc.deh.ExceptionHeader)) const",
        "gcc.deh.ExceptionHeader.__xopEquals",
    ),
    (
        "_D3std3xml__T4starS_DQtQr__T3seqS_DQBhQBg10checkSpaceFNaNfKAyaZvS_DQCnQCm14checkAttributeQBkZQCnQBrZQDjQBy",
        "std.xml.star!(std.xml.seq!(std.xml.checkSpace(ref immutable(char)[]), std.xml.checkAttribute).seq).star",
        "std.xml.star!(std.xml.seq!(std.xml.checkSpace, std.xml.checkAttribute).seq).star",
    ),
    (
        "_D4core8internal9container5array__T5ArrayTPSQBqQBoQBi7hashtab__T7HashTabTAxaTS2rt9profilegc5EntryZQBi4NodeZQCu7opSliceMNgFNaNbNimmZANgPSQFeQFcQEwQDo__TQDjTQDeTQDeZQDvQCn",
        "core.internal.container.array.Array!(core.internal.container.hashtab.HashTab!(const(char)[], rt.profilegc.Entry).HashTab.Node*).Array.opSlice(ulong, ulong) inout",
        "core.internal.container.array.Array!(core.internal.container.hashtab.HashTab!(const(char)[], rt.profilegc.Entry).HashTab.Node*).Array.opSlice",
    ),
    (
        "_D3std6digest3sha__T3SHAVki512Vki224ZQr7paddingyG128h",
        "std.digest.sha.SHA!(512u, 224u).SHA.padding",
        "std.digest.sha.SHA!(512u, 224u).SHA.padding",
    ),
    ("_Dmain", "D main", "D main"),
];

#[test]
fn d() {
    for (name, all, without) in D {
        assert_eq!(full(name), *all);
        assert_eq!(no_params(name), *without);
    }
    for name in [
        "_D",
        "_D3",
        "_D3foo",
        "_D99foo",
        "_D3fooQ",
        "_D3fooQa",
        "_D3fooFZ",
        "_Dgröße",
    ] {
        assert_eq!(full(name), name);
    }
}

/// The expected names above are those of `c++filt`, here and now.
#[test]
fn d_agrees_with_cxxfilt_where_it_speaks() {
    let names: Vec<&str> = D.iter().map(|(name, _, _)| *name).collect();
    let mut filter = Command::new("c++filt")
        .arg("--format=dlang")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = names.join("\n") + "\n";
    filter
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = String::from_utf8(filter.wait_with_output().unwrap().stdout).unwrap();
    let theirs: Vec<&str> = output.lines().collect();
    let ours: Vec<String> = names.iter().map(|name| full(name)).collect();
    assert_eq!(ours, theirs);
}

#[test]
fn swift() {
    for (name, all, without) in [
        // From the description of the binary interface and its tests.
        (
            "$s4main3fooyySiF",
            "main.foo(Swift.Int) -> ()",
            "main.foo(_:)",
        ),
        (
            "_$s3foo3barC3bas3zimyAaEC_tF",
            "foo.bar.bas(zim: foo.zim) -> ()",
            "foo.bar.bas(zim:)",
        ),
        (
            "_T03foo3barC3basyAA3zimCAE_tF",
            "foo.bar.bas(zim: foo.zim) -> ()",
            "foo.bar.bas(zim:)",
        ),
        (
            "$s4main5helloSSyYaKF",
            "main.hello() async throws -> Swift.String",
            "main.hello()",
        ),
        (
            "$s4main3fooyySiFyyXEfU_",
            "closure #1 () -> () in main.foo(Swift.Int) -> ()",
            "closure #1 in main.foo(_:)",
        ),
        (
            "$s4main3fooyySiFyyXEfU_TA.1",
            "partial apply forwarder for closure #1 () -> () in main.foo(Swift.Int) -> () [.1]",
            "partial apply forwarder for closure #1 in main.foo(_:) [.1]",
        ),
        (
            "_$SSC3fooyS2d_SdtFTO",
            "@nonobjc __C_Synthesized.foo(Swift.Double, Swift.Double) -> Swift.Double",
            "@nonobjc __C_Synthesized.foo(_:_:)",
        ),
        (
            "_T013call_protocol1CCAA1PA2aDP3fooSiyFTW",
            "protocol witness for call_protocol.P.foo() -> Swift.Int in conformance call_protocol.C",
            "protocol witness for call_protocol.P.foo() in conformance call_protocol.C",
        ),
        (
            "$s4main7CounterC5valueSivg",
            "main.Counter.value.getter",
            "main.Counter.value.getter",
        ),
        (
            "$s4main7CounterCACycfC",
            "main.Counter.init() -> main.Counter",
            "main.Counter.init()",
        ),
        (
            "$s4main7CounterCfD",
            "main.Counter.__deallocating_deinit",
            "main.Counter.__deallocating_deinit",
        ),
        (
            "_T0s10DictionaryV3t17E6Index2V1loiSbAEyxq__G_AGtFZ",
            "static Swift.Dictionary.Index2.< infix(Swift.Dictionary<A, B>.Index2, Swift.Dictionary<A, B>.Index2) -> Swift.Bool",
            "static Swift.Dictionary.Index2.< infix(_:_:)",
        ),
        (
            "$s4main4pickyxSayxG_SDySSxGtlF",
            "main.pick([A], [Swift.String : A]) -> A",
            "main.pick(_:_:)",
        ),
        (
            "$sSay4main3FooVGMa",
            "type metadata accessor for [main.Foo]",
            "type metadata accessor for [main.Foo]",
        ),
    ] {
        assert_eq!(full(name), all, "{name}");
        assert_eq!(no_params(name), without, "{name}");
    }
    for name in [
        "$s",
        "_$s",
        "$s4main",
        "$s4main3foo",
        "$sBi32_",
        "$s4mainF",
        "_T0",
        "$sAAAA",
        "$s0A",
        "$sS",
    ] {
        assert_eq!(full(name), name);
    }
}
