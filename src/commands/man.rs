//! `residue man`: manual pages, from the same source as `--help`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::flags::help::{Block, TEMPLATE, blocks, find, shown};
use residue_text::output;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue man leaks | man -l -
  residue man --dir ~/.local/share/man/man1",
    after_long_help = "`make install` installs the manual pages."
)]
pub struct Args {
    /// Command to describe [default: residue itself]
    command: Option<String>,
    /// Write the pages of all commands into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    dir: Option<PathBuf>,
}

pub fn run(args: Args, mut root: Command) -> Result<()> {
    root.build();
    if let Some(dir) = &args.dir {
        std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
        for command in shown(&root) {
            let file = dir.join(Man::new(command.clone()).get_filename());
            std::fs::write(&file, page(command)?).with_context(|| file.display().to_string())?;
        }
        return Ok(());
    }
    let page = page(find(&root, args.command.as_deref().unwrap_or(""))?)?;
    output::to_stdout(|out| Ok(out.write_all(&page)?))
}

/// Examples come first, as in `--help`.
fn page(command: &Command) -> Result<Vec<u8>> {
    let man = Man::new(command.clone())
        .source("residue")
        .manual("Residue");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    if let Some(examples) = command.get_before_help() {
        section("EXAMPLES", &examples.to_string(), &mut page)?;
    }
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let after = command.get_after_long_help();
    if let Some(notes) = after.or_else(|| command.get_after_help()) {
        section("NOTES", &notes.to_string(), &mut page)?;
    }
    Ok(page)
}

fn section(title: &str, text: &str, page: &mut Vec<u8>) -> Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for block in blocks(text) {
        match block {
            Block::Paragraph(text) => {
                roff.control("PP", []);
                roff.text([roman(text)]);
            }
            Block::Lines(lines) => {
                roff.control("RS", ["4"]);
                roff.control("nf", []);
                for line in lines {
                    roff.text([roman(line)]);
                }
                roff.control("fi", []);
                roff.control("RE", []);
            }
        }
    }
    Ok(roff.to_writer(page)?)
}
