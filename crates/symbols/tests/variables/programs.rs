//! Programs with variables, and questions about them.

use std::path::{Path, PathBuf};
use std::process::Command;

use residue_symbols::{DataAddress, Error, Search, Variable, VariablesRequest, resolve_variables};
use tempfile::TempDir;

/// A program in a directory of its own.
pub struct Program {
    pub directory: TempDir,
    pub path: PathBuf,
    pub source: PathBuf,
}

/// Builds the program in C++.
pub fn build_cpp(flags: &[&str]) -> Program {
    build("g++", "variables.cpp", &[&["-std=c++17"], flags].concat())
}

/// Builds a program in the language of its file.
pub fn build(compiler: &str, source: &str, flags: &[&str]) -> Program {
    let directory = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(source);
    let output = ["-o", "program", source.to_str().unwrap()];
    run(compiler, &[flags, &output].concat(), directory.path());
    let path = directory.path().join("program");
    Program {
        directory,
        path,
        source,
    }
}

impl Program {
    /// A copy of the program, made by a command that takes its path and that of the copy.
    pub fn copy(&self, name: &str, command: &str, arguments: &[&str]) -> PathBuf {
        let arguments = [arguments, &["program", name]].concat();
        run(command, &arguments, self.directory.path());
        self.directory.path().join(name)
    }

    /// The line that ends with this comment.
    pub fn line(&self, comment: &str) -> u32 {
        let text = std::fs::read_to_string(&self.source).unwrap();
        let ends = ["//", "/*", "!"].map(|open| match open {
            "/*" => format!("/* {comment} */"),
            open => format!("{open} {comment}"),
        });
        let is_it = |line: &str| ends.iter().any(|end| line.ends_with(end));
        let line = text.lines().position(is_it);
        line.unwrap_or_else(|| panic!("no {comment}")) as u32 + 1
    }
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

/// A variable, as `readelf` prints it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Symbol {
    pub start: DataAddress,
    pub size: u64,
    pub name: String,
    pub is_local: bool,
}

/// The variables with a size in all symbol tables of a file.
pub fn symbols(file: &Path) -> Vec<Symbol> {
    let output = Command::new("readelf").args(["-sW"]).arg(file).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let symbols = text.lines().filter_map(|line| {
        // Without a note of whose system it is, `readelf` does not know this one.
        let line = line.replace("<OS specific>: 10", "UNIQUE");
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, value, size, kind, bind, _, section, name, ..] = words[..] else {
            return None;
        };
        let value = u64::from_str_radix(value, 16).ok()?;
        let start = match kind {
            "OBJECT" => DataAddress::Static(value),
            "TLS" => DataAddress::ThreadLocal(value),
            _ => return None,
        };
        let size: u64 = match size.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
            None => size.parse().unwrap(),
        };
        (section != "UND" && size > 0).then(|| Symbol {
            start,
            size,
            name: name.split('@').next().unwrap().to_owned(),
            is_local: bind == "LOCAL",
        })
    });
    symbols.collect()
}

/// The only symbol of a name.
pub fn symbol(file: &Path, name: &str) -> Symbol {
    let mut found = symbols(file);
    found.retain(|symbol| symbol.name == name);
    found.dedup();
    assert!(!found.is_empty(), "no {name}");
    found.remove(0)
}

/// The address at an offset from another one.
pub fn at(start: DataAddress, offset: u64) -> DataAddress {
    match start {
        DataAddress::Static(start) => DataAddress::Static(start + offset),
        DataAddress::ThreadLocal(start) => DataAddress::ThreadLocal(start + offset),
    }
}

/// Every `step`-th address of all symbols.
pub fn addresses(symbols: &[Symbol], step: usize) -> Vec<DataAddress> {
    let all = symbols.iter().flat_map(|symbol| {
        let offsets = (0..symbol.size).step_by(step);
        offsets.map(|offset| at(symbol.start, offset))
    });
    all.collect()
}

pub fn try_ask(
    file: &Path,
    build_id: Option<&str>,
    addresses: &[DataAddress],
    search: &Search,
) -> Result<Vec<Option<Variable>>, Error> {
    let request = VariablesRequest {
        path: file.to_owned(),
        build_id: build_id.map(str::to_owned),
        addresses: addresses.to_vec(),
    };
    let mut answers = resolve_variables(&[request], search);
    assert_eq!(answers.len(), 1);
    let answer = answers.remove(0);
    if let Ok(answer) = &answer {
        assert_eq!(answer.len(), addresses.len());
    }
    answer
}

pub fn ask(file: &Path, addresses: &[DataAddress]) -> Vec<Option<Variable>> {
    try_ask(file, None, addresses, &Search::default()).unwrap()
}

/// What is known of one address.
pub fn ask_one(file: &Path, address: DataAddress) -> Variable {
    let answer = ask(file, &[address]).remove(0);
    answer.unwrap_or_else(|| panic!("{address:x?}"))
}
