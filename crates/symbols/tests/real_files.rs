//! Real libraries, with `nm` as the judge.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use residue_symbols::{Error, ModuleRequest, Search, SymbolTable, build_id, resolve_all};
use residue_testkit::random::Random;

const LIBC: &str = "/lib/x86_64-linux-gnu/libc.so.6";
const LIBSTDCXX: &str = "/lib/x86_64-linux-gnu/libstdc++.so.6";

/// Start, size and name of every function, with aliases.
fn nm(arguments: &[&str], file: &Path) -> Vec<(u64, u64, String)> {
    let output = Command::new("nm")
        .args(["--defined-only", "-S"])
        .args(arguments)
        .arg(file)
        .output()
        .unwrap();
    let number = |text: &str| u64::from_str_radix(text, 16).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter_map(|line| {
        let columns: Vec<_> = line.split_whitespace().collect();
        let [start, size, kind, name] = columns[..] else {
            return None;
        };
        let name = name.split('@').next()?;
        "TtWwi"
            .contains(kind)
            .then(|| (number(start), number(size), name.to_owned()))
    });
    lines.collect()
}

/// The debug file that distributions install for a library, if it is there.
fn debug_file(library: &str) -> Option<PathBuf> {
    let id = build_id(Path::new(library)).unwrap()?;
    let file = format!("/usr/lib/debug/.build-id/{}/{}.debug", &id[..2], &id[2..]);
    Some(PathBuf::from(file)).filter(|file| file.exists())
}

/// Every function, at its start and in its middle, has one of the names that
/// `nm` knows for the innermost function there.
fn check_all_functions(library: &str) {
    let mut functions = nm(&["-D"], Path::new(library));
    functions.extend(debug_file(library).iter().flat_map(|file| nm(&[], file)));
    let mut by_start: BTreeMap<u64, (u64, BTreeSet<String>)> = BTreeMap::new();
    for (start, size, name) in functions {
        let entry = by_start.entry(start).or_default();
        entry.0 = entry.0.max(size);
        entry.1.insert(name);
    }
    assert!(by_start.len() > 1_000, "{}", by_start.len());

    let id = build_id(Path::new(library)).unwrap();
    let table = SymbolTable::open(Path::new(library), id.as_deref()).unwrap();
    let innermost = |address: u64| {
        let mut before = by_start.range(..=address).rev();
        before.find(|&(start, (size, _))| address < start + size.max(&1))
    };
    let mut checked = 0;
    for (&start, (size, _)) in &by_start {
        for address in [start, start + size / 2, start + size.saturating_sub(1)] {
            let (_, (_, expected)) = innermost(address).unwrap();
            let found = table.lookup(address).unwrap_or_else(|| {
                panic!("{library}: {address:#x} has no name, expected {expected:?}")
            });
            let found = found.split('@').next().unwrap();
            assert!(
                expected.contains(found),
                "{address:#x}: {found}, expected {expected:?}"
            );
            checked += 1;
        }
    }
    println!(
        "{library}: {checked} addresses of {} functions",
        by_start.len()
    );
}

#[test]
fn every_function_of_the_c_library() {
    check_all_functions(LIBC);
}

#[test]
fn every_function_of_the_cpp_library() {
    check_all_functions(LIBSTDCXX);
}

#[test]
fn well_known_functions_have_their_public_names() {
    let table = SymbolTable::open(Path::new(LIBC), None).unwrap();
    let functions = nm(&["-D"], Path::new(LIBC));
    for name in [
        "malloc",
        "realloc",
        "free",
        "printf",
        "fopen",
        "getaddrinfo",
    ] {
        let (start, ..) = functions
            .iter()
            .find(|function| function.2 == name)
            .unwrap();
        assert_eq!(table.lookup(*start), Some(name));
    }
}

#[test]
fn the_build_id_is_the_one_readelf_shows() {
    let output = Command::new("readelf").args(["-n", LIBC]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("Build ID: "))
        .unwrap();
    assert_eq!(
        build_id(Path::new(LIBC)).unwrap().as_deref(),
        Some(expected)
    );
}

