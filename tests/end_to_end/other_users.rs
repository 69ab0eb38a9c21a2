//! What another user put there is neither believed nor written to: directories that anybody
//! may write to, links beside an arena, processes of others.

use crate::support::process::{Running, send};
use crate::support::root::do_as_root;
use crate::support::{Lab, PROFILE, describe, process};
use nix::sys::signal::Signal;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const NOBODY: u32 = 65534;

/// A run that waits, and its directory under the lab's own folder of temporary files.
fn waiting(lab: &Lab) -> (Running, PathBuf) {
    let arenas = lab.folder("temporary");
    let base = arenas.display().to_string();
    let mut run =
        Running::start(lab.run(&["--arena-dir", &base], &["live_blocks", "1000", "wait"]));
    run.hear("vmrss_kib");
    let mut entries = std::fs::read_dir(&arenas).expect("the folder can be listed");
    let directory = entries.next().expect("a directory is there");
    (run, directory.expect("it has a name").path())
}

/// What a killed run left.
fn left_behind(lab: &Lab) -> PathBuf {
    let (mut run, directory) = waiting(lab);
    let program = run.program();
    send(run.pid(), Signal::SIGKILL);
    send(program, Signal::SIGKILL);
    run.wait();
    run.hear_all();
    directory
}

/// `residue recover` of everything below the folder of temporary files.
fn recover_all(lab: &Lab, arguments: &[&str]) -> Output {
    let mut residue = lab.residue();
    residue.arg("recover").args(arguments);
    residue.env("TMPDIR", lab.path("temporary"));
    process::finish(residue)
}

fn expect_passed_over(lab: &Lab, directory: &Path) {
    let listed = recover_all(lab, &["--list"]);
    let name = directory.display().to_string();
    assert!(!describe(&listed).contains(&name), "{}", describe(&listed));
    let asked = recover_all(lab, &[&name]);
    assert_eq!(asked.status.code(), Some(2), "{}", describe(&asked));
    let told = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert!(told.contains("as the user who recorded"), "{told}");
    assert!(!lab.path(PROFILE).exists(), "nothing is written");
    assert!(directory.exists(), "nothing is deleted");
}

#[test]
fn a_directory_that_anybody_may_write_to_is_not_recovered() {
    let lab = Lab::new();
    let directory = left_behind(&lab);
    let listed = recover_all(&lab, &["--list"]);
    let name = directory.display().to_string();
    assert!(describe(&listed).contains(&name), "{}", describe(&listed));
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&directory, mode(0o777)).expect("it is ours");
    expect_passed_over(&lab, &directory);
    std::fs::set_permissions(&directory, mode(0o700)).expect("it is ours");
    let recovered = recover_all(&lab, &[&name]);
    assert!(recovered.status.success(), "{}", describe(&recovered));
    assert!(lab.path(PROFILE).exists());
}

#[test]
fn a_link_to_a_directory_is_not_recovered() {
    let lab = Lab::new();
    let directory = left_behind(&lab);
    let elsewhere = lab.path("elsewhere");
    std::fs::rename(&directory, &elsewhere).expect("it is ours");
    symlink(&elsewhere, &directory).expect("the lab is writable");
    expect_passed_over(&lab, &directory);
}

#[test]
fn a_directory_of_another_user_is_not_recovered_by_root() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let lab = Lab::new();
    let directory = left_behind(&lab);
    chown(&directory, Some(NOBODY), Some(NOBODY)).expect("root may");
    expect_passed_over(&lab, &directory);
}

#[test]
fn a_snapshot_is_not_written_through_a_link() {
    let lab = Lab::new();
    let (mut run, directory) = waiting(&lab);
    let program = run.program();
    let arena = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "arena"))
        .expect("the arena of the program");
    let outside = PathBuf::from(format!("{}.outside", arena.display()));
    // Ticks may have been written there already.
    let _ = std::fs::remove_file(&outside);
    let target = lab.path("target");
    symlink(&target, &outside).expect("the folder is ours");
    let mut snapshot = lab.residue();
    snapshot.args(["snapshot", &program.to_string(), "mine"]);
    let refused = process::finish(snapshot);
    assert_eq!(refused.status.code(), Some(2), "{}", describe(&refused));
    assert!(!target.exists(), "nothing is written where the link leads");
    run.say("go on");
    run.hear_all();
    run.wait();
    assert!(!target.exists(), "nor by the command that records");
}

