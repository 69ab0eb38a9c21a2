//! Other programs that answer the same question.

use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

/// One function at one place, as a judge sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    pub function: String,
    /// Without `.` and `..`; empty if not known.
    pub file: String,
    /// Zero if not known.
    pub line: u32,
}

/// What binutils says, as text.
pub fn addr2line_alone(program: &Path, addresses: &[u64]) -> String {
    let mut command = Command::new("addr2line");
    command.args(["-f", "-i", "-a", "-e"]).arg(program);
    ask(command, addresses)
}

/// What binutils says, innermost first.
pub fn addr2line(program: &Path, addresses: &[u64]) -> Vec<Vec<Seen>> {
    let text = addr2line_alone(program, addresses);
    let mut answers: Vec<Vec<Seen>> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("0x") {
            answers.push(Vec::new());
            continue;
        }
        let place = lines.next().unwrap();
        // `file:12 (discriminator 3)`
        let place = place.split(" (discriminator").next().unwrap();
        let (file, line_number) = place.rsplit_once(':').unwrap();
        answers.last_mut().unwrap().push(Seen {
            function: known(line),
            file: normal(&known(file)),
            line: line_number.parse().unwrap_or(0),
        });
    }
    assert_eq!(answers.len(), addresses.len());
    answers
}

/// What LLVM says, innermost first.
pub fn llvm(program: &Path, addresses: &[u64]) -> Vec<Vec<Seen>> {
    let mut command = Command::new("llvm-symbolizer");
    command
        .args(["--functions=linkage", "--no-demangle", "--inlines", "--obj"])
        .arg(program);
    let text = ask(command, addresses);
    let answers = text.split("\n\n").map(|block| {
        let lines: Vec<&str> = block.lines().collect();
        let frames = lines.chunks_exact(2).map(|pair| {
            let mut place = pair[1].rsplitn(3, ':');
            let _column = place.next();
            let line = place.next().unwrap().parse().unwrap();
            Seen {
                function: known(pair[0]),
                file: normal(&known(place.next().unwrap())),
                line,
            }
        });
        frames.collect()
    });
    let mut answers: Vec<Vec<Seen>> = answers.collect();
    answers.truncate(addresses.len());
    assert_eq!(answers.len(), addresses.len());
    answers
}

fn known(text: &str) -> String {
    match text {
        "??" => String::new(),
        text => text.to_owned(),
    }
}

fn ask(mut command: Command, addresses: &[u64]) -> String {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text: String = addresses.iter().map(|a| format!("{a:#x}\n")).collect();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// A path without `.` and `..`.
pub fn normal(path: &str) -> String {
    let mut normal = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal.into_os_string().into_string().unwrap()
}
