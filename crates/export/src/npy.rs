//! Stamps as a NumPy array of 64-bit numbers: microseconds, virtual size and resident
//! size in KiB. The names stand in a file beside it, one a line.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use residue_profile::Profile;

use crate::plain::visible;
use crate::stamps::{Line, lines};

/// The data begin at a multiple of this.
const ALIGNMENT: usize = 64;
/// Magic, version and length of the header.
const PREAMBLE_BYTES: usize = 10;

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let lines = lines(profile);
    let rows = lines.len();
    let mut header = format!("{{'descr': '<i8', 'fortran_order': False, 'shape': ({rows}, 3), }}");
    let used = PREAMBLE_BYTES + header.len() + 1;
    header += &" ".repeat(used.next_multiple_of(ALIGNMENT) - used);
    header.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(header.len() as u16).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    for line in lines {
        let Line {
            time_us,
            vm_kib,
            rss_kib,
            ..
        } = line;
        for value in [time_us, vm_kib, rss_kib] {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Where the names of an array stand: `job_names.txt` for `job.npy`.
pub fn names_path(array: &Path) -> PathBuf {
    let stem = array.file_stem().unwrap_or_default().to_string_lossy();
    array.with_file_name(format!("{stem}_names.txt"))
}

pub fn write_names(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    for line in lines(profile) {
        writeln!(out, "{}", visible(&line.name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_and_its_names_are_read_back() {
        let text = "x:1706856131162134,4,8\na:1706856131162135,8,8\nb:1706856131162136,8,12\n\
                    a:1706856131162137,12,12\nb:1706856131162138,12,16\n";
        let options = residue_import::Options::default();
        let path = Path::new("a.npy");
        let stamps = residue_import::parse(path, text.as_bytes(), None, &options).unwrap();
        let (mut array, mut names) = (Vec::new(), Vec::new());
        write(&stamps.profile, &mut array).unwrap();
        write_names(&stamps.profile, &mut names).unwrap();
        assert_eq!(array.len(), 128 + 5 * 3 * 8);
        assert_eq!(&array[128..136], 1_706_856_131_162_134_i64.to_le_bytes());
        let names = String::from_utf8(names).unwrap();
        assert_eq!(names, "x\na\nb\na\nb\n");
        let back = residue_import::parse(path, &array, Some(&names), &options).unwrap();
        assert_eq!(back.profile.timeline, stamps.profile.timeline);
        assert_eq!(
            names_path(Path::new("d/job.npy")),
            Path::new("d/job_names.txt")
        );
    }
}
