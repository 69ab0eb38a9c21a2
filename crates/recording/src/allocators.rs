//! Allocators that a program can be started with instead of its own: where they are installed.

use std::path::PathBuf;

use anyhow::{Result, bail};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocator {
    Jemalloc,
    Tcmalloc,
    Mimalloc,
}

/// Where libraries are, beside LD_LIBRARY_PATH.
const FOLDERS: [&str; 8] = [
    "/usr/local/lib",
    "/usr/local/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/lib64",
    "/usr/lib",
    "/lib",
];

impl Allocator {
    pub const ALL: [Allocator; 3] = [
        Allocator::Jemalloc,
        Allocator::Tcmalloc,
        Allocator::Mimalloc,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Allocator::Jemalloc => "jemalloc",
            Allocator::Tcmalloc => "tcmalloc",
            Allocator::Mimalloc => "mimalloc",
        }
    }

    /// Its files, the best first.
    fn files(self) -> &'static [&'static str] {
        match self {
            Allocator::Jemalloc => &["libjemalloc.so.2", "libjemalloc.so.1", "libjemalloc.so"],
            Allocator::Tcmalloc => &[
                "libtcmalloc_minimal.so.4",
                "libtcmalloc.so.4",
                "libtcmalloc_minimal.so",
                "libtcmalloc.so",
            ],
            Allocator::Mimalloc => &["libmimalloc.so.3", "libmimalloc.so.2", "libmimalloc.so"],
        }
    }

    /// Debian's package, which has its name in other places too.
    fn package(self) -> &'static str {
        match self {
            Allocator::Jemalloc => "libjemalloc2",
            Allocator::Tcmalloc => "libtcmalloc-minimal4",
            Allocator::Mimalloc => "libmimalloc2.0",
        }
    }

    /// The library on this machine.
    pub fn find(self) -> Result<PathBuf> {
        let searched = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let first = std::env::split_paths(&searched).filter(|it| it.is_absolute());
        let folders: Vec<PathBuf> = first.chain(FOLDERS.map(PathBuf::from)).collect();
        match self.find_in(&folders) {
            Some(path) => Ok(path),
            None => bail!(
                "--allocator {}: {} is not in LD_LIBRARY_PATH, nor where libraries usually are; on \
                 Debian: apt-get install {}",
                self.name(),
                self.files()[0],
                self.package()
            ),
        }
    }

    fn find_in(self, folders: &[PathBuf]) -> Option<PathBuf> {
        let in_folder = |file: &&str| {
            let mut paths = folders.iter().map(|folder| folder.join(file));
            paths.find(|path| path.is_file())
        };
        self.files().iter().find_map(in_folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_that_has_the_best_file_counts() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let paths: Vec<PathBuf> = folders.iter().map(|it| it.path().to_path_buf()).collect();
        let found = || Allocator::Jemalloc.find_in(&paths);
        assert_eq!(found(), None);
        for (folder, file) in [
            (1, "libjemalloc.so"),
            (1, "libjemalloc.so.2"),
            (0, "libjemalloc.so.2"),
        ] {
            let path = paths[folder].join(file);
            std::fs::write(&path, "").unwrap();
            assert_eq!(found(), Some(path));
        }
    }
}
