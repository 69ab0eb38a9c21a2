//! A way for the program's output into `residue`, of the kind the program would
//! have had without it.
//!
//! Programs ask whether they write to a terminal, and print otherwise if not:
//! colours, progress bars, when buffers are written out. So where `residue` writes to
//! a terminal the program gets a pseudo terminal, everywhere else a pipe. The pseudo
//! terminal has the settings of the real one, but for changing nothing in what is
//! written: the real one will do that. It has the real one's size at the start;
//! later changes of size do not reach it.
//!
//! Input stays the real terminal. A program that puts its terminal into another mode
//! through its output (full-screen programs do) changes the pseudo one only.

use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::pty::{Winsize, openpty};
use nix::sys::stat::fstat;
use nix::sys::termios::{OutputFlags, tcgetattr};
use nix::unistd::{isatty, pipe2};
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

pub struct Channel {
    /// Where the program writes.
    pub inlet: OwnedFd,
    /// Where it can be read.
    pub outlet: OwnedFd,
}

impl Channel {
    /// A channel for a program that would have written to `sink`.
    pub fn like(sink: &OwnedFd) -> io::Result<Channel> {
        if isatty(sink).unwrap_or(false) {
            return Channel::terminal(sink);
        }
        let (outlet, inlet) = pipe2(OFlag::O_CLOEXEC)?;
        Ok(Channel { inlet, outlet })
    }

    fn terminal(sink: &OwnedFd) -> io::Result<Channel> {
        let mut settings = tcgetattr(sink)?;
        settings.output_flags.remove(OutputFlags::OPOST);
        let pair = openpty(&window_size(sink), &settings)?;
        for end in [&pair.master, &pair.slave] {
            fcntl(end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        }
        Ok(Channel {
            inlet: pair.slave,
            outlet: pair.master,
        })
    }
}

/// Whether what is written to both ends up in one place, in the order of writing.
pub fn is_same_place(a: &OwnedFd, b: &OwnedFd) -> bool {
    match (fstat(a), fstat(b)) {
        (Ok(a), Ok(b)) => (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino),
        _ => false,
    }
}

/// All zero, which means unknown, where it cannot be found out. The call for it is
/// not to be had without `unsafe`, so a program is asked that makes it.
fn window_size(terminal: &OwnedFd) -> Winsize {
    let (rows, columns) = asked_size(terminal).unwrap_or_default();
    Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

fn asked_size(terminal: &OwnedFd) -> Option<(u16, u16)> {
    let answer = Command::new("stty")
        .arg("size")
        .stdin(Stdio::from(terminal.try_clone().ok()?))
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(answer.stdout).ok()?;
    let (rows, columns) = text.trim().split_once(' ')?;
    Some((rows.parse().ok()?, columns.parse().ok()?))
}
