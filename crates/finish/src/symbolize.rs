//! Functions, source files and lines for the frames of a profile.
//!
//! Done when a recording is finished, and again whenever somebody has better files.
//! Frames outside modules (scopes, generated code) are none of its business, and a name
//! that is not found again is kept. So is one of a module without a build-id: nothing
//! proves that a file of that name is still the same.

use residue_profile::path_text;
use residue_profile::{Frame, ModuleId, NONE, Profile, Ragged, SourcePlace};
use residue_symbols::{ModuleRequest, Resolution, Search, resolve_all};
use std::collections::{BTreeMap, HashMap};

/// Begins the notes of a profile that say why names are missing. Those of an earlier
/// time are replaced.
const NOTE: &str = "symbols: ";

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbolized {
    /// Of all frames in modules; in the order of the profile's modules.
    pub modules: Vec<ModuleSymbols>,
}

/// What was found about the frames of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleSymbols {
    pub path: String,
    pub frames: u64,
    pub named: u64,
    /// Frames whose source files are known.
    pub with_lines: u64,
    /// Frames that an earlier run had asked about.
    pub from_cache: u64,
    /// Why nothing, or not everything, was found.
    pub problem: Option<String>,
}

impl Symbolized {
    /// The sum of a figure over all modules.
    pub fn sum(&self, figure: impl Fn(&ModuleSymbols) -> u64) -> u64 {
        self.modules.iter().map(figure).sum()
    }
}

/// Fills functions, files and places of all frames in modules, and brings the count of
/// nameless frames up to date. `progress` is told how many addresses are done, of how
/// many.
pub fn symbolize(
    profile: &mut Profile,
    search: &Search,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Symbolized {
    let asked = Asked::of(profile);
    let resolution = resolve_all(&asked.requests, search, progress);
    let mut found = Symbolized {
        modules: asked.modules(&resolution),
    };
    fill(profile, &asked, &resolution, &mut found);
    let nameless = profile.frames.iter();
    let nameless = nameless.filter(|frame| frame.function == NONE).count();
    profile.recorder.frames_unresolved = nameless as u64;
    let notes = &mut profile.meta.notes;
    notes.retain(|note| !note.starts_with(NOTE));
    let problems = found
        .modules
        .iter()
        .filter_map(|module| module.problem.as_ref());
    notes.extend(problems.map(|problem| format!("{NOTE}{problem}")));
    found
}

/// The kernel's own library: it maps it into every process, and there is no file of it.
const WITHOUT_FILE: &str = "linux-vdso.so.1";

/// The addresses of a profile, by file: a file that was loaded several times is asked
/// once.
struct Asked {
    requests: Vec<ModuleRequest>,
    /// From modules of the profile to requests.
    request_of: HashMap<ModuleId, usize>,
}

impl Asked {
    fn of(profile: &Profile) -> Asked {
        let mut numbers = BTreeMap::new();
        let mut asked = Asked {
            requests: Vec::new(),
            request_of: HashMap::new(),
        };
        for frame in &profile.frames {
            let module = profile.modules.get(frame.module as usize);
            let Some(module) = module.filter(|module| module.path != WITHOUT_FILE) else {
                continue;
            };
            let requests = &mut asked.requests;
            let request = *asked.request_of.entry(frame.module).or_insert_with(|| {
                *numbers
                    .entry((&module.path, &module.build_id))
                    .or_insert_with(|| {
                        requests.push(ModuleRequest {
                            path: path_text::to_path(&module.path),
                            build_id: Some(module.build_id.clone()).filter(|id| !id.is_empty()),
                            addresses: Vec::new(),
                        });
                        requests.len() - 1
                    })
            });
            asked.requests[request].addresses.push(frame.address);
        }
        for request in &mut asked.requests {
            request.addresses.sort_unstable();
            request.addresses.dedup();
        }
        asked
    }

    /// The number of the request, and of the address in it.
    fn place(&self, frame: &Frame) -> Option<(usize, usize)> {
        let request = *self.request_of.get(&frame.module)?;
        let addresses = &self.requests[request].addresses;
        Some((request, addresses.binary_search(&frame.address).ok()?))
    }

    fn modules(&self, resolution: &Resolution) -> Vec<ModuleSymbols> {
        let modules = self.requests.iter().zip(&resolution.modules);
        let modules = modules.map(|(request, answer)| ModuleSymbols {
            path: request.path.display().to_string(),
            from_cache: answer.from_cache,
            problem: answer.problem.clone(),
            ..ModuleSymbols::default()
        });
        modules.collect()
    }
}

/// Writes the tables anew, with what was found and what is kept.
fn fill(profile: &mut Profile, asked: &Asked, resolution: &Resolution, found: &mut Symbolized) {
    let old_functions = std::mem::take(&mut profile.functions);
    let old_files = std::mem::take(&mut profile.files);
    let mut functions = Table::new(&old_functions, resolution.names());
    let mut files = Table::new(&old_files, resolution.files());
    let mut places: Ragged<SourcePlace> = Ragged::default();
    for (number, frame) in profile.frames.iter_mut().enumerate() {
        let place = asked.place(frame);
        let is_better = |&(module, _): &(usize, usize)| {
            frame.function == NONE || asked.requests[module].build_id.is_some()
        };
        let better = place.filter(is_better);
        let new_function = better.and_then(|(module, at)| resolution.function(module, at));
        let new_places = better.map_or(&[][..], |(module, at)| resolution.places(module, at));
        frame.function = match new_function {
            Some(function) => functions.new_one(function),
            None => functions.old(frame.function),
        };
        if new_places.is_empty() {
            let row = profile.places.row(number);
            places.push_row(row.iter().map(|place| SourcePlace {
                function: functions.old(place.function),
                file: files.old(place.file),
                line: place.line,
            }));
        } else {
            places.push_row(new_places.iter().map(|place| SourcePlace {
                function: functions.new_one(place.function),
                file: files.new_one(place.file),
                line: place.line,
            }));
        }
        if let Some((module, _)) = place {
            let module = &mut found.modules[module];
            module.frames += 1;
            module.named += u64::from(frame.function != NONE);
            let row = places.row(number).iter();
            module.with_lines += u64::from(row.clone().any(|place| place.file != NONE));
        }
    }
    profile.functions = functions.texts;
    profile.files = files.texts;
    profile.places = places;
}

/// A table of texts, made of parts of two others.
struct Table<'a> {
    texts: Vec<String>,
    numbers: HashMap<&'a str, u32>,
    /// Of each text of the old and the new table its number in this one, or [`NONE`] if
    /// it is not in it yet.
    from_old: Vec<u32>,
    from_new: Vec<u32>,
    old: &'a [String],
    new: &'a [String],
}

