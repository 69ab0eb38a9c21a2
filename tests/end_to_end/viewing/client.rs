//! `residue view` as a test starts it, and requests as they go over the wire.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::support::Lab;
use crate::support::process::{Running, send};

/// Far beyond what an answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A started `residue view`.
pub struct View {
    running: Running,
    /// The whole line that it printed.
    pub address: String,
    pub port: u16,
    pub token: String,
}

impl View {
    pub fn start(mut command: Command) -> View {
        command.arg("--no-browser");
        View::start_with_browser(command)
    }

    /// The command says which browser.
    pub fn start_with_browser(command: Command) -> View {
        let mut running = Running::start(command);
        let rest = running.hear("http://127.0.0.1:");
        let (port, path) = rest.split_once('/').expect("a path after the port");
        let (token, _) = path.split_once('/').expect("a token and a slash");
        View {
            port: port.parse().expect("a port"),
            token: token.to_string(),
            address: format!("http://127.0.0.1:{rest}"),
            running,
        }
    }

    pub fn of(lab: &Lab, arguments: &[&str]) -> View {
        let mut residue = lab.residue();
        residue.arg("view").args(arguments);
        View::start(residue)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// Sends a request as it stands, with `TOKEN` and `PORT` filled in.
    pub fn send(&self, request: &str) -> Reply {
        let request = request
            .replace("TOKEN", &self.token)
            .replace("PORT", &self.port.to_string());
        let mut stream = self.connect();
        stream
            .write_all(request.as_bytes())
            .expect("it reads requests");
        Reply::read(stream)
    }

    /// Asks for a path below the token, as a browser would.
    pub fn get(&self, path: &str) -> Reply {
        self.send(&format!(
            "GET /TOKEN/{path} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n"
        ))
    }

    pub fn json(&self, path: &str) -> Value {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        assert_eq!(reply.header("content-type"), Some("application/json"));
        serde_json::from_slice(&reply.body).expect("JSON")
    }

    pub fn stop(mut self, signal: Signal) {
        send(self.running.pid(), signal);
        assert_eq!(self.running.wait().code(), Some(0), "it ends in peace");
    }
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    head: String,
    pub body: Vec<u8>,
}

impl Reply {
    /// Everything up to the end of the connection.
    fn read(mut stream: TcpStream) -> Reply {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no head in {:?}", String::from_utf8_lossy(&bytes)));
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).expect("a status");
        Reply {
            status: status.parse().expect("a number"),
            head,
            body: bytes[end + 4..].to_vec(),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1);
        lines.find_map(|line| {
            let (known, value) = line.split_once(": ")?;
            known.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}
