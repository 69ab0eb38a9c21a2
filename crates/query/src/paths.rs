//! Paths of stacks as every surface shows them.

use residue_calltree::{Label, PathStep};
use residue_names::cut_middle;

/// The names of a path without the middle of a very long one, and each without the
/// middle of a very long name.
pub fn shortened(
    names: &[impl AsRef<str>],
    most_steps: usize,
    most_characters: usize,
) -> Vec<String> {
    let text = |name: &_| cut_middle(AsRef::<str>::as_ref(name), most_characters);
    if names.len() <= most_steps {
        return names.iter().map(text).collect();
    }
    let half = most_steps / 2;
    let left_out = names.len() - 2 * half;
    let functions = if left_out == 1 {
        "function"
    } else {
        "functions"
    };
    let left_out = format!("[... {left_out} {functions} ...]");
    let outer = names[..half].iter().map(text);
    let inner = names[names.len() - half..].iter().map(text);
    outer.chain([left_out]).chain(inner).collect()
}

/// `src/thing.cpp:12`: as much of the path as helps to find the file.
pub fn place(label: &Label) -> Option<String> {
    let parts: Vec<&str> = label.file.rsplitn(3, '/').collect();
    let file = match parts[..] {
        [""] | [] => return None,
        [file] => file.to_string(),
        [file, folder, ..] => format!("{folder}/{file}"),
    };
    Some(with_line(file, label.line))
}

fn with_line(file: String, line: u32) -> String {
    match line {
        0 => file,
        line => format!("{file}:{line}"),
    }
}

/// The names of steps, root first.
pub fn names(steps: &[PathStep]) -> Vec<String> {
    let names = steps.iter().map(|step| step.label.name.to_string());
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_and_long_names_lose_their_middle() {
        let names = ["main", "a_long_name", "b", "c", "d"];
        assert_eq!(shortened(&names, 5, 20), names);
        assert_eq!(
            shortened(&names, 4, 5),
            ["main", "a_…me", "[... 1 function ...]", "c", "d"]
        );
    }
}
