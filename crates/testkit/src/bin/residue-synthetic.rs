//! Writes a large made-up profile, and prints what readers must find in it.
#![forbid(unsafe_code)]

use std::io::Write;
use std::path::PathBuf;

use clap::Parser;
use residue_testkit::synthetic::{Spec, profile, truth};

#[derive(Parser)]
#[command(about = "Writes a made-up profile and prints the sums over its stacks")]
struct Args {
    /// The file to write
    out: PathBuf,
    #[arg(long, default_value_t = Spec::default().stacks)]
    stacks: usize,
    #[arg(long, default_value_t = Spec::default().events)]
    events: u32,
    #[arg(long, default_value_t = Spec::default().modules)]
    modules: usize,
    #[arg(long, default_value_t = Spec::default().functions)]
    functions: usize,
    /// Frames of a stack, on average
    #[arg(long, default_value_t = Spec::default().depth)]
    depth: usize,
    #[arg(long, default_value_t = Spec::default().threads)]
    threads: usize,
    #[arg(long, default_value_t = Spec::default().seed)]
    seed: u64,
    /// Names of some ten bytes instead of kilobytes
    #[arg(long)]
    short_names: bool,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let profile = profile(&Spec {
        stacks: args.stacks,
        events: args.events,
        modules: args.modules,
        functions: args.functions,
        depth: args.depth,
        threads: args.threads,
        seed: args.seed,
        long_names: !args.short_names,
    });
    residue_profile::write_to(&args.out, &profile)?;
    let mut out = std::io::stdout().lock();
    for (key, value) in truth(&profile) {
        writeln!(out, "truth {key} {value}")?;
    }
    Ok(())
}
