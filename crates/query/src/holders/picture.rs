//! Whether there is a picture at all.

use residue_profile::Profile;
use residue_profile::holders::Picture;

/// The picture of the program's memory, or why there is none.
pub fn picture_of(profile: &Profile) -> Result<&Picture, String> {
    match &profile.picture {
        None => Err(
            "no picture of its memory was taken; record with `residue run --holders`".to_string(),
        ),
        Some(picture) if !picture.trouble.is_empty() => {
            Err(format!("no picture could be taken: {}", picture.trouble))
        }
        Some(picture) => Ok(picture),
    }
}
