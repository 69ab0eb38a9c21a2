//! Builds of a profile's libraries, to tell whether two profiles have the same code.

use std::collections::HashMap;

use residue_profile::{Module, Profile};

/// By file name.
#[derive(Default)]
pub struct Builds {
    modules: HashMap<String, Vec<Module>>,
}

impl Builds {
    pub fn of(profile: &Profile) -> Builds {
        let mut builds = Builds::default();
        for (index, module) in profile.modules.iter().enumerate() {
            let name = profile.module_name(index as u32).unwrap_or_default();
            let same_name = builds.modules.entry(name.to_string()).or_default();
            same_name.push(module.clone());
        }
        builds
    }

    /// Whether a library is of another build on the other side, or only on one.
    pub fn is_moved(&self, other: &Builds, module: &str) -> bool {
        let is_same = |one: &Module, other: &Module| {
            // Without the number of its build a file is known by its path.
            one.build_id == other.build_id && (!one.build_id.is_empty() || one.path == other.path)
        };
        let sides = (self.modules.get(module), other.modules.get(module));
        let (Some(before), Some(after)) = sides else {
            return true;
        };
        !before
            .iter()
            .all(|one| after.iter().all(|other| is_same(one, other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builds(modules: &[(&str, &str)]) -> Builds {
        let module = |(path, build_id): &(&str, &str)| Module {
            path: path.to_string(),
            build_id: build_id.to_string(),
            ..Module::default()
        };
        Builds::of(&Profile {
            modules: modules.iter().map(module).collect(),
            ..Profile::default()
        })
    }

    #[test]
    fn code_is_where_it_was_in_the_same_build_only() {
        let before = builds(&[("/old/a.so", "1"), ("/lib/b.so", ""), ("/lib/c.so", "3")]);
        let after = builds(&[("/new/a.so", "1"), ("/lib/b.so", ""), ("/lib/c.so", "4")]);
        let moved = |name: &str| before.is_moved(&after, name);
        assert!(!moved("a.so") && !moved("b.so"));
        assert!(moved("c.so") && moved("elsewhere.so"));
        let elsewhere = builds(&[("/opt/b.so", "")]);
        assert!(before.is_moved(&elsewhere, "b.so"));
    }
}
