//! The parts of one ELF file that matter for naming functions and variables.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use object::elf::{self, FileHeader64};
use object::read::elf::{
    FileHeader, NoteIterator, ProgramHeader, SectionHeader, SectionTable, Sym,
};
use object::{Endianness, ReadCache, ReadRef};

use crate::error::Error;
use crate::table::{Builder, Rank};

type Header = FileHeader64<Endianness>;
pub(crate) type Section = elf::SectionHeader64<Endianness>;

/// Opens a file for reading the few ranges of it that are needed: the symbols
/// of a binary are often a hundredth of its debug information.
pub(crate) fn open(path: &Path) -> Result<ReadCache<File>, Error> {
    open_regular(path).map(ReadCache::new)
}

pub(crate) fn open_regular(path: &Path) -> Result<File, Error> {
    let open = || {
        let regular = |status: fs::Metadata| match status.is_file() {
            true => Ok(()),
            false => Err(io::Error::other("not a regular file")),
        };
        // Looked at before opening, which some devices take for an order, and again after,
        // without waiting for who writes into a pipe: the path may lead elsewhere by then.
        regular(fs::metadata(path)?)?;
        let mut file = File::options()
            .read(true)
            .custom_flags(NON_BLOCKING)
            .open(path)?;
        regular(file.metadata()?)?;
        // Where the disk or the network fails, that is the reason; a parser would call what it
        // could not read malformed.
        io::copy(&mut (&mut file).take(1), &mut io::sink())?;
        file.rewind()?;
        Ok(file)
    };
    open().map_err(|reason| Error::Read {
        path: path.to_owned(),
        reason,
    })
}

const NON_BLOCKING: i32 = 0o4000;

/// An ELF file, in `data` that is a file or a piece of memory.
pub(crate) struct Image<'data, R: ReadRef<'data>> {
    data: R,
    endian: Endianness,
    header: &'data Header,
    sections: SectionTable<'data, Header, R>,
}

