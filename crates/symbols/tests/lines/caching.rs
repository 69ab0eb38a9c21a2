//! What is remembered between runs, and when it is not believed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use residue_symbols::{Cache, Resolution, Search, build_id};
use residue_testkit::random::Random;

use crate::ours;
use crate::programs::run;

/// A small library with debug information, and a cache.
struct Lab {
    directory: tempfile::TempDir,
    library: PathBuf,
    id: String,
    addresses: Vec<u64>,
    search: Search,
}

const SOURCE: &str = "
    static inline int twice(int value) { return value * 2 + NUMBER; }
    int exported(int value) { return twice(value) + 1; }
    int another(int value) { return twice(value + 7) * 3; }
";

impl Lab {
    fn new() -> Lab {
        let directory = tempfile::tempdir().unwrap();
        let library = compile(directory.path(), "library.so", 1);
        Lab {
            id: build_id(&library).unwrap().unwrap(),
            addresses: addresses(&library),
            search: Search {
                cache: Some(Cache::in_directory(&directory.path().join("cache"))),
                ..Search::default()
            },
            library,
            directory,
        }
    }

    fn ask(&self) -> Resolution {
        self.ask_about(&self.addresses)
    }

    fn ask_about(&self, addresses: &[u64]) -> Resolution {
        ours::resolve(&self.library, Some(&self.id), addresses, &self.search)
    }

    fn entry(&self) -> PathBuf {
        let (start, rest) = self.id.split_at(2);
        let cache = self.directory.path().join("cache/symbols");
        cache.join(start).join(rest)
    }
}

fn compile(directory: &Path, name: &str, number: u32) -> PathBuf {
    fs::write(directory.join("library.c"), SOURCE).unwrap();
    let define = format!("-DNUMBER={number}");
    let arguments = ["-O2", "-g", "-shared", "-fPIC", "-Wl,--build-id", &define];
    let files = ["-o", name, "library.c"];
    run("gcc", &[&arguments[..], &files[..]].concat(), directory);
    directory.join(name)
}

/// All addresses of the two functions.
fn addresses(library: &Path) -> Vec<u64> {
    let output = Command::new("nm")
        .args(["-S"])
        .arg(library)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut addresses: Vec<u64> = text
        .lines()
        .filter(|line| line.ends_with(" exported") || line.ends_with(" another"))
        .flat_map(|line| {
            let mut words = line.split_whitespace();
            let mut number = || u64::from_str_radix(words.next().unwrap(), 16).unwrap();
            let (start, size) = (number(), number());
            start..start + size
        })
        .collect();
    addresses.sort_unstable();
    assert!(addresses.len() > 10);
    addresses
}

/// Everything but where the answers came from.
fn content(resolution: &Resolution, addresses: usize) -> impl PartialEq + use<> {
    ours::seen(resolution, addresses)
}

fn from_cache(resolution: &Resolution) -> u64 {
    resolution.modules[0].from_cache
}

#[test]
fn what_was_asked_before_is_remembered() {
    let lab = Lab::new();
    let all = lab.addresses.len();
    let first = lab.ask();
    assert_eq!(first.modules[0].problem, None);
    assert_eq!(from_cache(&first), 0);
    let second = lab.ask();
    assert_eq!(from_cache(&second), all as u64);
    assert!(content(&first, all) == content(&second, all));
    assert_eq!(first.names(), second.names());
    assert_eq!(first.files(), second.files());
}

/// As where `/lib` leads to `/usr/lib`, and programs are loaded with libraries of either.
#[test]
fn a_library_is_remembered_by_all_of_its_paths() {
    let lab = Lab::new();
    let link = lab.directory.path().join("link");
    std::os::unix::fs::symlink(lab.directory.path(), &link).unwrap();
    let by_link = link.join("library.so");
    let all = lab.addresses.len() as u64;
    assert_eq!(from_cache(&lab.ask()), 0);
    for path in [&by_link, &lab.library, &by_link] {
        let answer = ours::resolve(path, Some(&lab.id), &lab.addresses, &lab.search);
        assert_eq!(from_cache(&answer), all, "{}", path.display());
    }
}

