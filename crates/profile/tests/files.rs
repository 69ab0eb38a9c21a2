//! Files on disk: whole or not at all, and errors that say which and why.

mod common;

use std::fs;
use std::path::Path;

use common::sample;
use residue_profile::*;

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_written_read_and_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.residue");
    write_to(&path, &Profile::default()).unwrap();
    write_to(&path, &sample()).unwrap();
    assert_eq!(read(&path).unwrap(), sample());
    assert_eq!(read_lossy(&path).unwrap(), (sample(), vec![]));
    assert_eq!(names(directory.path()), ["a.residue"]);
}

#[test]
fn a_link_stays_a_link() {
    let directory = tempfile::tempdir().unwrap();
    let real = directory.path().join("real.residue");
    let link = directory.path().join("link.residue");
    write_to(&real, &Profile::default()).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    write_to(&link, &sample()).unwrap();
    assert!(link.is_symlink());
    assert_eq!(read(&real).unwrap(), sample());
}

#[test]
fn a_missing_directory_is_named() {
    let error = write_to(Path::new("/nowhere/at/all/a.residue"), &sample()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("/nowhere/at/all/a.residue"), "{text}");
    assert!(text.contains("No such file or directory"), "{text}");
}

#[test]
fn a_failed_replacement_leaves_everything_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.residue");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("precious"), "x").unwrap();
    assert!(matches!(
        write_to(&path, &sample()),
        Err(Error::Write { .. })
    ));
    assert_eq!(names(directory.path()), ["a.residue"]);
    assert_eq!(names(&path), ["precious"]);
}

#[test]
fn a_full_device_is_an_error_and_stays_a_device() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let text = write_to(full, &sample()).unwrap_err().to_string();
    assert!(text.contains("/dev/full"), "{text}");
    assert!(text.contains("No space left"), "{text}");
    assert!(!fs::metadata(full).unwrap().is_file());
}

#[test]
fn errors_name_the_file_the_section_and_the_reason() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.residue");
    let text = |path: &Path| read(path).unwrap_err().to_string();
    assert!(text(&path).contains("No such file"), "{}", text(&path));

    let mut bytes = encode(&sample()).unwrap();
    let node = common::span(&bytes, Tag::NODE);
    bytes[node.payload_at + 5] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let expected = format!(
        "cannot read {}: section NODE: checksum mismatch",
        path.display()
    );
    assert_eq!(text(&path), expected);
    assert_eq!(read_lossy(&path).unwrap().1[0].section, Tag::NODE);

    bytes.truncate(node.payload_at + 5);
    fs::write(&path, &bytes).unwrap();
    assert!(text(&path).contains("section NODE: truncated"));

    fs::write(&path, "hello").unwrap();
    assert!(text(&path).contains("not a Residue profile (bad magic number)"));
    assert!(read_lossy(&path).is_err());
}

#[test]
fn an_endless_file_is_refused_at_its_first_bytes() {
    let error = read(Path::new("/dev/zero")).unwrap_err().to_string();
    assert!(
        error.contains("not a Residue profile (bad magic number)"),
        "{error}"
    );
}
