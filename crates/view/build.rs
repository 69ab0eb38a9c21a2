//! Hands the page to the compiler, to be carried inside the executable.

use std::path::{Path, PathBuf};

const PAGE_FILES: [&str; 3] = ["index.html", "page.js", "page.css"];

/// What is served where there is no page.
const NO_PAGE: &str = "<!doctype html>
<html lang=\"en\">
  <head>
    <meta charset=\"utf-8\">
    <title>Residue</title>
  </head>
  <body>
    <p>This <code>residue</code> was built without its page. <code>make</code> builds both.</p>
  </body>
</html>
";

/// Copies the page to where the compiler finds it. Building it takes Node, which is
/// `make`'s business; without it everything else works.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (built, taken) = (Path::new("../../viewer/dist"), out.join("page"));
    std::fs::create_dir_all(&taken).expect("OUT_DIR can be written to");
    let is_built = PAGE_FILES.iter().all(|file| built.join(file).is_file());
    // A path that is not there would make cargo build anew each time.
    match is_built {
        true => println!("cargo:rerun-if-changed={}", built.display()),
        false => {
            println!("cargo:rerun-if-changed=../../viewer");
            println!("cargo:warning=there is no page in viewer/dist: `make` builds it");
        }
    }
    for file in PAGE_FILES {
        let content = match file {
            _ if is_built => std::fs::read(built.join(file)).expect("the page can be read"),
            "index.html" => NO_PAGE.into(),
            _ => Vec::new(),
        };
        std::fs::write(taken.join(file), content).expect("OUT_DIR can be written to");
    }
}
