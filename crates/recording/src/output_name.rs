//! `%` in the name of the output, and ranks of a parallel job: several `residue run` with the
//! same command line must not write the same file.
//!
//! | written   | becomes                                                          |
//! |-----------|------------------------------------------------------------------|
//! | `%p`      | number of the recorded process, when its profile is written      |
//! | `%h`      | name of the host                                                 |
//! | `%n`      | rank in a job of MPI or Slurm, 0 elsewhere                        |
//! | `%q{VAR}` | the environment variable                                         |
//! | `%%`      | `%`                                                              |

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// What is known of the surroundings.
pub struct Surroundings<'a> {
    pub host: &'a str,
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
}

/// The variables of a rank and of the number of ranks.
const RANKS: [(&str, &str); 4] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMIX_RANK", "PMIX_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
];

/// The name with all but `%p` filled in. Where it is the same for all ranks of a job, the rank
/// is put before its suffix.
pub fn filled_in(wanted: &Path, around: &Surroundings) -> Result<PathBuf> {
    let rank = rank(around);
    let mut name = Vec::new();
    let mut tells_ranks_apart = false;
    let mut rest = wanted.as_os_str().as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            name.push(byte);
            continue;
        }
        let (&kind, after) = rest.split_first().unwrap_or((&b' ', &[]));
        rest = after;
        match kind {
            b'%' | b'p' => name.extend([b'%', kind]),
            b'h' => name.extend(literally(Path::new(around.host)).into_vec()),
            b'n' => name.extend(rank.unwrap_or(0).to_string().into_bytes()),
            b'q' => {
                let end = rest.iter().position(|&byte| byte == b'}');
                let (Some(b'{'), Some(end)) = (rest.first(), end) else {
                    bail!("`%q` in the name of the output needs a variable: %q{{VAR}}");
                };
                let variable = String::from_utf8_lossy(&rest[1..end]).into_owned();
                let value = (around.variable)(&variable).with_context(|| {
                    format!("`%q{{{variable}}}`: this environment variable is not set")
                })?;
                name.extend(literally(Path::new(&value)).into_vec());
                rest = &rest[end + 1..];
            }
            _ => bail!(
                "`%{}` in the name of the output: use %p, %h, %n, %q{{VAR}}, or %% for `%`",
                kind as char
            ),
        }
        tells_ranks_apart |= matches!(kind, b'p' | b'n' | b'q');
    }
    let name = OsString::from_vec(name);
    let (of_0, of_1) = (of_process(&name, 0), of_process(&name, 1));
    if of_0.parent() != of_1.parent() || name.as_bytes().ends_with(b"/") && of_0 != of_1 {
        bail!("`%p` in the name of a folder: use it in the name of the file, or `-o FOLDER/`");
    }
    let path = PathBuf::from(name);
    // In a folder files are named by process.
    let is_folder = path.as_os_str().as_bytes().ends_with(b"/") || of_0.is_dir();
    Ok(match rank {
        Some(rank) if !tells_ranks_apart && !is_folder => with_rank(&path, rank),
        _ => path,
    })
}

/// A name that means itself.
pub fn literally(name: &Path) -> OsString {
    let bytes = name.as_os_str().as_bytes().iter();
    let doubled = bytes.flat_map(|&byte| match byte {
        b'%' => vec![b'%', b'%'],
        other => vec![other],
    });
    OsString::from_vec(doubled.collect())
}

/// The name with the number of the process.
pub fn of_process(name: &OsStr, pid: u32) -> PathBuf {
    let mut filled = Vec::new();
    let mut bytes = name.as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'%' => match bytes.next() {
                Some(b'p') => filled.extend(pid.to_string().into_bytes()),
                _ => filled.push(b'%'),
            },
            _ => filled.push(byte),
        }
    }
    PathBuf::from(OsString::from_vec(filled))
}

/// The rank of this process, where there are several.
fn rank(around: &Surroundings) -> Option<u32> {
    let number = |name: &str| (around.variable)(name)?.to_str()?.parse::<u32>().ok();
    RANKS.iter().find_map(|(rank, size)| {
        let rank = number(rank)?;
        number(size).is_some_and(|size| size > 1).then_some(rank)
    })
}

fn with_rank(path: &Path, rank: u32) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".rank{rank}"));
    if let Some(suffix) = path.extension() {
        name.push(".");
        name.push(suffix);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(wanted: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let around = Surroundings {
            host: "node7",
            variable: &variable,
        };
        filled_in(Path::new(wanted), &around)
            .map(|path| path.display().to_string())
            .map_err(|error| format!("{error:#}"))
    }

    const RANK_2: [(&str, &str); 2] =
        [("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4")];

    #[test]
    fn names_are_filled_in() {
        let name = filled("out/%h-%q{JOB}-%%.residue", &[("JOB", "42")]).unwrap();
        assert_eq!(name, "out/node7-42-%%.residue");
        assert_eq!(
            of_process(OsStr::new(&name), 7),
            Path::new("out/node7-42-%.residue")
        );
        let name = filled("job.%p.%n.residue", &[]).unwrap();
        assert_eq!(
            of_process(OsStr::new(&name), 4711),
            Path::new("job.4711.0.residue")
        );
        assert_eq!(
            of_process(&literally(Path::new("50%p.x")), 7),
            Path::new("50%p.x")
        );
    }

    #[test]
    fn what_cannot_be_filled_in_is_refused() {
        assert!(filled("100%", &[]).unwrap_err().contains("%% for `%`"));
        assert!(filled("%x", &[]).unwrap_err().starts_with("`%x`"));
        assert!(filled("%q", &[]).unwrap_err().contains("needs a variable"));
        for folder in ["%p/job.residue", "out/%p/"] {
            let refusal = filled(folder, &[]).unwrap_err();
            assert!(refusal.starts_with("`%p` in the name of a folder"));
        }
        assert!(filled("%q{NO}", &[]).unwrap_err().contains("is not set"));
    }

    #[test]
    fn ranks_of_a_job_have_files_of_their_own() {
        assert_eq!(filled("job.residue", &RANK_2).unwrap(), "job.rank2.residue");
        assert_eq!(filled("out/job", &RANK_2).unwrap(), "out/job.rank2");
        // Somebody who thought of it knows best.
        assert_eq!(filled("job.%n.residue", &RANK_2).unwrap(), "job.2.residue");
        assert_eq!(filled("%p.residue", &RANK_2).unwrap(), "%p.residue");
        // A batch script is rank 0 of 1.
        let alone = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "1")];
        assert_eq!(filled("job.residue", &alone).unwrap(), "job.residue");
    }
}
