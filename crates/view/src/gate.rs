//! Who may ask. A page of another site that the user happens to look at can send
//! requests to this machine, too; it is known by what its browser says of it. Other users
//! of this machine can connect; they are known by not having been told.
//!
//! ```text
//!   Host, address   one of our own names: no foreign name was made to point here
//!   Origin          absent, or ours: no script of another page asks
//!   Sec-Fetch-Site  not another site
//!   GET, HEAD       nothing is ever changed by asking
//!
//!   /LINK/          whoever asks was told the address that was printed
//!   /TICKET/        what the browser was started with: anybody can read it in the list of
//!      │            processes, so it is good for our own user's connections alone
//!      └─ lets the browser in: a cookie that scripts cannot read, and on to
//!   /PLACE/         the page. Who copies this address copies no secret
//! ```

use hyper::header::{COOKIE, HOST, HeaderValue, ORIGIN};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, StatusCode};

use super::token::Token;

const COOKIE_NAME: &str = "residue";
/// Beside the address of the page that lets in.
const ENTRY_SCRIPT: &str = "enter.js";

pub struct Gate {
    /// In the address that is printed.
    link: Token,
    /// In the address that the browser is started with.
    ticket: Token,
    /// Where the page is, for those who have been let in. No secret, and yet not to be
    /// guessed: browsers show cookies to all servers of a host, but for this path alone.
    place: Token,
    /// The value of the cookie.
    pass: Token,
    /// The names under which the page may be asked for, with the port.
    hosts: Vec<String>,
}

/// What is asked for, by whom.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked<'r> {
    /// To be let in.
    Entry,
    /// The script of the page that lets in.
    EntryScript,
    /// This, below the address of the page.
    Page(&'r str),
}

impl Gate {
    pub fn new(link: Token, ticket: Token, port: u16) -> anyhow::Result<Gate> {
        Ok(Gate {
            link,
            ticket,
            place: Token::random()?,
            pass: Token::random()?,
            hosts: Gate::hosts_at(port),
        })
    }

    fn hosts_at(port: u16) -> Vec<String> {
        const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];
        let mut hosts = NAMES.map(|name| format!("{name}:{port}")).to_vec();
        // Browsers leave the usual port out.
        if port == 80 {
            hosts.extend(NAMES.map(str::to_string));
        }
        hosts
    }

    /// With secrets that are known, in the order of their fields.
    #[cfg(feature = "fuzz")]
    pub fn known([link, ticket, place, pass]: [Token; 4], port: u16) -> Gate {
        Gate {
            link,
            ticket,
            place,
            pass,
            hosts: Gate::hosts_at(port),
        }
    }

    /// What may be answered, or the status of the refusal.
    pub fn admit<'r>(
        &self,
        request: &'r Parts,
        is_own_user: impl FnOnce() -> bool,
    ) -> Result<Asked<'r>, StatusCode> {
        let authority = request.uri.authority();
        let is_ours = self.is_ours(&request.headers)
            && authority.is_none_or(|authority| self.is_host(authority.as_str()))
            && !is_of_another_site(&request.headers);
        let asked = self.asked(request, is_own_user);
        let asked = asked.filter(|_| is_ours).ok_or(StatusCode::FORBIDDEN)?;
        match request.method {
            Method::GET | Method::HEAD => Ok(asked),
            _ => Err(StatusCode::METHOD_NOT_ALLOWED),
        }
    }

    fn asked<'r>(
        &self,
        request: &'r Parts,
        is_own_user: impl FnOnce() -> bool,
    ) -> Option<Asked<'r>> {
        let path = request.uri.path();
        let entry = |rest| match rest {
            "" => Some(Asked::Entry),
            ENTRY_SCRIPT => Some(Asked::EntryScript),
            _ => None,
        };
        if let Some(rest) = self.link.rest_of(path) {
            return entry(rest).or(Some(Asked::Page(rest)));
        }
        if let Some(rest) = self.ticket.rest_of(path) {
            return entry(rest).filter(|_| is_own_user());
        }
        let rest = self.place.rest_of(path)?;
        self.has_pass(&request.headers).then_some(Asked::Page(rest))
    }

    fn has_pass(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(COOKIE).iter();
        let mut cookies = cookies.flat_map(|it| it.to_str().unwrap_or_default().split(';'));
        cookies.any(|cookie| match cookie.trim().split_once('=') {
            Some((COOKIE_NAME, value)) => self.pass.is(value),
            _ => false,
        })
    }

    /// The cookie that lets in. Pages of other sites cannot make a browser send it.
    pub fn cookie(&self) -> Option<HeaderValue> {
        let (place, pass) = (&self.place, &self.pass);
        let cookie = format!("{COOKIE_NAME}={pass}; Path=/{place}/; HttpOnly; SameSite=Strict");
        HeaderValue::try_from(cookie).ok()
    }

    /// Goes on to the page, at the same place of it. In a script, since a redirection of
    /// what another program opened would come without the cookie.
    pub fn entry_script(&self) -> String {
        format!("location.replace(\"/{}/\" + location.hash);\n", self.place)
    }

    fn is_host(&self, text: &str) -> bool {
        self.hosts.iter().any(|host| host == text)
    }

    /// One Host that is ours, and no Origin that is not.
    fn is_ours(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        let is_host = host.is_some_and(|host| self.is_host(host)) && hosts.next().is_none();
        let mut origins = headers.get_all(ORIGIN).iter();
        is_host
            && origins.all(|origin| {
                let origin = origin.to_str().unwrap_or_default();
                origin
                    .strip_prefix("http://")
                    .is_some_and(|host| self.is_host(host))
            })
    }
}