/// Where all may write, anybody can put what looks like a run of root's: links, pipes, and
/// directories that are full of these. No command follows, waits, writes or deletes.
/// Needs root, who may give files away.
#[test]
fn what_others_put_in_place_of_runs_is_left_alone() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let lab = Lab::new();
    let recorded = lab.record(&[], &["live_blocks", "10"]);
    let shared = lab.folder("temporary");
    let secret = lab.folder("secret");
    std::fs::write(secret.join("owner"), "{}").expect("the lab is writable");
    std::fs::write(secret.join("1.1.arena"), "kept").expect("the lab is writable");
    let all = nix::sys::stat::Mode::from_bits_truncate(0o666);
    let pipe = |path: PathBuf| nix::unistd::mkfifo(&path, all).expect("a pipe");
    let planted = ["residue-0-11-1", "residue-0-12-1", "residue-0-13-1"].map(|it| shared.join(it));
    symlink(&secret, &planted[0]).expect("the lab is writable");
    pipe(planted[1].clone());
    std::fs::create_dir(&planted[2]).expect("the lab is writable");
    for name in ["owner", "told", "1.1.arena", "1.1.arena.outside"] {
        pipe(planted[2].join(name));
    }
    for path in &planted {
        std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).expect("root may");
    }
    let profile = recorded.profile.display().to_string();
    let own_pid = std::process::id().to_string();
    let commands: [(&[&str], i32); 6] = [
        (&["recover", "--list"], 0),
        (&["report", &profile], 0),
        (&["leaks", &profile], 2),
        (&["run", "-o", "again.residue", "--", "true"], 0),
        (&["report", "--pid", &own_pid], 2),
        (&["snapshot", &own_pid, "mine"], 2),
    ];
    for (command, status) in commands {
        let mut residue = lab.residue();
        residue.args(command).env("TMPDIR", &shared);
        let output = process::finish(residue);
        assert_eq!(output.status.code(), Some(status), "{}", describe(&output));
        let told = describe(&output);
        assert!(!told.contains(&shared.display().to_string()), "{told}");
    }
    std::fs::remove_file(&recorded.profile).expect("it is ours");
    expect_passed_over(&lab, &planted[0]);
    expect_passed_over(&lab, &planted[2]);
    let piped = recover_all(&lab, &[&planted[1].display().to_string()]);
    assert_eq!(piped.status.code(), Some(2), "{}", describe(&piped));
    for path in &planted {
        assert!(path.symlink_metadata().is_ok(), "{}", path.display());
    }
    let kept = std::fs::read(secret.join("1.1.arena")).expect("it is there");
    assert_eq!(kept, b"kept");
    assert_eq!(std::fs::read_dir(&secret).expect("it is there").count(), 2);
}

