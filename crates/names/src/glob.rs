//! Wildcards as shells have them.

/// Whether a text fits a pattern in which `*` stands for any text and `?` for any one
/// character.
///
/// Goes back to the last `*` only, which is enough: an earlier one could not take
/// more without the last one being able to take less.
pub fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut last_star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                last_star = Some((p, t));
                p += 1;
            }
            Some(b'?') => (p, t) = (p + 1, next_character(text, t)),
            Some(&literal) if literal == text[t] => (p, t) = (p + 1, t + 1),
            _ => match last_star {
                Some((star, from)) => {
                    last_star = Some((star, from + 1));
                    (p, t) = (star + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&rest| rest == b'*')
}

/// Behind the character at `at`, which may be several bytes.
fn next_character(text: &[u8], at: usize) -> usize {
    let rest = text[at + 1..].iter();
    at + 1 + rest.take_while(|&&byte| byte & 0xc0 == 0x80).count()
}
