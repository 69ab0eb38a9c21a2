//! Functions, inlined ones too, with their source lines: when a program was recorded,
//! and later with better files.

use crate::support::ledger::Ledger;
use crate::support::{Lab, PROFILE, describe};
use residue_profile::{NONE, StackKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// One block, made in a function that is inlined into the one that main calls.
const SOURCE: &str = r#"#include <stdlib.h>

static inline void *inner(unsigned size)
{
    return malloc(size); // line 5
}

__attribute__((noinline)) void *outer(unsigned size)
{
    void *volatile block = inner(size * 2); // line 10
    return block;
}

int main(int argc, char **argv)
{
    void *volatile block = outer(argc * 500); // line 16
    return block == NULL;
}
"#;

/// Where the block was made, leaf first.
const PLACES: [(&str, u32); 3] = [("inner", 5), ("outer", 10), ("main", 16)];

/// A lab with the program in it, compiled with debug information.
struct Workshop {
    lab: Lab,
    source: PathBuf,
}

impl Workshop {
    fn new() -> Workshop {
        let lab = Lab::new();
        let source = lab.path("source.c");
        std::fs::write(&source, SOURCE).unwrap();
        let workshop = Workshop { lab, source };
        workshop.tool(
            "gcc",
            &["-O2", "-g", "-Wl,--build-id", "-o", "whole", "source.c"],
        );
        workshop
    }

    fn tool(&self, name: &str, arguments: &[&str]) {
        let mut command = Command::new(name);
        let output = command
            .args(arguments)
            .current_dir(self.lab.directory())
            .output();
        let output = output.expect("the tool can be started");
        assert!(output.status.success(), "{name}: {}", describe(&output));
    }

    fn residue(&self, arguments: &[&str]) -> Output {
        let mut residue = self.lab.residue();
        residue.env("RESIDUE_CACHE_DIR", self.lab.path("cache"));
        residue
            .args(arguments)
            .output()
            .expect("residue can be started")
    }

    /// Records a program of the lab to the usual profile.
    fn record(&self, options: &[&str], program: &str) -> Ledger {
        let program = self.lab.path(program);
        let program = program.to_str().unwrap();
        let arguments = [&["run", "-q"], options, &["-o", PROFILE, "--", program]].concat();
        let output = self.residue(&arguments);
        assert!(output.status.success(), "{}", describe(&output));
        Ledger::read(&self.lab.path(PROFILE))
    }

    fn symbolize(&self, options: &[&str]) -> String {
        let output = self.residue(&[&["symbolize", PROFILE], options].concat());
        assert!(output.status.success(), "{}", describe(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The places where the block of 1000 bytes was made, leaf first, up to `main`.
    fn places(&self, ledger: &Ledger) -> Vec<(String, u32)> {
        let profile = &ledger.profile;
        let stack = profile
            .stacks
            .iter()
            .find(|stack| stack.kind == StackKind::Heap && stack.counters.total_bytes == 1000);
        let stack = stack.expect("the block was recorded");
        let mut places = Vec::new();
        for frame in profile.frames_leaf_first(stack.node) {
            for place in profile.places.row(frame as usize) {
                let file = profile.files.get(place.file as usize);
                if file.is_some_and(|file| Path::new(file) == self.source) {
                    let name = &profile.functions[place.function as usize];
                    places.push((name.clone(), place.line));
                }
            }
        }
        places
    }

    fn assert_known(&self, ledger: &Ledger) {
        let places = self.places(ledger);
        let places: Vec<_> = places
            .iter()
            .map(|(name, line)| (name.as_str(), *line))
            .collect();
        assert_eq!(places, PLACES);
    }
}

#[test]
fn a_recording_knows_the_lines_of_inlined_functions() {
    let workshop = Workshop::new();
    let ledger = workshop.record(&[], "whole");
    workshop.assert_known(&ledger);
    let block = ledger.sum("outer");
    assert_eq!((block.calls, block.total_bytes), (1, 1000));
    for (index, frame) in ledger.profile.frames.iter().enumerate() {
        if let Some(own) = ledger.profile.places.row(index).last() {
            assert_eq!(
                own.function, frame.function,
                "the last place is the function"
            );
        }
    }
}

#[test]
fn names_come_later_from_the_files_of_another_directory() {
    let workshop = Workshop::new();
    workshop.tool("objcopy", &["--strip-all", "whole", "stripped"]);
    workshop.tool("objcopy", &["--only-keep-debug", "whole", "debug"]);
    let before = workshop.record(&[], "stripped");
    assert_eq!(workshop.places(&before), []);
    let unresolved = before.profile.recorder.frames_unresolved;
    assert!(unresolved >= 2, "outer and main");

    // Nothing better to be had: nothing is lost, and the reason is told.
    let said = workshop.symbolize(&[]);
    let path = workshop.lab.path("stripped");
    let stripped = path.to_str().unwrap();
    let line = said.lines().find(|line| line.starts_with(stripped));
    let line = line.unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains("without a name"), "{line}");
    let again = Ledger::read(&workshop.lab.path(PROFILE));
    assert_eq!(again.profile, before.profile);

    // To another file, which leaves the profile alone.
    workshop.lab.folder("tree");
    std::fs::rename(workshop.lab.path("debug"), workshop.lab.path("tree/debug")).unwrap();
    workshop.symbolize(&["--symbols", "tree", "-o", "named.residue"]);
    let again = Ledger::read(&workshop.lab.path(PROFILE));
    assert_eq!(again.profile, before.profile);
    workshop.assert_known(&Ledger::read(&workshop.lab.path("named.residue")));

    // In place.
    let said = workshop.symbolize(&["--symbols", "tree"]);
    let named = Ledger::read(&workshop.lab.path(PROFILE));
    workshop.assert_known(&named);
    assert!(said.contains(" named, "), "{said}");
    let nameless = named
        .profile
        .frames
        .iter()
        .filter(|frame| frame.function == NONE);
    assert_eq!(
        named.profile.recorder.frames_unresolved,
        nameless.count() as u64
    );
    assert!(named.profile.recorder.frames_unresolved < unresolved);
    assert_eq!(
        named.profile.stacks, before.profile.stacks,
        "the numbers are the same"
    );

    // Names that are there stay, when the files are gone again.
    std::fs::remove_dir_all(workshop.lab.path("tree")).unwrap();
    workshop.symbolize(&[]);
    workshop.assert_known(&Ledger::read(&workshop.lab.path(PROFILE)));
}

#[test]
fn a_recording_takes_names_from_where_it_is_told() {
    let workshop = Workshop::new();
    workshop.tool("objcopy", &["--strip-all", "whole", "stripped"]);
    workshop.lab.folder("tree");
    std::fs::copy(workshop.lab.path("whole"), workshop.lab.path("tree/any")).unwrap();
    let ledger = workshop.record(&["--symbols", "tree"], "stripped");
    workshop.assert_known(&ledger);

    let directory = workshop.lab.directory().strip_prefix("/").unwrap();
    let inside = workshop.lab.path("root").join(directory);
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::copy(workshop.lab.path("whole"), inside.join("stripped")).unwrap();
    let ledger = workshop.record(&["--sysroot", "root"], "stripped");
    workshop.assert_known(&ledger);
}

#[test]
fn what_was_found_is_remembered_unless_told_otherwise() {
    let workshop = Workshop::new();
    workshop.record(&[], "whole");
    assert!(workshop.lab.path("cache/symbols").is_dir());
    let figures = |options: &[&str]| -> (u64, u64) {
        let json = workshop.symbolize(&[&["--json"], options].concat());
        let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        let number = |name: &str| json[name].as_u64().expect("a number");
        assert!(number("named") >= 2);
        (number("frames"), number("from_cache"))
    };
    let (frames, from_cache) = figures(&[]);
    assert!(
        from_cache > 0 && from_cache <= frames,
        "{from_cache} of {frames}"
    );
    assert_eq!(figures(&["--no-symbol-cache"]), (frames, 0));
    workshop.assert_known(&Ledger::read(&workshop.lab.path(PROFILE)));
}

#[test]
fn what_is_no_profile_is_refused_and_left_alone() {
    let workshop = Workshop::new();
    let missing = workshop.residue(&["symbolize", "missing.residue"]);
    assert_eq!(missing.status.code(), Some(2), "{}", describe(&missing));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("missing.residue"));

    workshop.record(&[], "whole");
    let path = workshop.lab.path(PROFILE);
    let mut damaged = std::fs::read(&path).unwrap();
    damaged.truncate(damaged.len() - 20);
    std::fs::write(&path, &damaged).unwrap();
    let refused = workshop.residue(&["symbolize", PROFILE]);
    assert_eq!(refused.status.code(), Some(2), "{}", describe(&refused));
    assert!(String::from_utf8_lossy(&refused.stderr).contains(PROFILE));
    assert_eq!(std::fs::read(&path).unwrap(), damaged);
}
