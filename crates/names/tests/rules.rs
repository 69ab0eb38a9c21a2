//! The format of rule files, and which rule decides.

use residue_names::{Action, FrameName, NameStyle, Rules, Shown};

fn rules(text: &str) -> Rules {
    Rules::parse(text, "my.rules").unwrap()
}

fn error(text: &str) -> String {
    Rules::parse(text, "my.rules").unwrap_err().to_string()
}

fn show_in(rules: &Rules, linkage: &str, module: &str, file: &str) -> Shown {
    let frame = FrameName {
        linkage,
        module,
        file,
    };
    rules.show(&frame, NameStyle::Short)
}

fn show(rules: &Rules, linkage: &str) -> Shown {
    show_in(rules, linkage, "", "")
}

#[test]
fn the_last_rule_that_matches_decides() {
    let rules = rules("hide a*\ncollapse ab*\nkeep abc\n");
    assert_eq!(show(&rules, "a").action, Action::Hide);
    assert_eq!(show(&rules, "ab").action, Action::CollapseBelow);
    assert_eq!(show(&rules, "abc").action, Action::Keep);
    assert_eq!(show(&rules, "b").action, Action::Keep);
}

#[test]
fn the_users_rules_come_after_the_built_in_ones() {
    let mine = "keep malloc\nhide main\nkeep start_thread\nmax-length 12";
    let both = Rules::builtin().and_then(rules(mine));
    assert_eq!(show(&both, "malloc").action, Action::Keep);
    assert_eq!(show(&both, "calloc").action, Action::Hide);
    assert_eq!(show(&both, "main").action, Action::Hide);
    assert!(!show(&both, "start_thread").is_framework);
    assert!(show(&both, "clone").is_framework);
    assert_eq!(show(&both, "a_rather_long_name").name, "a_rath…_name");
    let arguments =
        rules("drop-template-arguments std::vector\nalias std::basic_string<char> -> str");
    let both = Rules::builtin().and_then(arguments);
    let string = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
    assert_eq!(
        show(&both, &format!("_ZNSt6vectorI{string}SaIS5_EE1fEv")).name,
        "vector<…>::f"
    );
    assert_eq!(
        show(&both, &format!("_ZN1aI{string}E1fEv")).name,
        "a<str>::f"
    );
}

#[test]
fn framework_goes_beside_actions() {
    let rules = rules("framework f*\nhide fa\nkeep fb\nframework fbb");
    let decided = |name| {
        let shown = show(&rules, name);
        (shown.action, shown.is_framework)
    };
    assert_eq!(decided("f"), (Action::Keep, true));
    assert_eq!(decided("fa"), (Action::Hide, true));
    assert_eq!(decided("fb"), (Action::Keep, false));
    assert_eq!(decided("fbb"), (Action::Keep, true));
}

#[test]
fn conditions_narrow_a_rule() {
    let rules = rules(
        "hide module:libfoo.so* *::get\n\
         cut file:*/io/*\n\
         collapse linkage:_ZN1x*\n\
         hide module:/^lib[ab]/ f\n\
         hide module::secret",
    );
    let action = |linkage, module, file| show_in(&rules, linkage, module, file).action;
    assert_eq!(action("_ZN1a3getEv", "libfoo.so.1", ""), Action::Hide);
    assert_eq!(action("_ZN1a3getEv", "libbar.so", ""), Action::Keep);
    assert_eq!(action("_ZN1a3putEv", "libfoo.so.1", ""), Action::Keep);
    assert_eq!(action("read", "", "/src/io/read.c"), Action::CutAbove);
    assert_eq!(action("_ZN1x1yEv", "", ""), Action::CollapseBelow);
    assert_eq!(action("f", "liba.so", ""), Action::Hide);
    assert_eq!(action("f", "libc.so", ""), Action::Keep);
    assert_eq!(action("_ZN6module6secretEv", "", ""), Action::Hide);
}

#[test]
fn libraries_and_functions_are_merged_under_one_name() {
    let rules = rules(
        "merge-library libtensor*.so*\n\
         merge-library libonnx.so -> [onnx]\n\
         merge boost::* -> [boost]",
    );
    let shown = show_in(&rules, "f", "libtensorflow.so.2", "");
    assert_eq!(
        (shown.name.as_str(), shown.action),
        ("[libtensorflow.so.2]", Action::MergeLibrary)
    );
    assert_eq!(show_in(&rules, "g", "libonnx.so", "").name, "[onnx]");
    assert_eq!(show(&rules, "_ZN5boost1fEv").name, "[boost]");
    // A name that somebody put into a file does not reach the terminal.
    assert_eq!(
        show_in(&rules, "f", "libtensor\n.so", "").name,
        "[libtensor.so]"
    );
}

