//! Names that nobody would write. Nothing here may panic, overflow the stack,
//! or take long; the answer is of no interest.

use std::time::{Duration, Instant};

use residue_names::{DemangleStyle, FrameName, NameStyle, Rules, demangle};
use residue_testkit::random::Random;

fn try_out(name: &str) -> String {
    let start = Instant::now();
    let readable = demangle(name, DemangleStyle::Full).into_owned();
    demangle(name, DemangleStyle::NoParams);
    // Generous, because tests run without optimisation and side by side.
    assert!(start.elapsed() < Duration::from_secs(30), "slow: {name}");
    let longest = (32 * name.len()).clamp(4 << 10, 64 << 10);
    assert!(readable.len() <= longest + name.len() + 64);
    readable
}

const CPP: &[&str] = &[
    "N", "E", "S_", "S0_", "S1_", "St", "Ss", "Sa", "Sb", "I", "J", "T_", "T0_", "L", "Li1E", "X",
    "Z", "P", "R", "K", "O", "V", "C1", "D0", "Ul", "Ut_", "UlvE_", "Dp", "DT", "Dt", "Dn", "F",
    "A1_", "A_", "M", "3foo", "1x", "cv", "cl", "pl", "dt", "sr", "sZ", "nw", "na", "gs", "il",
    "tl", "fp_", "fL0p_", "qu", "st", "v", "i", "c", "z", "_", "0", "9", "99", "TV", "Thn16_",
    "GV", "U", "B", "W", "Q", "ix", "on", "DO", "Do", "Dv4_", "so", "fl", "fr",
];

const RUST: &[&str] = &[
    "N",
    "C",
    "I",
    "M",
    "X",
    "Y",
    "B",
    "B_",
    "B0_",
    "s_",
    "s1_",
    "v",
    "t",
    "3foo",
    "4a$b",
    "E",
    "K",
    "j0_",
    "p",
    "R",
    "L_",
    "Q",
    "P",
    "O",
    "A",
    "S",
    "T",
    "F",
    "U",
    "D",
    "u5abcde",
    "Cs1_3std",
    "Kh1_",
    "Kb1_",
    "Ke41_",
    "17h0123456789abcdef",
    "$LT$",
    "..",
    "G_",
];

#[test]
fn random_names() {
    let mut random = Random::new(1);
    for (prefixes, pieces) in [(["_Z", "_ZN", "_ZNK"], CPP), (["_R", "_RN", "_ZN"], RUST)] {
        for _ in 0..10_000 {
            let mut name = random.pick(&prefixes).to_owned();
            for _ in 0..random.index(40) {
                name += random.pick(pieces);
            }
            name += random.pick(&["", "E", "EEv", "v", ".cold", "@plt", "17h0123456789abcdefE"]);
            try_out(&name);
        }
    }
}

#[test]
fn repeated_pieces() {
    let mut random = Random::new(2);
    for (prefix, pieces) in [("_Z", CPP), ("_ZN", CPP), ("_Z1fI", CPP), ("_R", RUST)] {
        for _ in 0..500 {
            let pattern: String = (0..1 + random.index(4))
                .map(|_| random.pick(pieces))
                .collect();
            let count = 1 << random.index(9);
            try_out(&format!("{prefix}{}", pattern.repeat(count)));
            try_out(&format!(
                "{prefix}{}{}v",
                pattern.repeat(count),
                "E".repeat(count)
            ));
        }
    }
}

#[test]
fn mutated_real_names() {
    let seeds = [
        "_ZNSt6vectorISt4pairIKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiESaIS7_EE17_M_realloc_insertIJS7_EEEvN9__gnu_cxx17__normal_iteratorIPS7_S9_EEDpOT_",
        "_ZZN4llvm12function_refIFbvEE11callback_fnIZNS_5Thing3runERNS_6ModuleEEUlvE_EEblENKUliE_clEi",
        "_ZN5boost3mpl5eval_IXsr7is_sameIT_T0_EE5valueEiE1fIJidEEEDTclfp_dtfp_1xEEDpT_",
        "_RNvXsg_NtCs1234_4core5sliceINtB5_4IterhENtNtNtB9_4iter6traits8IteratorNtB5_3Foo4next",
        "_ZN4core3ptr49drop_in_place$LT$alloc..vec..Vec$LT$u8$GT$$GT$17h0123456789abcdefE.llvm.77",
    ];
    let mut random = Random::new(3);
    for seed in seeds {
        for _ in 0..2_000 {
            let mut name = seed.as_bytes().to_vec();
            for _ in 0..1 + random.index(5) {
                let at = random.index(name.len() - 2) + 2;
                match random.index(4) {
                    0 => name[at] = b' ' + random.index(95) as u8,
                    1 => drop(name.remove(at)),
                    2 => name.insert(at, name[random.index(at)]),
                    _ => {
                        let piece = name[at..(at + 12).min(name.len())].to_vec();
                        for _ in 0..random.index(40) {
                            name.splice(at..at, piece.iter().copied());
                        }
                    }
                }
                if name.len() < 4 {
                    break;
                }
            }
            try_out(&String::from_utf8(name).unwrap());
        }
    }
}

