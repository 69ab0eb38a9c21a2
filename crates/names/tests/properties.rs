//! What holds for every name: it is never longer than without rules, and it is shown.

use residue_names::{FrameName, NameStyle, Rules};
use residue_testkit::long_names::long_name;
use residue_testkit::random::Random;

fn frame(linkage: &str) -> FrameName<'_> {
    FrameName {
        linkage,
        module: "",
        file: "",
    }
}

/// Pieces that rules look for, and that names are confused by.
const PIECES: &[&str] = &[
    "std::",
    "vector",
    "<",
    ">",
    "> >",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "::",
    "operator",
    "operator<",
    "operator<<",
    "operator->",
    "operator()",
    " const",
    "&",
    "*",
    "allocator<",
    "basic_string<char>",
    "boost::spirit::",
    "__cxx11::",
    "{lambda(",
    ")#1}",
    "\"",
    "'",
    "'a",
    "\\",
    "->",
    "unsigned long",
    "(unsigned long)3",
    "…",
    "ä",
    " [.cold]",
    "(anonymous namespace)",
    "decltype(",
    "Eigen::",
    "a",
    "1",
    "_",
    "#",
    " -> ",
    "$s",
    "_D3foo",
    "\u{1b}",
    "less<",
    "map<",
];

fn check(rules: &Rules, name: &str) {
    let short = rules.show(&frame(name), NameStyle::Short);
    let no_params = rules.show(&frame(name), NameStyle::NoParams);
    let (short, whole) = (short.name, no_params.name);
    if short.starts_with("[python]") {
        return;
    }
    assert!(
        short.chars().count() <= whole.chars().count(),
        "{whole}\n{short}"
    );
    assert!(short.chars().count() <= 120, "{short}");
    assert!(!short.chars().any(char::is_control), "{short:?}");
    assert!(!short.is_empty() || whole.is_empty(), "{whole}");
}

#[test]
fn random_text_is_never_longer() {
    let rules = Rules::builtin();
    let mut random = Random::new(1);
    for _ in 0..100_000 {
        let pieces = (0..random.index(24)).map(|_| PIECES[random.index(PIECES.len())]);
        let name: String = pieces.collect();
        check(&rules, &name);
    }
}

#[test]
fn mutated_names_are_never_longer() {
    let rules = Rules::builtin();
    let mut random = Random::new(2);
    for seed in 0..5_000 {
        let mut name = long_name(seed).into_bytes();
        name.truncate(600);
        for _ in 0..1 + random.index(4) {
            let at = 2 + random.index(name.len() - 2);
            match random.index(3) {
                0 => name[at] = b' ' + random.index(95) as u8,
                1 => drop(name.remove(at)),
                _ => name.insert(at, name[random.index(at)]),
            }
        }
        check(&rules, &String::from_utf8(name).unwrap());
    }
}

#[test]
fn the_corpus_is_what_it_says_and_shrinks_by_four_fifths() {
    let rules = Rules::builtin();
    let names: Vec<String> = (0..4_000).map(long_name).collect();
    let frames: Vec<FrameName<'_>> = names.iter().map(|name| frame(name)).collect();
    let whole = rules.show_all(&frames, NameStyle::NoParams);
    let short = rules.show_all(&frames, NameStyle::Short);
    let mut distinct: Vec<&str> = whole.iter().map(|shown| shown.name.as_str()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), names.len());
    assert!(whole.iter().all(|shown| !shown.name.starts_with("_Z")));
    let count = |shown: &[residue_names::Shown]| -> usize {
        shown.iter().map(|shown| shown.name.chars().count()).sum()
    };
    let average = count(&whole) / names.len();
    assert!((1_000..3_000).contains(&average), "{average}");
    assert!(whole.iter().any(|shown| shown.name.len() > 30_000));
    assert!(
        count(&short) * 5 <= count(&whole),
        "{} of {}",
        count(&short),
        count(&whole)
    );
    for name in &names[..500] {
        check(&rules, name);
    }
}

#[test]
fn many_threads_show_what_one_does() {
    let rules = Rules::builtin();
    let names: Vec<String> = (0..1_500).map(long_name).collect();
    let frames: Vec<FrameName<'_>> = names.iter().map(|name| frame(name)).collect();
    let one_by_one: Vec<_> = frames
        .iter()
        .map(|frame| rules.show(frame, NameStyle::Short))
        .collect();
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        let shown = pool.install(|| rules.show_all(&frames, NameStyle::Short));
        assert_eq!(shown, one_by_one, "{threads} threads");
    }
    assert_eq!(rules.show_all(&[], NameStyle::Short), []);
}
