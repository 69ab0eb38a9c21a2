//! Showing an address in the user's browser, where there is one. That it cannot be shown
//! is no error: the address is printed anyway.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Opens the address, and returns at once.
pub fn open(address: &str) {
    let Some(mut command) = command(|name| env::var_os(name), address) else {
        return;
    };
    // In a group of its own, so that Ctrl-C for this command does not end the browser.
    let started = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    if let Ok(mut child) = started {
        std::thread::spawn(move || child.wait());
    }
}

/// What opens the address, with the variables of the environment.
fn command(variable: impl Fn(&str) -> Option<OsString>, address: &str) -> Option<Command> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let has_display = set("DISPLAY").is_some() || set("WAYLAND_DISPLAY").is_some();
    let is_remote = set("SSH_CONNECTION").is_some() || set("SSH_TTY").is_some();
    if is_remote && !has_display {
        return None;
    }
    // Several may stand there with `:` between them; `%s` is where the address goes.
    let wanted = set("BROWSER").and_then(|value| value.into_string().ok());
    if let Some(wanted) = wanted {
        let mut words = wanted.split(':').next()?.split_whitespace();
        let mut command = Command::new(words.next()?);
        let mut has_place = false;
        for word in words {
            has_place |= word.contains("%s");
            command.arg(word.replace("%s", address));
        }
        if !has_place {
            command.arg(address);
        }
        return Some(command);
    }
    let opener = find(&set("PATH")?, "xdg-open").filter(|_| has_display)?;
    let mut command = Command::new(opener);
    command.arg(address);
    Some(command)
}

fn find(path: &OsString, program: &str) -> Option<PathBuf> {
    env::split_paths(path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the command that would be run.
    fn words(variables: &[(&str, &str)]) -> Option<Vec<String>> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let command = command(variable, "http://here/")?;
        let all = std::iter::once(command.get_program()).chain(command.get_args());
        Some(
            all.map(|word| word.to_string_lossy().into_owned())
                .collect(),
        )
    }

    #[test]
    fn a_browser_is_opened_where_it_can_be_seen() {
        let folder = tempfile::tempdir().unwrap();
        let opener = folder.path().join("xdg-open");
        std::fs::write(&opener, "").unwrap();
        let path = format!("/nowhere:{}", folder.path().display());
        let path = ("PATH", path.as_str());
        let opened = Some(vec![
            opener.display().to_string(),
            "http://here/".to_string(),
        ]);
        assert_eq!(words(&[path, ("DISPLAY", ":0")]), opened);
        assert_eq!(words(&[path, ("WAYLAND_DISPLAY", "wayland-0")]), opened);
        assert_eq!(
            words(&[path, ("DISPLAY", "localhost:10.0"), ("SSH_CONNECTION", "a")]),
            opened
        );
        assert_eq!(words(&[path]), None);
        assert_eq!(words(&[path, ("DISPLAY", "")]), None);
        assert_eq!(words(&[("PATH", "/nowhere"), ("DISPLAY", ":0")]), None);
    }

    #[test]
    fn the_users_own_choice_comes_first() {
        let words = |browser, more: &[(&str, &str)]| {
            words(&[&[("BROWSER", browser)], more].concat()).map(|words| words.join(" "))
        };
        let said = |text: &str| Some(text.to_string());
        assert_eq!(words("lynx", &[]), said("lynx http://here/"));
        assert_eq!(words("a -u %s -n:b", &[]), said("a -u http://here/ -n"));
        assert_eq!(words("lynx", &[("SSH_CONNECTION", "a")]), None);
        assert_eq!(
            words("lynx", &[("SSH_TTY", "a"), ("DISPLAY", ":0")]),
            said("lynx http://here/")
        );
        assert_eq!(words(":", &[]), None);
    }
}
