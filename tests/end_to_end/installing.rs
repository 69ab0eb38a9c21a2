//! `make install`: the command, its manual pages, completions that work in the shells they are
//! for, and what CMake and pkg-config say of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Lab, describe};

/// A prefix with everything in it.
fn installed(lab: &Lab) -> PathBuf {
    let prefix = lab.path("prefix");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/install");
    let output = Command::new(script)
        .arg(env!("CARGO_BIN_EXE_residue"))
        .arg(&prefix)
        .output()
        .expect("the script can be started");
    assert!(output.status.success(), "{}", describe(&output));
    prefix
}

/// The lines that a program prints, with nothing of the user's own settings.
fn lines_of(lab: &Lab, command: &[&str]) -> Vec<String> {
    let output = Command::new(command[0])
        .args(&command[1..])
        .current_dir(lab.directory())
        .env("HOME", lab.directory())
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}; see `make test-tools`", command[0]));
    assert!(output.status.success(), "{}", describe(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(str::to_string).collect()
}

fn sorted(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut words: Vec<String> = words.collect();
    words.sort();
    words.dedup();
    words
}

/// Command lines, and what completes their last words.
const COMPLETED: [(&str, &[&str]); 3] = [
    ("residue re", &["recover", "report", "resume"]),
    (
        "residue run --event-",
        &["--event-function", "--event-line"],
    ),
    ("residue stages --value v", &["vm"]),
];

#[test]
fn bash_completes_commands_options_and_values() {
    let lab = Lab::new();
    let script = installed(&lab).join("share/bash-completion/completions/residue");
    for (line, expected) in COMPLETED {
        let words: Vec<&str> = line.split(' ').collect();
        let [.., before, last] = words[..] else {
            panic!("{line}: two words at least");
        };
        let program = format!(
            "source '{}'; COMP_WORDS=({line}); COMP_CWORD={}; _residue residue '{last}' '{before}'; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display(),
            words.len() - 1,
        );
        let told = lines_of(&lab, &["bash", "--norc", "-c", &program]);
        assert_eq!(sorted(told.into_iter()), expected, "{line}");
    }
}

#[test]
fn zsh_completes_commands_options_and_values() {
    let lab = Lab::new();
    let functions = installed(&lab).join("share/zsh/site-functions");
    let functions = functions.display().to_string();
    let offered = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/end_to_end/installing/offered.zsh"
    );
    for (line, expected) in COMPLETED {
        let told = lines_of(&lab, &["zsh", "-f", offered, &functions, line]);
        // What the terminal shows beside them is not looked at.
        let words = told.iter().filter_map(|line| line.split_once("offered: "));
        let words = words.map(|(_, word)| word.trim().to_string());
        assert_eq!(sorted(words), expected, "{line}");
    }
}

#[test]
fn fish_completes_commands_options_and_values() {
    let lab = Lab::new();
    let script = installed(&lab).join("share/fish/vendor_completions.d/residue.fish");
    for (line, expected) in COMPLETED {
        let program = format!("source '{}'; complete -C '{line}'", script.display());
        let told = lines_of(&lab, &["fish", "--no-config", "-c", &program]);
        let words = told.iter().filter_map(|line| line.split('\t').next());
        assert_eq!(sorted(words.map(str::to_string)), expected, "{line}");
    }
}

#[test]
fn every_command_has_a_manual_page_with_its_options() {
    let lab = Lab::new();
    let pages = installed(&lab).join("share/man/man1");
    let main = std::fs::read_to_string(pages.join("residue.1")).unwrap();
    let help = lines_of(&lab, &[env!("CARGO_BIN_EXE_residue"), "-h"]);
    let commands = help.iter().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty());
    let names: Vec<&str> = commands
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(
        names.contains(&"run") && names.contains(&"man"),
        "{names:?}"
    );
    for name in names {
        assert!(main.contains(&format!("residue\\-{name}(1)")), "{name}");
        let page = std::fs::read_to_string(pages.join(format!("residue-{name}.1")));
        let page = page.unwrap_or_else(|error| panic!("{name}: {error}"));
        let help = lines_of(&lab, &[env!("CARGO_BIN_EXE_residue"), name, "--help"]);
        let heads = help
            .iter()
            .filter(|line| line.trim_start().starts_with('-'));
        let words = heads.flat_map(|line| line.split_whitespace().take(2));
        let options = words.filter(|word| word.starts_with("--"));
        for option in options {
            let option: String = option
                .chars()
                .take_while(|it| it.is_ascii_lowercase() || *it == '-')
                .collect();
            let expected = option.replace('-', "\\-");
            assert!(page.contains(&expected), "{name}: {option} is missing");
        }
        assert!(page.contains(".SH EXAMPLES"), "{name}");
    }
}

