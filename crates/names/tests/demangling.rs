//! Readable names, one by one, and against `c++filt` for a whole library.

use std::io::Write;
use std::process::{Command, Stdio};

use residue_names::{DemangleStyle, demangle};

fn full(name: &str) -> String {
    demangle(name, DemangleStyle::Full).into_owned()
}

fn no_params(name: &str) -> String {
    demangle(name, DemangleStyle::NoParams).into_owned()
}

#[test]
fn cpp_with_and_without_parameters() {
    let member = "_ZN5space5Thing3fooERKSsi";
    assert_eq!(full(member), "space::Thing::foo(std::string const&, int)");
    assert_eq!(no_params(member), "space::Thing::foo");
    let template = "_ZN5space3fooIiEEvT_";
    assert_eq!(full(template), "void space::foo<int>(int)");
    assert_eq!(no_params(template), "space::foo<int>");
    let const_member = "_ZNK1A1fEv";
    assert_eq!(full(const_member), "A::f() const");
    assert_eq!(no_params("_ZN1AD1Ev"), "A::~A");
    let lambda = "_ZZ4mainENKUliE_clEi";
    assert_eq!(full(lambda), "main::{lambda(int)#1}::operator()(int) const");
    let empty_pack = "_ZN4PassIiJEE3runEv";
    assert_eq!(full(empty_pack), "Pass<int>::run()");
}

#[test]
fn thunks_say_where_they_lead() {
    assert_eq!(full("_ZThn16_N1A1fEv"), "non-virtual thunk to A::f()");
    assert_eq!(full("_ZTv0_n24_N1A1fEv"), "virtual thunk to A::f()");
    let covariant = "_ZTchn16_v0_n24_N1A1fEv";
    assert_eq!(full(covariant), "covariant return thunk to A::f()");
    assert_eq!(no_params(covariant), "covariant return thunk to A::f");
}

#[test]
fn static_initialisers_are_named_after_their_first_name() {
    assert_eq!(
        full("_GLOBAL__sub_I__ZN3foo3barE"),
        "_GLOBAL__sub_I_foo::bar"
    );
    assert_eq!(full("_GLOBAL__sub_I_main.cpp"), "_GLOBAL__sub_I_main.cpp");
}

#[test]
fn rust_of_both_kinds_without_hashes() {
    let legacy = "_ZN71_$LT$Test$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE";
    let legacy = legacy.replace("71_", "45_");
    assert_eq!(full(&legacy), "<Test as foo::Bar<Test>>::bar");
    assert_eq!(
        full(&(legacy.clone() + ".cold")),
        full(&legacy) + " [.cold]"
    );
    assert_eq!(full(&(legacy.clone() + ".llvm.1A2B")), full(&legacy));
    let v0 = "_RNvNtCs1234_7mycrate3foo3bar";
    assert_eq!(full(v0), "mycrate::foo::bar");
    assert_eq!(
        full("_RNvNtCs1234_7mycrate3foo3bar.cold"),
        "mycrate::foo::bar [.cold]"
    );
}

#[test]
fn versions_go_and_stubs_stay() {
    assert_eq!(full("memcpy@@GLIBC_2.14"), "memcpy");
    assert_eq!(full("memcpy@GLIBC_2.2.5"), "memcpy");
    assert_eq!(full("_Znwm@@GLIBCXX_3.4"), "operator new(unsigned long)");
    assert_eq!(full("malloc@plt"), "malloc@plt");
    assert_eq!(no_params("_Znwm@plt"), "operator new@plt");
}

#[test]
fn suffixes_are_set_apart() {
    assert_eq!(full("parse.cold"), "parse [.cold]");
    assert_eq!(full("parse.part.0"), "parse [.part.0]");
    assert_eq!(
        full("parse.constprop.0.isra.0"),
        "parse [.constprop.0.isra.0]"
    );
    assert_eq!(full("_Z3foov.isra.0.cold"), "foo() [.isra.0.cold]");
    assert_eq!(full("_Z3foov.llvm.123456"), "foo()");
    assert_eq!(full("_Z3foov.llvm.123456.cold"), "foo() [.cold]");
}

