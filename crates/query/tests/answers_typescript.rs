//! The TypeScript of the page says what the server answers.

use std::path::Path;

use residue_query::page::typescript::layout::{WIDTH, declaration};

#[test]
fn the_types_of_the_page_are_those_of_the_answers() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../viewer/src/answers.ts");
    let expected = residue_query::page::typescript::document();
    if std::env::var_os("RESIDUE_WRITE").is_some() {
        std::fs::write(&file, &expected).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap();
    let mut lines = committed.lines().zip(expected.lines()).enumerate();
    let different = lines.find(|(_, (committed, expected))| committed != expected);
    if let Some((at, (committed, expected))) = different {
        panic!(
            "viewer/src/answers.ts is not what crates/query answers; `make answers` writes it\n\
             line {}, found:    {committed}\n\
             line {}, expected: {expected}",
            at + 1,
            at + 1
        );
    }
    assert!(
        committed == expected,
        "viewer/src/answers.ts ends too early or too late; `make answers` writes it"
    );
}

#[test]
fn members_have_lines_of_their_own_and_comments_before_them() {
    let text =
        "type A = { a: number, \n/**\n * Of, two\n * lines.\n */\nb: Array<{ c: B, d: C }>, };";
    let expected =
        "type A = {\n  a: number;\n  /** Of, two lines. */\n  b: Array<{ c: B, d: C }>;\n};";
    assert_eq!(declaration(text), expected);
}

#[test]
fn other_declarations_are_wrapped() {
    let text = "type A = { k: \"b\", } | { k: \"c\" };";
    assert_eq!(declaration(text), "type A = { k: \"b\" } | { k: \"c\" };");
    let long = format!("type A = {};", ["\"word\""; 20].join(" | "));
    let lines = declaration(&long);
    assert!(lines.lines().all(|line| line.len() <= WIDTH));
    assert_eq!(lines.lines().count(), 2);
    assert_eq!(lines.replace("\n ", ""), long);
}
