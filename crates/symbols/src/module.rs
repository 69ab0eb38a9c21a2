//! Everything that is known about one module, from wherever it can be had.
//!
//! A binary may have its symbols and its debug information in itself, or in a file
//! that was split off it, or the binary may be on another machine and only the file
//! that was split off is here. All files with the right build-id are of the same code,
//! so each is asked for what is still missing.

use std::ops::Range;
use std::path::{Path, PathBuf};

use object::ReadRef;
use object::elf::{SHT_DYNSYM, SHT_SYMTAB};

use crate::debug_file;
use crate::dwarf::{Sections, alternate_link};
use crate::error::Error;
use crate::image::{self, Image};
use crate::search::Finder;
use crate::table::{Builder, Table};
use crate::{mini_debug, plt};

/// What is to be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Functions,
    Variables,
}

/// What was found of a module.
pub(crate) struct Module {
    pub(crate) table: Table,
    /// Of variables that each thread has of its own, by their offsets among these.
    pub(crate) thread_local: Table,
    /// Sorted ranges of addresses that hold code, or what there is to be named instead.
    pub(crate) code: Vec<Range<u64>>,
    binary: PathBuf,
    /// The file with the debug information, which may be the binary.
    debug_file: Option<PathBuf>,
}

/// The files with debug information.
pub(crate) struct Debug {
    pub(crate) main: Sections,
    /// What `dwz` shared between several debug files.
    pub(crate) alternate: Option<Sections>,
    /// Where that should be, if it is not there.
    pub(crate) missing_alternate: Option<PathBuf>,
    /// All `.dwo` files in one.
    pub(crate) package: Option<Sections>,
}

impl Module {
    /// Finds the files of the module at `path`, as the program saw it.
    ///
    /// With an `expected_build_id` (hex digits), a file that has another one, or none,
    /// is refused.
    pub(crate) fn open(
        path: &Path,
        expected_build_id: Option<&str>,
        finder: &Finder<'_>,
        subject: Subject,
    ) -> Result<Module, Error> {
        let local = finder.local(path);
        let mut gathered = Gathered::new(subject);
        let own = gathered.take_binary(&local, expected_build_id, finder);
        if own.is_err() {
            let given = match expected_build_id {
                Some(id) => finder.by_build_id(id),
                None => finder.by_name(path).into_iter().collect(),
            };
            for file in given {
                // The error that matters is that of the module's own path.
                let _ = gathered.take_binary(&file, expected_build_id, finder);
            }
        }
        if !gathered.found_any {
            own?;
        }
        gathered.finish(local)
    }

    /// The files with debug information. What cannot be read is as good as missing.
    pub(crate) fn open_debug(&self, finder: &Finder<'_>) -> Option<Debug> {
        let file = self.debug_file.as_deref()?;
        let main = Sections::open(file);
        if main.is_err() {
            finder.cannot_read(file);
        }
        let main = main.ok()?;
        let link = alternate_link(&main);
        let alternate = link
            .as_ref()
            .and_then(|link| open_alternate(&main, link, finder));
        let missing_alternate = link.map(|(path, _)| path).filter(|_| alternate.is_none());
        let package = package_path(&self.binary);
        let packages = [package_path(file), package.clone()].map(|path| finder.look_at(path));
        let package = packages
            .into_iter()
            .chain(finder.by_name(&package))
            .find_map(|file| Sections::open(&file).ok());
        Some(Debug {
            main,
            alternate,
            missing_alternate,
            package,
        })
    }

    /// Where the `.dwo` file may be that the compiler wrote to `path`.
    pub(crate) fn split_files(&self, path: &Path, finder: &Finder<'_>) -> Vec<PathBuf> {
        let name = path.file_name().unwrap_or_default();
        let beside = self.binary.parent().unwrap_or(Path::new("/")).join(name);
        let mut files = vec![finder.local(path), finder.look_at(beside)];
        files.extend(finder.by_name(path));
        files
    }
}

struct Gathered {
    subject: Subject,
    builder: Builder,
    thread_local: Builder,
    code: Vec<Range<u64>>,
    found_any: bool,
    has_symbols: bool,
    has_dynamic_symbols: bool,
    debug_file: Option<PathBuf>,
}

impl Gathered {
    fn new(subject: Subject) -> Gathered {
        Gathered {
            subject,
            builder: Builder::default(),
            thread_local: Builder::default(),
            code: Vec::new(),
            found_any: false,
            has_symbols: false,
            has_dynamic_symbols: false,
            debug_file: None,
        }
    }

    fn lacks_something(&self) -> bool {
        !self.has_symbols || self.debug_file.is_none()
    }