#[test]
fn renames_follow_one_another() {
    let rules = rules(
        "rename /^my::/ ->\n\
         rename /get([A-Z])(\\w*)/ -> $2 by $1\n\
         rename f -> the one\n\
         rename file:*.f90 /_$/ ->",
    );
    assert_eq!(show(&rules, "_ZN2my1fEv").name, "the one");
    assert_eq!(show(&rules, "_ZN2my4getXEv").name, " by X");
    assert_eq!(show_in(&rules, "sub_", "", "a.f90").name, "sub");
    assert_eq!(show_in(&rules, "sub_", "", "a.c").name, "sub_");
    // A name that would vanish stays.
    assert_eq!(show(&rules, "my::").name, "my::");
}

#[test]
fn parts_of_names_are_dropped() {
    let rules = rules(
        "drop-namespace std::\n\
         drop-namespace ::v1::\n\
         drop-template-arguments lib::*\n\
         drop-template-arguments lib::Two after 2\n\
         drop-default-arguments std::vector after 1\n\
         drop-parameters\n\
         drop-suffixes",
    );
    for (name, expected) in [
        ("std::a", "a"),
        ("x::std::a", "x::std::a"),
        ("lib::v1::a", "lib::a"),
        ("lib::One<int, char>::f", "lib::One<…>::f"),
        ("lib::One<i>::f", "lib::One<i>::f"),
        ("lib::Two<a, b, c<d>, e>::f", "lib::Two<a, b>::f"),
        ("lib::Two<a>::f", "lib::Two<a>::f"),
        (
            "std::vector<int, std::allocator<int> >::f",
            "vector<int>::f",
        ),
        (
            "a::f(int, b<c>) const::{lambda(int)#1}::operator()",
            "a::f::{lambda(int)#1}::operator()",
        ),
        ("decltype(a)::b", "decltype(a)::b"),
        ("f<void (int)>", "f<void (int)>"),
        ("f [.cold]", "f"),
        ("lib::One<a, b", "lib::One<a, b"),
    ] {
        assert_eq!(show(&rules, name).name, expected);
    }
}

#[test]
fn comments_and_blanks_are_passed_over() {
    let rules = rules("# all\n\n  hide a   # because\n\thide {lambda()#1}\n");
    assert_eq!(show(&rules, "a").action, Action::Hide);
    assert_eq!(show(&rules, "{lambda()#1}").action, Action::Hide);
}

#[test]
fn errors_say_where_and_what() {
    assert_eq!(
        error("hide a\nhidden b"),
        "my.rules:2: unknown keyword \"hidden\"; expected one of alias, collapse, cut, \
         drop-default-arguments, drop-namespace, drop-parameters, drop-suffixes, \
         drop-template-arguments, framework, hide, keep, max-length, merge, merge-library, rename"
    );
    for (line, reason) in [
        ("hide", "missing pattern for names"),
        ("hide module: a", "module: needs a pattern without spaces"),
        (
            "hide /a(/",
            "invalid regular expression \"a(\": unclosed group",
        ),
        ("rename a", "missing new name: PATTERN -> TEXT"),
        ("rename a ->", "the new name is missing"),
        ("merge a", "missing new name: PATTERN -> TEXT"),
        (
            "merge-library",
            "missing pattern for the library's file name",
        ),
        (
            "max-length",
            "max-length needs a number of characters, at least 10",
        ),
        (
            "max-length 9",
            "max-length needs a number of characters, at least 10",
        ),
        (
            "max-length -1",
            "max-length needs a number of characters, at least 10",
        ),
        (
            "drop-parameters of all",
            "drop-parameters takes no arguments",
        ),
        ("drop-namespace ::", "missing namespace"),
        ("drop-template-arguments", "missing pattern for templates"),
        (
            "drop-template-arguments a after x",
            "missing number of arguments after `after`",
        ),
        (
            "drop-default-arguments /a/",
            "templates are named by a glob, not a regular expression",
        ),
        (
            "alias a -> b",
            "an alias is for a type with template arguments",
        ),
    ] {
        assert_eq!(error(line), format!("my.rules:1: {reason}"));
    }
}

#[test]
fn the_built_in_rules_can_be_read() {
    let text = include_str!("../src/default.rules");
    Rules::parse(text, "default.rules").unwrap();
    assert_eq!(show(&Rules::builtin(), "malloc").action, Action::Hide);
}