impl<'a> Table<'a> {
    fn new(old: &'a [String], new: &'a [String]) -> Table<'a> {
        Table {
            texts: Vec::new(),
            numbers: HashMap::new(),
            from_old: vec![NONE; old.len()],
            from_new: vec![NONE; new.len()],
            old,
            new,
        }
    }

    fn old(&mut self, number: u32) -> u32 {
        let Some(place) = self.from_old.get_mut(number as usize) else {
            return NONE;
        };
        if *place == NONE {
            let text = &self.old[number as usize];
            *place = number_of(text, &mut self.texts, &mut self.numbers);
        }
        *place
    }

    fn new_one(&mut self, number: u32) -> u32 {
        let Some(place) = self.from_new.get_mut(number as usize) else {
            return NONE;
        };
        if *place == NONE {
            let text = &self.new[number as usize];
            *place = number_of(text, &mut self.texts, &mut self.numbers);
        }
        *place
    }
}

fn number_of<'a>(
    text: &'a str,
    texts: &mut Vec<String>,
    numbers: &mut HashMap<&'a str, u32>,
) -> u32 {
    *numbers.entry(text).or_insert_with(|| {
        texts.push(text.to_owned());
        (texts.len() - 1) as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::Module;
    use residue_symbols::{build_id, find_functions};
    use std::path::Path;

    const LIBC: &str = "/lib/x86_64-linux-gnu/libc.so.6";

    fn address_of(function: &str) -> u64 {
        find_functions(Path::new(LIBC), function).unwrap()[0].address
    }

    fn module(path: &str, build_id: Option<String>) -> Module {
        Module {
            path: path.to_owned(),
            build_id: build_id.unwrap_or_default(),
            ..Module::default()
        }
    }

    /// Frames of the C library, which is loaded twice, of a module that is gone, of one
    /// without a build-id, and of none.
    fn profile() -> Profile {
        let frame = |module, address, function| Frame {
            module,
            address,
            function,
        };
        let id = build_id(Path::new(LIBC)).unwrap();
        assert!(id.is_some());
        let mut profile = Profile {
            modules: vec![
                module(LIBC, id.clone()),
                module("/gone.so", Some("abcd".to_owned())),
                module(LIBC, id),
                module(LIBC, None),
            ],
            functions: ["[scope]", "kept", "old", "inlined"]
                .map(String::from)
                .to_vec(),
            files: ["unused.c", "kept.c"].map(String::from).to_vec(),
            frames: vec![
                frame(NONE, 16, 0),
                frame(0, address_of("malloc"), 2),
                frame(1, 32, 1),
                frame(1, 33, NONE),
                frame(2, address_of("malloc"), NONE),
                frame(2, address_of("free"), NONE),
                frame(3, address_of("free"), 1),
                frame(3, address_of("free"), NONE),
            ],
            ..Profile::default()
        };
        let place = |function, file, line| SourcePlace {
            function,
            file,
            line,
        };
        profile.places.push_row([]);
        profile.places.push_row([]);
        let row = [place(3, 1, 5), place(1, 1, 9)];
        profile.places.push_row(row);
        profile.meta.notes = vec!["a note".to_owned(), format!("{NOTE}/old.so: gone")];
        profile
    }

    fn names(profile: &Profile) -> Vec<&str> {
        let names = profile.frames.iter().map(|frame| frame.function);
        let name = |number: u32| profile.functions.get(number as usize);
        names
            .map(|number| name(number).map_or("?", String::as_str))
            .collect()
    }

    #[test]
    fn the_kernels_own_library_is_looked_for_nowhere() {
        let mut profile = profile();
        for module in &mut profile.modules {
            module.path = WITHOUT_FILE.to_string();
        }
        symbolize(&mut profile, &Search::default(), &|_, _| {});
        assert_eq!(profile.meta.notes, ["a note"]);
    }

    #[test]
    fn what_is_found_is_filled_in_and_what_is_not_is_kept() {
        let mut profile = profile();
        let found = symbolize(&mut profile, &Search::default(), &|_, _| {});
        let expected = [
            "[scope]", "malloc", "kept", "?", "malloc", "free", "kept", "free",
        ];
        assert_eq!(names(&profile), expected);
        assert_eq!(profile.recorder.frames_unresolved, 1);
        let inlined = profile.places.row(2);
        let text = |place: &SourcePlace| {
            let function = &profile.functions[place.function as usize];
            (
                function.as_str(),
                profile.files[place.file as usize].as_str(),
                place.line,
            )
        };
        let inlined: Vec<_> = inlined.iter().map(text).collect();
        assert_eq!(inlined, [("inlined", "kept.c", 5), ("kept", "kept.c", 9)]);
        assert_eq!(profile.places.rows(), profile.frames.len());
        assert!(!profile.functions.contains(&"old".to_owned()));
        assert!(!profile.files.contains(&"unused.c".to_owned()));

        let figures = found.modules.iter();
        let figures = figures.map(|module| (module.path.as_str(), module.frames, module.named));
        let figures: Vec<_> = figures.collect();
        assert_eq!(figures, [(LIBC, 3, 3), ("/gone.so", 2, 1), (LIBC, 2, 2)]);
        let notes = &profile.meta.notes;
        assert_eq!(notes.len(), 2);
        assert_eq!(notes[0], "a note");
        assert!(
            notes[1].starts_with("symbols: /gone.so: cannot be read"),
            "{notes:?}"
        );
    }

    #[test]
    fn doing_it_again_changes_nothing() {
        let mut profile = profile();
        symbolize(&mut profile, &Search::default(), &|_, _| {});
        let once = profile.clone();
        symbolize(&mut profile, &Search::default(), &|_, _| {});
        assert_eq!(profile, once);
    }
}
