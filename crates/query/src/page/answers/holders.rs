//! Which live blocks are lost, which are held, and who holds them? What `residue holders --json`
//! writes, a part of its stacks at a time and without their chains, which `api/holder` has.

use anyhow::Result;
use residue_profile::holders::{HeldSum, Picture};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::holders::document::{Reader, Stack, Which, rows};
use crate::holders::{Document, Limits, picture_of};
use crate::page::open_profiles::OpenProfiles;
use crate::page::opened::Opened;
use crate::page::question::Question;
use crate::page::selection::StackFilter;

const USUAL_ROWS: usize = 50;
const MOST_ROWS: usize = 200;
/// What is sent of a picture, and of each stack.
pub(super) const MOST: Limits = Limits {
    stacks: MOST_ROWS,
    chains: 0,
    holders: 65,
    retained: 50,
    steps: 32,
    name_characters: 200,
};

/// Answers `api/holders`, of the picture that was taken last. Parameters: side, which (`all`, `lost`
/// or `held`), focus, ignore, offset, limit (most 200, default 50).
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HoldersAnswer {
    /// Null where there is no picture.
    picture: Option<Document>,
    /// Why there is none, in the words of the command.
    missing: Option<String>,
    /// Of how many stacks those of the document are a part, and where that begins.
    found: usize,
    offset: usize,
}

pub fn holders(profiles: &OpenProfiles, question: &Question) -> Result<HoldersAnswer> {
    let opened = profiles.side(question)?;
    let which = question.word("which", &Which::ALL.map(|(name, _)| name))?;
    let which = Which::ALL.into_iter().find(|(name, _)| *name == which);
    let filter = StackFilter::of(question)?;
    let offset = question.limit("offset", 0, usize::MAX)?;
    let limit = question.limit("limit", USUAL_ROWS, MOST_ROWS)?;
    let picture = match picture_of(&opened.profile) {
        Ok(picture) => picture,
        Err(why) => return Ok(HoldersAnswer::missing(why)),
    };
    let mut rows = rows(picture, which.map_or(Which::All, |(_, which)| which));
    let admits = filter.admits(opened);
    rows.retain(|row| admits(row[0].stack as usize));
    let found = rows.len();
    let shown: Vec<_> = rows.into_iter().skip(offset).take(limit).collect();
    Ok(HoldersAnswer::of(opened, picture, &shown, found, offset))
}

/// The stacks of a self-contained file: those that lost most and those of which most is held.
pub fn holders_of_file(opened: &Opened, most_rows: usize) -> HoldersAnswer {
    let picture = match picture_of(&opened.profile) {
        Ok(picture) => picture,
        Err(why) => return HoldersAnswer::missing(why),
    };
    let first = |which| {
        let rows = rows(picture, which).into_iter().take(most_rows / 2);
        rows.map(|row| row[0].stack).collect::<FxHashSet<_>>()
    };
    let (lost, held) = (first(Which::Lost), first(Which::Held));
    let rows = rows(picture, Which::All);
    let found = rows.len();
    let is_shown = |row: &&[HeldSum]| lost.contains(&row[0].stack) || held.contains(&row[0].stack);
    let shown: Vec<_> = rows.into_iter().filter(is_shown).collect();
    HoldersAnswer::of(opened, picture, &shown, found, 0)
}

impl HoldersAnswer {
    fn of(
        opened: &Opened,
        picture: &Picture,
        shown: &[&[HeldSum]],
        found: usize,
        offset: usize,
    ) -> HoldersAnswer {
        let mut reader = Reader::new(&opened.profile, picture, opened.paths(), MOST);
        HoldersAnswer {
            picture: Some(reader.document(shown.iter().copied())),
            missing: None,
            found,
            offset,
        }
    }

    fn missing(why: String) -> HoldersAnswer {
        HoldersAnswer {
            picture: None,
            missing: Some(why),
            found: 0,
            offset: 0,
        }
    }

    /// Stacks that it has rows of.
    pub fn stacks(&self) -> &[Stack] {
        let stacks = self.picture.as_ref().map(|picture| &picture.stacks[..]);
        stacks.unwrap_or_default()
    }

    /// Where it does not have all of them.
    pub fn left_out(&self) -> Option<String> {
        let shown = self.stacks().len();
        (shown < self.found).then(|| {
            format!(
                "Who holds them is in it of {shown} of {} call paths with live blocks: those that \
                 lost most, and those of which most is held.",
                self.found
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::sample::{ask, held, open_profiles, refusal};
    use super::*;
    use crate::choice::Names;
    use crate::holders::document;
    use residue_testkit::sample;

    fn stacks(answer: &Value) -> Vec<u64> {
        let stacks = answer["picture"]["stacks"].as_array().unwrap().iter();
        stacks.map(|row| row["stack"].as_u64().unwrap()).collect()
    }

    #[test]
    fn the_document_is_that_of_the_command_without_chains() {
        let profile = held();
        let picture = profile.picture.as_ref().unwrap();
        let limits = Limits {
            chains: 0,
            ..Limits::NONE
        };
        let written = document(&profile, picture, &Names::short(), limits);
        let written = serde_json::to_value(&written).unwrap();
        let answer = ask(&open_profiles(profile, None), "holders", "");
        assert_eq!(answer["picture"], written);
        assert_eq!(answer["missing"], Value::Null);
        let all = &answer["picture"]["all"];
        assert_eq!(all["lost"], json!({"blocks": 5, "bytes": 500}));
        assert_eq!(all["held"], json!({"blocks": 13, "bytes": 4300}));
    }

    #[test]
    fn rows_are_chosen_and_come_in_parts() {
        let profiles = open_profiles(held(), None);
        let of = |query: &str| {
            let answer = ask(&profiles, "holders", query);
            (stacks(&answer), answer["found"].as_u64().unwrap())
        };
        assert_eq!(of(""), (vec![2, 1, 0], 3));
        assert_eq!(of("which=lost"), (vec![2], 1));
        assert_eq!(of("which=held"), (vec![1, 0, 2], 3));
        assert_eq!(of("which=held&limit=1&offset=1"), (vec![0], 3));
        assert_eq!(of("offset=7"), (vec![], 3));
        assert_eq!(of("focus=no_such_function"), (vec![], 0));
        let why = refusal(&profiles, "holders", "which=x");
        assert_eq!(why, "which: `x` is not one of all, lost, held");
    }

    #[test]
    fn a_file_has_those_that_lost_most_and_those_of_which_most_is_held() {
        let opened = super::super::sample::open("a", held());
        let of = |most| {
            let answer = holders_of_file(&opened, most);
            let stacks = answer.stacks().iter().map(|row| row.stack);
            (stacks.collect::<Vec<_>>(), answer.left_out().is_some())
        };
        assert_eq!(of(2), (vec![2, 1], true));
        assert_eq!(of(6), (vec![2, 1, 0], false));
    }

    #[test]
    fn where_there_is_no_picture_it_is_said_why() {
        let mut profile = sample::profile();
        let answer = ask(&open_profiles(profile.clone(), None), "holders", "");
        assert_eq!(answer["picture"], Value::Null);
        assert_eq!(
            answer["missing"],
            "no picture of its memory was taken; record with `residue run --holders`"
        );
        profile.picture = Some(Picture {
            trouble: "no memory for a copy".to_string(),
            ..Picture::default()
        });
        let answer = ask(&open_profiles(profile, None), "holders", "");
        assert_eq!(
            answer["missing"],
            "no picture could be taken: no memory for a copy"
        );
    }
}
