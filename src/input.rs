//! Profiles from files, whole or in part.

use std::path::Path;

use crate::text::output::tell;
use anyhow::bail;
use residue_profile::{Needs, Profile, Tag, read_needed};

/// Reads a profile. Of a damaged one, reads what is left, and says what is not on
/// standard error and in the notes; fails where nothing is left.
pub fn load(path: &Path) -> anyhow::Result<Profile> {
    load_needed(path, Needs::ALL)
}

/// The same without the tables that are not needed.
pub fn load_needed(path: &Path, needs: Needs) -> anyhow::Result<Profile> {
    let (mut profile, damages) = read_needed(path, needs)?;
    let Some(first) = damages.first() else {
        return Ok(profile);
    };
    let file = path.display();
    if profile.stacks.is_empty() && damages.iter().any(|damage| damage.section == Tag::META) {
        bail!("cannot read {file}: {first}; nothing else can be read");
    }
    profile.meta.is_damaged = true;
    for damage in &damages {
        tell(format_args!("warning: {file}: {damage}"));
        let note = format!("the file is damaged: {damage}");
        profile.meta.notes.push(note);
    }
    tell(format_args!(
        "warning: {file} is damaged; showing what could be read"
    ));
    Ok(profile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::encode;
    use residue_testkit::sample;

    fn load_bytes(bytes: &[u8]) -> anyhow::Result<Profile> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.residue");
        std::fs::write(&path, bytes).unwrap();
        let result = load(&path);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        result
    }

    #[test]
    fn whole_files_are_read_whole() {
        let profile = sample::profile();
        assert_eq!(load_bytes(&encode(&profile).unwrap()).unwrap(), profile);
    }

    #[test]
    fn a_file_cut_short_gives_what_it_has() {
        let profile = sample::profile();
        let bytes = encode(&profile).unwrap();
        let births = bytes.windows(4).rposition(|tag| tag == b"BRTH").unwrap();
        let read = load_bytes(&bytes[..births]).unwrap();
        assert_eq!(read.stacks, profile.stacks);
        assert_eq!(read.meta.command, profile.meta.command);
        let notes = &read.meta.notes[profile.meta.notes.len()..];
        let of_births = "the file is damaged: section BRTH: ";
        assert!(
            notes.iter().any(|note| note.starts_with(of_births)),
            "{notes:?}"
        );
        assert!(read.births.items().is_empty());
    }

    #[test]
    fn nothing_readable_is_an_error() {
        let bytes = encode(&sample::profile()).unwrap();
        for useless in [&b""[..], b"no profile", &bytes[..24], &bytes[..60]] {
            let error = load_bytes(useless).unwrap_err().to_string();
            assert!(error.starts_with("cannot read /"), "{error}");
            assert!(error.contains("a.residue: "), "{error}");
        }
        let error = load(Path::new("/nowhere/a.residue")).unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "cannot read /nowhere/a.residue: No such file or directory (os error 2)"
        );
    }
}
