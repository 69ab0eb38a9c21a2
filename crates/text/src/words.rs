//! Facts of a recording in words.

use nix::sys::signal::Signal;
use residue_profile::End;

/// How a program ended, to follow its name.
pub fn ending(end: &End) -> String {
    match end {
        End::Running => "still running".to_string(),
        End::Exited { code } => format!("exited with status {code}"),
        End::Killed { signal } => match Signal::try_from(*signal) {
            Ok(known) => format!("killed by signal {signal} ({known})"),
            Err(_) => format!("killed by signal {signal}"),
        },
        End::Exec => "replaced by another program (exec)".to_string(),
        End::Unknown => "end unknown".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names() {
        let killed = |signal| ending(&End::Killed { signal });
        assert_eq!(killed(9), "killed by signal 9 (SIGKILL)");
        assert_eq!(killed(50), "killed by signal 50");
        assert_eq!(ending(&End::Exited { code: 3 }), "exited with status 3");
    }
}
