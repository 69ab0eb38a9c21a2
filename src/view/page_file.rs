//! The page with its data in one file, which opens from disk and can be attached to an
//! issue. It holds the top of the data; the rest is one row, and is said to be.
//!
//! `viewer/src/file/data.ts` says what the data are.

use std::io::Write;

use anyhow::{Result, bail};

use super::answers::{Answer, answer};
use super::assets;
use super::file_rows::FileRows;
use super::shelf::Shelf;

/// Rows whose frames, sizes and births are in the file.
const MOST_DETAILS: usize = 100;

/// What becomes of the tags by which the page loads its parts.
const SCRIPT_TAG: (&str, &str) = ("<script", "</script>");
const STYLE_TAG: (&str, &str) = ("<link rel=\"stylesheet\"", ">");

/// Writes the whole file.
pub fn write(shelf: &Shelf, out: &mut dyn Write) -> Result<()> {
    let rows = FileRows::of(&shelf.first)?;
    let mut shelf = shelf.clone();
    shelf.left_out = rows.left_out();
    let data = data(&shelf, &rows)?;
    let page = assets::page();
    let html = without_tag(page.html, SCRIPT_TAG);
    let html = without_tag(&html, STYLE_TAG);
    let Some((head, rest)) = html.split_once("</head>") else {
        bail!("this executable was built without the page; `make` builds it");
    };
    let Some((body, tail)) = rest.split_once("</body>") else {
        bail!("this executable was built without the page; `make` builds it");
    };
    out.write_all(head.as_bytes())?;
    // Whatever a name in the data tries, nothing is loaded and nothing is sent.
    out.write_all(
        b"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
          script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\" />\n",
    )?;
    write!(
        out,
        "<style>{}</style>\n</head>",
        page.css.replace("</", "<\\/")
    )?;
    out.write_all(body.as_bytes())?;
    out.write_all(b"<script type=\"application/json\" id=\"residue-data\">")?;
    out.write_all(&data)?;
    // Inside a script only its end, and what begins a comment, could be misread.
    let script = page.js.replace("</script", "<\\/script");
    let script = script.replace("<!--", "<\\!--");
    write!(
        out,
        "</script>\n<script type=\"module\">{script}</script>\n</body>"
    )?;
    Ok(out.write_all(tail.as_bytes())?)
}

/// The page without the first tag of a kind.
fn without_tag(html: &str, (start, end): (&str, &str)) -> String {
    let Some((before, rest)) = html.split_once(start) else {
        return html.to_string();
    };
    match rest.split_once(end) {
        Some((_, after)) => format!("{before}{after}"),
        None => html.to_string(),
    }
}

/// The data as one document, in which no tag can begin.
fn data(shelf: &Shelf, rows: &FileRows) -> Result<Vec<u8>> {
    let mut data = Vec::new();
    for (name, question, query) in [
        ("about", "about", ""),
        ("verdict", "verdict", ""),
        ("timeline", "timeline", ""),
    ] {
        let start = if data.is_empty() { '{' } else { ',' };
        write!(data, "{start}\"{name}\":")?;
        data.extend(asked(shelf, question, query)?);
    }
    for (name, question, parameter, words) in [
        ("stages", "stages", "value", ["rss", "vm", "live", "time"]),
        (
            "sizes",
            "sizes",
            "kind",
            ["heap", "mapping", "reported", "all"],
        ),
    ] {
        write!(data, ",\"{name}\":")?;
        for (index, word) in words.into_iter().enumerate() {
            let start = if index == 0 { '{' } else { ',' };
            write!(data, "{start}\"{word}\":")?;
            data.extend(asked(shelf, question, &format!("{parameter}={word}"))?);
        }
        data.push(b'}');
    }
    rows.write(&mut data)?;
    write!(data, ",\"details\":{{")?;
    for (index, stack) in rows.stacks().take(MOST_DETAILS).enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(data, "{comma}\"{stack}\":")?;
        data.extend(asked(shelf, "stack", &format!("stack={stack}"))?);
    }
    write!(data, "}}}}")?;
    Ok(escaped(&data))
}

fn asked(shelf: &Shelf, question: &str, query: &str) -> Result<Vec<u8>> {
    match answer(shelf, question, query) {
        Answer::Given(document) => Ok(document),
        Answer::Refused(why) => bail!("{question}: {why}"),
        Answer::Unknown => bail!("{question} is no question"),
    }
}

/// JSON without `<`, which stands in texts only.
fn escaped(json: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(json.len());
    for &byte in json {
        match byte {
            b'<' => escaped.extend(b"\\u003c"),
            byte => escaped.push(byte),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_taken_out_whole() {
        let html = "<head><script type=\"module\" src=\"./page.js\"></script>\n<b></head>";
        assert_eq!(without_tag(html, SCRIPT_TAG), "<head>\n<b></head>");
        let html = "<link rel=\"icon\" /><link rel=\"stylesheet\" crossorigin href=\"./p.css\"><b>";
        assert_eq!(without_tag(html, STYLE_TAG), "<link rel=\"icon\" /><b>");
        assert_eq!(without_tag("<p>", SCRIPT_TAG), "<p>");
    }

    #[test]
    fn no_tag_begins_in_the_data() {
        let json = br#"{"a":"</script><!--","b":[1]}"#;
        let safe = escaped(json);
        assert!(!safe.contains(&b'<'));
        let [one, other] = [&json[..], &safe]
            .map(|text| serde_json::from_slice::<serde_json::Value>(text).unwrap());
        assert_eq!(one, other);
    }
}
