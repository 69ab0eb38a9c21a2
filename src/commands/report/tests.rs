//! Reports of a small profile, to the letter.

use super::*;
use clap::Parser;
use residue_profile::{MemoryKind, Span};
use residue_testkit::sample;
use residue_text::report::summary;
use serde_json::{Value, json};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

/// Options as they are typed.
fn options(arguments: &[&str]) -> Options {
    Line::parse_from([&["report"], arguments].concat()).options
}

fn whole(profile: Profile) -> Loaded {
    Loaded {
        profile,
        measured: Measured::Everything,
        span: Span::WHOLE,
    }
}

fn report(arguments: &[&str]) -> String {
    text(
        &whole(sample::profile()),
        &options(arguments),
        &Page::plain(100),
    )
    .unwrap()
}

fn written(arguments: &[&str]) -> String {
    let mut out = Vec::new();
    write(&whole(sample::profile()), &options(arguments), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn json_of(arguments: &[&str]) -> Value {
    let text = written(&[arguments, &["--json"]].concat());
    assert!(text.ends_with("}\n"));
    serde_json::from_str(&text).unwrap()
}

const FOOTER: &str = "\nnames shortened by the built-in rules; --no-rules shows every frame\n";

#[test]
fn the_default_report_in_full() {
    let expected = "
self: 3 of 3 functions by live bytes, together 100 % of 2.87 KiB (2 936 bytes)

      self       %  cumulative       %  calls  function  library
  1.88 KiB  65.4 %    1.88 KiB  65.4 %    110  operator new  libfoo.so
    1000 B  34.1 %      1000 B  34.1 %      1  odd;name  libfoo.so
      16 B   0.5 %        16 B   0.5 %     50  [pooled: blocks outside the size limits]

cumulative: 7 of 7 functions by live bytes, of 2.87 KiB (2 936 bytes)

      self       %  cumulative       %  calls  function  library
       0 B     0 %    2.85 KiB  99.5 %    111  main  server
  1.88 KiB  65.4 %    1.88 KiB  65.4 %    110  operator new  libfoo.so
       0 B     0 %    1.88 KiB  65.4 %    110  space::Thing::foo  libfoo.so
    1000 B  34.1 %      1000 B  34.1 %      1  odd;name  libfoo.so
       0 B     0 %      1000 B  34.1 %      1  [... frames left out ...]
       0 B     0 %      1000 B  34.1 %      1  [jit] 0x7f0012f0
      16 B   0.5 %        16 B   0.5 %     50  [pooled: blocks outside the size limits]

stacks: 3 of 3 heap stacks by live bytes, together 100 % of 2.87 KiB (2 936 bytes)

  1.  1.88 KiB (1 920 bytes) live, 65.4 %
      100 calls, 6.25 KiB total, 1.88 KiB live in 30 blocks, peak 3.12 KiB, at peak 2.50 KiB
      sizes: all 64..127 B
      born: 0..2 s, 30 blocks, every second
        #0 operator new  libfoo.so
        #1 space::Thing::foo  libfoo.so
        #2 main  server

  2.  1000 B live, 34.1 %
      1 call, 1000 B total, 1000 B live in 1 block, peak 1000 B, at peak 1000 B
      sizes: all 512..1023 B
      born: at 7 s, 1 block
        #0 odd;name  libfoo.so
        #1 [jit] 0x7f0012f0
        [... frames left out ...]
        #3 main  server

  3.  16 B live, 0.5 %
      50 calls, 800 B total, 16 B live in 1 block, peak 16 B, at peak 16 B
      sizes: all 16..31 B
      born: at 9 s, 1 block
        [pooled: blocks outside the size limits]
";
    let text = report(&["--no-rules"]);
    let head = summary::lines(&sample::profile(), Measured::Everything).join("\n") + "\n";
    assert_eq!(text.strip_prefix(&head).unwrap(), expected);
    assert!(report(&[]).ends_with(FOOTER));
    assert_eq!(report(&["--top", "0"]), head);
    assert_eq!(report(&["--view", "summary"]), head);
}

#[test]
fn the_built_in_rules_hide_the_allocator() {
    let text = report(&["--view", "self", "--top", "1"]);
    assert!(
        text.contains(
            "  1.88 KiB  65.4 %    1.88 KiB  65.4 %    110  space::Thing::foo  libfoo.so\n"
        ),
        "{text}"
    );
}

#[test]
fn another_counter_kind_and_names() {
    let text = report(&[
        "--no-rules",
        "--view=stacks",
        "--counter=live-blocks",
        "--kind=all",
        "--top=1",
        "--full-names",
    ]);
    assert!(
        text.starts_with("stacks: 1 of 4 stacks by live blocks, together 90.9 % of 33\n"),
        "{text}"
    );
    assert!(text.contains("\n  1.  30 live blocks, 90.9 %\n"));
    assert!(text.contains("#1 space::Thing::foo(std::string const&, int)  libfoo.so\n"));
    let peak = report(&["--view=stacks", "--counter=peak", "--kind=mapping"]);
    assert!(peak.starts_with(
        "stacks: 1 of 1 mapping stack by own peak; \
         the peak of all together was 8.00 KiB (8 192 bytes)\n"
    ));
    let columns = report(&[
        "--no-rules",
        "--view=self",
        "--counters=total,frees",
        "--top=1",
    ]);
    assert!(columns.contains("      self       %  cumulative       %    total  frees  function"));
    assert!(
        columns.contains("  1.88 KiB  65.4 %    1.88 KiB  65.4 %  106 KiB     80  operator new")
    );
}

#[test]
fn nothing_to_show_is_said() {
    let none = [
        "--no-rules",
        "--view=self,stacks,tree,callers",
        "--counter=reallocs",
        "--kind=mapping",
    ];
    let text = report(&none);
    assert!(
        text.contains("self: no function has any mapped reallocations\n"),
        "{text}"
    );
    assert!(text.contains("stacks: no mapping stack has any reallocations\n"));
    assert!(text.contains("tree by reallocations, from the root: down to 0.5 % of 0\n"));
    assert!(text.contains(
        "callers and callees by reallocations: 0 of 0 functions with at least 0.5 % of 0\n"
    ));
    let groups = report(&["--view=scope,thread,advice"]);
    assert!(groups.starts_with(
        "scopes: none marked\n\n\
         threads: not recorded\n\n\
         advice: none\n"
    ));
    let empty = text_of_nothing();
    assert!(
        empty.contains("self: no function has any live bytes\n"),
        "{empty}"
    );
}

fn text_of_nothing() -> String {
    let all = options(&["--view=summary,self,cumulative,callers,tree,stacks,library,size"]);
    text(&whole(Profile::default()), &all, &Page::plain(100)).unwrap()
}

#[test]
fn trees_name_what_is_high_and_gather_the_rest() {
    let text = report(&[
        "--no-rules",
        "--view=tree",
        "--counter=calls",
        "--min-percent=10",
    ]);
    let expected = "\
tree by allocations, from the root: down to 10 % of 162

  68.5 %         111  ├ main  server
  67.9 %         110  │ ├ space::Thing::foo  libfoo.so
  67.9 %         110  │ │ operator new  libfoo.so
   0.6 %           1  │ └ (1 other)
  30.9 %          50  ├ [pooled: blocks outside the size limits]
   0.6 %           1  └ (1 other)
";
    assert_eq!(text, expected);
    let inverted = report(&["--no-rules", "--view=tree", "--inverted", "--kind=mapping"]);
    let expected = "\
tree by live bytes, inverted, callers below callees: down to 0.5 % of 8.00 KiB (8 192 bytes)

   100 %    8.00 KiB  libfoo.so+0x12f0
   100 %    8.00 KiB  main  server
";
    assert_eq!(inverted, expected);
}

#[test]
fn callers_stand_above_and_callees_below() {
    let text = report(&[
        "--no-rules",
        "--view=callers",
        "--function=^main$",
        "--min-percent=40",
    ]);
    let rule = "-".repeat(100);
    let expected = format!(
        "callers and callees by live bytes: 1 of 1 function with at least 40 % of 2.87 KiB (2 936 bytes)\n\n\
         \x20 of all   of it          live         calls  function  library\n\
         {rule}\n\
         \x20 99.5 %   100 %      2.85 KiB           111      (root)\n\
         \x20 99.5 %              2.85 KiB           111  [1] main  server\n\
         \x20 65.4 %  65.8 %      1.88 KiB           110      space::Thing::foo  libfoo.so\n\
         \x20 34.1 %  34.2 %        1000 B             1      (1 other)\n"
    );
    assert_eq!(text, expected);
}

#[test]
fn callers_have_the_columns_and_rows_that_are_asked_for() {
    let callers = |more: &[&str]| report(&[&["--no-rules", "--view=callers"], more].concat());
    fn head(text: &str) -> Vec<&str> {
        text.lines().nth(2).unwrap().split_whitespace().collect()
    }
    // Calls that rank are one column, not two.
    let by_calls = callers(&["--counter=calls"]);
    let names = [
        "of", "all", "of", "it", "calls", "total", "function", "library",
    ];
    assert_eq!(head(&by_calls), names, "{by_calls}");
    let many = callers(&["--counters=total,live-blocks", "--top=2"]);
    let names = [
        "of",
        "all",
        "of",
        "it",
        "live",
        "total",
        "live-blocks",
        "function",
        "library",
    ];
    assert_eq!(head(&many), names, "{many}");
    assert!(
        many.contains(
            "  99.5 %              2.85 KiB       107 KiB            31  [1] main  server\n"
        ),
        "{many}"
    );
    assert!(
        many.starts_with(
            "callers and callees by live bytes: 2 of 7 functions with at least 0.5 % "
        ),
        "{many}"
    );
    assert!(many.contains("[2] ") && !many.contains("[3] "), "{many}");
    let json = json_of(&[
        "--no-rules",
        "--view=callers",
        "--counters=total",
        "--top=2",
    ]);
    let functions = json["callers"]["functions"].as_array().unwrap();
    assert_eq!((functions.len(), &json["callers"]["found"]), (2, &json!(7)));
    assert_eq!(functions[0]["rank"], 1);
    assert_eq!(
        functions[0]["cumulative_counters"],
        json!({"live": 2920, "total": 109_800})
    );
    assert_eq!(functions[0]["callees"][0]["counters"]["total"], 108_800);
    assert_eq!(functions[0]["cumulative_calls"], 111);
}

#[test]
fn igprof_prints_flat_profiles_and_then_blocks_under_ranks() {
    let asked = options(&["--no-rules", "--view=igprof", "--top=3"]);
    let text = text(&whole(sample::profile()), &asked, &Page::unlimited()).unwrap();
    let rule = "-".repeat(100);
    let expected = format!("\
igprof: 3 of 7 functions by live bytes, 2.87 KiB (2 936 bytes) in total
{rule}
Flat profile (cumulative >= 0.5 %)

% total         Total         Calls  Function
   99.5      2.85 KiB           111  main [1]
   65.4      1.88 KiB           110  operator new [2]
   65.4      1.88 KiB           110  space::Thing::foo [3]
{rule}
Flat profile (self >= 0.5 %)

% total          Self         Calls  Function
   65.4      1.88 KiB           110  operator new [2]
{rule}
Call tree profile (cumulative)
of callers and callees: what the call has / the function in all; its calls / all

Rank    % total       Total        Self / Children         Calls / Total       Function
{rule}
           99.5  ..........    2.85 KiB / 2.85 KiB           111 / 111           (root)
[1]        99.5    2.85 KiB         0 B / 2.85 KiB           111 / 111         main
           65.4  ..........    1.88 KiB / 1.88 KiB           110 / 110           space::Thing::foo [3]
           34.1  ..........      1000 B / 1000 B               1 / 1             [... frames left out ...] [4]
{rule}
           65.4  ..........    1.88 KiB / 1.88 KiB           110 / 110           space::Thing::foo [3]
[2]        65.4    1.88 KiB    1.88 KiB / 0 B                110 / 110         operator new
{rule}
           65.4  ..........    1.88 KiB / 2.85 KiB           110 / 111           main [1]
[3]        65.4    1.88 KiB         0 B / 1.88 KiB           110 / 110         space::Thing::foo
           65.4  ..........    1.88 KiB / 1.88 KiB           110 / 110           operator new [2]
");
    assert_eq!(text, expected);
    // For programs both are one document.
    let document = |view: &str| json_of(&["--no-rules", view])["callers"].clone();
    assert_eq!(document("--view=igprof"), document("--view=callers"));
}

#[test]
fn libraries_and_sizes_have_tables() {
    let text = report(&["--no-rules", "--view=library,size", "--kind=all"]);
    let expected = "\
libraries: 5 of 5 libraries by live bytes, together 100 % of 10.9 KiB (11 128 bytes)

      self       %  cumulative       %  calls  library
  10.9 KiB  99.9 %    10.9 KiB  99.9 %    113  libfoo.so
      16 B   0.1 %        16 B   0.1 %     50  [pooled: blocks outside the size limits]
       0 B     0 %    10.9 KiB  99.9 %      0  server
       0 B     0 %      1000 B   9.0 %      0  [... frames left out ...]
       0 B     0 %      1000 B   9.0 %      0  [no library]
";
    assert!(text.starts_with(expected), "{text}");
    assert!(
        text.contains("     51  31.1 %            1   3.0 %  16..31 B\n"),
        "{text}"
    );
}

#[test]
fn filters_say_how_much_passes() {
    let text = report(&["--view=summary,self", "--focus=foo"]);
    assert!(text.contains(
        "\nfilters    2 of 5 stacks pass, with 1.88 KiB (1 920 bytes) live bytes, 65.4 % of all\n"
    ), "{text}");
    assert!(text.contains("self: 1 of 1 function by live bytes, together 100 % of 1.88 KiB"));
}

#[test]
fn wrong_arguments_are_refused() {
    for wrong in [
        &["--min-percent=101"][..],
        &["--min-percent=x"],
        &["--top=some"],
        &["--function=("],
        &["--view=nothing"],
        &["--counters=live,none"],
        &["--json", "--csv"],
    ] {
        let line = [&["report"], wrong].concat();
        assert!(Line::try_parse_from(line).is_err(), "{wrong:?}");
    }
    assert_eq!(options(&["--kind=all"]).reading.kind, MemoryKind::All);
    assert_eq!(options(&["--top=all"]).request().limit.rows, usize::MAX);
    assert_eq!(
        options(&["--min-percent=2%"]).request().threshold_percent,
        2.0
    );
}

#[test]
fn the_document_has_the_documented_parts() {
    let report = json_of(&["--no-rules"]);
    assert_eq!(report["format"], "residue-report");
    assert_eq!(report["version"], 1);
    assert_eq!(
        report["meta"]["end"],
        json!({"kind": "killed", "signal": 9})
    );
    assert_eq!(report["heap"]["calls"], 5_001_622);
    assert_eq!(report["mappings"]["live_bytes"], 8192);
    assert_eq!(report["recorder"]["threads"], 3);
    assert_eq!(report["warnings"], json!([]));
    assert_eq!(report["stacks"], 6);
    let selection = &report["selection"];
    assert_eq!(selection["kind"], "heap");
    assert_eq!(selection["counter"], "live");
    assert_eq!(selection["unit"], "bytes");
    assert_eq!(selection["stacks"], 3);
    assert_eq!(selection["whole"], 2936);
    assert_eq!(selection["sums"]["calls"], 162);
    assert_eq!(report["top"].as_array().unwrap().len(), 3);
    assert_eq!(report["self"]["found"], 3);
    assert_eq!(
        report["self"]["rows"][0],
        json!({
            "function": "operator new", "library": "libfoo.so",
            "self_live": 1920, "cumulative_live": 1920, "self_calls": 110,
        })
    );
    assert_eq!(report["cumulative"]["rows"][0]["cumulative_calls"], 111);
    assert_eq!(report["advice"], json!([]));
    assert!(report.get("tree").is_none());
}

#[test]
fn every_view_is_part_of_the_document() {
    let report = json_of(&[
        "--no-rules",
        "--view=tree,callers,library,scope,thread,size",
        "--kind=mapping",
    ]);
    let rows = &report["tree"]["rows"];
    assert_eq!(
        rows[1],
        json!({
            "parent": 0, "depth": 1, "what": "call", "function": "libfoo.so+0x12f0",
            "library": "libfoo.so", "framework": false, "value": 8192,
        })
    );
    let main = &report["callers"]["functions"][1];
    assert_eq!(main["function"], "main");
    assert_eq!(main["callees"][0]["value"], 8192);
    assert_eq!(report["libraries"]["rows"][0]["self_live"], 8192);
    assert_eq!(
        report["scopes"],
        json!([{"scope": "(in no scope)", "live": 8192, "calls": 2}])
    );
    assert_eq!(report["threads"], Value::Null);
    assert_eq!(
        report["sizes"],
        json!([{"size": "8..16 KiB", "calls": 2, "live_blocks": 1}])
    );
    assert!(report.get("top").is_none());
}

#[test]
fn stacks_have_all_their_numbers_and_frames() {
    let report = json_of(&["--max-frames=1"]);
    let first = &report["top"][0];
    assert_eq!(first["rank"], 1);
    assert_eq!(first["stack"], 0);
    assert_eq!(first["kind"], "heap");
    assert_eq!(first["value"], 1920);
    assert_eq!(first["share"], 1920.0 / 2936.0);
    assert_eq!(first["counters"]["temporaries"], 5);
    assert_eq!(first["sizes_total"], json!([{"bits": 7, "blocks": 100}]));
    assert_eq!(first["sizes_live"], json!([{"bits": 7, "blocks": 30}]));
    assert_eq!(
        first["births"][2],
        json!({"birth": 2, "blocks": 10, "bytes": 640})
    );
    assert_eq!(first["path"], json!(["main", "space::Thing::foo"]));
    assert_eq!(
        first["frames"][1],
        json!({
            "function": "space::Thing::foo",
            "symbol": "_ZN5space5Thing3fooERKSsi",
            "module": "/lib/libfoo.so",
            "address": "0x8000",
        })
    );
    assert_eq!(first["frames"].as_array().unwrap().len(), 3);
    assert_eq!(
        report["top"][1]["frames"][2],
        json!({
            "function": "[... frames left out ...]", "symbol": null, "module": null, "address": null,
        })
    );
    let pooled = &report["top"][2];
    assert_eq!(pooled["frames"], json!([]));
    assert_eq!(
        pooled["no_path"],
        "[pooled: blocks outside the size limits]"
    );
}

#[test]
fn tables_are_the_first_view() {
    assert_eq!(
        written(&["--no-rules", "--csv", "--top=1"]),
        "function,library,self_live,cumulative_live,self_calls\noperator new,libfoo.so,1920,1920,110\n"
    );
    assert_eq!(
        written(&["--no-rules", "--csv", "--view=tree,self", "--kind=mapping"]),
        "row,parent,depth,what,function,library,value\n\
         0,,0,call,main,server,8192\n\
         1,0,1,call,libfoo.so+0x12f0,libfoo.so,8192\n"
    );
    assert_eq!(
        written(&[
            "--no-rules",
            "--csv",
            "--view=callers",
            "--kind=mapping",
            "--function=foo"
        ]),
        "function,library,relation,other,other_library,value,calls,recursive\n\
         libfoo.so+0x12f0,libfoo.so,cumulative,,,8192,2,0\n\
         libfoo.so+0x12f0,libfoo.so,self,,,8192,2,0\n\
         libfoo.so+0x12f0,libfoo.so,caller,main,server,8192,2,0\n"
    );
    let by_calls = ["--csv", "--view=callers", "--counter=calls", "--top=1"];
    assert!(
        written(&by_calls).starts_with(
            "function,library,relation,other,other_library,value,total,recursive\n\
             main,server,cumulative,,,111,109800,0\n"
        ),
        "{}",
        written(&by_calls)
    );
    let stacks = written(&["--no-rules", "--csv", "--view=stacks", "--kind=mapping"]);
    assert_eq!(
        stacks,
        "rank,stack,kind,calls,total,live,live_blocks,peak,at_peak,at_peak_blocks,frees,temporaries,\
         reallocs,cpu,largest,path\n\
         1,3,mapping,2,16384,8192,1,8192,8192,1,1,0,0,0,8192,main;libfoo.so+0x12f0\n"
    );
    assert!(written(&["--csv", "--view=summary"]).contains("\nlive,2936\n"));
}

/// What was not recorded is no number: of a moment only what was live is known.
#[test]
fn what_was_not_recorded_is_not_zero() {
    let moment = Loaded {
        profile: sample::profile(),
        measured: Measured::LiveOnly,
        span: Span::WHOLE,
    };
    let refused = text(&moment, &options(&["--counter=total"]), &Page::plain(100));
    let why = refused.unwrap_err().to_string();
    assert!(
        why.starts_with("`total` was not recorded for these moments"),
        "{why}"
    );
    let shown = options(&[
        "--view=self,stacks",
        "--counters=calls,live-blocks",
        "--top=1",
    ]);
    let lines = text(&moment, &shown, &Page::plain(100)).unwrap();
    assert!(
        lines.contains("65.4 %      -           30  space::Thing::foo"),
        "{lines}"
    );
    assert!(
        lines.contains("      1.88 KiB live in 30 blocks\n"),
        "{lines}"
    );
    let mut out = Vec::new();
    let json = options(&["--view=self,stacks,callers", "--counters=calls", "--json"]);
    write(&moment, &json, &mut out).unwrap();
    let json: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(json["self"]["rows"][0]["self_calls"], Value::Null);
    assert_eq!(json["self"]["rows"][0]["self_live"], 1920);
    assert_eq!(json["top"][0]["counters"]["calls"], Value::Null);
    assert_eq!(json["top"][0]["counters"]["live_bytes"], 1920);
    assert_eq!(json["selection"]["sums"]["total"], Value::Null);
    let first = &json["callers"]["functions"][0];
    assert_eq!(first["cumulative_calls"], Value::Null);
    assert_eq!(first["callers"][0]["calls"], Value::Null);
    let mut out = Vec::new();
    let csv = options(&["--view=self", "--counters=calls", "--csv", "--top=1"]);
    write(&moment, &csv, &mut out).unwrap();
    let csv = String::from_utf8(out).unwrap();
    assert!(
        csv.ends_with("space::Thing::foo,libfoo.so,1920,1920,\n"),
        "{csv}"
    );
}
