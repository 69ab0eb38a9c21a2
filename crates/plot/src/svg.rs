//! A small writer of SVG. Whatever a profile calls its functions and stamps, the text is
//! well-formed XML 1.0 and says nothing but what is drawn.

use std::fmt::{Display, Write};

/// A length in pixels, to a hundredth.
#[derive(Debug, Clone, Copy)]
pub struct Px(pub f64);

/// No picture is as large as this; what lies beyond would not be drawn anyway.
const FARTHEST_PX: f64 = 1e6;

impl Display for Px {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let finite = if self.0.is_nan() { 0.0 } else { self.0 };
        let hundredths = (finite.clamp(-FARTHEST_PX, FARTHEST_PX) * 100.0).round();
        // Adding zero takes the sign off a negative zero.
        write!(f, "{}", hundredths / 100.0 + 0.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub struct Type<'a> {
    pub size_px: f64,
    pub is_bold: bool,
    pub anchor: Anchor,
    pub colour: &'a str,
}

pub type Attributes<'a> = [(&'a str, &'a dyn Display)];

/// Families whose letters are about as wide as those that texts are measured with.
const FONTS: &str = "DejaVu Sans, Verdana, Geneva, sans-serif";

#[derive(Debug, Default)]
pub struct Svg {
    body: String,
}

impl Svg {
    pub fn element(&mut self, name: &str, attributes: &Attributes<'_>) {
        self.start(name, attributes);
        self.body.push_str("/>\n");
    }

    pub fn open(&mut self, name: &str, attributes: &Attributes<'_>) {
        self.start(name, attributes);
        self.body.push_str(">\n");
    }

    pub fn close(&mut self, name: &str) {
        self.body.push_str(&format!("</{name}>\n"));
    }

    fn start(&mut self, name: &str, attributes: &Attributes<'_>) {
        self.body.push('<');
        self.body.push_str(name);
        for (key, value) in attributes {
            let value = escaped(&value.to_string());
            self.body.push_str(&format!(" {key}=\"{value}\""));
        }
    }

    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        self.element(
            "rect",
            &[
                ("x", &Px(x)),
                ("y", &Px(y)),
                ("width", &Px(width.max(0.0))),
                ("height", &Px(height.max(0.0))),
                ("fill", &fill),
            ],
        );
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width_px: f64) {
        self.element(
            "line",
            &[
                ("x1", &Px(from.0)),
                ("y1", &Px(from.1)),
                ("x2", &Px(to.0)),
                ("y2", &Px(to.1)),
                ("stroke", &colour),
                ("stroke-width", &Px(width_px)),
            ],
        );
    }

    pub fn text(&mut self, (x, y): (f64, f64), look: Type<'_>, text: &str) {
        let anchor = match look.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if look.is_bold { "bold" } else { "normal" };
        self.start(
            "text",
            &[
                ("x", &Px(x)),
                ("y", &Px(y)),
                ("font-size", &Px(look.size_px)),
                ("font-weight", &weight),
                ("text-anchor", &anchor),
                ("fill", &look.colour),
            ],
        );
        self.body.push_str(&format!(">{}</text>\n", escaped(text)));
    }

    /// The whole document.
    pub fn finish(self, (width, height): (f64, f64), title: &str, paper: &str) -> String {
        let mut text = String::with_capacity(self.body.len() + 1024);
        let (width, height) = (Px(width), Px(height));
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n\
             <title>{}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{paper}\"/>\n",
            escaped(title)
        );
        text.push_str(&self.body);
        text.push_str("</svg>\n");
        text
    }
}

/// Points as the `points` of a line or a polygon.
pub fn points(points: &[(f64, f64)]) -> String {
    let pairs: Vec<String> = points
        .iter()
        .map(|&(x, y)| format!("{},{}", Px(x), Px(y)))
        .collect();
    pairs.join(" ")
}

/// For text and for attributes alike; without the characters that XML 1.0 cannot hold.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\0'..'\x20' | '\u{FFFE}' | '\u{FFFF}' => {}
            _ => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_markup() {
        assert_eq!(
            escaped("<script>alert('1 & \"2\"')</script>"),
            "&lt;script&gt;alert(&apos;1 &amp; &quot;2&quot;&apos;)&lt;/script&gt;"
        );
        assert_eq!(
            escaped("a\0b\x1b[1m\u{FFFE}c\td\u{e9}\u{1F600}"),
            "ab[1mc d\u{e9}\u{1F600}"
        );
    }

    #[test]
    fn lengths_are_short_and_finite() {
        let text = |length: f64| Px(length).to_string();
        assert_eq!(text(1.0), "1");
        assert_eq!(text(1.0 / 3.0), "0.33");
        assert_eq!(text(-0.001), "0");
        assert_eq!(text(f64::NAN), "0");
        assert_eq!(text(f64::INFINITY), "1000000");
        assert_eq!(points(&[(0.0, 1.5), (2.0, -3.25)]), "0,1.5 2,-3.25");
    }

    #[test]
    fn a_document_is_well_formed_whatever_it_says() {
        let evil = "\"/><script>\u{1}]]>&amp;";
        let mut svg = Svg::default();
        svg.open("g", &[("data-name", &evil)]);
        let look = Type {
            size_px: 11.0,
            is_bold: false,
            anchor: Anchor::End,
            colour: "#000",
        };
        svg.text((1.0, 2.0), look, evil);
        svg.close("g");
        let text = svg.finish((10.0, 20.0), evil, "#fff");
        let document = roxmltree::Document::parse(&text).unwrap();
        let said = "\"/><script>]]>&amp;";
        let group = document
            .descendants()
            .find(|node| node.has_tag_name("g"))
            .unwrap();
        assert_eq!(group.attribute("data-name"), Some(said));
        let texts = document
            .descendants()
            .filter(|node| node.has_tag_name("text"));
        assert_eq!(
            texts.map(|node| node.text()).collect::<Vec<_>>(),
            [Some(said)]
        );
        assert_eq!(
            document
                .descendants()
                .filter(|node| node.has_tag_name("script"))
                .count(),
            0
        );
    }
}
