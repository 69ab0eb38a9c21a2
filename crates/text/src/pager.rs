//! Long text goes through a pager, where there is a person to turn the pages.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::Result;

use super::{output, terminal};

/// Goes away by itself where the text fits after all, and leaves it on the screen.
const DEFAULT_PAGER: &str = "less -FRX";

/// Writes to standard output, through a pager if that is a terminal and the text is
/// longer than it.
pub fn show(text: &str, may_page: bool) -> Result<()> {
    let lines = text.lines().count();
    let is_long = terminal::screen().is_some_and(|(_, rows)| lines >= rows);
    if may_page && is_long && page(text) {
        return Ok(());
    }
    output::to_stdout(|out| Ok(out.write_all(text.as_bytes())?))
}

/// The command that turns pages; none where a person has said so.
fn command() -> Option<String> {
    let asked = ["RESIDUE_PAGER", "PAGER"].into_iter();
    let asked = asked.filter_map(|name| std::env::var(name).ok()).next();
    let command = asked.unwrap_or_else(|| DEFAULT_PAGER.to_string());
    (!command.trim().is_empty() && command.trim() != "cat").then_some(command)
}

/// `false` where there is no pager, and nothing has been shown.
fn page(text: &str) -> bool {
    let Some(command) = command() else {
        return false;
    };
    let shell = Command::new("sh")
        .args(["-c", &command])
        .stdin(Stdio::piped())
        // Colours that are there should be seen in any `less`.
        .env("LESS", std::env::var("LESS").unwrap_or("FRX".to_string()))
        .spawn();
    let Ok(mut pager) = shell else {
        return false;
    };
    if let Some(mut input) = pager.stdin.take() {
        // Whoever leaves the pager has read enough.
        let _ = input.write_all(text.as_bytes());
    }
    const NOT_FOUND: [i32; 2] = [126, 127];
    match pager.wait() {
        Ok(status) => !status.code().is_some_and(|code| NOT_FOUND.contains(&code)),
        Err(_) => true,
    }
}
