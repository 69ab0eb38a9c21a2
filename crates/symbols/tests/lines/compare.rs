//! Our answers beside those of binutils, frame by frame.
//!
//! Every answer is the same as that of binutils, or the difference is one of those that
//! [`Difference`] names. Where binutils is wrong, LLVM says what is right.

use std::collections::BTreeMap;

use crate::judges::Seen;

/// Why an answer is not, to the letter, that of binutils.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Ours names the copy of the function that the code is in, as the symbol table
    /// does: `f.cold`, `f.part.0`, or the first of several constructors.
    NameOfTheCopy,
    /// The function has no linkage name. Ours puts the scopes before its name.
    QualifiedName,
    /// The outermost function has no linkage name in the debug information. Ours, as
    /// LLVM's, is that of the symbol table.
    NameFromTheSymbolTable,
    /// There is no debug information at the address. Binutils gives the name of a source
    /// file, without its directory or a line, that it has from the symbol table.
    FileFromTheSymbolTable,
    /// Binutils is wrong: between two functions it names the one before. LLVM, as we,
    /// none.
    BetweenFunctions,
    /// Binutils is wrong: it names the function before one whose symbol has no size, as
    /// those of hand-written assembly. LLVM has the same as we, or another name of it.
    SymbolWithoutSize,
    /// Binutils is wrong: when the innermost function has no linkage name, it shows the
    /// name of the symbol that the address is in, though that is the outermost function;
    /// and it goes on to do so when it meets that function again. LLVM has the name that
    /// ours ends with.
    InlinedNamedAfterSymbol,
    /// Binutils is wrong: it has nothing for some addresses that end in `ff`, the last
    /// ones of 256 that it keeps together. LLVM has what we have.
    LostAtTheEndOf256,
    /// Binutils is wrong: it takes the line from one unit and the name of the file from
    /// another, where a function is in both and the linker kept one. LLVM has what we
    /// have.
    FileOfAnotherUnit,
}

use Difference::*;

/// How often each difference occurs.
pub type Differences = BTreeMap<Difference, usize>;