/// A file that is there and cannot be read now may be readable the next time.
#[test]
fn what_lacks_a_file_that_could_not_be_read_is_not_remembered() {
    let lab = Lab::new();
    let at = lab.directory.path();
    run(
        "objcopy",
        &["--only-keep-debug", "library.so", "library.debug"],
        at,
    );
    run("strip", &["--strip-all", "library.so"], at);
    run(
        "objcopy",
        &["--add-gnu-debuglink=library.debug", "library.so"],
        at,
    );
    let debug_file = at.join("library.debug");
    let whole = fs::read(&debug_file).unwrap();
    fs::write(&debug_file, "cannot be read").unwrap();
    assert_eq!(from_cache(&lab.ask()), 0);
    assert_eq!(from_cache(&lab.ask()), 0);
    fs::write(&debug_file, whole).unwrap();
    let all = lab.addresses.len();
    let first = lab.ask();
    assert_eq!(from_cache(&first), 0);
    let second = lab.ask();
    assert_eq!(from_cache(&second), all as u64);
    assert!(content(&first, all) == content(&second, all));
}

#[test]
fn a_part_of_the_answer_is_completed() {
    let lab = Lab::new();
    let all = lab.addresses.len();
    let (some, rest) = lab.addresses.split_at(all / 2);
    assert_eq!(from_cache(&lab.ask_about(some)), 0);
    let whole = lab.ask();
    assert_eq!(from_cache(&whole), some.len() as u64);
    assert_eq!(from_cache(&lab.ask_about(rest)), rest.len() as u64);
    assert_eq!(from_cache(&lab.ask()), all as u64);
    let fresh = Search::default();
    let fresh = ours::resolve(&lab.library, Some(&lab.id), &lab.addresses, &fresh);
    assert!(content(&whole, all) == content(&fresh, all));
    assert_eq!(whole.names(), fresh.names());
}

#[test]
fn a_changed_file_makes_it_void() {
    let lab = Lab::new();
    lab.ask();
    // The same bytes, written again.
    let bytes = fs::read(&lab.library).unwrap();
    fs::write(&lab.library, &bytes).unwrap();
    assert_eq!(from_cache(&lab.ask()), 0);
    assert_eq!(from_cache(&lab.ask()), lab.addresses.len() as u64);
    // With its old time of modification.
    let modified = fs::metadata(&lab.library).unwrap().modified().unwrap();
    fs::write(&lab.library, &bytes).unwrap();
    let file = fs::File::options().write(true).open(&lab.library).unwrap();
    file.set_modified(modified).unwrap();
    assert_eq!(from_cache(&lab.ask()), 0);
    // Another build in its place is refused, whatever is remembered.
    lab.ask();
    compile(lab.directory.path(), "library.so", 2);
    let other = lab.ask();
    assert_eq!(from_cache(&other), 0);
    assert!(other.modules[0].problem.as_ref().unwrap().contains(&lab.id));
    assert_eq!(other.function(0, 0), None);
    // And so is none at all.
    fs::remove_file(&lab.library).unwrap();
    assert!(lab.ask().modules[0].problem.is_some());
}

#[test]
fn a_debug_file_that_appears_or_goes_makes_it_void() {
    let lab = Lab::new();
    let directory = lab.directory.path();
    let lines = |resolution: &Resolution| {
        let places = (0..lab.addresses.len()).map(|address| resolution.places(0, address));
        places.filter(|places| !places.is_empty()).count()
    };
    run(
        "objcopy",
        &["--only-keep-debug", "library.so", "debug"],
        directory,
    );
    let link = "--add-gnu-debuglink=debug";
    run("objcopy", &["--strip-debug", link, "library.so"], directory);
    fs::rename(directory.join("debug"), directory.join("away")).unwrap();
    assert_eq!(lines(&lab.ask()), 0);
    assert_eq!(from_cache(&lab.ask()), lab.addresses.len() as u64);
    fs::rename(directory.join("away"), directory.join("debug")).unwrap();
    let with = lab.ask();
    assert_eq!(from_cache(&with), 0);
    assert_eq!(lines(&with), lab.addresses.len());
    assert_eq!(from_cache(&lab.ask()), lab.addresses.len() as u64);
    fs::rename(directory.join("debug"), directory.join("away")).unwrap();
    let without = lab.ask();
    assert_eq!((from_cache(&without), lines(&without)), (0, 0));

    // Found by other means, it is another search.
    let mut search = lab.search.clone();
    search.symbol_dirs = vec![directory.to_owned()];
    let found = ours::resolve(&lab.library, Some(&lab.id), &lab.addresses, &search);
    assert_eq!(
        (from_cache(&found), lines(&found)),
        (0, lab.addresses.len())
    );
}

