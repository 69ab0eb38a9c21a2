//! How text is shown: in colours or not, page by page or at once.

use anyhow::Result;
use residue_text::pager;
use residue_text::terminal::{Color, Page};

use super::words;

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Showing {
    /// When to use colours
    #[arg(
        long,
        value_name = "WHEN",
        value_parser = words::color(),
        default_value = "auto"
    )]
    pub color: Color,
    /// Do not use a pager
    #[arg(long)]
    pub no_pager: bool,
}

impl Showing {
    /// The page that standard output is.
    pub fn page(&self, has_full_names: bool) -> Page {
        Page::of_stdout(self.color, has_full_names)
    }

    pub fn show(&self, text: &str) -> Result<()> {
        pager::show(text, !self.no_pager)
    }
}
