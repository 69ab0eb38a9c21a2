//! `residue completions`: what a shell needs to complete command lines.

use crate::flags::help::TEMPLATE;
use anyhow::Result;
use clap_complete::Shell;
use residue_text::output;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  residue completions bash > ~/.local/share/bash-completion/completions/residue
  residue completions zsh > ~/.zfunc/_residue
  residue completions fish > ~/.config/fish/completions/residue.fish",
    after_long_help = "`make install` installs the completions of bash, zsh and fish."
)]
pub struct Args {
    /// Shell to complete in
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: Args, mut root: clap::Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut root, "residue", &mut script);
    output::to_stdout(|out| Ok(out.write_all(&script)?))
}
