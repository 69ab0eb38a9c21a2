//! Other allocators than glibc's, preloaded and linked.

use crate::allocation_functions::expect_reallocs;
use crate::support::truth::Truths;
use crate::support::{Lab, workloads};
use std::path::PathBuf;

struct Allocator {
    name: &'static str,
    package: &'static str,
    files: &'static [&'static str],
    /// A C++ workload that this allocator can run.
    cpp: &'static str,
}

const JEMALLOC: Allocator = Allocator {
    name: "libjemalloc",
    package: "libjemalloc2",
    files: &["libjemalloc.so.2"],
    cpp: "new_delete",
};
const TCMALLOC: Allocator = Allocator {
    name: "libtcmalloc",
    package: "libtcmalloc-minimal4",
    files: &["libtcmalloc_minimal.so.4", "libtcmalloc.so.4"],
    cpp: "new_delete",
};
const MIMALLOC: Allocator = Allocator {
    name: "libmimalloc",
    package: "libmimalloc2.0",
    files: &["libmimalloc.so.2", "libmimalloc.so.2.0", "libmimalloc.so"],
    // Its operator new aborts where others throw, which new_delete asks for.
    cpp: "leaky_events",
};

impl Allocator {
    fn library(&self) -> String {
        [
            "/usr/lib/x86_64-linux-gnu",
            "/usr/lib64",
            "/usr/lib",
            "/usr/local/lib",
        ]
        .iter()
        .flat_map(|folder| {
            self.files
                .iter()
                .map(move |file| PathBuf::from(folder).join(file))
        })
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("{} is missing: apt-get install {}", self.name, self.package))
        .display()
        .to_string()
    }

    fn expect_exact(&self, preload: &str, command: &[&str]) {
        let lab = Lab::new();
        let mut run = lab.run(&[], command);
        if !preload.is_empty() {
            run.env("LD_PRELOAD", preload);
        }
        let recorded = lab.record_by(run);
        let (ledger, _) = recorded.expect_exact();
        let allocator = &ledger.profile.meta.allocator;
        let file = allocator.rsplit('/').next().unwrap_or(allocator);
        assert!(
            file.starts_with(self.name),
            "the allocator is {allocator:?}"
        );
    }

    fn expect_exact_preloaded(&self) {
        let library = self.library();
        // An allocator may stand before the C library with `mmap` too, and map by number.
        for command in [
            &["hello"][..],
            &[self.cpp],
            &["crossfree", "16", "400000"],
            &["mappings"],
            &["kernel_maps"],
        ] {
            self.expect_exact(&library, command);
        }
    }

    fn expect_exact_linked(&self) {
        let lab = Lab::new();
        let library = self.library();
        let link = ["-Wl,--no-as-needed", &library];
        for (name, language) in [("hello", "c"), (self.cpp, "cpp")] {
            let program = lab.path(name);
            workloads::compile(&format!("{name}.{language}"), &program, &link);
            self.expect_exact("", &[&program.display().to_string()]);
        }
    }

    /// The C functions. What they tell of their behaviour, which is not everywhere
    /// glibc's, is compared with a run without recorder.
    fn expect_c_functions(&self, more: &[&str]) {
        let lab = Lab::new();
        let program = lab.path("c_alloc");
        let library = self.library();
        let options: Vec<&str> = [more, &["-Wl,--no-as-needed", &library]].concat();
        workloads::compile("c_alloc.c", &program, &options);
        let program = program.display().to_string();
        let native = Truths::parse(&String::from_utf8_lossy(&lab.native(&[&program]).stdout));
        let recorded = lab.record(&[], &[&program]);
        let (ledger, truths) = recorded.expect_exact();
        for key in ["errno_ok", "failures_ok", "contents_ok"] {
            assert_eq!(truths.get(key), native.get(key), "{key}");
        }
        expect_reallocs(&ledger, &truths);
    }
}

#[test]
fn jemalloc_preloaded_is_exact() {
    JEMALLOC.expect_exact_preloaded();
}

#[test]
fn jemalloc_linked_is_exact() {
    JEMALLOC.expect_exact_linked();
}

#[test]
fn jemalloc_c_functions_are_exact() {
    // It has no pvalloc: glibc's is called, and jemalloc's free crashes on its block.
    JEMALLOC.expect_c_functions(&["-Dpvalloc=valloc"]);
}

#[test]
fn tcmalloc_preloaded_is_exact() {
    TCMALLOC.expect_exact_preloaded();
}

#[test]
fn tcmalloc_linked_is_exact() {
    TCMALLOC.expect_exact_linked();
}

#[test]
fn tcmalloc_c_functions_are_exact() {
    TCMALLOC.expect_c_functions(&[]);
}

#[test]
fn mimalloc_preloaded_is_exact() {
    MIMALLOC.expect_exact_preloaded();
}

#[test]
fn mimalloc_linked_is_exact() {
    MIMALLOC.expect_exact_linked();
}

#[test]
fn mimalloc_c_functions_are_exact() {
    MIMALLOC.expect_c_functions(&[]);
}

#[test]
fn an_allocator_called_by_its_own_names_is_told_and_its_mappings_are_there() {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["tbb_heap"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let note = "TBB's scalable allocator is called by its own functions: its blocks are not \
                recorded, the memory that it maps is (mappings)";
    let profile = recorded.ledger().profile;
    assert!(
        profile.meta.notes.iter().any(|told| told == note),
        "{:?}",
        profile.meta.notes
    );
    assert!(
        recorded
            .stderr()
            .contains(&format!("residue: note: {note}\n")),
        "{}",
        recorded.describe()
    );
    assert!(profile.mappings.live_bytes >= recorded.truths().get("bytes"));
}

/// Its `mmap` and `munmap` are made of system calls by number, which are seen too.
#[test]
fn an_allocator_that_brings_its_own_mmap_does_not_meet_itself() {
    TCMALLOC.expect_exact(&TCMALLOC.library(), &["mappings"]);
}

#[test]
fn another_allocator_can_be_asked_for() {
    for (word, name) in [
        ("jemalloc", "libjemalloc"),
        ("tcmalloc", "libtcmalloc"),
        ("mimalloc", "libmimalloc"),
    ] {
        let lab = Lab::new();
        let recorded = lab.record(&["--allocator", word], &["leaky_events"]);
        let (ledger, _) = recorded.expect_exact();
        let allocator = &ledger.profile.meta.allocator;
        let file = allocator.rsplit('/').next().unwrap_or(allocator);
        assert!(file.starts_with(name), "{word}: {allocator}");
    }
}
