//! Of one stack: who holds its blocks, chain by chain, and what they hold.

use anyhow::{Context, Result, bail};
use residue_profile::timeline::StackId;
use serde::Serialize;

use super::holders::MOST;
use crate::holders::document::{Holds, Reader, Stack};
use crate::holders::{Limits, picture_of};
use crate::page::open_profiles::OpenProfiles;
use crate::page::opened::Opened;
use crate::page::question::Question;

const MOST_HELD: usize = 100;
/// As many as a picture has.
const WITH_CHAINS: Limits = Limits { chains: 8, ..MOST };

/// Answers `api/holder`. Parameters: side, stack.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HolderAnswer {
    /// With all chains that were kept; null where nothing of it was live in the picture.
    stack: Option<Stack>,
    /// Blocks of other stacks that these chains and theirs reach through its own, most bytes first,
    /// at most 100; and of how many stacks there are such blocks.
    holds: Vec<Holds>,
    holds_found: usize,
    /// Why there is no picture, in the words of the command.
    missing: Option<String>,
}

pub fn holder(profiles: &OpenProfiles, question: &Question) -> Result<HolderAnswer> {
    let opened = profiles.side(question)?;
    let number = question.number("stack")?.context("stack: none is named")?;
    let stack = StackId::try_from(number).ok();
    match stack.filter(|&stack| (stack as usize) < opened.profile.stacks.len()) {
        Some(stack) => Ok(of(opened, stack)),
        None => bail!("there is no stack {number}"),
    }
}

pub fn of(opened: &Opened, stack: StackId) -> HolderAnswer {
    let picture = match picture_of(&opened.profile) {
        Ok(picture) => picture,
        Err(why) => {
            return HolderAnswer {
                stack: None,
                holds: Vec::new(),
                holds_found: 0,
                missing: Some(why),
            };
        }
    };
    let mut reader = Reader::new(&opened.profile, picture, opened.paths(), WITH_CHAINS);
    let (holds, holds_found) = reader.holds(stack, MOST_HELD);
    HolderAnswer {
        stack: reader.stack_of(stack),
        holds,
        holds_found,
        missing: None,
    }
}

impl HolderAnswer {
    /// Stacks on the ways to its blocks.
    pub fn holders(&self) -> impl Iterator<Item = StackId> + '_ {
        let chains = self.stack.iter().flat_map(|stack| &stack.chains);
        chains.flat_map(|chain| chain.steps.iter().map(|step| step.stack))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::sample::{ask, held, open_profiles, refusal};
    use super::*;
    use crate::choice::Names;
    use crate::holders::document;

    #[test]
    fn chains_are_those_of_the_command_and_lead_back_down() {
        let profile = held();
        let picture = profile.picture.as_ref().unwrap();
        let written = document(&profile, picture, &Names::short(), Limits::NONE);
        let written = serde_json::to_value(&written).unwrap();
        let profiles = open_profiles(profile, None);
        for row in written["stacks"].as_array().unwrap() {
            let stack = row["stack"].as_u64().unwrap();
            let answer = ask(&profiles, "holder", &format!("stack={stack}"));
            assert_eq!(&answer["stack"], row, "{stack}");
        }
        let chain = &written["stacks"][1]["chains"][0];
        assert_eq!(chain["holder"]["variable"], "registry");
        assert_eq!(chain["steps"][0]["stack"], 0);
        assert_eq!(chain["steps"][0]["words"], "an array of 9 pointers");
        let above = ask(&profiles, "holder", "stack=0");
        let rows: Vec<_> = above["holds"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| json!([row["stack"], row["blocks"], row["bytes"], row["between"]]))
            .collect();
        assert_eq!(rows, [json!([1, 9, 3600, 0]), json!([2, 3, 300, 1])]);
        assert_eq!(above["holds_found"], 2);
        assert_eq!(above["holds"][0]["by"]["words"], "an array of 9 pointers");
    }

    #[test]
    fn what_was_not_live_and_what_is_not_there_is_told_apart() {
        let profiles = open_profiles(held(), None);
        let answer = ask(&profiles, "holder", "stack=3");
        assert_eq!(
            [&answer["stack"], &answer["missing"]],
            [&Value::Null, &Value::Null]
        );
        for (query, why) in [
            ("", "stack: none is named"),
            ("stack=999", "there is no stack 999"),
            ("stack=4294967296", "there is no stack 4294967296"),
        ] {
            assert_eq!(refusal(&profiles, "holder", query), why);
        }
    }
}
