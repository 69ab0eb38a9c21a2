//! The program: modules with functions, each with some places it calls others
//! from. What a place calls never changes, so the same paths come again.

use std::collections::HashMap;

use residue_profile::{
    FileId, Frame, FrameId, FunctionId, Module, ModuleId, NONE, Ragged, SourcePlace,
};

use super::Spec;
use super::names;
use crate::random::hash;

pub const EXECUTABLE: &str = "/opt/synthetic/bin/synthetic";

/// Functions that are there whatever the spec says. The first two call others
/// from as many places as are asked for.
pub const MAIN: FunctionId = 0;
pub const THREAD_RUN: FunctionId = 1;
pub const OPERATOR_NEW: FunctionId = 2;
const FIXED: [&str; 3] = [
    "main",
    "_ZNSt6thread11_State_implINS_8_InvokerISt5tupleIJPFvvEEEEEE6_M_runEv",
    "_Znwm",
];
const LIBSTDCXX: ModuleId = 1;

/// Room for one function and all its places.
const FUNCTION_BYTES: u64 = 0x400;
const SITE_BYTES: u64 = 0x20;
const FIRST_ADDRESS: u64 = 0x1000;
const FUNCTIONS_IN_FILE: usize = 20;
/// One frame in so many has no name, as in modules without symbols.
const UNNAMED: u64 = 211;

/// One place in a function from which it calls another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Site {
    pub function: FunctionId,
    pub number: u32,
}

pub struct Code {
    seed: u64,
    pub modules: Vec<Module>,
    pub functions: Vec<String>,
    pub files: Vec<String>,
    /// In the order in which they were first asked for.
    pub frames: Vec<Frame>,
    pub places: Ragged<SourcePlace>,
    known: HashMap<Site, FrameId>,
}

impl Code {
    pub fn new(spec: &Spec) -> Self {
        let modules = spec.modules.max(2);
        let functions = spec.functions.max(FIXED.len() + 1);
        let fixed = FIXED.iter().map(|name| name.to_string());
        let others = (FIXED.len()..functions)
            .map(|index| names::function(index, spec.seed, spec.long_names));
        let files = functions.div_ceil(FUNCTIONS_IN_FILE);
        Code {
            seed: spec.seed,
            modules: (0..modules).map(module).collect(),
            functions: fixed.chain(others).collect(),
            files: (0..files)
                .map(|file| format!("/builds/synthetic/src/part{}/file{file}.cpp", file / 40))
                .collect(),
            frames: Vec::new(),
            places: Ragged::default(),
            known: HashMap::new(),
        }
    }

    /// From how many places a function calls others.
    pub fn sites(&self, function: FunctionId) -> u32 {
        match function {
            MAIN | THREAD_RUN => u32::MAX,
            _ => 3 + (hash(self.seed, u64::from(function)) % 10) as u32,
        }
    }

    /// What is called there; now and then the function itself.
    pub fn callee(&self, site: Site) -> FunctionId {
        let chance = hash(hash(self.seed, site.function.into()), site.number.into());
        let others = (self.functions.len() - FIXED.len()) as u64;
        let is_recursive = chance.is_multiple_of(61) && site.function as usize >= FIXED.len();
        match is_recursive {
            true => site.function,
            false => FIXED.len() as u32 + ((chance >> 8) % others) as u32,
        }
    }

    pub fn frame(&mut self, site: Site) -> FrameId {
        if let Some(&frame) = self.known.get(&site) {
            return frame;
        }
        let id = self.frames.len() as FrameId;
        let chance = hash(u64::from(site.function), u64::from(site.number));
        let is_unnamed = chance.is_multiple_of(UNNAMED) && site.function as usize >= FIXED.len();
        let (module, address) = self.address(site);
        let function = if is_unnamed { NONE } else { site.function };
        self.frames.push(Frame {
            module,
            address,
            function,
        });
        let places = match is_unnamed {
            true => Vec::new(),
            false => self.places_of(site, chance >> 8),
        };
        self.places.push_row(places);
        self.known.insert(site, id);
        id
    }

    fn address(&self, site: Site) -> (ModuleId, u64) {
        let (modules, functions) = (self.modules.len() as u64, self.functions.len() as u64);
        let function = u64::from(site.function);
        let behind_call = SITE_BYTES * u64::from(site.number) + 5;
        match site.function {
            // Behind everything else, where there is room for any number of places.
            MAIN => (0, 0x4000_0000 + behind_call),
            THREAD_RUN => (LIBSTDCXX, 0x4000_0000 + behind_call),
            OPERATOR_NEW => (LIBSTDCXX, 0x3000_0000 + behind_call),
            _ => {
                let start = FIRST_ADDRESS + FUNCTION_BYTES * function;
                (
                    (function * modules / functions) as ModuleId,
                    start + behind_call,
                )
            }
        }
    }

    /// Half of the places are plain; the others have up to three functions inlined.
    fn places_of(&self, site: Site, chance: u64) -> Vec<SourcePlace> {
        let others = (self.functions.len() - FIXED.len()) as u64;
        let inlined = (chance % 6).saturating_sub(2);
        let mut places: Vec<SourcePlace> = (0..inlined)
            .map(|level| {
                let chance = hash(chance, level);
                let function = FIXED.len() as u32 + (chance % others) as u32;
                self.place(function, 1 + (chance >> 32) as u32 % 90)
            })
            .collect();
        places.push(self.place(site.function, 100 + 7 * (site.number % 1000)));
        places
    }

    fn place(&self, function: FunctionId, line: u32) -> SourcePlace {
        SourcePlace {
            function,
            file: (function as usize / FUNCTIONS_IN_FILE) as FileId,
            line,
        }
    }
}

fn module(index: usize) -> Module {
    let start = 0x5555_0000_0000 + ((index as u64) << 32);
    Module {
        path: match index {
            0 => EXECUTABLE.into(),
            1 => "/usr/lib/libstdc++.so.6".into(),
            _ => format!("/opt/synthetic/lib/libpart{index}.so"),
        },
        build_id: format!("{:016x}", hash(0, index as u64)),
        start,
        end: start + (1 << 31),
        bias: start,
    }
}
