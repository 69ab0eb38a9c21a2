//! Template arguments that somebody who writes a type leaves out.

/// Whether the last of the arguments is what is assumed when it is left out.
pub(super) fn is_default(arguments: &str, last: usize) -> bool {
    let (before, last) = arguments.split_at(last);
    let last = last.trim_start();
    let before = before.trim_end_matches(',');
    let (template, inner) = match last.split_once('<') {
        Some((template, inner)) => (template, inner.strip_suffix('>').unwrap_or(inner)),
        None => (last, ""),
    };
    match template.strip_prefix("std::").unwrap_or(template) {
        "allocator" | "Global" | "alloc::alloc::Global" => true,
        "less" | "hash" | "equal_to" | "char_traits" | "default_delete" | "regex_traits" => {
            // Of the first argument, as it is shown; `less<void>` is another thing.
            before.strip_prefix(inner).is_some_and(is_end_of_argument)
        }
        "RandomState" | "hash::random::RandomState" => true,
        // Containers underneath `stack`, `queue` and `priority_queue`.
        "deque" | "vector" => before.strip_prefix(inner).is_some_and(is_end_of_argument),
        _ => false,
    }
}

fn is_end_of_argument(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(',')
}
