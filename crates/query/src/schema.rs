//! JSON Schemas (draft 2020-12) of the documents that `--json` writes, made from the types
//! that are serialised. `make schemas` writes them to docs/schemas.

use residue_profile::{Counter, Counters};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::report::callers::CounterValues;
use crate::table::Grid;
use crate::{check, compare, dump, holders, leaks, list, pins, processes, report, slow, stages};

/// The schema of a document, and the command that writes it.
pub struct Published {
    pub command: &'static str,
    pub schema: Value,
}

/// The documents of this crate.
pub fn documents() -> Vec<Published> {
    vec![
        published::<leaks::document::Document<'_>>("leaks"),
        published::<report::document::Report<'_, '_>>("report"),
        published::<compare::document::Whole<'_>>("diff"),
        published::<list::document::Document<'_>>("list"),
        published::<check::CheckDocument<'_>>("check"),
        published::<processes::Document<'_>>("processes"),
        published::<stages::Document<'_>>("stages"),
        published::<slow::document::Document<'_>>("slow"),
        published::<holders::Document>("holders"),
        published::<pins::Document>("pins"),
        published::<dump::Whole<'_>>("dump"),
    ]
}

/// The schema of one document, strict: a member that it does not know is an error.
pub fn published<T: JsonSchema>(command: &'static str) -> Published {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.to_value();
    tidy(&mut schema);
    schema["$id"] = json!(format!("urn:residue:{command}:{VERSION}"));
    schema["title"] = json!(format!("residue {command} --json"));
    schema["properties"]["format"] = json!({ "const": format!("residue-{command}") });
    schema["properties"]["version"] = json!({
        "const": VERSION,
        "description": "Members may be added; none changes its meaning under the same version.",
    });
    Published { command, schema }
}

/// Of all documents.
const VERSION: u32 = 1;

/// What says nothing to readers goes, descriptions become lines, and objects are closed.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("format");
            members.remove("default");
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            let is_object = members.get("type") == Some(&json!("object"));
            if is_object && !members.contains_key("additionalProperties") {
                members.insert("unevaluatedProperties".to_string(), json!(false));
            }
            for (keyword, value) in members {
                match (keyword.as_str(), value) {
                    // Their members have names, and are schemas.
                    ("properties" | "patternProperties" | "$defs", Value::Object(named)) => {
                        named.values_mut().for_each(tidy);
                    }
                    (_, value) => tidy(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// A member for each counter that was asked for.
pub fn some_counters(_: &mut SchemaGenerator) -> Schema {
    numbers(Counter::ALL.map(member_name), false)
}

/// A member for each counter; null where it was not recorded.
pub fn all_counters(_: &mut SchemaGenerator) -> Schema {
    numbers(Counter::ALL.map(member_name), true)
}

/// The counters of a stack; null where they were not recorded.
pub fn known_counters(_: &mut SchemaGenerator) -> Schema {
    numbers(Counters::NAMES.iter().map(ToString::to_string), true)
}

fn member_name(counter: Counter) -> String {
    counter.name().replace('-', "_")
}

fn numbers(names: impl IntoIterator<Item = String>, are_required: bool) -> Schema {
    let members = names.into_iter();
    let members: Map<String, Value> = members
        .map(|name| (name, json!({ "type": ["integer", "null"] })))
        .collect();
    let required: Vec<&String> = members.keys().filter(|_| are_required).collect();
    json_schema!({ "type": "object", "required": required, "properties": members })
}

impl JsonSchema for CounterValues {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CounterValues".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        some_counters(generator)
    }
}

impl JsonSchema for Grid {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Grid".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let counters = Counter::ALL.map(member_name).join("|");
        let numbers = format!("^((self|cumulative)_)?({counters}|net)$");
        json_schema!({
            "type": "array",
            "items": {
                "description": "Names, and a number for each counter; null where it was not recorded.",
                "type": "object",
                "properties": {
                    "function": { "type": "string" },
                    "library": { "type": "string" },
                    "scope": { "type": "string" },
                    "name": { "type": "string" },
                    "tid": { "type": "string" },
                    "size": { "type": "string" },
                    "framework": { "const": true },
                },
                "patternProperties": { numbers: { "type": ["integer", "null"] } },
                "additionalProperties": false,
            },
        })
    }
}