#[test]
fn errors_name_the_file_and_the_reason() {
    let error = SymbolTable::open(Path::new(LIBC), Some("0123abcd")).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, Error::BuildIdMismatch { .. }));
    let found = build_id(Path::new(LIBC)).unwrap().unwrap();
    assert!(message.contains(LIBC) && message.contains("0123abcd") && message.contains(&found));

    let error = SymbolTable::open(Path::new("/nonexistent/lib.so"), None).unwrap_err();
    assert!(matches!(error, Error::Read { .. }));
    assert!(error.to_string().contains("/nonexistent/lib.so"));

    let error = SymbolTable::open(Path::new("/"), None).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
    let error = SymbolTable::open(Path::new("/etc/passwd"), None).unwrap_err();
    assert!(matches!(error, Error::Malformed { .. }));
    assert!(error.to_string().contains("/etc/passwd"));
}

#[test]
fn damaged_files_do_no_harm() {
    let whole = std::fs::read(LIBSTDCXX).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut random = Random::new(42);
    let mut random = |limit| random.index(limit);
    for round in 0..40 {
        let mut damaged = whole.clone();
        match round % 4 {
            0 => damaged.truncate(random(whole.len())),
            _ => {
                // The file header, the section headers, and the dynamic symbols.
                let headers = whole.len() - 64 * 40;
                for _ in 0..20 {
                    let at = [random(64), headers + random(64 * 40), random(1 << 18)][round % 3];
                    damaged[at] = random(256) as u8;
                }
            }
        }
        std::fs::write(file.path(), &damaged).unwrap();
        if let Ok(table) = SymbolTable::open(file.path(), None) {
            for address in (0..2 << 20).step_by(4099) {
                table.lookup(address);
            }
        }
    }
}

#[test]
fn many_modules_at_once_give_the_same_whatever_the_threads() {
    let starts = |file| -> Vec<u64> {
        let starts: BTreeSet<_> = nm(&["-D"], Path::new(file)).iter().map(|f| f.0).collect();
        starts.into_iter().collect()
    };
    let request = |path: &str, build_id: Option<&str>, addresses| ModuleRequest {
        path: path.into(),
        build_id: build_id.map(str::to_owned),
        addresses,
    };
    let modules = [
        request(
            LIBC,
            build_id(Path::new(LIBC)).unwrap().as_deref(),
            starts(LIBC),
        ),
        request("/nonexistent/lib.so", None, vec![1, 2, 3]),
        request(LIBSTDCXX, None, starts(LIBSTDCXX)),
        request(LIBC, Some("00"), vec![4]),
        request(LIBC, None, starts(LIBC)),
    ];
    let total: usize = modules.iter().map(|module| module.addresses.len()).sum();
    let done = AtomicU64::new(0);
    let search = Search::default();
    let on = |threads, progress: &(dyn Fn(u64, u64) + Sync)| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| resolve_all(&modules, &search, progress))
    };
    let one = on(1, &|so_far, of| {
        assert_eq!(of, total as u64);
        done.fetch_max(so_far, Ordering::Relaxed);
    });
    assert_eq!(done.into_inner(), total as u64);
    for threads in [2, 16] {
        assert_eq!(on(threads, &|_, _| {}), one);
    }

    let problem = |module: usize| one.modules[module].problem.clone().unwrap_or_default();
    assert!(problem(1).contains("/nonexistent/lib.so"));
    assert!(problem(3).contains(LIBC) && problem(3).contains("00"));
    assert_eq!([problem(0), problem(2), problem(4)], [""; 3]);
    for address in 0..3 {
        assert_eq!(one.function(1, address), None);
        assert!(one.places(1, address).is_empty());
    }
    for address in 0..modules[0].addresses.len() {
        assert_eq!(one.function(0, address), one.function(4, address));
    }
    let distinct: BTreeSet<_> = one.names().iter().collect();
    assert_eq!(distinct.len(), one.names().len());
    let table = SymbolTable::open(Path::new(LIBSTDCXX), None).unwrap();
    for (index, &address) in modules[2].addresses.iter().enumerate() {
        let name = one.function(2, index);
        let name = name.map(|index| one.names()[index as usize].as_str());
        assert_eq!(name, table.lookup(address));
        assert!(name.is_some());
    }
    assert_eq!(resolve_all(&[], &search, &|_, _| {}), Default::default());
}
