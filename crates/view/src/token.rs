//! The secrets of one run of the server, in addresses and in a cookie. Whoever has not been
//! told one learns nothing, not even other users of the same machine, who can reach its
//! ports.

use std::fmt;

use anyhow::{Context, Result};
use subtle::ConstantTimeEq;

const TOKEN_BYTES: usize = 16;

#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one from the kernel's source of randomness.
    pub fn random() -> Result<Token> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).context("the system provides no random numbers")?;
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        Ok(Token(digits.collect()))
    }

    /// A known one, for conversations that are to be repeated.
    #[cfg(feature = "fuzz")]
    pub fn known(text: &str) -> Token {
        Token(text.to_string())
    }

    /// Of the path `/TOKEN/rest` the rest. How long the comparison takes says nothing
    /// about the secret.
    pub fn rest_of<'p>(&self, path: &'p str) -> Option<&'p str> {
        let (given, rest) = path.strip_prefix('/')?.split_once('/')?;
        self.is(given).then_some(rest)
    }

    /// Whether this is it.
    pub fn is(&self, given: &str) -> bool {
        given.as_bytes().ct_eq(self.0.as_bytes()).into()
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_differ() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        let text = one.to_string();
        assert_eq!(text.len(), 2 * TOKEN_BYTES);
        assert!(text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(text, other.to_string());
    }

    #[test]
    fn only_the_whole_token_opens_a_path() {
        let token = Token("0123456789abcdef0123456789abcdef".to_string());
        assert_eq!(token.rest_of(&format!("/{token}/")), Some(""));
        assert_eq!(
            token.rest_of(&format!("/{token}/api/about")),
            Some("api/about")
        );
        assert_eq!(token.rest_of(&format!("/{token}/../x")), Some("../x"));
        let cut = &token.to_string()[..31];
        for path in [
            "".to_string(),
            "/".to_string(),
            "//".to_string(),
            "*".to_string(),
            format!("{token}/"),
            format!("/{token}"),
            format!("//{token}/"),
            format!("/{cut}/"),
            format!("/{token}0/"),
            format!("/{cut}0/"),
            format!("/x/../{token}/"),
            format!("/%30{}/", &token.to_string()[1..]),
            format!("/{}/", token.to_string().to_uppercase()),
        ] {
            assert_eq!(token.rest_of(&path), None, "{path}");
        }
    }
}
