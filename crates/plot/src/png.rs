//! Pictures as pixels, with the font that comes along: the same on every machine.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{Options, Tree};
use std::sync::Arc;

/// Pixels of the file per pixel of the drawing: sharp in print.
const SCALE: f32 = 2.0;
const FAMILY: &str = "DejaVu Sans";

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read the drawing: {0}")]
    Drawing(#[from] resvg::usvg::Error),
    #[error("not enough memory for a picture of {width} x {height} pixels")]
    TooLarge { width: u32, height: u32 },
    #[error("cannot compress the picture: {0}")]
    Packing(String),
}

/// Draws an SVG that this crate has written.
pub fn png(svg: &str) -> Result<Vec<u8>, Error> {
    let mut fonts = Database::new();
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_source(Source::Binary(Arc::new(font)));
    }
    fonts.set_sans_serif_family(FAMILY);
    let options = Options {
        font_family: FAMILY.to_string(),
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options)?;
    let pixels = |length: f32| (length * SCALE).ceil() as u32;
    let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
    let mut pixmap = Pixmap::new(width, height).ok_or(Error::TooLarge { width, height })?;
    let scale = Transform::from_scale(SCALE, SCALE);
    resvg::render(&tree, scale, &mut pixmap.as_mut());
    pixmap
        .encode_png()
        .map_err(|error| Error::Packing(error.to_string()))
}
