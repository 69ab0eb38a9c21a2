//! ELF files with symbols, unwind tables, DWARF, and names of other files.
#![no_main]

use std::cell::RefCell;

use residue_fuzz::{MemoryFile, on_this_thread};
use residue_symbols::{
    DataAddress, ModuleRequest, Search, SymbolTable, VariablesRequest, build_id, find_functions,
    find_named, resolve_all, resolve_variables,
};

thread_local!(static FILE: RefCell<MemoryFile> = RefCell::default());

/// In relocatable files, in libraries and in executables.
const BASES: [u64; 3] = [0, 0x1000, 0x40_1000];
const STEP_BYTES: usize = 7;

libfuzzer_sys::fuzz_target!(
    init: on_this_thread(),
    |bytes: &[u8]| {
        FILE.with_borrow_mut(|file| {
            let path = file.with(bytes);
            let Ok(build_id) = build_id(path) else {
                return;
            };
            let _ = find_functions(path, "*a*");
            let _ = find_named(path, &["main", "malloc"]);
            if let Ok(table) = SymbolTable::open(path, build_id.as_deref()) {
                table.lookup(0x1000);
            }
            let steps = (0..0x80).step_by(STEP_BYTES);
            let addresses: Vec<u64> = steps
                .flat_map(|step| BASES.map(|base| base + step))
                .collect();
            let data = addresses.iter().copied();
            let data = data.flat_map(|at| [DataAddress::Static(at), DataAddress::ThreadLocal(at)]);
            let variables = VariablesRequest {
                path: path.to_owned(),
                build_id: build_id.clone(),
                addresses: data.collect(),
            };
            resolve_variables(&[variables], &Search::default());
            let request = ModuleRequest {
                path: path.to_owned(),
                build_id,
                addresses,
            };
            resolve_all(&[request], &Search::default(), &|_, _| {});
        });
    }
);
