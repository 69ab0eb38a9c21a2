//! Naming the addresses of a whole profile at once.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::answer::{Answer, AnswerBuilder, NONE, Renumbering, ResolvedPlace};
use crate::cache::Cache;
use crate::cache_entry::Entry;
use crate::directory::Index;
use crate::module::{Module, Subject};
use crate::parallel::{self, Workers};
use crate::resolve_module::{self, Known};
use crate::search::{Finder, Search};

/// Modules with at least so many addresses get all threads, one module after the
/// other; the rest get one thread each, many modules at a time.
const LARGE_MODULE_ADDRESSES: usize = 4096;

/// One module, and the addresses in it that need names.
#[derive(Debug, Clone, Default)]
pub struct ModuleRequest {
    /// Where the program saw it.
    pub path: PathBuf,
    /// Hex digits; a file with another build-id is refused.
    pub build_id: Option<String>,
    /// Link-time addresses.
    pub addresses: Vec<u64>,
}

/// The answers to a list of [`ModuleRequest`]s.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resolution {
    /// Of all addresses of all requests.
    answer: Answer,
    /// In the order of the requests.
    pub modules: Vec<ModuleAnswer>,
}

/// How it went with one module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleAnswer {
    /// Its first row in the answer.
    start: usize,
    /// Why nothing, or not everything, was found.
    pub problem: Option<String>,
    /// Addresses that an earlier run had asked for.
    pub from_cache: u64,
}

impl Resolution {
    /// Every linkage name that occurs, once, in the order of first occurrence.
    pub fn names(&self) -> &[String] {
        &self.answer.names
    }

    /// Every source file that occurs, once, in the order of first occurrence.
    pub fn files(&self) -> &[String] {
        &self.answer.files
    }

    /// The function at an address of a module, both by their places in the requests: an
    /// index into the names.
    pub fn function(&self, module: usize, address: usize) -> Option<u32> {
        let function = self.answer.functions[self.modules[module].start + address];
        (function != NONE).then_some(function)
    }

    /// Where the address is in the source, innermost first. The last place is of the
    /// function itself, those before it were inlined there. Empty without debug
    /// information.
    pub fn places(&self, module: usize, address: usize) -> &[ResolvedPlace] {
        self.answer.places_of(self.modules[module].start + address)
    }
}

/// Names all addresses of all modules.
///
/// `progress` is called with the number of addresses done and their total, from any of
/// the threads. The result depends neither on the number of threads nor on what was
/// remembered from earlier runs. A module that cannot be read costs its own names and
/// nothing else.
pub fn resolve_all(
    requests: &[ModuleRequest],
    search: &Search,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Resolution {
    let total = requests
        .iter()
        .map(|request| request.addresses.len() as u64);
    let total = total.sum();
    let done = AtomicU64::new(0);
    let advance = |count: usize| {
        let count = count as u64;
        progress(done.fetch_add(count, Ordering::Relaxed) + count, total);
    };
    let work = Work {
        search,
        index: Index::scan(&search.symbol_dirs),
        advance: &advance,
    };
    let is_large = |&index: &usize| requests[index].addresses.len() >= LARGE_MODULE_ADDRESSES;
    let (large, small): (Vec<_>, Vec<_>) = (0..requests.len()).partition(is_large);
    let mut outcomes: Vec<Outcome> = requests.iter().map(|_| Outcome::default()).collect();
    for index in large {
        outcomes[index] = work.resolve(&requests[index], Workers::All);
    }
    let of_small = parallel::map(small.len(), Workers::All, |at| {
        work.resolve(&requests[small[at]], Workers::ThisThread)
    });
    for (index, outcome) in small.into_iter().zip(of_small) {
        outcomes[index] = outcome;
    }
    if let Some(cache) = &search.cache
        && outcomes.iter().any(|outcome| outcome.was_stored)
    {
        cache.trim();
    }
    merge(requests, outcomes)
}

/// What is known of one module.
#[derive(Default)]
struct Outcome {
    remembered: Known,
    fresh: Known,
    problem: Option<String>,
    was_stored: bool,
}

struct Work<'a> {
    search: &'a Search,
    index: Index,
    advance: &'a (dyn Fn(usize) + Sync),
}

