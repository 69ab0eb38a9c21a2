//! Which stacks are read: patterns that match, and names that must be there.

use crate::support::{Lab, PROFILE, describe, process};

/// What a filter asks for must be there: a report of nothing would look like an answer.
#[test]
fn names_that_are_not_there_are_refused_with_the_nearest() {
    let lab = Lab::new();
    lab.record(&[], &["scopes"]).expect_exact();
    let refused = |options: &[&str]| {
        let mut command = lab.residue();
        command.args(options);
        let output = process::finish(command);
        assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
        assert!(output.stdout.is_empty(), "{}", describe(&output));
        String::from_utf8(output.stderr).expect("text")
    };
    for command in [&["report"][..], &["export", "--format", "folded"]] {
        let with =
            |option: &str, name: &str| refused(&[command, &[PROFILE, option, name]].concat());
        assert!(
            with("--scope", "oter").contains("no scope is called `oter`; did you mean `outer`?"),
            "{}",
            with("--scope", "oter"),
        );
        assert!(
            with("--module", "nothing.so")
                .contains("no library is called `nothing.so`; there are "),
        );
        assert!(
            with("--thread", "scops")
                .contains("no thread is called `scops`; did you mean `scopes`?"),
        );
        for option in [
            "--focus", "--ignore", "--under", "--module", "--scope", "--thread",
        ] {
            let stderr = with(option, "");
            assert!(
                stderr.contains("the pattern is empty"),
                "{option}: {stderr}"
            );
        }
    }
    let stderr = refused(&["diff", PROFILE, PROFILE, "--scope", "inne"]);
    assert!(stderr.contains("did you mean `inner`?"), "{stderr}");
    let stderr = refused(&["list", PROFILE, "main", "--source", "/no/such/folder"]);
    assert!(
        stderr.contains("'/no/such/folder' for '--source <DIR>'"),
        "{stderr}"
    );
    let stderr = refused(&["symbolize", PROFILE, "--symbols", "/no/such/folder"]);
    assert!(
        stderr.contains("'/no/such/folder' for '--symbols <DIR>'"),
        "{stderr}"
    );
    // What is refused is not called a failure to write.
    let stderr = refused(&[
        "report",
        PROFILE,
        "--csv",
        "--counter",
        "live",
        "--thread",
        "scopes",
    ]);
    assert!(!stderr.contains("cannot write"), "{stderr}");
}

/// Case is ignored unless the pattern has a capital letter.
#[test]
fn patterns_have_smart_case() {
    let lab = Lab::new();
    lab.record(&[], &["scopes"]).expect_exact();
    let passes = |pattern: &str| {
        let mut command = lab.residue();
        command.args(["report", PROFILE, "--view", "summary", "--focus", pattern]);
        let output = process::finish(command);
        let text = String::from_utf8(output.stdout).expect("text");
        !text.contains("filters    0 of ")
    };
    assert!(passes("scoped_alloc"));
    assert!(!passes("SCOPED_alloc"));
    assert!(passes("^scoped_\\w+$"));
}
