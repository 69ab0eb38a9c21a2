//! Functions found by name in programs that are compiled, and stripped, here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use residue_symbols::{Error, FoundFunction, find_functions, find_named};

const C_SOURCE: &str = r#"
    #include <stdio.h>
    #include <stdlib.h>
    #define OUT __attribute__((noinline))
    static OUT int hidden_helper(int x) { return puts("x") + x; }
    OUT int visible(int x) { return hidden_helper(x) + abs(x); }
    extern int other_name(int) __attribute__((alias("visible")));
    static int chosen_here(int x) { return x + 1; }
    static int (*choose(void))(int) { return chosen_here; }
    int chosen(int) __attribute__((ifunc("choose")));
    /* The loop keeps a copy for the constant apart from its callers. */
    static OUT int copied(int x, int times) {
        for (int i = 0; i < times; i++) x += rand() + printf("%d", x);
        return x;
    }
    __attribute__((cold, noinline)) void give_up(void) { puts("bad"); }
    OUT int splits(int x) { if (x == 12345) { give_up(); x += puts("rare"); } return rand() + x; }
    int main(int argc, char **argv) {
        return other_name(argc) + chosen(argc) + copied(argc, 7) + copied(argc + 1, 7) + splits(argc);
    }
"#;

const CPP_SOURCE: &str = r#"
    #include <cstdio>
    #include <map>
    #include <string>
    #define OUT __attribute__((noinline))
    namespace shop {
        struct Order { int id; OUT Order(int id); OUT ~Order(); OUT bool operator<(const Order &o) const; };
        Order::Order(int id) : id(id) { puts("made"); }
        Order::~Order() { puts("gone"); }
        bool Order::operator<(const Order &o) const { return puts("<") + id < o.id; }
        OUT int handle(char *p) { return puts(p); }
        OUT int handle(const char *p) { return puts(p) + 1; }
        OUT int handle(int n) { return printf("%d", n); }
        template <class T> struct Queue { OUT int push(T t) { return printf("%d", (int)sizeof t); } };
        template <class T> OUT int drain(Queue<T> &q, T t) { return q.push(t) + 1; }
    }
    namespace { OUT int unnamed(int n) { return printf("%d", n) + n; } }
    int main(int argc, char **argv) {
        using namespace shop;
        Queue<int> q; Queue<std::map<int, char>> m;
        Order a(argc), b(2);
        return handle(argv[0]) + handle("x") + handle(argc) + drain(q, 3) + drain(m, {}) + (a < b) + unnamed(argc);
    }
"#;

fn run(program: &str, arguments: &[&str], directory: &Path) -> String {
    let mut command = Command::new(program);
    let output = command.args(arguments).current_dir(directory).output();
    let output = output.unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn compile(compiler: &str, source: &str, arguments: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let (file, language) = match compiler {
        "g++" => ("main.cpp", "c++"),
        _ => ("main.c", "c"),
    };
    fs::write(directory.path().join(file), source).unwrap();
    let fixed = ["-O2", "-x", language, file, "-o", "whole"];
    run(compiler, &[&fixed, arguments].concat(), directory.path());
    let whole = directory.path().join("whole");
    (directory, whole)
}

/// Address and size of a symbol, by `nm`.
fn symbol(file: &Path, wanted: &str) -> (u64, u64) {
    let listing = run("nm", &["-S", file.to_str().unwrap()], Path::new("/"));
    let found = listing.lines().find_map(|line| {
        let [address, size, _, name] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return None;
        };
        let number = |digits| u64::from_str_radix(digits, 16).unwrap();
        (name == wanted).then(|| (number(address), number(size)))
    });
    found.unwrap_or_else(|| panic!("{wanted} in {listing}"))
}

fn find(file: &Path, pattern: &str) -> Vec<FoundFunction> {
    find_functions(file, pattern).unwrap()
}

fn names(file: &Path, pattern: &str) -> Vec<String> {
    let found = find(file, pattern).into_iter();
    let mut names: Vec<String> = found.map(|function| function.demangled).collect();
    names.sort();
    names
}

