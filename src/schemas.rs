//! docs/schemas: what every `--json` writes, as JSON Schema. Written by `make schemas` and
//! compared here, so that a document cannot change without its schema.

use std::collections::BTreeMap;
use std::path::Path;

use residue_finish::SymbolsReport;
use residue_query::schema::{Published, documents, published};

use crate::commands::{merge, pausing, selftest, snapshot};

fn all() -> Vec<Published> {
    let mut all = documents();
    all.extend([
        published::<merge::Document<'_>>("merge"),
        published::<pausing::Document>("pause"),
        published::<pausing::Document>("resume"),
        published::<selftest::Document<'_>>("selftest"),
        published::<snapshot::Document<'_>>("snapshot"),
        published::<SymbolsReport<'_>>("symbolize"),
    ]);
    all
}

#[test]
fn schemas_are_those_of_the_documents() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    let expected: BTreeMap<String, String> = all()
        .into_iter()
        .map(|it| {
            let text = serde_json::to_string_pretty(&it.schema).unwrap();
            (format!("{}.schema.json", it.command), text + "\n")
        })
        .collect();
    if std::env::var_os("RESIDUE_WRITE").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in &expected {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }
    let committed = std::fs::read_dir(&folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    });
    let committed: BTreeMap<String, String> = committed.collect();
    let names = |them: &BTreeMap<String, String>| them.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(&committed),
        names(&expected),
        "`make schemas` writes them"
    );
    for (name, text) in &expected {
        assert!(
            committed[name] == *text,
            "docs/schemas/{name}: `make schemas` writes it"
        );
    }
}

#[test]
fn every_command_with_json_has_a_schema() {
    use clap::CommandFactory;
    let root = crate::CommandLine::command();
    let has_json =
        |command: &&clap::Command| command.get_arguments().any(|it| it.get_id() == "json");
    let mut with_json: Vec<&str> = root
        .get_subcommands()
        .filter(has_json)
        .map(clap::Command::get_name)
        .collect();
    with_json.sort_unstable();
    let mut published: Vec<&str> = all().iter().map(|it| it.command).collect();
    published.sort_unstable();
    assert_eq!(with_json, published);
}