    /// Takes what the binary has, and what the files that were split off it have.
    fn take_binary(
        &mut self,
        path: &Path,
        expected_build_id: Option<&str>,
        finder: &Finder<'_>,
    ) -> Result<(), Error> {
        let malformed = |error: object::Error| Error::Malformed {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        let data = image::open(path)?;
        let image = Image::parse(&data).map_err(malformed)?;
        let build_id = image.build_id();
        check_build_id(path, expected_build_id, build_id.as_deref())?;
        self.take(path, &image).map_err(malformed)?;
        if !self.lacks_something() {
            return Ok(());
        }
        for candidate in debug_file::candidates(finder, path, &image, build_id.as_deref()) {
            // None of this is needed for an answer, so what cannot be read is passed over.
            let Ok(data) = image::open(&candidate.path) else {
                finder.cannot_read(&candidate.path);
                continue;
            };
            let Ok(debug) = Image::parse(&data) else {
                finder.cannot_read(&candidate.path);
                continue;
            };
            if candidate.belongs(debug.build_id().as_deref())
                && self.take(&candidate.path, &debug).is_err()
            {
                finder.cannot_read(&candidate.path);
            }
        }
        // The symbols that are packed are those of functions.
        if !self.has_symbols
            && self.subject == Subject::Functions
            && let Some(unpacked) = mini_debug::unpack(&image)
        {
            // An error here means no names beyond those of the dynamic symbols.
            let _ = Image::parse(unpacked.as_slice())
                .and_then(|debug| debug.add_functions(SHT_SYMTAB, &mut self.builder));
        }
        Ok(())
    }

    /// Takes what a file has and is still missing. It was found to be the right one.
    fn take<'data, R: ReadRef<'data>>(
        &mut self,
        path: &Path,
        image: &Image<'data, R>,
    ) -> object::Result<()> {
        if !self.found_any {
            self.code = match self.subject {
                Subject::Functions => image.code(),
                Subject::Variables => image.data(),
            };
            self.thread_local.add_code(0..image.thread_local_size());
            for range in &self.code {
                self.builder.add_code(range.clone());
            }
        }
        self.found_any = true;
        if !self.has_symbols {
            self.has_symbols = self.add_symbols(image, SHT_SYMTAB)?;
        }
        if !self.has_symbols && !self.has_dynamic_symbols {
            self.has_dynamic_symbols = self.add_symbols(image, SHT_DYNSYM)?;
        }
        if self.subject == Subject::Functions {
            plt::add_stubs(image, &mut self.builder);
        }
        if self.debug_file.is_none() && image.has_debug_information() {
            self.debug_file = Some(path.to_owned());
        }
        Ok(())
    }

    fn add_symbols<'data, R: ReadRef<'data>>(
        &mut self,
        image: &Image<'data, R>,
        table_type: u32,
    ) -> object::Result<bool> {
        let (builder, thread_local) = (&mut self.builder, &mut self.thread_local);
        match self.subject {
            Subject::Functions => image.add_functions(table_type, builder),
            Subject::Variables => image.add_variables(table_type, builder, thread_local),
        }
    }

    fn finish(self, binary: PathBuf) -> Result<Module, Error> {
        let (table, thread_local) = (self.builder.build(), self.thread_local.build());
        if table.is_empty() && thread_local.is_empty() && self.debug_file.is_none() {
            return Err(match self.subject {
                Subject::Functions => Error::NoSymbols { path: binary },
                Subject::Variables => Error::NoVariables { path: binary },
            });
        }
        Ok(Module {
            table,
            thread_local,
            code: self.code,
            binary,
            debug_file: self.debug_file,
        })
    }
}

fn package_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".dwp");
    PathBuf::from(name)
}

/// Finds the file that `dwz` made, by its path or its build-id.
fn open_alternate(
    main: &Sections,
    (path, id): &(PathBuf, String),
    finder: &Finder<'_>,
) -> Option<Sections> {
    let said = if path.is_absolute() {
        finder.local(path)
    } else {
        // Relative to where the debug file really is.
        let main = main.path().canonicalize().ok()?;
        finder.look_at(main.parent()?.join(path))
    };
    [said]
        .into_iter()
        .chain(finder.by_build_id(id))
        .filter(|file| build_id_of(file).is_some_and(|found| found == *id))
        .find_map(|file| Sections::open(&file).ok())
}

fn build_id_of(path: &Path) -> Option<String> {
    let data = image::open(path).ok()?;
    Image::parse(&data).ok()?.build_id()
}

fn check_build_id(path: &Path, expected: Option<&str>, found: Option<&str>) -> Result<(), Error> {
    match expected {
        Some(expected) if !found.is_some_and(|found| found.eq_ignore_ascii_case(expected)) => {
            Err(Error::BuildIdMismatch {
                path: path.to_owned(),
                expected: expected.to_owned(),
                found: found.unwrap_or("none").to_owned(),
            })
        }
        _ => Ok(()),
    }
}
