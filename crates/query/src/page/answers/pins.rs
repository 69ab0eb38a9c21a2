//! Who keeps pages of the heap resident that are mostly empty? What `residue pins --json` writes.

use anyhow::Result;
use serde::Serialize;

use crate::holders::picture_of;
use crate::page::open_profiles::OpenProfiles;
use crate::page::question::Question;
use crate::pins::{Document, Limits, document, pins_of};

/// What is sent; the stacks that keep most come first.
const MOST: Limits = Limits {
    stacks: 200,
    freed: 10,
    steps: 32,
    name_characters: 200,
};

/// Answers `api/pins`, of the picture that was taken last. Parameters: side.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PinsAnswer {
    /// Null where it is not known which pages were resident.
    pins: Option<Document>,
    /// Why it is not known, in the words of the command.
    missing: Option<String>,
}

pub fn pins(profiles: &OpenProfiles, question: &Question) -> Result<PinsAnswer> {
    let opened = profiles.side(question)?;
    let profile = &opened.profile;
    let found = picture_of(profile).and_then(|picture| Ok((picture, pins_of(picture)?)));
    Ok(match found {
        Ok((picture, pins)) => PinsAnswer {
            pins: Some(document(profile, picture, pins, opened.names(), MOST)),
            missing: None,
        },
        Err(why) => PinsAnswer {
            pins: None,
            missing: Some(why),
        },
    })
}

#[cfg(test)]
mod tests {
    use residue_profile::holders::Picture;
    use serde_json::{Value, json};

    use super::super::sample::{ask, held, open_profiles};
    use super::*;
    use crate::choice::Names;

    #[test]
    fn the_document_is_that_of_the_command() {
        let profile = held();
        let picture = profile.picture.as_ref().unwrap();
        let pins = picture.pins.as_ref().unwrap();
        let written = document(&profile, picture, pins, &Names::short(), Limits::NONE);
        let written = serde_json::to_value(&written).unwrap();
        assert_eq!(written["stacks"].as_array().unwrap().len(), 2);
        assert_eq!(written["other_stacks"], 3);
        let map = &written["map"];
        assert_eq!(map["used_bytes"], json!([800, 4000, 0]));
        assert_eq!(map["stack"], json!([2, 1, null]));
        assert_eq!(map["stacks"][0]["resident_bytes"], 2 * 4096);
        let answer = ask(&open_profiles(profile, None), "pins", "");
        assert_eq!(answer["pins"], written);
        assert_eq!(answer["missing"], Value::Null);
    }

    #[test]
    fn stacks_that_are_not_sent_are_among_the_others() {
        let profile = held();
        let picture = profile.picture.as_ref().unwrap();
        let pins = picture.pins.as_ref().unwrap();
        let most = Limits { stacks: 1, ..MOST };
        let few = document(&profile, picture, pins, &Names::short(), most);
        assert_eq!((few.stacks.len(), few.other_stacks), (1, 4));
        let sum = few.stacks[0].pins.free_bytes + few.other_free_bytes;
        assert_eq!(sum, pins.heap.free_bytes);
        let sum = few.stacks[0].pins.used_bytes + few.other_used_bytes;
        assert_eq!(sum, pins.heap.used_bytes);
    }

    #[test]
    fn what_is_not_known_is_said() {
        let mut profile = held();
        profile.picture = Some(Picture::default());
        let answer = ask(&open_profiles(profile.clone(), None), "pins", "");
        assert_eq!(answer["pins"], Value::Null);
        let why = "which pages were resident is not known: the kernel did not say it";
        assert_eq!(answer["missing"], why);
        profile.picture = None;
        let answer = ask(&open_profiles(profile, None), "pins", "");
        let why = "no picture of its memory was taken; record with `residue run --holders`";
        assert_eq!(answer["missing"], why);
    }
}
