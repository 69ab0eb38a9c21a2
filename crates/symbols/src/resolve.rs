//! Naming the addresses of a whole profile at once.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::elf::SymbolTable;

/// One module, and the addresses in it that need names.
#[derive(Debug, Clone, Default)]
pub struct ModuleRequest {
    pub path: PathBuf,
    /// Hex digits; a file with another build-id is refused.
    pub build_id: Option<String>,
    /// Link-time addresses, best sorted and unique.
    pub addresses: Vec<u64>,
}

/// The answers to a list of [`ModuleRequest`]s.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resolution {
    /// Every linkage name that occurs, once, in the order of first occurrence.
    pub names: Vec<String>,
    /// For each request, for each of its addresses: an index into `names`.
    pub functions: Vec<Vec<Option<u32>>>,
    /// Why some modules have no names, each with the path of the module.
    pub problems: Vec<String>,
}

/// What one module came to, with its names not yet shared with the others.
#[derive(Default)]
struct Answer {
    names: Vec<String>,
    functions: Vec<Option<u32>>,
    problem: Option<String>,
}

/// Names all addresses of all modules, on up to `threads` threads.
///
/// `progress` is called with the number of modules done and their total, from
/// any of the threads. The result does not depend on the number of threads. A
/// module that cannot be read costs its own names and nothing else.
pub fn resolve_all(
    modules: &[ModuleRequest],
    threads: usize,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Resolution {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let work = || {
        let mut answers = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(module) = modules.get(index) else {
                return answers;
            };
            answers.push((index, resolve(module)));
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, modules.len());
        }
    };
    let mut answers: Vec<Option<Answer>> = modules.iter().map(|_| None).collect();
    thread::scope(|scope| {
        let others = threads.min(modules.len()).saturating_sub(1);
        let others: Vec<_> = (0..others).map(|_| scope.spawn(work)).collect();
        let own = work();
        let others = others
            .into_iter()
            .flat_map(|t| t.join().unwrap_or_default());
        for (index, answer) in own.into_iter().chain(others) {
            answers[index] = Some(answer);
        }
    });
    merge(modules, answers)
}

fn resolve(module: &ModuleRequest) -> Answer {
    let table = match SymbolTable::open(&module.path, module.build_id.as_deref()) {
        Ok(table) => table,
        Err(error) => {
            return Answer {
                functions: vec![None; module.addresses.len()],
                problem: Some(error.to_string()),
                ..Answer::default()
            };
        }
    };
    let mut names = Interner::default();
    let functions = module.addresses.iter();
    let functions = functions
        .map(|&address| names.intern(table.lookup(address)?))
        .collect();
    Answer {
        names: names.names,
        functions,
        problem: None,
    }
}

/// Joins the answers in the order of the requests, whichever came first.
fn merge(modules: &[ModuleRequest], answers: Vec<Option<Answer>>) -> Resolution {
    let mut shared = Interner::default();
    let mut functions = Vec::with_capacity(modules.len());
    let mut problems = Vec::new();
    for (module, answer) in modules.iter().zip(answers) {
        let answer = answer.unwrap_or_else(|| Answer {
            functions: vec![None; module.addresses.len()],
            problem: Some(format!("{}: reading it failed", module.path.display())),
            ..Answer::default()
        });
        let indices: Vec<_> = answer
            .names
            .iter()
            .map(|name| shared.intern(name))
            .collect();
        let global = |local: Option<u32>| *indices.get(local? as usize)?;
        functions.push(answer.functions.into_iter().map(global).collect());
        problems.extend(answer.problem);
    }
    Resolution {
        names: shared.names,
        functions,
        problems,
    }
}

/// Stores every name once, and numbers them.
#[derive(Default)]
struct Interner {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Interner {
    /// `None` when the numbers run out.
    fn intern(&mut self, name: &str) -> Option<u32> {
        if let Some(&number) = self.numbers.get(name) {
            return Some(number);
        }
        let number = u32::try_from(self.names.len()).ok()?;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Some(number)
    }
}