/// A program that keeps 1 000 B an event, or nothing with an argument.
const MARKED: &str = r#"
#include <residue.h>
#include <cstdlib>
#include <cstring>
int main(int count, char **) {
    for (int number = 0; number < 60; number++) {
        residue::event event(number);
        char *block = static_cast<char *>(std::malloc(1000));
        std::memset(block, 1, 1000);
        if (count > 1) std::free(block);
    }
}
"#;

#[test]
fn cmake_finds_it_and_makes_tests_that_fail_when_memory_grows() {
    let lab = Lab::new();
    let prefix = installed(&lab);
    std::fs::write(lab.path("job.cpp"), MARKED).expect("a source can be written");
    let project = "cmake_minimum_required(VERSION 3.13)\n\
        project(job CXX)\n\
        enable_testing()\n\
        find_package(Residue 0.1 REQUIRED)\n\
        add_executable(job job.cpp)\n\
        target_link_libraries(job PRIVATE Residue::marks)\n\
        residue_add_test(grows COMMAND job MAX_GROWTH 100B/event)\n\
        residue_add_test(within COMMAND job MAX_GROWTH 2KiB/event)\n\
        residue_add_test(flat COMMAND job free)\n";
    std::fs::write(lab.path("CMakeLists.txt"), project).expect("a project can be written");
    let found = format!("-DCMAKE_PREFIX_PATH={}", prefix.display());
    lines_of(&lab, &["cmake", "-S", ".", "-B", "made", &found]);
    lines_of(&lab, &["cmake", "--build", "made"]);
    let output = Command::new("ctest")
        .current_dir(lab.path("made"))
        .env("HOME", lab.directory())
        .output()
        .expect("ctest comes with cmake");
    let text = describe(&output);
    assert!(
        text.contains("83% tests passed, 1 tests failed out of 6"),
        "{text}"
    );
    for passed in ["grows.record", "within", "flat"] {
        let line = text
            .lines()
            .find(|line| line.contains(&format!(" {passed} .")))
            .unwrap_or_else(|| panic!("{passed}: {text}"));
        assert!(line.contains("Passed"), "{line}");
    }
}

#[test]
fn pkg_config_says_where_the_header_is() {
    let lab = Lab::new();
    let prefix = installed(&lab);
    std::fs::write(lab.path("job.cpp"), MARKED).expect("a source can be written");
    let build = format!(
        "PKG_CONFIG_PATH={} g++ job.cpp $(PKG_CONFIG_PATH={0} pkg-config --cflags residue) -o job \
         && PKG_CONFIG_PATH={0} pkg-config --modversion residue",
        prefix.join("share/pkgconfig").display()
    );
    let version = lines_of(&lab, &["sh", "-ec", &build]);
    assert_eq!(version, [env!("CARGO_PKG_VERSION")]);
    let recorded = lab.record(&[], &[&lab.path("job").display().to_string()]);
    let stderr = recorded.stderr();
    assert!(stderr.contains("residue: 60 events, "), "{stderr}");
}

/// This executable has the symbol versions of the machine that built it; `scripts/portable` builds
/// and checks the one for others. What it takes from glibc must be there, by whatever version.
#[test]
fn the_command_takes_nothing_from_glibc_that_2_17_lacks() {
    let lab = Lab::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/symbol-versions");
    let told = lines_of(&lab, &[script, "--names", env!("CARGO_BIN_EXE_residue")]);
    assert!(told[0].ends_with("names, all in glibc 2.17"), "{told:?}");
}

/// What is newer than el7's glibc is bound by name where it is there.
#[test]
fn the_recorder_needs_no_symbol_newer_than_glibc_2_17() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["sh", "-c", "echo $LD_PRELOAD"]);
    let stdout = recorded.stdout();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/symbol-versions");
    let told = lines_of(&lab, &[script, stdout.trim()]);
    assert!(told[0].contains("symbols, the newest GLIBC_2."), "{told:?}");
}
