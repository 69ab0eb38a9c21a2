//! What a check says: PASS, FAIL or CANNOT TELL, why, and which stacks.

use residue_query::check::CheckEntry;
use residue_query::choice::Names;
use residue_query::gate::Decision;

use super::leaks::{Length, lines};

/// Stacks that are named where they are to blame.
const BLAMED: Length = Length {
    stacks: 5,
    with_rest: false,
};

pub fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Within => "PASS",
        Decision::Above => "FAIL",
        Decision::CannotTell => "CANNOT TELL",
    }
}

pub fn check_lines(check: &CheckEntry<'_>) -> Vec<String> {
    let mut said = vec![format!("{}: {}", word(check.decision), check.summary)];
    said.extend(check.notes.iter().map(|note| format!("  {note}")));
    if let Some(judged) = check.verdict.as_ref().filter(|it| it.blames_stacks) {
        let blamed = lines(judged.profile, &judged.verdict, BLAMED, &Names::usual());
        said.extend(blamed.into_iter().skip(1));
    }
    said
}
