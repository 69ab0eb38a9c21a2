//! The page itself, carried inside the executable.

/// The three files that the browser loads.
#[derive(Clone, Copy)]
pub struct Page {
    pub html: &'static str,
    pub js: &'static str,
    pub css: &'static str,
}

/// The page that was there when this executable was built, else one that says so.
pub fn page() -> Page {
    Page {
        html: include_str!(concat!(env!("OUT_DIR"), "/page/index.html")),
        js: include_str!(concat!(env!("OUT_DIR"), "/page/page.js")),
        css: include_str!(concat!(env!("OUT_DIR"), "/page/page.css")),
    }
}
