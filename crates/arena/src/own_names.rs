//! Allocators that programs call by names of their own, and what their functions take. The
//! command looks for them in the symbols of the program that it starts, the recorder in the
//! dynamic symbols of what is loaded.

use core::ffi::CStr;
use core::ops::Range;

/// Where the arguments of a function stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Returns a block; its size is the first argument.
    MakesFirst,
    /// Its size is the second.
    MakesSecond,
    /// Its size is the product of both.
    MakesProduct,
    /// (place, alignment, size), as `posix_memalign`.
    Places,
    /// (block, size).
    Reallocates,
    /// (block, count, size of each).
    ReallocatesProduct,
    /// (block).
    Frees,
}

use Shape::*;

/// The functions of one allocator: first those that tell whether a library is that, its `malloc`
/// and its `free`.
#[derive(Debug)]
pub struct Family {
    pub allocator: &'static str,
    pub functions: &'static [(&'static CStr, Shape)],
}

/// No more than there are bits for them among the notes of an arena.
pub const FAMILIES: [Family; 5] = [
    Family {
        allocator: "mimalloc",
        functions: &MIMALLOC,
    },
    Family {
        allocator: "jemalloc",
        functions: &JEMALLOC,
    },
    Family {
        allocator: "jemalloc",
        functions: &RUST_JEMALLOC,
    },
    Family {
        allocator: "tcmalloc",
        functions: &TCMALLOC,
    },
    Family {
        allocator: "TBB's scalable allocator",
        functions: &TBB,
    },
];

/// Not those of heaps that are destroyed as a whole.
const MIMALLOC: [(&CStr, Shape); 32] = [
    (c"mi_malloc", MakesFirst),
    (c"mi_free", Frees),
    (c"mi_calloc", MakesProduct),
    (c"mi_realloc", Reallocates),
    (c"mi_zalloc", MakesFirst),
    (c"mi_malloc_small", MakesFirst),
    (c"mi_zalloc_small", MakesFirst),
    (c"mi_malloc_aligned", MakesFirst),
    (c"mi_zalloc_aligned", MakesFirst),
    (c"mi_calloc_aligned", MakesProduct),
    (c"mi_realloc_aligned", Reallocates),
    (c"mi_rezalloc", Reallocates),
    (c"mi_rezalloc_aligned", Reallocates),
    (c"mi_expand", Reallocates),
    (c"mi_mallocn", MakesProduct),
    (c"mi_reallocn", ReallocatesProduct),
    (c"mi_reallocarray", ReallocatesProduct),
    (c"mi_recalloc", ReallocatesProduct),
    (c"mi_recalloc_aligned", ReallocatesProduct),
    (c"mi_posix_memalign", Places),
    (c"mi_memalign", MakesSecond),
    (c"mi_aligned_alloc", MakesSecond),
    (c"mi_valloc", MakesFirst),
    (c"mi_pvalloc", MakesFirst),
    (c"mi_free_size", Frees),
    (c"mi_free_aligned", Frees),
    (c"mi_free_size_aligned", Frees),
    (c"mi_new", MakesFirst),
    (c"mi_new_nothrow", MakesFirst),
    (c"mi_new_aligned", MakesFirst),
    (c"mi_new_aligned_nothrow", MakesFirst),
    (c"mi_new_n", MakesProduct),
];

const JEMALLOC: [(&CStr, Shape); 12] = [
    (c"je_malloc", MakesFirst),
    (c"je_free", Frees),
    (c"je_calloc", MakesProduct),
    (c"je_realloc", Reallocates),
    (c"je_posix_memalign", Places),
    (c"je_aligned_alloc", MakesSecond),
    (c"je_memalign", MakesSecond),
    (c"je_valloc", MakesFirst),
    (c"je_mallocx", MakesFirst),
    (c"je_rallocx", Reallocates),
    (c"je_dallocx", Frees),
    (c"je_sdallocx", Frees),
];

/// The prefix of the crates that make it Rust's global allocator.
const RUST_JEMALLOC: [(&CStr, Shape); 12] = [
    (c"_rjem_malloc", MakesFirst),
    (c"_rjem_free", Frees),
    (c"_rjem_calloc", MakesProduct),
    (c"_rjem_realloc", Reallocates),
    (c"_rjem_posix_memalign", Places),
    (c"_rjem_aligned_alloc", MakesSecond),
    (c"_rjem_memalign", MakesSecond),
    (c"_rjem_valloc", MakesFirst),
    (c"_rjem_mallocx", MakesFirst),
    (c"_rjem_rallocx", Reallocates),
    (c"_rjem_dallocx", Frees),
    (c"_rjem_sdallocx", Frees),
];

const TCMALLOC: [(&CStr, Shape); 18] = [
    (c"tc_malloc", MakesFirst),
    (c"tc_free", Frees),
    (c"tc_free_sized", Frees),
    (c"tc_calloc", MakesProduct),
    (c"tc_realloc", Reallocates),
    (c"tc_cfree", Frees),
    (c"tc_memalign", MakesSecond),
    (c"tc_posix_memalign", Places),
    (c"tc_valloc", MakesFirst),
    (c"tc_pvalloc", MakesFirst),
    (c"tc_new", MakesFirst),
    (c"tc_new_nothrow", MakesFirst),
    (c"tc_newarray", MakesFirst),
    (c"tc_newarray_nothrow", MakesFirst),
    (c"tc_delete", Frees),
    (c"tc_delete_sized", Frees),
    (c"tc_deletearray", Frees),
    (c"tc_deletearray_sized", Frees),
];

const TBB: [(&CStr, Shape); 8] = [
    (c"scalable_malloc", MakesFirst),
    (c"scalable_free", Frees),
    (c"scalable_calloc", MakesProduct),
    (c"scalable_realloc", Reallocates),
    (c"scalable_posix_memalign", Places),
    (c"scalable_aligned_malloc", MakesFirst),
    (c"scalable_aligned_realloc", Reallocates),
    (c"scalable_aligned_free", Frees),
];

/// All functions, numbered from one family to the next.
pub fn functions() -> impl Iterator<Item = (usize, &'static (&'static CStr, Shape))> {
    FAMILIES
        .iter()
        .flat_map(|family| family.functions)
        .enumerate()
}

/// The families, and the numbers of their functions.
pub fn families() -> impl Iterator<Item = (Range<usize>, &'static Family)> {
    let mut end = 0;
    FAMILIES.iter().map(move |family| {
        let start = end;
        end += family.functions.len();
        (start..end, family)
    })
}

pub const COUNT: usize = 32 + 12 + 12 + 18 + 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted_and_distinct() {
        assert_eq!(functions().count(), COUNT);
        let mut names: Vec<&CStr> = functions().map(|(_, (name, _))| *name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), COUNT);
        for family in &FAMILIES {
            assert_eq!(family.functions[0].1, MakesFirst, "{family:?}");
            assert_eq!(family.functions[1].1, Frees, "{family:?}");
        }
    }
}