#[test]
fn other_names_pass_through() {
    let names = [
        "",
        "main",
        "_start",
        "_Z",
        "_R",
        "_ZN",
        "__Z",
        "@",
        "@@V",
        ".cold",
        ".",
        "main.run",
        "runtime.mallocgc",
        "_D3std3xml4starFZv",
        "$s4main3fooyySiF",
        "_Zbad.cold",
        "_Rbad.cold",
        "_ZTh",
        "_ZThn_",
        "_Zbad@plt",
        "größe",
        "_Zgröße",
        "_ZN17h0123456789abcdefE",
        "17h0123456789abcdefE",
    ];
    for name in names {
        assert_eq!(full(name), name);
    }
}

/// Where the two write the same thing in different ways, and neither is wrong.
fn normalise(name: &str) -> String {
    let mut name = name.to_owned();
    // `c++filt` spells out the abbreviations of the standard library.
    let abbreviations = [
        (
            "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
            "std::string",
        ),
        (
            "std::basic_istream<char, std::char_traits<char> >",
            "std::istream",
        ),
        (
            "std::basic_ostream<char, std::char_traits<char> >",
            "std::ostream",
        ),
        (
            "std::basic_iostream<char, std::char_traits<char> >",
            "std::iostream",
        ),
    ];
    for (long, short) in abbreviations {
        name = name.replace(long, short);
    }
    // And hence names their constructors and destructors after the template.
    for short in ["string", "istream", "ostream", "iostream"] {
        name = name.replace(
            &format!("{short}::basic_{short}"),
            &format!("{short}::{short}"),
        );
        name = name.replace(
            &format!("{short}::~basic_{short}"),
            &format!("{short}::~{short}"),
        );
    }
    // It writes numbers in templates with a suffix instead of a cast.
    for (cast, suffix) in [
        ("(unsigned int)", "u"),
        ("(unsigned long)", "ul"),
        ("(long)", "l"),
    ] {
        while let Some((before, after)) = name.split_once(cast) {
            let end = after
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(after.len());
            let (number, after) = after.split_at(end);
            name = format!("{before}{number}{suffix}{after}");
        }
    }
    // Spaces between angle brackets and before parameters.
    name.replace(' ', "")
        .replace("decltype(nullptr)", "std::nullptr_t")
}

#[test]
fn agrees_with_cxxfilt_on_all_functions_of_the_standard_library() {
    let nm = Command::new("nm")
        .args([
            "-D",
            "--defined-only",
            "/lib/x86_64-linux-gnu/libstdc++.so.6",
        ])
        .output()
        .unwrap();
    let mut names: Vec<String> = String::from_utf8(nm.stdout)
        .unwrap()
        .lines()
        .filter_map(|line| {
            let mut columns = line.split_whitespace().skip(1);
            let kind = columns.next()?;
            let name = columns.next()?.split('@').next()?;
            ("TtWi".contains(kind) && name.starts_with("_Z")).then(|| name.to_owned())
        })
        .collect();
    names.sort();
    names.dedup();
    assert!(names.len() > 3000, "{}", names.len());

    let mut cxxfilt = Command::new("c++filt")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = cxxfilt.stdin.take().unwrap();
    let input = names.join("\n") + "\n";
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = cxxfilt.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();

    let theirs = String::from_utf8(output.stdout).unwrap();
    assert_eq!(theirs.lines().count(), names.len());
    let mut different = 0;
    for (name, theirs) in names.iter().zip(theirs.lines()) {
        let ours = full(name);
        assert_ne!(ours, *name, "not demangled");
        if normalise(&ours) != normalise(theirs) {
            different += 1;
            println!("{name}\n  ours   {ours}\n  theirs {theirs}");
        }
    }
    println!("{different} of {} differ", names.len());
    assert!(different * 100 <= names.len());
}
