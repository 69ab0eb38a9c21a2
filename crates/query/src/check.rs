//! Whether a run stays within its limits, as every surface says it; the schema of
//! `residue check --json` is in docs/COMMANDS.md.

use residue_analysis::verdict::Verdict;
use residue_profile::Profile;
use residue_profile::units::{bytes, counted};
use serde::Serialize;

use crate::choice::Names;
use crate::gate::{Decision, GrowthGate, Why, growth_gate, resident_bytes};
use crate::leaks::words::rate_text;
use crate::leaks::{Limits, document, headline};

/// The document of `residue check --json`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckDocument<'a> {
    pub format: &'static str,
    pub version: u32,
    pub file: String,
    pub program: &'a str,
    /// The worst of all checks.
    pub decision: Decision,
    pub checks: Vec<CheckEntry<'a>>,
}

/// One limit: what is said of it, and the numbers.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckEntry<'a> {
    pub check: &'static str,
    pub decision: Decision,
    pub unit: &'static str,
    pub limit: f64,
    /// What is compared with the limit; null where it is not known.
    pub measured: Option<f64>,
    /// The first line of the text, without the decision, and the lines that explain it.
    pub summary: String,
    pub notes: Vec<String>,
    /// Where stacks are ignored by rules.
    pub ignored: Option<IgnoredStacks>,
    /// Of growth: what `residue leaks --json` writes, of the stacks that no rule ignores.
    #[serde(serialize_with = "as_leaks_document")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<crate::leaks::document::Document<'a>>")
    )]
    pub verdict: Option<Judged<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IgnoredStacks {
    pub rules: String,
    pub stacks: usize,
    pub bytes_per_event: f64,
}

/// A verdict with the profile that it is about.
pub struct Judged<'a> {
    pub profile: &'a Profile,
    pub verdict: Verdict,
    /// Whether the stacks are to blame: the check failed, or cannot tell, because of them.
    pub blames_stacks: bool,
}

fn as_leaks_document<S: serde::Serializer>(
    judged: &Option<Judged<'_>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let names = Names::usual();
    let written = judged
        .as_ref()
        .map(|it| document(it.profile, &it.verdict, &names, Limits::NONE));
    written.serialize(serializer)
}

/// Rules that excuse stacks, and where they come from.
pub struct IgnoreList<'r> {
    pub name: String,
    pub holds: &'r dyn Fn(&str) -> bool,
}

impl<'a> CheckDocument<'a> {
    pub fn new(file: String, profile: &'a Profile, checks: Vec<CheckEntry<'a>>) -> Self {
        let worst = checks.iter().map(|check| check.decision).max();
        CheckDocument {
            format: "residue-check",
            version: 1,
            file,
            program: &profile.meta.program,
            decision: worst.unwrap_or(Decision::Within),
            checks,
        }
    }
}

/// The highest resident size against its limit.
pub fn resident(profile: &Profile, limit_bytes: u64) -> CheckEntry<'_> {
    let measured = resident_bytes(profile);
    let limit = bytes(limit_bytes);
    let (decision, summary) = match measured {
        Some(rss) => {
            let decision = match rss <= limit_bytes {
                true => Decision::Within,
                false => Decision::Above,
            };
            let size = bytes(rss);
            (decision, format!("peak RSS {size}, limit {limit}"))
        }
        None => {
            let summary = format!("peak RSS not recorded, limit {limit}");
            (Decision::CannotTell, summary)
        }
    };
    CheckEntry {
        check: "rss",
        decision,
        unit: "bytes",
        limit: limit_bytes as f64,
        measured: measured.map(|rss| rss as f64),
        summary,
        notes: Vec::new(),
        ignored: None,
        verdict: None,
    }
}

/// Growth against its limit.
pub fn growth<'a>(
    profile: &'a Profile,
    verdict: Verdict,
    limit: f64,
    rules: &IgnoreList<'_>,
) -> CheckEntry<'a> {
    let gate = growth_gate(profile, &verdict, limit, rules.holds);
    let unit = verdict.source.unit();
    let limit_text = rate_text(limit, unit);
    let summary = match gate.ignored_stacks {
        0 => format!("{}, limit {limit_text}", headline(&verdict)),
        stacks => format!(
            "{} ignored by {} ({}), {} left, limit {limit_text}",
            rate_text(gate.ignored_rate, unit),
            rules.name,
            counted(stacks as u64, "stack", "stacks"),
            rate_text(gate.left_rate, unit),
        ),
    };
    let ignored = (gate.ignored_stacks > 0).then(|| IgnoredStacks {
        rules: rules.name.clone(),
        stacks: gate.ignored_stacks,
        bytes_per_event: gate.ignored_rate,
    });
    CheckEntry {
        check: "growth",
        decision: gate.decision,
        unit: match unit {
            "tick" => "bytes/tick",
            _ => "bytes/event",
        },
        limit,
        measured: Some(gate.left_rate).filter(|rate| rate.is_finite()),
        summary,
        notes: notes(&verdict, &gate, unit),
        ignored,
        verdict: Some(Judged {
            profile,
            blames_stacks: gate.blamed.is_some(),
            verdict: gate.blamed.unwrap_or(verdict),
        }),
    }
}

/// Growth that cannot be judged.
pub fn no_growth_verdict<'a>(why: String, limit: f64, unit: &str) -> CheckEntry<'a> {
    CheckEntry {
        check: "growth",
        decision: Decision::CannotTell,
        unit: match unit {
            "tick" => "bytes/tick",
            _ => "bytes/event",
        },
        limit,
        measured: None,
        summary: why,
        notes: Vec::new(),
        ignored: None,
        verdict: None,
    }
}

fn notes(verdict: &Verdict, gate: &GrowthGate, unit: &str) -> Vec<String> {
    match gate.why {
        Why::BelowSight => {
            let limit = rate_text(verdict.growth.smallest_visible, unit);
            vec![format!(
                "growth below the detection limit of {limit} is possible"
            )]
        }
        Why::Ends => vec![
            "growth that ends is not compared with the limit; --max-rss limits what it ends at"
                .to_string(),
        ],
        Why::BeyondLeaks { bytes_per_event } => vec![format!(
            "RSS grows by at least {} more than the leaks",
            rate_text(bytes_per_event, unit)
        )],
        Why::Verdict => Vec::new(),
    }
}
