//! Profiles from files, whole or in part, and of one process or another.

use std::path::Path;

use anyhow::{anyhow, bail};
use residue_analysis::merge::Sum;
use residue_names::glob;
use residue_profile::holders::Picture;
use residue_profile::{
    Damage, ListedProcess, Needs, Profile, Tag, processes_in, read_needed, read_process,
};
use residue_query::holders::picture_of;
use residue_text::output::tell;

use crate::flags::address::{Address, Process};

/// Reads a profile. Of a damaged one, reads what is left, and says what is not on
/// standard error and in the notes; fails where nothing is left.
pub fn load(file: &Address) -> anyhow::Result<Profile> {
    load_needed(file, Needs::ALL)
}

/// The same without the tables that are not needed.
pub fn load_needed(file: &Address, needs: Needs) -> anyhow::Result<Profile> {
    let path = &file.path;
    let Some(list) = processes_in(path)? else {
        let (profile, damages) = read_needed(path, needs)?;
        let only = [ListedProcess::of(&profile)];
        if let Some(asked) = file
            .process
            .as_ref()
            .filter(|&asked| *asked != Process::All)
        {
            find(&only, asked, path)?;
        }
        return what_is_left(path, profile, damages);
    };
    let read = |process| load_process(path, process, needs);
    match &file.process {
        Some(Process::All) => {
            let mut sum = Sum::default();
            for process in 0..list.len() {
                sum.add(read(process)?);
            }
            Ok(sum.finish())
        }
        Some(asked) => read(find(&list, asked, path)?),
        None => {
            let mut profile = read(0)?;
            if list.len() > 1 {
                let shown = profile.meta.pid;
                let file = path.display();
                let note = format!("this is process {shown} of {} in {file}", list.len());
                tell(format_args!(
                    "{note}; {file}@process:PID is another (`residue processes {file}` lists them)"
                ));
                profile.meta.notes.push(note);
            }
            Ok(profile)
        }
    }
}

/// The picture of a program's memory.
pub fn picture<'a>(file: &Address, profile: &'a Profile) -> anyhow::Result<&'a Picture> {
    let path = file.path.display();
    if file.part.is_some() {
        bail!("{path}: a picture is of one moment; give the file alone");
    }
    picture_of(profile).map_err(|why| anyhow!("{path}: {why}"))
}

/// One process of a file that holds several, by its place in the list.
pub fn load_process(path: &Path, process: usize, needs: Needs) -> anyhow::Result<Profile> {
    let (profile, damages) = read_process(path, process, needs)?;
    what_is_left(path, profile, damages)
}

/// The process that is meant, by its place in the list.
fn find(list: &[ListedProcess], asked: &Process, path: &Path) -> anyhow::Result<usize> {
    let matches = |process: &ListedProcess| match asked {
        // What it became, where it was replaced.
        Process::Pid(pid) => process.pid == *pid && !process.was_replaced,
        Process::Image(pid, program) => process.pid == *pid && process.program == *program,
        Process::Program(program) => glob(program, &process.program),
        Process::All => true,
    };
    let mut found = (0..list.len()).filter(|&place| matches(&list[place]));
    let file = path.display();
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => bail!("{file}: no {asked}; `residue processes {file}` lists what is there"),
        (Some(one), Some(other)) => {
            let name = |place: usize| format!("{}:{}", list[place].pid, list[place].program);
            bail!(
                "{file}: {asked} is {}, {} and perhaps more; give one of them, or @process:all \
                 for their sum",
                name(one),
                name(other)
            )
        }
    }
}

fn what_is_left(
    path: &Path,
    mut profile: Profile,
    damages: Vec<Damage>,
) -> anyhow::Result<Profile> {
    // Here, since all that is shown of a file comes by here.
    profile.make_harmless();
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
        let result = load(&Address::of(&path));
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        result
    }

    #[test]
    fn whole_files_are_read_whole() {
        let mut profile = sample::profile();
        let bytes = encode(&profile).unwrap();
        profile.make_harmless();
        assert_eq!(load_bytes(&bytes).unwrap(), profile);
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
        let error = load(&Address::of("/nowhere/a.residue")).unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "cannot read /nowhere/a.residue: No such file or directory (os error 2)"
        );
    }
}
