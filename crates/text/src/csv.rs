//! Comma-separated values, as spreadsheets read them.

use std::io::{self, Write};

use residue_profile::harmless::cell;

/// Most rows fit; longer ones are written in pieces.
const ROW_BYTES: usize = 512;

/// Writes one line. Fields with a comma, a quote or a line end are quoted, and none is a
/// formula.
pub fn write_row<T: AsRef<str>>(
    out: &mut dyn Write,
    fields: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    let mut row = csv::WriterBuilder::new();
    let mut row = row.buffer_capacity(ROW_BYTES).from_writer(out);
    let fields = fields.into_iter();
    for field in fields {
        row.write_field(&*cell(field.as_ref())).map_err(cause)?;
    }
    row.write_record(None::<&[u8]>).map_err(cause)?;
    row.flush()
}

/// The error of the output itself, by which a closed pipe is known.
fn cause(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(cause) => cause,
        other => io::Error::other(format!("{other:?}")),
    }
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
