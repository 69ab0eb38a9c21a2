//! Several profiles in one file: each is read as if it stood alone, whatever happens to
//! the others.

use std::fs;
use std::path::{Path, PathBuf};

use residue_profile::{
    Error, ListedProcess, Needs, Profile, Reason, Tag, encode, processes_in, read, read_all,
    read_process, write_processes,
};
use residue_testkit::random::Random;
use residue_testkit::sample;

fn of_pid(pid: u32) -> Profile {
    let mut profile = sample::profile();
    profile.meta.pid = pid;
    profile.meta.program = format!("rank{pid}");
    profile.heap.peak_bytes = u64::from(pid) * 1000;
    profile
}

/// A file with processes 11, 12 and 13.
fn family(directory: &Path) -> PathBuf {
    let one = |pid: u32| {
        let profile = of_pid(pid);
        let file = directory.join(format!("{pid}.residue"));
        fs::write(&file, encode(&profile).unwrap()).unwrap();
        (ListedProcess::of(&profile), file)
    };
    let path = directory.join("family.residue");
    write_processes(&path, &[11, 12, 13].map(one)).unwrap();
    path
}

#[test]
fn each_process_is_read_as_if_it_stood_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = family(directory.path());
    let list = processes_in(&path).unwrap().unwrap();
    let known: Vec<_> = list
        .iter()
        .map(|process| (process.pid, &*process.program, process.heap_peak_bytes))
        .collect();
    assert_eq!(
        known,
        [
            (11, "rank11", 11_000),
            (12, "rank12", 12_000),
            (13, "rank13", 13_000)
        ]
    );
    for (place, pid) in [(0, 11), (1, 12), (2, 13)] {
        let (profile, damages) = read_process(&path, place, Needs::ALL).unwrap();
        assert_eq!(profile, of_pid(pid));
        assert_eq!(damages, []);
    }
    assert_eq!(read_all(&path).unwrap(), [11, 12, 13].map(of_pid));
    assert!(read_process(&path, 3, Needs::ALL).is_err());
}

#[test]
fn a_file_of_one_profile_is_none_of_several() {
    let directory = tempfile::tempdir().unwrap();
    family(directory.path());
    let alone = directory.path().join("12.residue");
    assert_eq!(processes_in(&alone).unwrap(), None);
    assert_eq!(read_all(&alone).unwrap(), [of_pid(12)]);
    fs::write(&alone, "no profile").unwrap();
    assert_eq!(processes_in(&alone).unwrap(), None);
    fs::write(&alone, "").unwrap();
    assert_eq!(processes_in(&alone).unwrap(), None);
}

#[test]
fn who_expects_one_profile_is_told_that_there_are_several() {
    let directory = tempfile::tempdir().unwrap();
    let path = family(directory.path());
    match read(&path) {
        Err(Error::Damaged { damage, .. }) => assert_eq!(damage.reason, Reason::SeveralProcesses),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_cut_short_keeps_the_processes_before_the_cut() {
    let directory = tempfile::tempdir().unwrap();
    let path = family(directory.path());
    let bytes = fs::read(&path).unwrap();
    let last = processes_in(&path).unwrap().unwrap()[2].profile_bytes as usize;
    fs::write(&path, &bytes[..bytes.len() - last / 2]).unwrap();
    assert_eq!(read_process(&path, 1, Needs::ALL).unwrap().0, of_pid(12));
    let (third, damages) = read_process(&path, 2, Needs::ALL).unwrap();
    assert_eq!(third.meta.pid, 13);
    assert!(damages.iter().any(|damage| damage.section == Tag::END));
    assert!(read_all(&path).is_err());
}

#[test]
fn damage_is_an_error_or_less_data_but_never_a_panic() {
    let directory = tempfile::tempdir().unwrap();
    let path = family(directory.path());
    let bytes = fs::read(&path).unwrap();
    let mut random = Random::new(7);
    for _ in 0..200 {
        let mut damaged = bytes.clone();
        // Mostly in the list, where the lengths are.
        let within = random.pick(&[300, bytes.len() as u64]);
        let place = random.below(within);
        damaged[place as usize] ^= 1 << random.below(8);
        fs::write(&path, &damaged).unwrap();
        if let Ok(Some(list)) = processes_in(&path) {
            for place in 0..list.len() {
                let _ = read_process(&path, place, Needs::ALL);
            }
        }
    }
}
