//! Under which names functions are shown. The same options for every command that
//! shows any.

use std::path::PathBuf;

use anyhow::{Context, Result};
use residue_names::{NameStyle, Rules};

#[derive(Debug, Clone, Default, clap::Args)]
pub struct Naming {
    /// More rules for names, after the built-in ones
    #[arg(long, value_name = "FILE", help_heading = "Names")]
    pub rules: Vec<PathBuf>,
    /// No built-in rules: every frame under its own name
    #[arg(long, help_heading = "Names")]
    pub no_rules: bool,
    /// Names with parameters and return types, however long
    #[arg(long, help_heading = "Names")]
    pub full_names: bool,
}

impl Naming {
    pub fn rules(&self) -> Result<Rules> {
        let mut rules = match self.no_rules {
            true => Rules::none(),
            false => Rules::builtin(),
        };
        for path in &self.rules {
            let name = path.display();
            let text =
                std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
            rules = rules.and_then(Rules::parse(&text, &name.to_string())?);
        }
        Ok(rules)
    }

    pub fn style(&self) -> NameStyle {
        if self.full_names {
            NameStyle::Full
        } else {
            NameStyle::Short
        }
    }
}