#[test]
fn functions_of_a_c_program() {
    let (_directory, whole) = compile("gcc", C_SOURCE, &[]);
    let (address, size) = symbol(&whole, "visible");
    let visible = FoundFunction {
        name: "visible".to_owned(),
        demangled: "visible".to_owned(),
        address,
        size,
        next_symbol: None,
    };
    assert_eq!(find(&whole, "visible"), [visible]);
    // The alias is the same function, and goes by the name that was asked for.
    let alias = find(&whole, "other_name");
    assert_eq!(alias.len(), 1);
    assert_eq!((alias[0].address, alias[0].size), (address, size));
    assert_eq!(alias[0].name, "other_name");
    // Both names fit; they are one function.
    assert_eq!(
        find(&whole, "*i*e*")
            .iter()
            .filter(|f| f.address == address)
            .count(),
        1
    );

    let helper = find(&whole, "hidden_helper");
    let expected = symbol(&whole, "hidden_helper");
    assert_eq!((helper[0].address, helper[0].size), expected);
    // Elsewhere, chosen at load time, or not there at all.
    for absent in ["puts", "abs", "chosen", "isible", "Visible"] {
        assert_eq!(find(&whole, absent), [], "{absent}");
    }
}

#[test]
fn copies_are_found_and_parts_are_not() {
    let (_directory, whole) = compile("gcc", C_SOURCE, &["-fipa-cp", "-fno-ipa-icf"]);
    let copies = find(&whole, "copied");
    assert_eq!(copies.len(), 1);
    assert_eq!(copies[0].name, "copied.constprop.0");
    let (address, _) = symbol(&whole, "splits");
    let (cold_address, _) = symbol(&whole, "splits.cold");
    let found = |pattern| {
        find(&whole, pattern)
            .iter()
            .map(|f| f.address)
            .collect::<Vec<_>>()
    };
    assert_eq!(found("splits"), [address]);
    assert_eq!(found("splits*"), [address]);
    assert_eq!(found("splits.cold"), [cold_address]);
}

#[test]
fn a_stripped_program_has_what_it_exports() {
    let (directory, whole) = compile("gcc", C_SOURCE, &["-rdynamic"]);
    run("strip", &["-o", "stripped", "whole"], directory.path());
    let stripped = directory.path().join("stripped");
    assert_eq!(find(&stripped, "visible"), find(&whole, "visible"));
    assert_eq!(find(&stripped, "visible").len(), 1);
    assert_eq!(find(&whole, "hidden_helper").len(), 1);
    assert_eq!(find(&stripped, "hidden_helper"), []);
}

#[test]
fn split_off_symbols_are_searched() {
    let (directory, whole) = compile("gcc", C_SOURCE, &["-rdynamic"]);
    let directory = directory.path();
    let helper = find(&whole, "hidden_helper");
    assert_eq!(helper.len(), 1);
    run(
        "objcopy",
        &["--only-keep-debug", "whole", "main.debug"],
        directory,
    );
    run("objcopy", &["--strip-all", "whole", "linked"], directory);
    run(
        "objcopy",
        &["--add-gnu-debuglink=main.debug", "linked"],
        directory,
    );
    assert_eq!(find(&directory.join("linked"), "hidden_helper"), helper);

    fs::rename(directory.join("main.debug"), directory.join("mini")).unwrap();
    assert_eq!(find(&directory.join("linked"), "hidden_helper"), []);
    run("xz", &["mini"], directory);
    run("objcopy", &["--strip-all", "whole", "packed"], directory);
    run(
        "objcopy",
        &["--add-section=.gnu_debugdata=mini.xz", "packed"],
        directory,
    );
    assert_eq!(find(&directory.join("packed"), "hidden_helper"), helper);
}