#[test]
fn a_damaged_entry_is_no_entry() {
    let lab = Lab::new();
    let all = lab.addresses.len();
    let right = lab.ask();
    let entry = fs::read(lab.entry()).unwrap();
    let mut random = Random::new(7);
    for round in 0..200 {
        let at = random.index(entry.len());
        let mut damaged = entry.clone();
        match round % 3 {
            0 => damaged.truncate(at),
            1 => damaged[at] ^= 1 << (round % 8),
            _ => damaged.extend(&entry[at..]),
        }
        fs::write(lab.entry(), &damaged).unwrap();
        let found = lab.ask();
        assert_eq!(from_cache(&found), 0, "round {round}");
        assert!(content(&found, all) == content(&right, all));
    }
    // It was made whole again by the last one.
    assert_eq!(from_cache(&lab.ask()), all as u64);
}

#[test]
fn a_cache_that_cannot_be_used_is_no_error() {
    let mut lab = Lab::new();
    let file = lab.directory.path().join("file");
    fs::write(&file, "no directory").unwrap();
    lab.search.cache = Some(Cache::in_directory(&file));
    for _ in 0..2 {
        let found = lab.ask();
        assert_eq!(found.modules[0].problem, None);
        assert_eq!(from_cache(&found), 0);
    }
    assert_eq!(fs::read(&file).unwrap(), b"no directory");
}

#[test]
fn without_a_build_id_nothing_is_remembered() {
    let lab = Lab::new();
    for _ in 0..2 {
        let found = ours::resolve(&lab.library, None, &lab.addresses, &lab.search);
        assert_eq!(from_cache(&found), 0);
    }
    assert!(!lab.directory.path().join("cache").exists());
}

#[test]
fn the_oldest_entries_go_first() {
    let mut lab = Lab::new();
    let directory = lab.directory.path().to_owned();
    lab.ask();
    let bytes = fs::metadata(lab.entry()).unwrap().len();
    let first = lab.entry();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(1 << 20);
    let age = |path: &Path| {
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(long_ago).unwrap();
    };
    age(&first);
    let cache = lab.search.cache.take().unwrap();
    // Room for three and a half of them.
    lab.search.cache = Some(cache.with_limit(bytes * 7 / 2));
    let mut entries = vec![first.clone()];
    for number in 2..=3 {
        lab.library = compile(&directory, &format!("library{number}.so"), number);
        lab.id = build_id(&lab.library).unwrap().unwrap();
        lab.addresses = addresses(&lab.library);
        lab.ask();
        entries.push(lab.entry());
    }
    assert!(entries.iter().all(|entry| entry.exists()));
    lab.library = compile(&directory, "library4.so", 4);
    lab.id = build_id(&lab.library).unwrap().unwrap();
    lab.addresses = addresses(&lab.library);
    lab.ask();
    assert!(!first.exists(), "the oldest");
    assert!(lab.entry().exists(), "the newest");
}

#[test]
fn several_at_once_do_no_harm() {
    let lab = Lab::new();
    let all = lab.addresses.len();
    let right = content(&lab.ask(), all);
    fs::remove_file(lab.entry()).unwrap();
    std::thread::scope(|scope| {
        for part in 0..4 {
            let (lab, right) = (&lab, &right);
            scope.spawn(move || {
                for round in 0..20 {
                    let from = (part * 5 + round) % (all / 2);
                    lab.ask_about(&lab.addresses[from..from + all / 3]);
                    assert!(content(&lab.ask(), all) == *right);
                }
            });
        }
    });
    let left = fs::read_dir(lab.entry().parent().unwrap()).unwrap();
    assert_eq!(left.count(), 1, "no temporary files");
}