/// Compares the answers for all addresses. Fails with those that nothing explains.
pub fn compare(
    addresses: &[u64],
    ours: &[Vec<Seen>],
    binutils: &[Vec<Seen>],
    llvm: &[Vec<Seen>],
) -> Differences {
    let mut differences = Differences::new();
    let mut wrong = Vec::new();
    for (index, address) in addresses.iter().enumerate() {
        let (ours, binutils, llvm) = (&ours[index], &binutils[index], &llvm[index]);
        match explain(*address, ours, binutils, llvm) {
            Some(found) => found
                .into_iter()
                .for_each(|difference| *differences.entry(difference).or_default() += 1),
            None => wrong.push(format!(
                "{address:#x}\n  ours:     {ours:?}\n  binutils: {binutils:?}\n  llvm:     {llvm:?}"
            )),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} answers are wrong:\n{}",
        wrong.len(),
        addresses.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    differences
}

/// The differences between two answers; `None` if there is one that cannot be accepted.
fn explain(
    address: u64,
    ours: &[Seen],
    binutils: &[Seen],
    llvm: &[Seen],
) -> Option<Vec<Difference>> {
    if ours == binutils {
        return Some(Vec::new());
    }
    let is_lost = matches!(binutils, [only] if only.file.is_empty() && only.line == 0);
    if is_lost && address & 0xff == 0xff && agree(ours, llvm) {
        return Some(vec![LostAtTheEndOf256]);
    }
    let [.., outermost] = ours else {
        let llvm_has_none = llvm.iter().all(|seen| *seen == Seen::default());
        let is_guess = matches!(binutils, [guess] if guess.line == 0);
        return (llvm_has_none && is_guess).then_some(vec![BetweenFunctions]);
    };
    if ours.len() != binutils.len() {
        return None;
    }
    let mut found = Vec::new();
    for (depth, (own, other)) in ours.iter().zip(binutils).enumerate() {
        let llvm = llvm.get(depth);
        let is_outermost = depth + 1 == ours.len();
        if own.line != other.line {
            return None;
        }
        if own.file != other.file {
            found.push(
                if own.file.is_empty() && !other.file.contains('/') && own.line == 0 {
                    FileFromTheSymbolTable
                } else if llvm.is_some_and(|llvm| llvm.file == own.file && llvm.line == own.line) {
                    FileOfAnotherUnit
                } else {
                    return None;
                },
            );
        }
        if own.function == other.function {
            continue;
        }
        found.push(if is_outermost && is_copy(&own.function, &other.function) {
            NameOfTheCopy
        } else if own.function.is_empty() && llvm == Some(own) {
            BetweenFunctions
        } else if is_outermost && llvm == Some(own) && !other.function.starts_with("_Z") {
            NameFromTheSymbolTable
        } else if is_qualified(&own.function, &other.function) {
            QualifiedName
        } else if ours.len() == 1 && llvm.is_some_and(|llvm| is_alias(own, llvm)) {
            SymbolWithoutSize
        } else if !is_outermost
            && is_copy(&outermost.function, &other.function)
            && llvm.is_some_and(|llvm| is_qualified(&own.function, &llvm.function))
        {
            InlinedNamedAfterSymbol
        } else {
            return None;
        });
    }
    Some(found)
}

/// Whether LLVM says the same as we do, in its own spelling.
fn agree(ours: &[Seen], llvm: &[Seen]) -> bool {
    ours.len() == llvm.len()
        && ours.iter().zip(llvm).all(|(own, llvm)| {
            (&own.file, own.line) == (&llvm.file, llvm.line)
                && (is_copy(&own.function, &llvm.function)
                    || is_qualified(&own.function, &llvm.function))
        })
}

/// Whether a symbol is a copy, or a part, of the function that has a linkage name.
fn is_copy(symbol: &str, function: &str) -> bool {
    variant(symbol) == variant(function)
}

/// A linkage name without what tells copies apart: suffixes after a dot, and the kinds of
/// constructors and destructors.
fn variant(name: &str) -> String {
    let name = name.split('.').next().unwrap();
    let mut variant = name.as_bytes().to_vec();
    for at in 1..variant.len().saturating_sub(1) {
        let is_kind = matches!(&variant[at..at + 2], [b'C' | b'D', b'0'..=b'5']);
        let ends_a_name = matches!(variant.get(at + 2), Some(b'E' | b'I'));
        if name.starts_with("_Z") && is_kind && ends_a_name {
            variant[at + 1] = b'*';
        }
    }
    String::from_utf8(variant).unwrap()
}

/// Whether two names differ in an underscore at most, at the same place of the source.
fn is_alias(one: &Seen, other: &Seen) -> bool {
    let plain = |seen: &Seen| seen.function.trim_start_matches('_').to_owned();
    let place = |seen: &Seen| (seen.file.clone(), seen.line);
    plain(one) == plain(other) && place(one) == place(other)
}

/// Whether `ours` is the name that the source has, after the names of its scopes.
fn is_qualified(ours: &str, plain: &str) -> bool {
    let scopes = ours.strip_suffix(plain);
    let is_plain = !plain.is_empty() && !plain.starts_with("_Z");
    is_plain && scopes.is_some_and(|scopes| scopes.is_empty() || scopes.ends_with("::"))
}

#[test]
fn copies_are_known_by_their_names() {
    assert!(is_copy("_ZN1f3runEi.cold", "_ZN1f3runEi"));
    assert!(is_copy("_ZN1fIdEC2Ev", "_ZN1fIdEC4Ev"));
    assert!(is_copy("_ZN1fIdED0Ev", "_ZN1fIdED4Ev"));
    assert!(!is_copy("_ZN1f3runEi", "_ZN1f3runEv"));
    assert!(!is_copy("_ZN2C13runEi", "_ZN2C23runEi"));
    assert!(is_qualified("a::(anonymous namespace)::f", "f"));
    assert!(is_qualified("f", "f"));
    assert!(!is_qualified("a::of", "f"));
    assert!(!is_qualified("_ZN1fEv", ""));
}
