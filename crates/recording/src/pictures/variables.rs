//! Which variables the words of roots are in: data of modules, and the executable's thread-local
//! data.
//!
//! ```text
//!   word of a module's data     address − where the module lies                ──► symbols
//!   word below a thread's own   address − (thread pointer − the executable's
//!   control block               thread-local data, rounded up)                 ──► symbols
//! ```

use super::memory::{Area, AreaKind, FrozenMemory};
use super::roots::Source;
use super::stop::Registers;
use object::LittleEndian;
use object::elf::{self, FileHeader64, ProgramHeader64};
use object::read::elf::{FileHeader, ProgramHeader};
use residue_finish::{ArenaFile, modules};
use residue_reach::{Graph, Memory, RootWord};
use residue_symbols::{DataAddress, Search, Variable, VariablesRequest, resolve_variables};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// The variables of root words, by the addresses of the words.
#[derive(Default)]
pub struct Variables(HashMap<u64, Variable>);

/// A module as far as its data is concerned.
struct Image {
    bias: u64,
    /// Bytes of its thread-local data, rounded up as below a thread's control block.
    thread_local_bytes: u64,
}

/// Headers of a module are in its first page.
const HEAD_BYTES: usize = 4096;

/// What is asked of one module: the words, and where they are in it.
#[derive(Default)]
struct Asked {
    words: Vec<u64>,
    addresses: Vec<DataAddress>,
}

pub fn find(
    graph: &Graph,
    sources: &[Source],
    areas: &[Area],
    memory: &FrozenMemory,
    threads: &[Registers],
    arena: &ArenaFile,
) -> Vec<(VariablesRequest, Vec<u64>)> {
    let images = images(areas, memory);
    let loaded = modules::read(arena).unwrap_or_default();
    let executable = arena.text(arena.word(residue_arena::header::EXECUTABLE));
    let executable = executable.unwrap_or_default();
    let mut asked: BTreeMap<&str, Asked> = BTreeMap::new();
    for word in graph.root_words() {
        let place = match sources.get(word.root as usize) {
            Some(Source::Module(path)) => images.get(path.as_str()).map(|image| {
                (
                    path.as_str(),
                    DataAddress::Static(word.at.wrapping_sub(image.bias)),
                )
            }),
            Some(Source::Thread(_)) => images.get(executable.as_str()).and_then(|image| {
                let offset = thread_local_offset(word, image, threads)?;
                Some((executable.as_str(), DataAddress::ThreadLocal(offset)))
            }),
            _ => None,
        };
        if let Some((path, address)) = place {
            let of_module = asked.entry(path).or_default();
            of_module.words.push(word.at);
            of_module.addresses.push(address);
        }
    }
    let requests = asked.into_iter().map(|(path, asked)| {
        let module = loaded.iter().find(|it| it.module.path == path);
        let build_id = module.map(|it| it.module.build_id.clone());
        let request = VariablesRequest {
            path: PathBuf::from(path),
            build_id: build_id.filter(|id| !id.is_empty()),
            addresses: asked.addresses,
        };
        (request, asked.words)
    });
    requests.collect()
}

/// Names them; the picture is no longer needed for it.
pub fn name(asked: Vec<(VariablesRequest, Vec<u64>)>, search: &Search) -> Variables {
    let (requests, words): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
    let answers = resolve_variables(&requests, search);
    let mut found = HashMap::new();
    for (answer, words) in answers.into_iter().zip(words) {
        let variables = answer.unwrap_or_default().into_iter();
        let named = variables.zip(words);
        found.extend(named.filter_map(|(variable, word)| Some((word, variable?))));
    }
    Variables(found)
}

impl Variables {
    pub fn at(&self, address: u64) -> Option<&Variable> {
        self.0.get(&address)
    }
}

fn thread_local_offset(word: &RootWord, image: &Image, threads: &[Registers]) -> Option<u64> {
    threads.iter().find_map(|thread| {
        let start = thread
            .thread_pointer
            .checked_sub(image.thread_local_bytes)?;
        (start..thread.thread_pointer)
            .contains(&word.at)
            .then(|| word.at - start)
    })
}

/// The modules that are mapped, by their paths.
fn images<'a>(areas: &'a [Area], memory: &FrozenMemory) -> HashMap<&'a str, Image> {
    let mut images = HashMap::new();
    for area in areas {
        let AreaKind::File(path) = &area.kind else {
            continue;
        };
        if !images.contains_key(path.as_str())
            && let Some(image) = image(area.start, memory)
        {
            images.insert(path.as_str(), image);
        }
    }
    images
}

/// The module whose first page is mapped there.
fn image(start: u64, memory: &FrozenMemory) -> Option<Image> {
    let mut head = [0; HEAD_BYTES];
    let length = memory.read(start, &mut head);
    let data = &head[..length];
    let header = FileHeader64::<LittleEndian>::parse(data).ok()?;
    let endian = LittleEndian;
    let segments: &[ProgramHeader64<LittleEndian>] = header.program_headers(endian, data).ok()?;
    let first = segments
        .iter()
        .find(|it| it.p_type(endian) == elf::PT_LOAD)?;
    let page = first.p_vaddr(endian) & !(HEAD_BYTES as u64 - 1);
    let thread_local = segments.iter().find(|it| it.p_type(endian) == elf::PT_TLS);
    Some(Image {
        bias: start.wrapping_sub(page),
        thread_local_bytes: thread_local.map_or(0, |it| {
            let align = it.p_align(endian).max(1);
            it.p_memsz(endian)
                .checked_next_multiple_of(align)
                .unwrap_or(0)
        }),
    })
}