fn is_of_another_site(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    sites.any(|site| site == "cross-site")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    fn gate() -> Gate {
        Gate::new(Token::random().unwrap(), Token::random().unwrap(), 4711).unwrap()
    }

    /// What becomes of a request for the page at port 4711. TOKEN, TICKET, PLACE and PASS
    /// stand for what they are.
    fn status_for(
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        is_own_user: bool,
    ) -> Result<String, u16> {
        let gate = gate();
        let filled = |text: &str| {
            text.replace("TOKEN", &gate.link.to_string())
                .replace("TICKET", &gate.ticket.to_string())
                .replace("PLACE", &gate.place.to_string())
                .replace("PASS", &gate.pass.to_string())
        };
        let mut request = Request::builder().method(method).uri(filled(uri));
        for (name, value) in headers {
            request = request.header(*name, filled(value));
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let asked = gate.admit(&parts, || is_own_user);
        let said = |asked| match asked {
            Asked::Entry => "entry".to_string(),
            Asked::EntryScript => "entry script".to_string(),
            Asked::Page(rest) => rest.to_string(),
        };
        asked.map(said).map_err(|status| status.as_u16())
    }

    fn status(method: &str, uri: &str, headers: &[(&str, &str)]) -> Result<String, u16> {
        status_for(method, uri, headers, false)
    }

    const OURS: (&str, &str) = ("host", "127.0.0.1:4711");

    #[test]
    fn the_link_lets_in() {
        let said = |text: &str| Ok(text.to_string());
        assert_eq!(status("GET", "/TOKEN/", &[OURS]), said("entry"));
        assert_eq!(
            status("GET", "/TOKEN/enter.js", &[OURS]),
            said("entry script")
        );
        let gate = gate();
        let cookie = gate.cookie().unwrap();
        let cookie = cookie.to_str().unwrap();
        let (place, pass) = (&gate.place, &gate.pass);
        assert_eq!(
            cookie,
            format!("residue={pass}; Path=/{place}/; HttpOnly; SameSite=Strict")
        );
        let script = gate.entry_script();
        assert!(script.contains(&place.to_string()), "{script}");
        for secret in [&gate.link, &gate.ticket, pass] {
            assert!(!script.contains(&secret.to_string()), "{script}");
        }
    }

    #[test]
    fn the_ticket_is_for_our_own_user() {
        for (path, what) in [("/TICKET/", "entry"), ("/TICKET/enter.js", "entry script")] {
            assert_eq!(status_for("GET", path, &[OURS], true), Ok(what.to_string()));
            assert_eq!(status_for("GET", path, &[OURS], false), Err(403));
        }
        assert_eq!(
            status_for("GET", "/TICKET/api/about", &[OURS], true),
            Err(403)
        );
    }

    #[test]
    fn the_page_is_for_who_was_let_in() {
        let passes = [
            "residue=PASS",
            "other=1; residue=PASS",
            "residue=0;residue=PASS",
        ];
        for cookie in passes {
            let headers = [OURS, ("cookie", cookie)];
            assert_eq!(status("GET", "/PLACE/", &headers), Ok(String::new()));
            assert_eq!(
                status("GET", "/PLACE/api/about", &headers),
                Ok("api/about".to_string())
            );
        }
        let refused = [
            "",
            "residue=",
            "residue=0",
            "residue=TOKEN",
            "x=PASS",
            "residue=PASS0",
            "PASS",
        ];
        for cookie in refused {
            assert_eq!(
                status("GET", "/PLACE/", &[OURS, ("cookie", cookie)]),
                Err(403)
            );
        }
        assert_eq!(status("GET", "/PLACE/", &[OURS]), Err(403));
        assert_eq!(status("GET", "/PASS/", &[OURS]), Err(403));
        let from_elsewhere = [
            OURS,
            ("cookie", "residue=PASS"),
            ("sec-fetch-site", "cross-site"),
        ];
        assert_eq!(status("GET", "/PLACE/", &from_elsewhere), Err(403));
    }

    #[test]
    fn who_knows_the_address_may_ask() {
        for host in ["127.0.0.1:4711", "localhost:4711", "[::1]:4711"] {
            let ours = ("host", host);
            assert_eq!(status("GET", "/TOKEN/", &[ours]), Ok("entry".to_string()));
            assert_eq!(
                status("HEAD", "/TOKEN/api/about?x=1", &[ours]),
                Ok("api/about".to_string())
            );
            let origin = format!("http://{host}");
            let more = [ours, ("origin", &origin), ("sec-fetch-site", "same-origin")];
            assert_eq!(
                status("GET", "/TOKEN/page.js", &more),
                Ok("page.js".to_string())
            );
        }
        let absolute = "http://localhost:4711/TOKEN/page.css";
        assert_eq!(
            status("GET", absolute, &[("host", "localhost:4711")]),
            Ok("page.css".to_string())
        );
    }

    #[test]
    fn others_may_not() {
        let ours = ("host", "127.0.0.1:4711");
        let refused: [(&str, &[(&str, &str)]); 16] = [
            ("/", &[ours]),
            ("/TOKEN", &[ours]),
            ("/other/", &[ours]),
            ("/TOKEN/", &[]),
            ("/TOKEN/", &[("host", "evil.example")]),
            ("/TOKEN/", &[("host", "evil.example:4711")]),
            ("/TOKEN/", &[("host", "127.0.0.1")]),
            ("/TOKEN/", &[("host", "127.0.0.1:4712")]),
            ("/TOKEN/", &[("host", "127.0.0.1:4711.evil.example")]),
            ("/TOKEN/", &[ours, ("host", "evil.example")]),
            ("/TOKEN/", &[ours, ("origin", "http://evil.example")]),
            ("/TOKEN/", &[ours, ("origin", "https://127.0.0.1:4711")]),
            ("/TOKEN/", &[ours, ("origin", "http://127.0.0.1:4712")]),
            ("/TOKEN/", &[ours, ("origin", "null")]),
            ("/TOKEN/", &[ours, ("sec-fetch-site", "cross-site")]),
            ("http://evil.example/TOKEN/", &[ours]),
        ];
        for (uri, headers) in refused {
            assert_eq!(status("GET", uri, headers), Err(403), "{uri} {headers:?}");
        }
    }

    #[test]
    fn asking_is_all_that_is_allowed() {
        let ours = ("host", "127.0.0.1:4711");
        for method in [
            "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT",
        ] {
            assert_eq!(status(method, "/TOKEN/api/about", &[ours]), Err(405));
            assert_eq!(status(method, "/", &[ours]), Err(403));
        }
    }

    #[test]
    fn the_usual_port_may_be_left_out() {
        let at = |port| {
            let (link, ticket) = (Token::random().unwrap(), Token::random().unwrap());
            Gate::new(link, ticket, port).unwrap()
        };
        assert!(at(80).is_host("localhost"));
        assert!(!at(8080).is_host("localhost"));
    }
}
