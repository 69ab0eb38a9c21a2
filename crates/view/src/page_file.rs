//! The page with its data in one file, which opens from disk and can be attached to an
//! issue.

use std::io::Write;

use anyhow::{Result, bail};

use super::assets;
use residue_query::page::file_data::file_data;
use residue_query::page::file_rows::Limits;
use residue_query::page::open_profiles::OpenProfiles;

/// What becomes of the tags by which the page loads its parts.
const SCRIPT_TAG: (&str, &str) = ("<script", "</script>");
const STYLE_TAG: (&str, &str) = ("<link rel=\"stylesheet\"", ">");

/// Writes the whole file.
pub fn write(profiles: &OpenProfiles, out: &mut dyn Write) -> Result<()> {
    let data = file_data(profiles, &Limits::USUAL)?;
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
}
