//! Our own answers, in the form of the judges'.

use std::path::Path;

use residue_symbols::{ModuleRequest, Resolution, Search, build_id, resolve_all};

use crate::judges::{Seen, normal};

/// Asks about addresses of one program.
pub fn resolve(program: &Path, id: Option<&str>, addresses: &[u64], search: &Search) -> Resolution {
    let request = ModuleRequest {
        path: program.to_owned(),
        build_id: id.map(str::to_owned),
        addresses: addresses.to_vec(),
    };
    resolve_all(&[request], search, &|_, _| {})
}

/// The places of each address of the first module; where there are none, its function.
pub fn seen(resolution: &Resolution, addresses: usize) -> Vec<Vec<Seen>> {
    let text = |texts: &[String], number: u32| texts.get(number as usize).cloned();
    let name = |number| text(resolution.names(), number).unwrap_or_default();
    let rows = (0..addresses).map(|address| {
        let places = resolution.places(0, address).iter();
        let places: Vec<Seen> = places
            .map(|place| Seen {
                function: name(place.function),
                file: normal(&text(resolution.files(), place.file).unwrap_or_default()),
                line: place.line,
            })
            .collect();
        let function = resolution.function(0, address);
        match (places.last(), function) {
            (None, Some(function)) => vec![Seen {
                function: name(function),
                ..Seen::default()
            }],
            (last, function) => {
                let own = last.map_or("", |last| &last.function);
                assert_eq!(own, function.map(name).unwrap_or_default());
                places
            }
        }
    });
    rows.collect()
}

/// Our answers about a program on this machine, none of which may be missing.
pub fn answers(program: &Path, addresses: &[u64]) -> Vec<Vec<Seen>> {
    let id = build_id(program).unwrap();
    let found = resolve(program, id.as_deref(), addresses, &Search::default());
    assert_eq!(found.modules[0].problem, None);
    seen(&found, addresses.len())
}