/// Paths in a profile are its maker's choice: no command waits at a pipe in place of a program,
/// of its debug file or of its source, nor writes into it.
#[test]
fn no_command_waits_at_pipes_that_a_profile_leads_to() {
    let lab = Lab::new();
    let source = lab.path("piped.c");
    std::fs::write(
        &source,
        "#include <stdlib.h>\n\
         void *kept[100];\n\
         __attribute__((noinline)) void keep_one(int i) { kept[i] = malloc(1000); }\n\
         int main(void) { for (int i = 0; i < 100; i++) keep_one(i); return 0; }\n",
    )
    .expect("the lab is writable");
    let program = lab.path("piped");
    let mut compiler = Command::new("cc");
    compiler.args(["-g", "-O1", "-Wl,--build-id=none", "-o"]);
    let compiled = process::finish({
        compiler.arg(&program).arg(&source);
        compiler
    });
    assert!(compiled.status.success(), "{}", describe(&compiled));
    let split = |arguments: &[&str]| {
        let mut objcopy = Command::new("objcopy");
        objcopy.current_dir(lab.path(".")).args(arguments);
        let done = process::finish(objcopy);
        assert!(done.status.success(), "{}", describe(&done));
    };
    split(&["--only-keep-debug", "piped", "piped.debug"]);
    split(&["--strip-debug", "--add-gnu-debuglink=piped.debug", "piped"]);
    let recorded = lab.record(&[], &[&program.display().to_string()]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let make_pipe = |name: &str| {
        std::fs::remove_file(lab.path(name)).expect("it is there");
        nix::unistd::mkfifo(&lab.path(name), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    };
    let profile = recorded.profile.display().to_string();
    let out = |name: &str| lab.path(name).display().to_string();
    let commands: [&[&str]; 9] = [
        &["report", &profile],
        &["report", "--html", &out("page.html"), &profile],
        &["report", "--view", "stacks", "--json", &profile],
        &["list", &profile, "keep_one"],
        &["dump", &profile],
        &["diff", &profile, &profile],
        &["merge", &profile, &profile, "-o", &out("merged.residue")],
        &["export", "--format", "folded", &profile],
        &["symbolize", &profile, "-o", &out("again.residue")],
    ];
    // The debug file first: it is looked for only as long as the program is one.
    for pipe in ["piped.debug", "piped.c", "piped"] {
        make_pipe(pipe);
        for command in commands {
            let mut residue = lab.residue();
            residue
                .args(command)
                .env("RESIDUE_CACHE_DIR", lab.path("no cache"));
            let output = process::finish(residue);
            assert!(output.status.success(), "{}", describe(&output));
        }
    }
}

/// `sudo` may keep the `HOME` of who called it, and with it a cache of that user's making.
/// Needs root, who may give a directory away.
#[test]
fn nothing_is_cached_where_another_user_may_lead_it() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let lab = Lab::new();
    let recorded = lab.record(&[], &["live_blocks", "10"]);
    let (home, target) = (lab.folder("home"), lab.folder("target"));
    let symbols = home.join(".cache/residue/symbols");
    std::fs::create_dir_all(&symbols).expect("the lab is writable");
    for first in 0..=255 {
        symlink(&target, symbols.join(format!("{first:02x}"))).expect("it is ours");
    }
    let cached = |is_anothers: bool| {
        let mut residue = lab.residue();
        residue
            .env_remove("RESIDUE_CACHE_DIR")
            .env_remove("XDG_CACHE_HOME");
        residue
            .env("HOME", &home)
            .arg("symbolize")
            .arg(&recorded.profile);
        residue
            .arg("-o")
            .arg(lab.path(&format!("again-{is_anothers}.residue")));
        let output = process::finish(residue);
        assert!(output.status.success(), "{}", describe(&output));
        std::fs::read_dir(&target).expect("it is there").count()
    };
    chown(&home, Some(NOBODY), Some(NOBODY)).expect("root may");
    assert_eq!(cached(true), 0, "written where another user leads");
    chown(&home, Some(0), Some(0)).expect("root may");
    assert!(cached(false) > 0, "the links would lead there");
}

/// Needs root, who may become another user.
#[test]
fn a_child_that_changes_user_or_root_before_it_allocates_is_recorded() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    for change in ["user", "root"] {
        let lab = Lab::new();
        let recorded = lab.record(&[], &["changes_user", change]);
        assert!(recorded.output.status.success(), "{}", recorded.describe());
        let (ledger, truths) = (recorded.ledger(), recorded.truths());
        ledger.expect_truths(&truths);
        assert_eq!(ledger.sum("changed_alloc").calls, 100, "{change}");
    }
}

/// Needs root, who may become another user.
#[test]
fn what_another_user_cannot_record_is_counted_and_told() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let note = "1 forked child or executed program not recorded";
    let echo = ["/bin/echo", "unharmed"];
    for start in [
        &["changes_user", "user"][..],
        &["setpriv", "--reuid", "65534", "--clear-groups"],
    ] {
        let lab = Lab::new();
        let recorded = lab.record(&[], &[start, &echo].concat());
        assert!(recorded.output.status.success(), "{}", recorded.describe());
        assert_eq!(recorded.stdout(), "unharmed\n");
        assert!(recorded.stderr().contains(note), "{}", recorded.describe());
    }
}

/// Needs root, who may change the root directory.
#[test]
fn in_another_root_directory_the_dynamic_linker_has_nothing_to_complain_of() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let lab = Lab::new();
    // All of the system, but not where the library lies.
    let root = lab.folder("root");
    for folder in ["bin", "lib", "lib64", "usr"] {
        if Path::new("/").join(folder).exists() {
            std::fs::create_dir(root.join(folder)).expect("the lab is writable");
            let mount = ["mount", "--bind"].map(AsRef::as_ref);
            let (from, to) = (Path::new("/").join(folder), root.join(folder));
            do_as_root(&[&mount[..], &[from.as_os_str(), to.as_os_str()]].concat());
        }
    }
    let root_path = root.display().to_string();
    let recorded = lab.record(&[], &["chroot", &root_path, "/bin/echo", "unharmed"]);
    for folder in ["bin", "lib", "lib64", "usr"] {
        let mounted = root.join(folder);
        if mounted.exists() {
            do_as_root(&["umount".as_ref(), mounted.as_os_str()]);
        }
    }
    assert_eq!(recorded.stdout(), "unharmed\n", "{}", recorded.describe());
    let told = recorded.stderr();
    assert!(!told.contains("ld.so"), "{told}");
    assert!(
        told.contains("1 forked child or executed program not recorded"),
        "{told}"
    );
}
