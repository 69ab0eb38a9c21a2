//! Names that filters ask for. One that the profile does not have is refused, with the nearest
//! that it has: a report of nothing would look like an answer.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use residue_calltree::scope_names;
use residue_names::glob;
use residue_profile::Profile;

use crate::function_names::Wanted;

/// Names that are listed where another was asked for.
const MOST_LISTED: usize = 20;

/// Refuses libraries and scopes that no frame of the profile has.
pub fn expect_known(profile: &Profile, modules: &[String], scopes: &[String]) -> Result<()> {
    if !modules.is_empty() {
        let ids = 0..profile.modules.len() as u32;
        let known: BTreeSet<&str> = ids.filter_map(|id| profile.module_name(id)).collect();
        expect("library", modules, &known)?;
    }
    if !scopes.is_empty() {
        expect("scope", scopes, &scope_names(profile))?;
    }
    Ok(())
}

fn expect(what: &str, patterns: &[String], known: &BTreeSet<&str>) -> Result<()> {
    for pattern in patterns {
        if !known.iter().any(|name| glob(pattern, name)) {
            bail!("{}", unknown(what, pattern, known.iter().copied()));
        }
    }
    Ok(())
}

/// `no scope is called "oter"; did you mean "outer"?`, or what there is.
pub fn unknown<'n>(
    what: &str,
    pattern: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> String {
    let refused = format!("no {what} is called `{pattern}`");
    let listed: Vec<&str> = known.clone().take(MOST_LISTED).collect();
    match (Wanted::new(pattern).nearest(known).first(), &listed[..]) {
        (Some(nearest), _) => format!("{refused}; did you mean `{nearest}`?"),
        (None, []) => format!("{refused}; the profile has none"),
        (None, some) if some.len() < MOST_LISTED => {
            format!("{refused}; there are {}", some.join(", "))
        }
        (None, some) => format!("{refused}; there are {}, ...", some.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::sample;

    fn refusal(modules: &[&str], scopes: &[&str]) -> Option<String> {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let checked = expect_known(&sample::profile(), &owned(modules), &owned(scopes));
        checked.err().map(|error| error.to_string())
    }

    #[test]
    fn unknown_libraries_and_scopes_are_refused_with_what_there_is() {
        assert_eq!(refusal(&[], &[]), None);
        assert_eq!(refusal(&["libfoo.so", "ser*"], &[]), None);
        assert_eq!(
            refusal(&["libfo.so"], &[]).unwrap(),
            "no library is called `libfo.so`; did you mean `libfoo.so`?"
        );
        assert_eq!(
            refusal(&["libfoo.so", "x"], &[]).unwrap(),
            "no library is called `x`; there are libfoo.so, server"
        );
        assert_eq!(
            refusal(&[], &["outer"]).unwrap(),
            "no scope is called `outer`; the profile has none"
        );
    }
}
