//! A C++ program of several units, built with debug information of every kind.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A program in a directory of its own.
pub struct Program {
    pub directory: TempDir,
    pub path: PathBuf,
}

/// Compilers that run at the same time.
const JOBS: usize = 4;

/// Builds a program that is quickly built, with these flags.
pub fn build_small(flags: &[&str]) -> Program {
    let directory = tempfile::tempdir().unwrap();
    let source = sources().join("small.cpp");
    let compile = ["-std=c++17", "-O2", "-g", "-c", "-o", "1.o"];
    let compile = [&compile, flags, &[source.to_str().unwrap()]].concat();
    run("g++", &compile, directory.path());
    link(directory, &["1.o"])
}

/// Builds the large program, with so many parts and these flags.
pub fn build(parts: usize, flags: &[&str]) -> Program {
    let directory = tempfile::tempdir().unwrap();
    let sources = sources();
    let main = directory.path().join("main.cpp");
    std::fs::write(&main, main_source(parts)).unwrap();
    let compile = |source: &Path, part: usize| {
        let mut command = Command::new("g++");
        command
            .args(["-std=c++17", "-O2", "-g", "-c", "-I"])
            .arg(&sources)
            .args([&format!("-DPART={part}"), "-o", &format!("{part}.o")])
            .args(flags)
            .arg(source)
            .current_dir(directory.path());
        command
    };
    let mut commands = vec![compile(&main, 0)];
    commands.extend((1..=parts).map(|part| compile(&sources.join("part.cpp"), part)));
    for jobs in commands.chunks_mut(JOBS) {
        let started: Vec<_> = jobs.iter_mut().map(|job| job.spawn().unwrap()).collect();
        for mut job in started {
            assert!(job.wait().unwrap().success());
        }
    }
    let objects: Vec<String> = (0..=parts).map(|part| format!("{part}.o")).collect();
    let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
    link(directory, &objects)
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

fn link(directory: TempDir, objects: &[&str]) -> Program {
    let arguments = [&["-o", "program", "-Wl,--build-id"], objects].concat();
    run("g++", &arguments, directory.path());
    let path = directory.path().join("program");
    Program { directory, path }
}

/// Calls all parts.
fn main_source(parts: usize) -> String {
    let mut source = "#include <cstdio>\n".to_owned();
    for part in 1..=parts {
        writeln!(
            source,
            "namespace part_{part} {{ double run(int rounds); }}"
        )
        .unwrap();
    }
    source += "int main(int argc, char **) {\n  double sum = 0;\n";
    for part in 1..=parts {
        writeln!(source, "  sum += part_{part}::run(argc * 40);").unwrap();
    }
    source + "  std::printf(\"%.3f\\n\", sum);\n}\n"
}

impl Program {
    /// A copy of the program, made by a command that takes its path and that of the copy.
    pub fn copy(&self, name: &str, command: &str, arguments: &[&str]) -> PathBuf {
        let copy = self.directory.path().join(name);
        let mut arguments = arguments.to_vec();
        arguments.extend(["program", name]);
        run(command, &arguments, self.directory.path());
        copy
    }

    /// Every `step`-th address of its code.
    pub fn addresses(&self, step: usize) -> Vec<u64> {
        code_range(&self.path).step_by(step).collect()
    }
}

/// Builds one of many libraries, each with its own number.
pub fn build_library(directory: &Path, number: usize) -> PathBuf {
    let source = sources().join("library.cpp");
    let (define, file) = (format!("-DLIBRARY={number}"), format!("library{number}.so"));
    let arguments = [
        "-O2",
        "-g",
        "-shared",
        "-fPIC",
        "-Wl,--build-id",
        &define,
        "-o",
        &file,
    ];
    let arguments = [&arguments[..], &[source.to_str().unwrap()]].concat();
    run("g++", &arguments, directory);
    directory.join(file)
}

/// The addresses of the code of a file.
pub fn code_range(path: &Path) -> Range<u64> {
    let output = Command::new("readelf").args(["-SW"]).arg(path).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let line = text.lines().find(|line| line.contains(" .text ")).unwrap();
    let mut words = line.split_whitespace().skip_while(|&word| word != ".text");
    let mut number = |nth| u64::from_str_radix(words.nth(nth).unwrap(), 16).unwrap();
    let (start, size) = (number(2), number(1));
    start..start + size
}

pub fn run(command: &str, arguments: &[&str], directory: &Path) {
    let output = Command::new(command)
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap_or_else(|error| panic!("{command}: {error}"));
    assert!(
        output.status.success(),
        "{command} {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