#[test]
fn functions_of_a_cpp_program() {
    let (_directory, whole) = compile("g++", CPP_SOURCE, &["-fno-ipa-sra", "-fno-ipa-cp"]);
    let handles = [
        "shop::handle(char const*)",
        "shop::handle(char*)",
        "shop::handle(int)",
    ];
    assert_eq!(names(&whole, "shop::handle"), handles);
    // With parameters it is one of them; the star is a pointer's, not a wildcard.
    assert_eq!(names(&whole, "shop::handle(char*)"), handles[1..2]);
    assert_eq!(names(&whole, "shop::handle(c*)"), handles[..2]);
    assert_eq!(names(&whole, "_ZN4shop6handleEi"), handles[2..]);
    assert_eq!(names(&whole, "*handle*"), handles);
    assert_eq!(names(&whole, "handle"), [] as [&str; 0]);

    // Both kinds of constructor are one function, and so are the destructors.
    assert_eq!(
        names(&whole, "shop::Order::Order"),
        ["shop::Order::Order(int)"]
    );
    assert_eq!(
        names(&whole, "shop::Order::~Order"),
        ["shop::Order::~Order()"]
    );
    let less = ["shop::Order::operator<(shop::Order const&) const"];
    assert_eq!(names(&whole, "shop::Order::operator<"), less);

    assert_eq!(
        names(&whole, "shop::Queue<int>::push"),
        ["shop::Queue<int>::push(int)"]
    );
    assert_eq!(names(&whole, "shop::Queue::push").len(), 2);
    let drain = "int shop::drain<int>(shop::Queue<int>&, int)";
    assert_eq!(names(&whole, "shop::drain<int>"), [drain]);
    assert_eq!(names(&whole, drain), [drain]);
    assert_eq!(names(&whole, "shop::drain").len(), 2);
    assert_eq!(find(&whole, "(anonymous namespace)::unnamed").len(), 1);
}

#[test]
fn errors_say_which_file() {
    let missing = find_functions(Path::new("/no/such/file"), "main").unwrap_err();
    assert!(matches!(missing, Error::Read { .. }));
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("text"), "no program").unwrap();
    let text = find_functions(&directory.path().join("text"), "main").unwrap_err();
    assert!(matches!(text, Error::Malformed { .. }));

    let source = "void _start(void) { for (;;); }";
    let arguments = ["-nostdlib", "-static", "-s"];
    let (_directory, bare) = compile("gcc", source, &arguments);
    let bare = find_functions(&bare, "_start").unwrap_err();
    assert!(matches!(bare, Error::NoSymbols { .. }));
}

#[test]
fn functions_of_known_names_are_found_in_one_pass() {
    let source = r#"
        #include <stdio.h>
        __asm__(".globl entered_twice\n.type entered_twice, @function\n"
                "entered_twice: nop\nsecond_entry: nop\nret\n"
                ".size entered_twice, . - entered_twice\n");
        /* Two functions of one name, as static ones may be. */
        __asm__(".type one, @function\none: nop\nret\n.size one, . - one\n");
        __asm__(".type two, @function\ntwo: nop\nret\n.size two, . - two\n");
        __attribute__((noinline)) int visible(int x) { return puts("x") + x; }
        int main(int argc, char **argv) { return visible(argc); }
    "#;
    let (directory, whole) = compile("gcc", source, &[]);
    let wanted = ["nowhere", "visible", "entered_twice", "puts"];
    let found = find_named(&whole, &wanted).unwrap();
    let [visible, twice] = found[..] else {
        panic!("{found:?}");
    };
    let (address, size) = symbol(&whole, "visible");
    assert_eq!(
        (visible.name, visible.address, visible.size),
        (1, address, size)
    );
    assert_eq!(visible.next_symbol, None);
    assert_eq!((twice.name, twice.size, twice.next_symbol), (2, 3, Some(1)));

    let renamed = ["--redefine-sym=two=one", "whole", "renamed"];
    run("objcopy", &renamed, directory.path());
    let found = find_named(&directory.path().join("renamed"), &["one", "visible"]).unwrap();
    let names: Vec<usize> = found.iter().map(|function| function.name).collect();
    assert_eq!(names, [1], "a name of two functions is nobody's");

    run("strip", &["whole"], directory.path());
    assert_eq!(find_named(&whole, &wanted).unwrap(), []);
}
