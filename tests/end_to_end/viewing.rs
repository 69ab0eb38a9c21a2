//! `residue view`: who is answered, who is refused, and what a running program looks like.

mod client;

use std::fs::Permissions;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::Value;

use client::View;

use crate::support::process::{self, Running, send, wait_for};
use crate::support::{Lab, PROFILE, describe};

fn recorded() -> Lab {
    let lab = Lab::new();
    let recorded = lab.record(&[], &["marks_c", "60"]);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    lab
}

fn calls(about: &Value) -> u64 {
    let calls = &about["files"][0]["heap"]["calls"];
    calls.as_u64().unwrap_or_else(|| panic!("{about}"))
}

#[test]
fn who_has_the_address_is_answered() {
    let lab = recorded();
    let view = View::of(&lab, &[PROFILE]);
    assert_eq!(view.token.len(), 32, "{}", view.address);

    let page = view.get("");
    assert_eq!(page.status, 200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(page.body.starts_with(b"<!doctype html>"), "{page:?}");
    let script = view.get("page.js");
    assert_eq!(script.status, 200);
    assert_eq!(
        script.header("content-type"),
        Some("text/javascript; charset=utf-8")
    );
    let style = view.get("page.css");
    assert_eq!(
        style.header("content-type"),
        Some("text/css; charset=utf-8")
    );

    let about = view.json("api/about");
    assert_eq!(about["files"][0]["name"], PROFILE);
    assert_eq!(about["files"][0]["events"], 60);
    assert_eq!(about["files"].as_array().map(Vec::len), Some(1));
    let known = residue_profile::read(&lab.path(PROFILE)).unwrap();
    assert_eq!(calls(&about), known.heap.calls);
    let status = view.json("api/status?anything=1");
    assert_eq!(status["generation"], 0);
    assert_eq!(status["live"], false);
    view.stop(Signal::SIGINT);
}

#[test]
fn every_answer_has_the_headers_that_keep_others_out() {
    let lab = recorded();
    let view = View::of(&lab, &[PROFILE]);
    let policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                  img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; \
                  form-action 'none'; frame-ancestors 'none'";
    let foreign = view.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_eq!(foreign.status, 403);
    for reply in [
        view.get(""),
        view.get("page.js"),
        view.get("api/about"),
        view.get("api/nothing"),
        view.get("nothing"),
        foreign,
    ] {
        for (name, value) in [
            ("content-security-policy", policy),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{reply:?}");
        }
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

/// Status, request, headers: OURS is the Host that the page has.
const REQUESTS: &str = "
403 | GET / HTTP/1.1                                     | OURS
403 | GET /api/about HTTP/1.1                            | OURS
403 | GET /TOKEN HTTP/1.1                                | OURS
403 | GET /WRONG/api/about HTTP/1.1                      | OURS
403 | GET /0TOKEN/api/about HTTP/1.1                     | OURS
403 | GET /x/../TOKEN/api/about HTTP/1.1                 | OURS
403 | GET /%2e%2e/TOKEN/api/about HTTP/1.1               | OURS
403 | GET /TOKEN%2fapi/about HTTP/1.1                    | OURS
403 | GET /TOKEN/api/about HTTP/1.1                      |
403 | GET /TOKEN/api/about HTTP/1.0                      |
403 | GET /TOKEN/api/about HTTP/1.1                      | Host: evil.example
403 | GET /TOKEN/api/about HTTP/1.1                      | Host: evil.example:PORT
403 | GET /TOKEN/api/about HTTP/1.1                      | Host: 127.0.0.1
403 | GET /TOKEN/api/about HTTP/1.1                      | OURS; Host: evil.example
403 | GET /TOKEN/api/about HTTP/1.1                      | OURS; Origin: http://evil.example
403 | GET /TOKEN/api/about HTTP/1.1                      | OURS; Origin: null
403 | GET /TOKEN/api/about HTTP/1.1                      | OURS; Sec-Fetch-Site: cross-site
403 | GET http://evil.example/TOKEN/api/about HTTP/1.1   | OURS
403 | OPTIONS * HTTP/1.1                                 | OURS
403 | POST / HTTP/1.1                                    | OURS; Content-Length: 0
405 | POST /TOKEN/api/about HTTP/1.1                     | OURS; Content-Length: 2
405 | DELETE /TOKEN/api/about HTTP/1.1                   | OURS
405 | OPTIONS /TOKEN/ HTTP/1.1                           | OURS
404 | GET /TOKEN/index.html HTTP/1.1                     | OURS
404 | GET /TOKEN/../../../etc/passwd HTTP/1.1            | OURS
404 | GET /TOKEN/%2e%2e/%2e%2e/etc/passwd HTTP/1.1       | OURS
404 | GET /TOKEN/..%2f..%2fetc%2fpasswd HTTP/1.1         | OURS
404 | GET /TOKEN//etc/passwd HTTP/1.1                    | OURS
404 | GET /TOKEN/page.js/ HTTP/1.1                       | OURS
404 | GET /TOKEN/api/ HTTP/1.1                           | OURS
404 | GET /TOKEN/api/../about HTTP/1.1                   | OURS
404 | GET /TOKEN/api/nothing HTTP/1.1                    | OURS
400 | GET /TOKEN/api/stacks?events=9..3 HTTP/1.1         | OURS
200 | GET /TOKEN/api/about HTTP/1.1                      | OURS
200 | GET /TOKEN/api/about HTTP/1.1                      | Host: [::1]:PORT
200 | GET /TOKEN/api/about HTTP/1.1                      | OURS; Origin: http://127.0.0.1:PORT
200 | GET /TOKEN/api/about HTTP/1.1                      | OURS; Sec-Fetch-Site: same-origin
200 | GET http://localhost:PORT/TOKEN/api/about HTTP/1.1 | Host: localhost:PORT
200 | HEAD /TOKEN/api/about HTTP/1.1                     | OURS
";

#[test]
fn everybody_else_is_refused() {
    let lab = recorded();
    let view = View::of(&lab, &[PROFILE]);
    for row in REQUESTS.trim().lines() {
        let mut parts = row.split('|').map(str::trim);
        let mut next = || parts.next().expect("three parts");
        let (status, line, headers) = (next(), next(), next());
        let line = line.replace("WRONG", &"0".repeat(view.token.len()));
        let headers = headers.replace("OURS", "Host: 127.0.0.1:PORT");
        let lines = [&line, "Connection: close"].into_iter();
        let lines = lines.chain(headers.split("; ").filter(|header| !header.is_empty()));
        let request: String = lines.map(|line| format!("{line}\r\n")).collect();
        let reply = view.send(&(request + "\r\n"));
        assert_eq!(reply.status.to_string(), status, "{row}");
        match status {
            "403" => assert_eq!(reply.body, b"Forbidden\n", "{row}: no more is said"),
            "405" => assert_eq!(reply.header("allow"), Some("GET, HEAD"), "{row}"),
            "200" => assert_eq!(reply.body.is_empty(), line.starts_with("HEAD"), "{row}"),
            _ => {}
        }
    }
    for (question, why) in [
        ("api/nothing", "no such request"),
        (
            "api/stacks?events=9..3",
            "events: `9..3` is not a range of events such as 51..100",
        ),
    ] {
        let document: Value = serde_json::from_slice(&view.get(question).body).unwrap();
        assert_eq!(document, serde_json::json!({ "error": why }));
    }
    view.stop(Signal::SIGTERM);
}

#[test]
fn nobody_beyond_this_machine_is_listened_to() {
    let lab = recorded();
    let view = View::of(&lab, &[PROFILE]);
    // Field 1 is the local address, field 3 the state: 0A for a socket that listens.
    let sockets = |file: &str| {
        let table = std::fs::read_to_string(file).unwrap_or_default();
        let port = format!(":{:04X}", view.port);
        let rows = table.lines().filter_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let address = fields.get(1)?.strip_suffix(&port)?;
            (*fields.get(3)? == "0A").then(|| address.to_string())
        });
        rows.collect::<Vec<String>>()
    };
    assert_eq!(sockets("/proc/net/tcp"), ["0100007F"]);
    assert_eq!(sockets("/proc/net/tcp6"), Vec::<String>::new());

    // The address that packets to elsewhere would carry; no packet is sent.
    let probe = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    if probe.connect(("192.0.2.1", 9)).is_ok() {
        let own = probe.local_addr().unwrap().ip();
        assert_ne!(own, IpAddr::V4(Ipv4Addr::LOCALHOST));
        let refused = TcpStream::connect((own, view.port)).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    }
}

#[test]
fn connections_that_stall_hold_up_nobody() {
    let lab = recorded();
    let view = View::of(&lab, &[PROFILE]);
    let mut stalled = Vec::new();
    for beginning in ["", "GET /", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "] {
        for _ in 0..8 {
            let mut stream = view.connect();
            stream.write_all(beginning.as_bytes()).unwrap();
            stalled.push(stream);
        }
    }
    assert_eq!(
        calls(&view.json("api/about")),
        calls(&view.json("api/about"))
    );
    // Nobody may keep a connection for ever without asking for anything.
    for stream in &mut stalled {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("it is closed in time");
    }
}

#[test]
fn idle_connections_make_room_for_who_asks() {
    let lab = recorded();
    let view = View::of(&lab, &[PROFILE]);
    let mut idle = Vec::new();
    for round in 0..3 {
        for _ in 0..150 {
            idle.push(view.connect());
        }
        let started = Instant::now();
        assert_eq!(view.json("api/about")["files"][0]["events"], 60);
        let took = started.elapsed();
        // They would be closed after ten seconds in any case.
        assert!(took < Duration::from_secs(5), "round {round}: {took:?}");
    }
}

/// The value of the cookie and the path it is for.
fn let_in(view: &View, path: &str) -> (String, String) {
    let ours = "Host: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n";
    let entry = view.send(&format!("GET /{path}/ HTTP/1.1\r\n{ours}"));
    assert_eq!(entry.status, 200, "{entry:?}");
    let cookie = entry.header("set-cookie").expect("a cookie").to_string();
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict"), "{cookie}");
    let script = view.send(&format!("GET /{path}/enter.js HTTP/1.1\r\n{ours}"));
    let script = String::from_utf8(script.body).unwrap();
    let mut parts = cookie.split("; ");
    let (pass, place) = (parts.next().unwrap(), parts.next().unwrap());
    let place = place.strip_prefix("Path=/").unwrap().trim_end_matches('/');
    assert_eq!(
        script,
        format!("location.replace(\"/{place}/\" + location.hash);\n")
    );
    (pass.to_string(), place.to_string())
}

#[test]
fn the_address_of_the_page_holds_no_secret() {
    let lab = recorded();
    let view = View::of(&lab, &[PROFILE]);
    let (pass, place) = let_in(&view, "TOKEN");
    assert_ne!(place, view.token);
    assert!(!pass.contains(&view.token), "{pass}");
    let ask = |path: &str, more: &str| {
        view.send(&format!(
            "GET /{path} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n{more}Connection: close\r\n\r\n"
        ))
    };
    let with_cookie = format!("Cookie: {pass}\r\n");
    let page = ask(&format!("{place}/"), &with_cookie);
    assert_eq!(page.status, 200);
    let text = String::from_utf8(page.body).unwrap();
    assert!(text.contains("page.js"), "{text}");
    assert!(!text.contains(&view.token), "{text}");
    let about = ask(&format!("{place}/api/about"), &with_cookie);
    assert_eq!(about.status, 200);
    for (path, more) in [
        (format!("{place}/"), ""),
        (format!("{place}/api/about"), ""),
        (format!("{place}/api/about"), "Cookie: residue=0\r\n"),
    ] {
        assert_eq!(ask(&path, more).status, 403, "{path} {more}");
    }
}

/// What a process is started with can be read by everybody on the machine.
#[test]
fn what_the_browser_is_started_with_is_for_this_user_alone() {
    let lab = recorded();
    let (browser, seen) = (lab.path("browser"), lab.path("seen"));
    let script = format!(
        "#!/bin/sh\necho \"$1\" > {0}.new && mv {0}.new {0}\n",
        seen.display()
    );
    std::fs::write(&browser, script).unwrap();
    std::fs::set_permissions(&browser, Permissions::from_mode(0o755)).unwrap();
    let mut residue = lab.residue();
    residue.args(["view", PROFILE]).env("BROWSER", &browser);
    residue.env_remove("SSH_CONNECTION").env_remove("SSH_TTY");
    let view = View::start_with_browser(residue);
    let address = wait_for("the browser is started", || {
        std::fs::read_to_string(&seen).ok()
    });
    assert!(!address.contains(&view.token), "{address}");
    let ticket = address
        .trim()
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap();
    assert_eq!(ticket.len(), view.token.len(), "{address}");
    let (_, place) = let_in(&view, ticket);
    assert_ne!(place, ticket);
    // It lets in and does nothing else.
    let about = view.send(&format!(
        "GET /{ticket}/api/about HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n"
    ));
    assert_eq!(about.status, 403);
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let ask_as_nobody = |path: &str| {
        let request = format!(
            "exec 3<>/dev/tcp/127.0.0.1/{0}; printf 'GET /{path}/ HTTP/1.1\\r\\nHost: \
             127.0.0.1:{0}\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3",
            view.port
        );
        let mut bash = Command::new("bash");
        bash.args(["-c", &request])
            .current_dir("/")
            .uid(65534)
            .gid(65534);
        String::from_utf8_lossy(&process::finish(bash).stdout).into_owned()
    };
    let refused = ask_as_nobody(ticket);
    assert!(refused.starts_with("HTTP/1.1 403 "), "{refused}");
    // Whoever was told the address that was printed may be another user.
    let told = ask_as_nobody(&view.token);
    assert!(told.starts_with("HTTP/1.1 200 "), "{told}");
}

#[test]
fn requests_without_end_are_cut_off() {
    let lab = recorded();
    let view = View::of(&lab, &[PROFILE]);
    let long = "x".repeat(100_000);
    for request in [
        format!("GET /TOKEN/api/about?{long} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"),
        format!("GET /TOKEN/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: {long}\r\n\r\n"),
    ] {
        let request = request
            .replace("TOKEN", &view.token)
            .replace("PORT", &view.port.to_string());
        let mut stream = view.connect();
        // It may hang up before all was sent, and what it says may be lost by that.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(!answer.contains(" 200 "), "{answer}");
    }
    assert_eq!(view.get("").status, 200);
}

#[test]
fn two_files_are_opened_to_compare() {
    let lab = recorded();
    std::fs::rename(lab.path(PROFILE), lab.path("before.residue")).unwrap();
    lab.record(&[], &["marks_c", "40"]);
    let view = View::of(
        &lab,
        &["before.residue", PROFILE, "--at", "compare?by=function"],
    );
    assert!(
        view.address.ends_with("/#compare?by=function"),
        "{}",
        view.address
    );
    let about = view.json("api/about");
    let files = about["files"].as_array().unwrap();
    let told: Vec<(&str, &str, u64)> = files
        .iter()
        .map(|file| {
            let text = |key: &str| file[key].as_str().unwrap();
            (text("side"), text("name"), file["events"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(told, [("a", "before.residue", 60), ("b", PROFILE, 40)]);
}

#[test]
fn what_cannot_be_opened_is_named() {
    let lab = recorded();
    std::fs::write(lab.path("garbage.residue"), "no profile").unwrap();
    for (arguments, words) in [
        (
            &["missing.residue"][..],
            &["missing.residue", "No such file"][..],
        ),
        (&["garbage.residue"], &["garbage.residue"]),
        (
            &[PROFILE, "missing.residue"],
            &["missing.residue", "No such file"],
        ),
        (
            &["profile.residue@51..100"],
            &["profile.residue@51..100", "--at 'stacks?events=51..100'"],
        ),
        (&["--pid", "1"], &["1"]),
        (&["gone.arena"], &["gone.arena"]),
    ] {
        let mut residue = lab.residue();
        residue.arg("view").arg("--no-browser").args(arguments);
        let output = process::finish(residue);
        assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
        assert!(output.stdout.is_empty(), "{}", describe(&output));
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        for word in words {
            assert!(stderr.contains(word), "{stderr}");
        }
    }
    let view = View::of(&lab, &[PROFILE]);
    let mut residue = lab.residue();
    residue.args([
        "view",
        "--no-browser",
        PROFILE,
        "--port",
        &view.port.to_string(),
    ]);
    let output = process::finish(residue);
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        stderr.contains(&format!("127.0.0.1:{}", view.port)),
        "{stderr}"
    );
}

#[test]
fn the_browser_is_shown_the_address() {
    let lab = recorded();
    let (browser, told) = (lab.path("browser"), lab.path("told"));
    let script = "#!/bin/sh\nprintf %s \"$2\" > told.part && mv told.part told\n";
    std::fs::write(&browser, script).unwrap();
    std::fs::set_permissions(&browser, Permissions::from_mode(0o755)).unwrap();
    let mut residue = lab.residue();
    residue
        .args(["view", PROFILE, "--at", "flame"])
        .env("BROWSER", format!("{} --new %s", browser.display()))
        .env_remove("SSH_CONNECTION")
        .env_remove("SSH_TTY");
    let mut running = Running::start(residue);
    let address = format!("http://{}", running.hear("http://"));
    let opened = wait_for("the browser is started", || {
        std::fs::read_to_string(&told).ok()
    });
    assert!(address.ends_with("/#flame"), "{address}");
    // The same server and place; the secret between them is another.
    let parts = |address: &str| -> Vec<String> { address.split('/').map(str::to_string).collect() };
    let (opened, address) = (parts(&opened), parts(&address));
    assert_eq!((&opened[..3], &opened[4..]), (&address[..3], &address[4..]));
    assert_ne!(opened[3], address[3]);
    send(running.pid(), Signal::SIGINT);
    assert_eq!(running.wait().code(), Some(0));
}

#[test]
fn a_running_program_is_followed_to_its_end() {
    let lab = Lab::new();
    let mut run = Running::start(lab.run(&[], &["slow_leak", "600000"]));
    let program = run.program();
    // It is recorded from its first allocation on.
    let arena = wait_for("the program is recorded", || {
        let maps = std::fs::read_to_string(format!("/proc/{program}/maps")).ok()?;
        let mut words = maps.split_whitespace();
        let arena = words.find(|word| word.ends_with(".arena"));
        arena.map(str::to_string)
    });
    let pid = program.to_string();
    let view = View::of(&lab, &["--pid", &pid]);
    let first = view.json("api/about");
    assert_eq!(first["live"], true, "{first}");
    assert_eq!(first["ended"], false);
    assert_eq!(first["files"][0]["name"], "slow_leak");
    let generation = |status: &Value| status["generation"].as_u64().unwrap();
    let before = generation(&first);
    wait_for("it is read twice more", || {
        let status = view.json("api/status");
        assert_eq!(status["trouble"], Value::Null, "{status}");
        (generation(&status) >= before + 2).then_some(())
    });
    let later = view.json("api/about");
    assert!(calls(&later) > calls(&first), "{later}");
    let by_arena = View::of(&lab, &[&arena]);
    assert_eq!(by_arena.json("api/about")["live"], true);

    send(program, Signal::SIGKILL);
    wait_for("the end is seen", || {
        let status = view.json("api/status");
        (status["ended"] == true).then_some(())
    });
    let last = view.json("api/about");
    assert_eq!(last["live"], true);
    assert_eq!(last["ended"], true);
    assert!(calls(&last) >= calls(&later), "{last}");
    view.stop(Signal::SIGINT);
    run.wait();
}