impl<'data, R: ReadRef<'data>> Image<'data, R> {
    pub(crate) fn parse(data: R) -> object::Result<Self> {
        let header = Header::parse(data)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, data)?;
        Ok(Image {
            data,
            endian,
            header,
            sections,
        })
    }

    pub(crate) fn endian(&self) -> Endianness {
        self.endian
    }

    pub(crate) fn is_x86_64(&self) -> bool {
        self.header.e_machine(self.endian) == elf::EM_X86_64
    }

    pub(crate) fn sections(&self) -> impl Iterator<Item = &'data Section> {
        self.sections.iter()
    }

    pub(crate) fn section(&self, name: &str) -> Option<&'data Section> {
        let (_, section) = self
            .sections
            .section_by_name(self.endian, name.as_bytes())?;
        Some(section)
    }

    /// The contents of a section; empty if they are not in the file.
    pub(crate) fn contents(&self, section: &Section) -> object::Result<&'data [u8]> {
        section.data(self.endian, self.data)
    }

    /// The relocations in a section, if it has any.
    pub(crate) fn relocations(&self, section: &Section) -> &'data [elf::Rela64<Endianness>] {
        match section.rela(self.endian, self.data) {
            Ok(Some((relocations, _))) => relocations,
            _ => &[],
        }
    }

    /// The symbols in the table of the given type, with their string table.
    pub(crate) fn symbols(
        &self,
        table_type: u32,
    ) -> object::Result<(&'data [elf::Sym64<Endianness>], &'data [u8])> {
        let table = self
            .sections()
            .find(|section| section.sh_type(self.endian) == table_type);
        let Some(table) = table else {
            return Ok((&[], &[]));
        };
        let symbols = table.data_as_array(self.endian, self.data)?;
        // The strings are read at once: one by one they would take a system
        // call each, and long names would not be found at all.
        let strings = self.sections.section(table.link(self.endian))?;
        Ok((symbols, self.contents(strings)?))
    }

    /// The build-id as lower-case hex digits.
    pub(crate) fn build_id(&self) -> Option<String> {
        let sections = self.sections();
        let sections = sections.filter_map(|s| s.notes(self.endian, self.data).ok().flatten());
        // A file with sections may have program headers that point nowhere, as
        // those of debug files do.
        let segments = match self.sections.is_empty() {
            true => self.header.program_headers(self.endian, self.data),
            false => Ok(Default::default()),
        };
        let segments = segments.unwrap_or_default().iter();
        let segments = segments.filter_map(|s| s.notes(self.endian, self.data).ok().flatten());
        let id = sections
            .chain(segments)
            .find_map(|notes| self.find_build_id(notes))?;
        Some(id.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn find_build_id(&self, mut notes: NoteIterator<'data, Header>) -> Option<&'data [u8]> {
        while let Ok(Some(note)) = notes.next() {
            let kind = note.n_type(self.endian);
            if note.name() == elf::ELF_NOTE_GNU && kind == elf::NT_GNU_BUILD_ID {
                return Some(note.desc());
            }
        }
        None
    }

    /// The ranges of addresses that hold code, sorted.
    pub(crate) fn code(&self) -> Vec<Range<u64>> {
        self.ranges(|flags| flags & elf::SHF_EXECINSTR != 0)
    }

    /// The ranges of addresses that hold variables which all threads share, sorted.
    pub(crate) fn data(&self) -> Vec<Range<u64>> {
        let kinds = elf::SHF_ALLOC | elf::SHF_EXECINSTR | elf::SHF_TLS;
        self.ranges(|flags| flags & kinds == elf::SHF_ALLOC)
    }

    /// The bytes of variables that each thread has of its own.
    pub(crate) fn thread_local_size(&self) -> u64 {
        let ranges = self.ranges(|flags| flags & elf::SHF_TLS != 0);
        let end = ranges.iter().map(|range| range.end).max();
        let start = ranges.first().map(|range| range.start);
        end.unwrap_or(0).saturating_sub(start.unwrap_or(0))
    }

    fn ranges(&self, is_wanted: impl Fn(u32) -> bool) -> Vec<Range<u64>> {
        let sections = self.sections();
        // All flags that are known here are among the lower ones.
        let wanted = sections.filter(|section| is_wanted(section.sh_flags(self.endian) as u32));
        let ranges = wanted.map(|section| {
            let start = section.sh_addr(self.endian);
            start..start.saturating_add(section.sh_size(self.endian))
        });
        let mut ranges: Vec<_> = ranges.collect();
        ranges.sort_unstable_by_key(|range| range.start);
        ranges
    }

    /// Whether it has descriptions of functions and lines.
    pub(crate) fn has_debug_information(&self) -> bool {
        let sections = [".debug_info", ".zdebug_info"].map(|name| self.section(name));
        let mut sections = sections.into_iter().flatten();
        sections.any(|section| section.sh_type(self.endian) != elf::SHT_NOBITS)
    }

    /// Adds the functions of one symbol table, and says whether it had any.
    pub(crate) fn add_functions(
        &self,
        table_type: u32,
        builder: &mut Builder,
    ) -> object::Result<bool> {
        let (symbols, strings) = self.symbols(table_type)?;
        let functions = || {
            symbols
                .iter()
                .filter_map(|symbol| Some((symbol, self.rank(symbol)?)))
        };
        if !functions().any(|(_, rank)| rank != Rank::Label) {
            return Ok(false);
        }
        // No real file has 4 GiB of names.
        let Some(base) = builder.add_names(strings) else {
            return Ok(false);
        };
        for (symbol, rank) in functions() {
            if let Some(name) = base.checked_add(symbol.st_name(self.endian)) {
                let start = symbol.st_value(self.endian);
                builder.add(start, symbol.st_size(self.endian), name, rank);
            }
        }
        Ok(true)
    }

    /// Adds the variables of one symbol table, those of each thread apart, and says whether it
    /// had any.
    pub(crate) fn add_variables(
        &self,
        table_type: u32,
        shared: &mut Builder,
        thread_local: &mut Builder,
    ) -> object::Result<bool> {
        let (symbols, strings) = self.symbols(table_type)?;
        let mut has_variables = false;
        for symbol in symbols {
            let builder = match symbol.st_type() {
                elf::STT_OBJECT => &mut *shared,
                elf::STT_TLS => &mut *thread_local,
                _ => continue,
            };
            let section = symbol.st_shndx(self.endian);
            let size = symbol.st_size(self.endian);
            // A symbol without a size marks the end of something rather than a variable.
            if section == elf::SHN_UNDEF || section == elf::SHN_ABS || size == 0 {
                continue;
            }
            let rank = match symbol.st_bind() {
                elf::STB_LOCAL => Rank::Local,
                elf::STB_WEAK => Rank::Weak,
                _ => Rank::Global,
            };
            let name = strings.get(symbol.st_name(self.endian) as usize..);
            let name = name.and_then(|name| name.split(|&byte| byte == 0 || byte == b'@').next());
            // One by one: most names of a file are of functions.
            if let Some(name) = name.and_then(|name| builder.add_names(name)) {
                builder.add(symbol.st_value(self.endian), size, name, rank);
                has_variables = true;
            }
        }
        Ok(has_variables)
    }

    /// How much a symbol is to be trusted; `None` if it is no function that is
    /// defined here.
    fn rank(&self, symbol: &elf::Sym64<Endianness>) -> Option<Rank> {
        let section = symbol.st_shndx(self.endian);
        if section == elf::SHN_UNDEF || section == elf::SHN_ABS {
            return None;
        }
        match (symbol.st_type(), symbol.st_bind()) {
            (elf::STT_NOTYPE, _) => Some(Rank::Label),
            (elf::STT_FUNC | elf::STT_GNU_IFUNC, elf::STB_LOCAL) => Some(Rank::Local),
            (elf::STT_FUNC | elf::STT_GNU_IFUNC, elf::STB_WEAK) => Some(Rank::Weak),
            (elf::STT_FUNC | elf::STT_GNU_IFUNC, _) => Some(Rank::Global),
            _ => None,
        }
    }
}
