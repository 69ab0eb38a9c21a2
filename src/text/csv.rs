//! Comma-separated values, as spreadsheets read them.

use std::io::{self, Write};

/// Writes one line. Fields with a comma, a quote or a line end are quoted.
pub fn write_row<T: AsRef<str>>(
    out: &mut dyn Write,
    fields: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    for (index, field) in fields.into_iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        let field = field.as_ref();
        match field.contains([',', '"', '\n', '\r']) {
            true => write!(out, "\"{}\"", field.replace('"', "\"\""))?,
            false => out.write_all(field.as_bytes())?,
        }
    }
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let mut out = Vec::new();
        write_row(&mut out, ["plain", "a,b", "say \"hi\"", "two\nlines", ""]).unwrap();
        let expected = "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
