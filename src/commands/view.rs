//! `residue view`: a profile, two to compare, or a running program, in the browser.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use residue_arena::FILE_SUFFIX;
use residue_calltree::Detail;

use crate::commands::import::{Reading, load_or_import};
use crate::flags::address::Address;
use crate::flags::help::TEMPLATE;
use crate::flags::naming::Naming;
use residue_query::page::open_profiles::OpenProfiles;
use residue_query::page::opened::Opened;
use residue_recording::arenas::Arena;
use residue_recording::users;
use residue_text::output;
use residue_view::browser;
use residue_view::live::{Current, Program};
use residue_view::server::Server;
use residue_view::source_files;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue view job.residue
  residue view before.residue after.residue --at compare
  residue view job.residue --at 'flame?events=51..100'
  residue view --pid 4711                             # a running program
  residue view job.residue --no-browser --port 8080",
    after_long_help = "\
The page is served to this machine only, at an address that contains a secret; other requests are \
refused. From another machine: ssh -L 8080:127.0.0.1:8080 HOST residue view job.residue --port 8080

docs/VIEW.md shows the page."
)]
pub struct Args {
    /// Profile to show, or a file of another tool
    #[arg(value_name = "FILE", required_unless_present = "pid")]
    pub file: Option<Address>,
    /// Profile to compare FILE with: FILE is before, FILE2 after
    #[arg(value_name = "FILE2")]
    pub second: Option<Address>,
    /// Show a program that `residue run` is recording now
    #[arg(long, conflicts_with = "file", value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Option<u32>,
    /// View to open: what follows `#` in the page's address
    #[arg(long, value_name = "VIEW")]
    pub at: Option<String>,
    /// Port to listen on; 0 for any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Print the address, do not open a browser
    #[arg(long)]
    pub no_browser: bool,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub naming: Naming,
}

pub fn run(args: Args) -> Result<()> {
    let program = match (&args.file, args.pid) {
        (_, Some(pid)) => Some(args.program(pid)?),
        (Some(file), None) => match running(&file.path)? {
            Some(_) if args.second.is_some() => {
                bail!("{file} is a running program and cannot be compared")
            }
            Some(pid) => Some(args.program(pid)?),
            None => None,
        },
        (None, None) => None,
    };
    let mut profiles = match &program {
        Some(program) => program.open()?,
        None => args.open_files()?,
    };
    profiles.read_source = Arc::new(source_files::for_the_page);
    let server = Server::bind(args.port)?;
    let fragment = args.at.as_deref().map(fragment).unwrap_or_default();
    let address = server.address() + &fragment;
    let own_address = server.own_address() + &fragment;
    let current = Arc::new(Current::new(profiles));
    server.run(current.clone(), || {
        output::to_stdout(|out| Ok(writeln!(out, "{address}")?))?;
        output::tell("press Ctrl-C to stop");
        if !args.no_browser {
            browser::open(&own_address);
        }
        let profiles = current.profiles();
        thread::spawn(move || warm_up(&profiles));
        if let Some(program) = program {
            thread::spawn(move || program.follow(&current));
        }
        Ok(())
    })
}

impl Args {
    fn program(&self, pid: u32) -> Result<Program> {
        Program::find(pid, self.naming.names()?)
    }

    fn open_files(&self) -> Result<OpenProfiles> {
        let first = self.file.as_ref().context("give a FILE or --pid")?;
        let first = self.open(first)?;
        let second = self.second.as_ref().map(|file| self.open(file));
        Ok(OpenProfiles::new(first, second.transpose()?))
    }

    fn open(&self, file: &Address) -> Result<Opened> {
        if let Some(part) = &file.part {
            bail!(
                "{file}: whole files are opened; choose `{part}` in the page, or open it there: \
                 --at 'stacks?events=51..100'"
            );
        }
        let names = self.naming.names()?;
        let bar = progress(&file.path);
        let profile = load_or_import(file, self.reading);
        bar.finish_and_clear();
        let name = file.path.file_name().unwrap_or(file.path.as_os_str());
        let name = match &file.process {
            Some(process) => format!("{}@{process}", name.to_string_lossy()),
            None => name.to_string_lossy().into_owned(),
        };
        Ok(Opened::new(name, profile?, names))
    }
}

/// The process that writes an arena, where FILE is one.
fn running(path: &Path) -> Result<Option<u32>> {
    if !path.to_string_lossy().ends_with(FILE_SUFFIX) {
        return Ok(None);
    }
    let arena = Arena::open(path.to_path_buf())?;
    let file = path.display();
    match users::writer(path, arena.identity.pid) {
        Some(pid) => Ok(Some(pid)),
        None => {
            bail!("{file}: the program has ended; `residue recover {file} -o FILE` makes a profile")
        }
    }
}

/// What turns on a terminal while a profile is read; imports have a bar of their own.
fn progress(path: &Path) -> ProgressBar {
    if path.extension().is_none_or(|ending| ending != "residue") {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("residue: {spinner} {msg}") {
        bar.set_style(style);
    }
    bar.set_message(format!("reading {}", path.display()));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// The place in the page as the end of its address.
fn fragment(at: &str) -> String {
    const NOT_THERE: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');
    let at = at.strip_prefix('#').unwrap_or(at);
    format!("#{}", utf8_percent_encode(at, NOT_THERE))
}

/// Works out what the first answers are made from, while the browser starts: the verdict, and
/// beside it the tree, which flame graphs and searches need. The tree leaves half of the
/// processors to what is asked meanwhile.
fn warm_up(profiles: &OpenProfiles) {
    let half = rayon::current_num_threads().div_ceil(2);
    let threads = rayon::ThreadPoolBuilder::new().num_threads(half).build();
    for opened in std::iter::once(&profiles.first).chain(&profiles.second) {
        thread::scope(|scope| {
            // Where threads cannot be had it is made when it is asked for.
            if let Ok(threads) = &threads {
                scope.spawn(|| threads.install(|| _ = opened.tree(Detail::Function)));
            }
            opened.verdict(None);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_addresses_are() {
        assert_eq!(fragment("flame?events=51..100"), "#flame?events=51..100");
        assert_eq!(fragment("#flame"), "#flame");
        assert_eq!(
            fragment("stacks?focus=a b\"<ä>%20"),
            "#stacks?focus=a%20b%22%3C%C3%A4%3E%20"
        );
    }
}
