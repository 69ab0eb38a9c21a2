//! Pictures of recorded programs: their numbers are those of the verdict, and there is
//! something to see.

use crate::support::{Lab, PROFILE, describe, process};
use crate::verdicts::said;
use std::path::Path;

/// Every number that an attribute of this name has in a drawing.
fn numbers(svg: &str, attribute: &str) -> Vec<f64> {
    values(svg, attribute)
        .iter()
        .map(|value| value.parse().expect("a number"))
        .collect()
}

fn values<'a>(svg: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    let behind = svg.split(&start).skip(1);
    behind
        .map(|text| text.split('"').next().expect("the value's end"))
        .collect()
}

/// The first number under a name, read from the text: serde_json's own reader may be off
/// by the last digit.
fn member(json: &str, name: &str) -> f64 {
    let start = format!("\"{name}\": ");
    let (_, value) = json.split_once(&start).expect("a member");
    let value = value.split([',', '\n']).next().expect("a value");
    value.parse().expect("a number")
}

fn drawn(lab: &Lab, file: &str, options: &[&str]) -> String {
    let mut arguments = vec!["plot", PROFILE, "-o", file];
    arguments.extend(options);
    assert_eq!(said(lab, &arguments), "");
    std::fs::read_to_string(lab.path(file)).expect("a drawing")
}

/// Width and height of a PNG, and the share of its pixels that are not paper.
fn looked_at(path: &Path) -> (u32, u32, f64) {
    let bytes = std::fs::read(path).expect("a picture");
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    let mut reader = decoder.read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a whole PNG");
    let paper = pixels[..4].to_vec();
    let inked = pixels.chunks(4).filter(|pixel| **pixel != paper).count();
    let share = inked as f64 / f64::from(info.width * info.height);
    (info.width, info.height, share)
}

fn refused(lab: &Lab, arguments: &[&str]) -> String {
    let mut command = lab.residue();
    command.arg("plot").args(arguments);
    let output = process::finish(command);
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn a_leak_is_drawn_with_the_verdicts_own_rate() {
    let lab = Lab::new();
    lab.record(&[], &["leaky_events", "200"]).expect_exact();
    let svg = drawn(&lab, "plot.svg", &[]);
    let verdict = said(&lab, &["leaks", PROFILE, "--json"]);
    assert_eq!(
        numbers(&svg, "data-rate"),
        [member(&verdict, "rate_bytes_per_event")]
    );
    assert_eq!(numbers(&svg, "data-low"), [member(&verdict, "low")]);
    assert_eq!(numbers(&svg, "data-high"), [member(&verdict, "high")]);
    assert_eq!(values(&svg, "data-panel")[..2], ["timeline", "survival"]);
    assert!(svg.contains("no stamps: no stage matrix"), "{svg}");
    assert!(svg.contains("SEvt::getPhotonFrame"), "{svg}");

    said(&lab, &["plot", PROFILE, "-o", "plot.png"]);
    let (width, height, share) = looked_at(&lab.path("plot.png"));
    let svg_height = numbers(&svg, "height")[0] as u32;
    assert_eq!((width, height), (2 * 960, 2 * svg_height));
    assert!((0.02..0.8).contains(&share), "{share} is drawn");

    let to_stdout = ["plot", PROFILE, "--format", "svg", "-o", "-"];
    assert_eq!(said(&lab, &to_stdout), svg);
}

#[test]
fn stages_and_snapshots_are_drawn_for_some_events_too() {
    let lab = Lab::new();
    lab.record(&[], &["marks_cpp", "60"]).expect_exact();
    let svg = drawn(&lab, "plot.svg", &[]);
    let panels = values(&svg, "data-panel");
    assert_eq!(panels[..3], ["timeline", "stages", "survival"]);
    assert_eq!(numbers(&svg, "data-rate"), [1000.0]);
    assert!(svg.contains(">half</text>"), "no flag in\n{svg}");
    let stages = said(&lab, &["stages", PROFILE, "--json"]);
    let stages: serde_json::Value = serde_json::from_str(&stages).expect("JSON");
    let intervals = stages["stages"]["intervals"].as_array().expect("intervals");
    assert_eq!(values(&svg, "data-interval").len(), intervals.len());

    let some = ["--from", "11", "--to", "40", "--width", "600", "--dark"];
    let svg = drawn(
        &lab,
        "some.svg",
        &[&some[..], &["--what", "survival"]].concat(),
    );
    assert_eq!(values(&svg, "data-panel"), ["survival"]);
    let leaking = svg.split("data-survivors").nth(1).expect("survivors");
    let bars = leaking.split("</g>").next().expect("a group");
    assert_eq!(bars.matches("<rect").count(), 30);
    let address = format!("{PROFILE}@11..41");
    let arguments = [
        "plot", &address, "-o", "same.svg", "--width", "600", "--dark",
    ];
    said(&lab, &[&arguments[..], &["--what", "survival"]].concat());
    let same = std::fs::read_to_string(lab.path("same.svg")).expect("a drawing");
    assert_eq!(same, svg);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let lab = Lab::new();
    lab.record(&[], &["hello"]).expect_exact();
    let said = refused(&lab, &[PROFILE, "-o", "plot.pdf"]);
    assert!(
        said.contains("plot.pdf does not end in .svg or .png; give --format"),
        "{said}"
    );
    let said = refused(&lab, &[PROFILE, "-o", "-"]);
    assert!(
        said.contains("standard output needs --format svg"),
        "{said}"
    );
    let said = refused(&lab, &[PROFILE, "-o", "plot.svg"]);
    assert!(
        said.contains("nothing to draw: fewer than two ticks"),
        "{said}"
    );
    assert!(!lab.path("plot.svg").exists());
    let said = refused(&lab, &[PROFILE, "-o", PROFILE, "--format", "svg"]);
    assert!(said.starts_with("residue: "), "{said}");
}
