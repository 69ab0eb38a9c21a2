//! Who may ask. A page of another site that the user happens to look at can send
//! requests to this machine, too; it is known by what its browser says of it.
//!
//! ```text
//!   Host, address   one of our own names: no foreign name was made to point here
//!   Origin          absent, or ours: no script of another page asks
//!   Sec-Fetch-Site  not another site
//!   /TOKEN/         whoever asks was told the address
//!   GET, HEAD       nothing is ever changed by asking
//! ```

use hyper::header::{HOST, ORIGIN};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, StatusCode};

use super::token::Token;

pub struct Gate {
    token: Token,
    /// The names under which the page may be asked for, with the port.
    hosts: Vec<String>,
}

impl Gate {
    pub fn new(token: Token, port: u16) -> Gate {
        const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];
        let mut hosts = NAMES.map(|name| format!("{name}:{port}")).to_vec();
        // Browsers leave the usual port out.
        if port == 80 {
            hosts.extend(NAMES.map(str::to_string));
        }
        Gate { token, hosts }
    }

    /// The path after the token, or the status of the refusal.
    pub fn rest_of<'r>(&self, request: &'r Parts) -> Result<&'r str, StatusCode> {
        let authority = request.uri.authority();
        let is_ours = self.is_ours(&request.headers)
            && authority.is_none_or(|authority| self.is_host(authority.as_str()))
            && !is_of_another_site(&request.headers);
        let rest = self.token.rest_of(request.uri.path());
        let rest = rest.filter(|_| is_ours).ok_or(StatusCode::FORBIDDEN)?;
        match request.method {
            Method::GET | Method::HEAD => Ok(rest),
            _ => Err(StatusCode::METHOD_NOT_ALLOWED),
        }
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

    /// What becomes of a request for the page at port 4711; `TOKEN` stands for the token.
    fn status(method: &str, uri: &str, headers: &[(&str, &str)]) -> Result<String, u16> {
        let token = Token::random().unwrap();
        let uri = uri.replace("TOKEN", &token.to_string());
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let gate = Gate::new(token, 4711);
        let rest = gate.rest_of(&parts);
        rest.map(str::to_string).map_err(|status| status.as_u16())
    }

    #[test]
    fn who_knows_the_address_may_ask() {
        for host in ["127.0.0.1:4711", "localhost:4711", "[::1]:4711"] {
            let ours = ("host", host);
            assert_eq!(status("GET", "/TOKEN/", &[ours]), Ok(String::new()));
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
        assert!(Gate::new(Token::random().unwrap(), 80).is_host("localhost"));
        assert!(!Gate::new(Token::random().unwrap(), 8080).is_host("localhost"));
    }
}
