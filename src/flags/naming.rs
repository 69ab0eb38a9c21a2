//! Under which names functions are shown. The same options for every command that
//! shows any.

use std::path::PathBuf;

use anyhow::{Context, Result};
use residue_names::{NameStyle, Rules};
use residue_query::choice::Names;

#[derive(Debug, Clone, Default, clap::Args)]
pub struct Naming {
    /// Apply these naming rules after the built-in ones
    ///
    /// docs/RULES.md describes the file. May be given several times.
    #[arg(long, value_name = "FILE", help_heading = "Names")]
    pub rules: Vec<PathBuf>,
    /// Do not apply the built-in rules: show every frame
    #[arg(long, help_heading = "Names")]
    pub no_rules: bool,
    /// Show parameters and return types
    #[arg(long, help_heading = "Names")]
    pub full_names: bool,
}

impl Naming {
    pub fn names(&self) -> Result<Names> {
        Ok(Names {
            rules: self.read_rules()?,
            style: match self.full_names {
                true => NameStyle::Full,
                false => NameStyle::Short,
            },
        })
    }

    /// That names are not what the linker calls them; `None` where they are.
    pub fn note(&self) -> Option<String> {
        if self.no_rules {
            return None;
        }
        let own: Vec<String> = self
            .rules
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let rules = match own.is_empty() {
            true => "the built-in rules".to_string(),
            false => format!("the built-in rules and {}", own.join(", ")),
        };
        Some(match self.full_names {
            true => format!("frames hidden and merged by {rules}; --no-rules shows every frame"),
            false => format!("names shortened by {rules}; --no-rules shows every frame"),
        })
    }

    fn read_rules(&self) -> Result<Rules> {
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
}
