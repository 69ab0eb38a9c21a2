//! A million addresses in three hundred modules.

use std::fs;
use std::path::Path;
use std::time::Instant;

use residue_symbols::{Cache, ModuleRequest, Resolution, Search, build_id, resolve_all};

use crate::programs::{build_library, code_range};

const MODULES: usize = 300;
const ADDRESSES: usize = 1_000_000;

#[test]
#[ignore = "takes minutes; run by `make symbols`"]
fn a_million_addresses_in_three_hundred_modules() {
    let directory = tempfile::tempdir().unwrap();
    let libraries: Vec<_> = (0..MODULES)
        .map(|number| build_library(directory.path(), number))
        .collect();
    let request = |path: &Path| {
        let code = code_range(path);
        let size = (code.end - code.start) as usize;
        let wanted = ADDRESSES / MODULES + 1;
        assert!(size >= wanted, "{size} bytes of code");
        ModuleRequest {
            path: path.to_owned(),
            build_id: build_id(path).unwrap(),
            addresses: code.take(wanted).collect(),
        }
    };
    let requests: Vec<_> = libraries.iter().map(|path| request(path)).collect();
    let cache = Some(Cache::in_directory(&directory.path().join("cache")));
    let before_mib = peak_mib();
    let ask = |what: &str, cache: &Option<Cache>| -> Resolution {
        let search = Search {
            cache: cache.clone(),
            ..Search::default()
        };
        let started = Instant::now();
        let found = resolve_all(&requests, &search, &|_, _| {});
        println!(
            "{} addresses in {MODULES} modules, {what}: {:.2} s, {} MiB at most ({before_mib} before)",
            requests
                .iter()
                .map(|request| request.addresses.len())
                .sum::<usize>(),
            started.elapsed().as_secs_f64(),
            peak_mib(),
        );
        found
    };
    let first = ask("nothing remembered", &None);
    let stored = ask("remembering", &cache);
    let remembered = ask("remembered", &cache);
    assert_eq!(first, stored);
    for (module, request) in requests.iter().enumerate() {
        let from_cache = remembered.modules[module].from_cache;
        assert_eq!(from_cache, request.addresses.len() as u64);
        let wanted = format!("_ZN{}library_{module}3runEi", 8 + module.to_string().len());
        let named = |address| first.function(module, address);
        let mut names = (0..request.addresses.len()).filter_map(named);
        assert!(
            names.any(|name| first.names()[name as usize] == wanted),
            "{wanted}"
        );
        for address in 0..request.addresses.len() {
            assert_eq!(
                first.places(module, address),
                remembered.places(module, address)
            );
        }
    }
    assert_eq!(first.names(), remembered.names());
}

/// The most memory that this process had so far.
fn peak_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib / 1024
}