/// Each is well-formed as far as it goes, and goes further than it should.
#[test]
fn deep_names_are_left_as_they_are() {
    for depth in [1_000, 10_000, 100_000] {
        for (prefix, piece, suffix) in [
            ("_Z1f", "P", "i"),
            ("_Z1f", "F", "v"),
            ("_Z1f", "1aI", ""),
            ("_ZN", "1aIN", ""),
            ("_Z", "Z1fvE", "1x"),
            ("_Z1fIXs", "zs", ""),
            ("_Z1fDT", "cl", ""),
            ("_Z1fADTng", "ng", ""),
            ("_RC", "R", "p"),
            ("_RIC0", "R", "p"),
            ("_RMC0", "T", "E"),
        ] {
            let name = format!("{prefix}{}{suffix}", piece.repeat(depth));
            assert_eq!(try_out(&name), name, "{prefix} {piece}");
        }
    }
}

/// The parser tries every way to read each of these, unless it is stopped.
#[test]
fn nested_new_and_delete_take_no_time() {
    for piece in [
        "na", "nw", "gsnw", "naat", "nwpl", "dl", "da", "gsdl", "plda",
    ] {
        for prefix in ["_Z1fA", "_Z1fIX", "_Z1fIiEDT", "_Z1fIiEDB", "_Z1fDO"] {
            let name = format!("{prefix}{}1_", piece.repeat(60));
            assert_eq!(try_out(&name), name);
        }
    }
}

#[test]
fn a_name_that_doubles_over_and_over_is_left_as_it_is() {
    // Each function type is made of the one before it, twice.
    let mut cpp = "_Z1fFvvE".to_owned();
    for index in 0..34 {
        let digit = char::from_digit(index, 36).unwrap().to_ascii_uppercase();
        cpp += &match index {
            0 => "FvS_S_E".to_owned(),
            _ => format!("FvS{digit}_S{digit}_E"),
        };
    }
    assert_eq!(try_out(&cpp), cpp);
    // The same in Rust: a pair, then pairs of it by reference to where it is.
    let mut rust = "_RMC0Tpp".to_owned();
    for _ in 0..60 {
        rust.insert(5, 'T');
        rust += "B4_E";
    }
    try_out(&rust);
}

/// Many that become a little longer than all of them were would fill any memory.
#[test]
fn a_short_name_does_not_unfold_to_a_long_one() {
    let unfolding = |doublings: u32| {
        let digits = (0..doublings).map(|level| char::from_digit(level, 36).unwrap());
        let types = digits.map(|digit| digit.to_ascii_uppercase());
        let types = types.map(|digit| format!("S_IS{digit}_S{digit}_E"));
        format!("_Z1f1AIiiE{}", types.collect::<String>())
    };
    let short = unfolding(6);
    assert!(try_out(&short).len() > 1500, "{}", try_out(&short));
    let long = unfolding(11);
    assert_eq!(try_out(&long), long);
}

#[test]
fn long_names_are_read_when_they_are_simple() {
    let name = format!("_Z3foo{}", "PKN5space5ThingE".repeat(1_900));
    assert!(name.len() > 30_000);
    assert!(try_out(&name).starts_with("foo(space::Thing const*, space::Thing const*, "));
    let name = format!("_Z3foo{}", "PKN5space5ThingE".repeat(4_000));
    assert_eq!(try_out(&name), name, "too long to be of use");
    let name = format!("_Z3foo{}", "i".repeat(10_000));
    assert!(try_out(&name).starts_with("foo(int, int, "));
    let name = format!("_Z30000{}v", "x".repeat(30_000));
    assert_eq!(try_out(&name), "x".repeat(30_000) + "()");
}

/// Threads may have small stacks; 1 MiB is half of what Rust gives them.
#[test]
fn a_small_stack_is_enough() {
    let deepest = |piece: &str, suffix: &str| {
        for depth in 1..200 {
            try_out(&format!(
                "_Z1f{}{}",
                piece.repeat(depth),
                suffix.repeat(depth)
            ));
        }
        for depth in (1..600).step_by(7) {
            try_out(&format!("_RIC0{}p{}", "T".repeat(depth), "E".repeat(depth)));
        }
    };
    let run = move || {
        for (piece, suffix) in [
            ("P", ""),
            ("1aI", "E"),
            ("N1aI", "EE"),
            ("FvP", "E"),
            ("M1a", ""),
        ] {
            deepest(piece, suffix);
        }
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(run);
    thread.unwrap().join().unwrap();
}

/// Deep and long names through the rules, which must not be slow either.
#[test]
fn rules_take_hostile_names() {
    let rules = Rules::builtin();
    let start = Instant::now();
    for depth in [1_000, 15_000] {
        for (open, close) in [
            ("std::vector<", ">"),
            ("std::map<int, std::allocator<", ">>"),
            ("a<b, std::less<", ">>"),
            ("boost::spirit::x<", ">"),
            ("f(", ")::"),
            ("{", "}"),
            ("[", "]"),
            ("(", ""),
            ("", ">"),
            ("operator<", ""),
            ("\"", ""),
            ("'", ""),
            ("std::__cxx11::", ""),
            ("(unsigned long)", "3"),
            ("unsigned ", ""),
            (" const", "&"),
        ] {
            let linkage = open.repeat(depth) + &close.repeat(depth);
            let frame = FrameName {
                linkage: &linkage,
                module: "",
                file: "",
            };
            let shown = rules.show(&frame, NameStyle::Short);
            assert!(shown.name.chars().count() <= 120, "{open} {close}");
        }
    }
    assert!(start.elapsed() < Duration::from_secs(60));
}
