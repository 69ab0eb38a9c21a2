//! Paths of source files, as the compiler was given them.

use gimli::UnitRef;

use super::sections::Slice;

/// The path of a file by its number in the line table of a unit.
///
/// Made of up to three parts, of which later ones may be absolute: the directory of
/// compilation, a directory of the table, and the file.
pub(super) fn path(unit: UnitRef<'_, Slice<'_>>, number: u64) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(number)?;
    let mut path = String::new();
    if let Some(directory) = &unit.comp_dir {
        path.push_str(&directory.to_string_lossy());
    }
    if let Some(directory) = file.directory(header)
        && let Ok(directory) = unit.attr_string(directory)
    {
        push(&mut path, &directory.to_string_lossy());
    }
    let name = unit.attr_string(file.path_name()).ok()?;
    push(&mut path, &name.to_string_lossy());
    Some(path)
}

fn push(path: &mut String, part: &str) {
    if part.starts_with('/') {
        path.clear();
    } else if !path.is_empty() && !path.ends_with('/') {
        path.push('/');
    }
    path.push_str(part);
}

#[cfg(test)]
mod tests {
    use super::push;

    #[test]
    fn later_parts_may_be_absolute() {
        let join = |parts: &[&str]| {
            parts.iter().fold(String::new(), |mut path, part| {
                push(&mut path, part);
                path
            })
        };
        assert_eq!(join(&["/build", "src", "a.c"]), "/build/src/a.c");
        assert_eq!(join(&["/build", "/usr/include", "a.h"]), "/usr/include/a.h");
        assert_eq!(join(&["/build/", "../a.c"]), "/build/../a.c");
        assert_eq!(join(&["/build", "/tmp/a.c"]), "/tmp/a.c");
        assert_eq!(join(&["a.c"]), "a.c");
    }
}
