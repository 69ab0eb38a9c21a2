//! Other allocators than glibc's, preloaded and linked.

use crate::support::{Lab, workloads};
use std::path::PathBuf;

struct Allocator {
    name: &'static str,
    package: &'static str,
    files: &'static [&'static str],
}

const JEMALLOC: Allocator = Allocator {
    name: "libjemalloc",
    package: "libjemalloc2",
    files: &["libjemalloc.so.2"],
};
const TCMALLOC: Allocator = Allocator {
    name: "libtcmalloc",
    package: "libtcmalloc-minimal4",
    files: &["libtcmalloc_minimal.so.4", "libtcmalloc.so.4"],
};
const MIMALLOC: Allocator = Allocator {
    name: "libmimalloc",
    package: "libmimalloc2.0",
    files: &["libmimalloc.so.2", "libmimalloc.so.2.0", "libmimalloc.so"],
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
        let (ledger, truths) = recorded.expect_exact();
        let allocator = &ledger.profile.meta.allocator;
        assert!(
            allocator.starts_with(self.name) && !allocator.contains('/'),
            "the allocator is {allocator:?}"
        );
        if truths.find("realloc_moved").is_some() {
            let heap = &ledger.profile.heap;
            assert_eq!(heap.reallocs_moved, truths.get("realloc_moved"));
            assert_eq!(heap.reallocs_in_place, truths.get("realloc_in_place"));
        }
    }

    fn expect_exact_preloaded(&self) {
        let library = self.library();
        for command in [
            &["hello"][..],
            &["new_delete"],
            &["crossfree", "16", "400000"],
        ] {
            self.expect_exact(&library, command);
        }
    }

    fn expect_exact_linked(&self) {
        let lab = Lab::new();
        let library = self.library();
        let link = ["-Wl,--no-as-needed", &library];
        for source in ["hello.c", "new_delete.cpp"] {
            let program = lab.path(source.split('.').next().unwrap_or(source));
            workloads::compile(source, &program, &link);
            self.expect_exact("", &[&program.display().to_string()]);
        }
    }

    /// The C functions: some behave differently there by themselves, so what is told
    /// of behaviour is compared with a run without recorder.
    fn expect_c_functions(&self) {
        let library = self.library();
        self.expect_exact(&library, &["c_alloc"]);
        let lab = Lab::new();
        let mut native = std::process::Command::new(workloads::find("c_alloc"));
        lab.prepare(&mut native);
        let native = native
            .env("LD_PRELOAD", &library)
            .output()
            .expect("the workload can be started");
        let mut run = lab.run(&[], &["c_alloc"]);
        run.env("LD_PRELOAD", &library);
        let recorded = lab.record_by(run).truths();
        let native = crate::support::truth::Truths::parse(&String::from_utf8_lossy(&native.stdout));
        for key in ["errno_ok", "failures_ok", "contents_ok", "free_sized"] {
            assert_eq!(recorded.get(key), native.get(key), "{key}");
        }
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
    JEMALLOC.expect_c_functions();
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
    TCMALLOC.expect_c_functions();
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
    MIMALLOC.expect_c_functions();
}