impl Work<'_> {
    fn resolve(&self, request: &ModuleRequest, workers: Workers) -> Outcome {
        let advanced = AtomicUsize::new(0);
        let advance = |count| {
            advanced.fetch_add(count, Ordering::Relaxed);
            (self.advance)(count);
        };
        let outcome = self.look_up(request, workers, &advance);
        let rest = request
            .addresses
            .len()
            .saturating_sub(advanced.into_inner());
        (self.advance)(rest);
        outcome
    }

    fn look_up(
        &self,
        request: &ModuleRequest,
        workers: Workers,
        advance: resolve_module::Progress<'_>,
    ) -> Outcome {
        let place = self.cache_place(request);
        let mut entry = place
            .as_ref()
            .and_then(|(cache, id, key)| cache.load(id, key))
            .unwrap_or_default();
        let mut outcome = Outcome::default();
        let mut missing = request.addresses.clone();
        missing.sort_unstable();
        missing.dedup();
        missing.retain(|&address| entry.known.row(address).is_none());
        if !missing.is_empty() {
            let finder = Finder::new(self.search, &self.index);
            let build_id = request.build_id.as_deref();
            match Module::open(&request.path, build_id, &finder, Subject::Functions) {
                Ok(module) => {
                    let (fresh, problem) =
                        resolve_module::resolve(&module, missing, &finder, workers, advance);
                    outcome.fresh = fresh;
                    let path = request.path.display();
                    outcome.problem = problem.map(|problem| format!("{path}: {problem}"));
                }
                Err(error) => outcome.problem = Some(error.to_string()),
            }
            if outcome.problem.is_none()
                && finder.has_read_all()
                && let Some((cache, id, key)) = place
            {
                let mut witnesses = finder.into_witnesses().into_inner();
                witnesses.append(&mut entry.witnesses);
                let entry = Entry {
                    key,
                    witnesses,
                    known: entry.known.join(&outcome.fresh),
                };
                outcome.was_stored = cache.store(id, &entry);
            }
        }
        outcome.remembered = entry.known;
        outcome
    }

    /// Where the answers of a module are remembered, and under which circumstances they
    /// hold. Without a build-id nothing is remembered.
    fn cache_place<'a>(
        &'a self,
        request: &'a ModuleRequest,
    ) -> Option<(&'a Cache, &'a str, String)> {
        let cache = self.search.cache.as_ref()?;
        let id = request.build_id.as_deref()?;
        let given = self.index.with_build_id(id);
        // Where a system has `/lib` lead to `/usr/lib`, one library has two paths. Each would
        // void what is remembered under the other, again and again.
        let path = match self.search.sysroot {
            Some(_) => None,
            None => request.path.canonicalize().ok(),
        };
        let key = format!(
            "{:?} in {:?}, {:?} with {given:?}",
            path.as_ref().unwrap_or(&request.path),
            self.search.sysroot,
            self.search.symbol_dirs
        );
        Some((cache, id, key))
    }
}

/// Joins the answers in the order of the requests, whichever came first.
fn merge(requests: &[ModuleRequest], outcomes: Vec<Outcome>) -> Resolution {
    let mut builder = AnswerBuilder::default();
    let mut modules = Vec::with_capacity(requests.len());
    let mut start = 0;
    for (request, outcome) in requests.iter().zip(outcomes) {
        let Outcome {
            remembered,
            fresh,
            problem,
            ..
        } = outcome;
        let from_cache = if fresh.addresses == request.addresses {
            builder.append_all(fresh.answer);
            0
        } else {
            append_rows(&mut builder, &request.addresses, [&remembered, &fresh])
        };
        modules.push(ModuleAnswer {
            start,
            problem,
            from_cache,
        });
        start += request.addresses.len();
    }
    Resolution {
        answer: builder.finish(),
        modules,
    }
}

/// Adds the answer for each address from the first part that has it, and says how often
/// that was the first one.
fn append_rows(builder: &mut AnswerBuilder, addresses: &[u64], parts: [&Known; 2]) -> u64 {
    let mut numbers = [Renumbering::default(), Renumbering::default()];
    let mut from_first = 0;
    for &address in addresses {
        match parts.map(|part| part.row(address)) {
            [Some(row), _] => {
                from_first += 1;
                builder.append(&parts[0].answer, row, &mut numbers[0], None);
            }
            [None, Some(row)] => {
                builder.append(&parts[1].answer, row, &mut numbers[1], None);
            }
            [None, None] => builder.push(NONE, []),
        }
    }
    from_first
}
