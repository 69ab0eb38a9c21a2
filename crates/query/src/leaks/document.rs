//! The verdict for programs to read; the schema is docs/schemas/leaks.schema.json.

use super::headline::{HeadlineText, headline};
use super::shown_path::{ShownPath, shown_path, shown_path_of_stack};
use crate::advice::Advice;
use crate::choice::Names;
use crate::holders::of_stack;
use crate::pins;
use residue_analysis::account::GrowthAccount;
use residue_analysis::churn::Saving;
use residue_analysis::growth::{self, Growth};
use residue_analysis::sentences;
use residue_analysis::shape::{self, Agreement, Confidence, Shape, ShapeVerdict};
use residue_analysis::verdict::{self, Basis, Followed, Headline, StackVerdict, Verdict};
use residue_calltree::{Filter, PathReader};
use residue_profile::Profile;
use residue_profile::timeline::About;
use serde::Serialize;

/// The document of `residue leaks --json`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Verdict"))]
pub struct Document<'a> {
    format: &'static str,
    version: u32,
    /// Name of the program; empty where another tool measured it.
    program: &'a str,
    /// What rates are per: `event` or `tick`.
    #[cfg_attr(feature = "typescript", ts(type = "EventUnit"))]
    unit: &'static str,
    /// Events of the whole run.
    events: u64,
    /// Where events come from.
    about: &'a About,
    verdict: Headline,
    /// The first line of `residue leaks`.
    headline: HeadlineText,
    /// What the rate was measured on.
    basis: Basis,
    /// Growth, in bytes per event or tick.
    rate_bytes_per_event: f64,
    /// The 95 % interval of the rate; null where it has no bound.
    #[cfg_attr(feature = "typescript", ts(as = "Option<f64>"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    low: f64,
    #[cfg_attr(feature = "typescript", ts(as = "Option<f64>"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    high: f64,
    /// Events that were used, both included.
    first_event: u64,
    last_event: u64,
    /// Events excluded as warm-up, before the first.
    warm_up_events: u64,
    /// Null where no growth would have been seen.
    #[cfg_attr(feature = "typescript", ts(as = "Option<f64>"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    smallest_visible_bytes_per_event: f64,
    /// About how many events would decide, if undetermined.
    needs_events: Option<u64>,
    /// In sentences, and the same as codes with their numbers.
    reasons: Vec<String>,
    reason_codes: Vec<Reason<'a>>,
    /// The counter of the program that the growth depends on.
    counter: Option<Counter<'a>>,
    /// Sizes of the whole process, each judged alone.
    series: Series<'a>,
    /// The parts of the growth of the resident size.
    account: Option<ToldAccount<'a>>,
    /// Who keeps pages of the heap resident, where that explains growth and a picture was taken: in
    /// sentences.
    pinned: Vec<String>,
    /// Those that leak, by their rates; then others worth a word.
    stacks: Vec<Stack<'a>>,
    /// What stacks need not have allocated, the most first.
    churn: Vec<Churn>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "VerdictSeries")
)]
struct Series<'a> {
    live: Option<ToldGrowth<'a>>,
    rss: Option<ToldGrowth<'a>>,
    vm: Option<ToldGrowth<'a>>,
}

/// A series with the sentences for its codes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Growth"))]
struct ToldGrowth<'a> {
    #[serde(flatten)]
    growth: &'a Growth,
    reasons: Vec<String>,
}

/// An account with the sentences for its codes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Account"))]
struct ToldAccount<'a> {
    #[serde(flatten)]
    account: &'a GrowthAccount,
    reasons: Vec<String>,
}

/// Of the headline, or of the series that it was measured on.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "VerdictOrGrowthReason")
)]
#[serde(untagged)]
enum Reason<'a> {
    Headline(&'a verdict::Reason),
    Growth(&'a growth::Reason),
}

/// The counter that growth follows.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Followed"))]
struct Counter<'a> {
    name: &'a str,
    #[serde(flatten)]
    follow: &'a residue_analysis::follow::Follow,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "StackVerdict"))]
struct Stack<'a> {
    /// The largest of those through the same functions, and how many there are.
    stack: u32,
    lines: usize,
    /// Kind of memory: `heap`, `mapping` or `reported`.
    kind: &'static str,
    /// What it is; the two below say what the readings and the survivors say alone.
    shape: Shape,
    shape_by_series: Shape,
    shape_by_births: Option<Shape>,
    agreement: AgreementText,
    /// How sure the shape is.
    confidence: Confidence,
    /// The numbers that decided, as a sentence and as codes.
    reason: String,
    reason_codes: &'a [shape::Reason],
    /// Growth of this stack.
    rate_bytes_per_event: f64,
    /// The 95 % interval of the rate; null where it has no bound.
    #[cfg_attr(feature = "typescript", ts(as = "Option<f64>"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    low: f64,
    #[cfg_attr(feature = "typescript", ts(as = "Option<f64>"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    high: f64,
    /// Part of the verdict's rate, 0 to 1; null for stacks that it is not about.
    share: Option<f64>,
    /// Blocks that each event leaves behind.
    blocks_per_event: f64,
    /// The counter of the program that the growth depends on.
    counter: Option<Counter<'a>>,
    #[serde(flatten)]
    path: ShownPath,
    /// Who holds what it left, or that it is lost, in a sentence; null where no picture was taken.
    held: Option<String>,
    /// Path that frees the blocks in a later event, root first.
    freed_at: Option<Vec<String>>,
    /// Live bytes at the begins of events, at most 60 of them.
    live: &'a [f64],
}

/// Whether the births of the survivors fit the readings, or the sentence that says how not.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Agreement"))]
#[serde(rename_all = "kebab-case")]
enum AgreementText {
    Agrees,
    BirthsUnknown,
    Disagrees(String),
}

impl AgreementText {
    fn of(verdict: &ShapeVerdict, unit: &str) -> AgreementText {
        match verdict.agreement {
            Agreement::Agrees => AgreementText::Agrees,
            Agreement::BirthsUnknown => AgreementText::BirthsUnknown,
            Agreement::Disagrees(_) => {
                let sentence = sentences::of_disagreement(verdict, unit);
                AgreementText::Disagrees(sentence.unwrap_or_default())
            }
        }
    }
}

/// Advice about a stack.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct Churn {
    #[serde(flatten)]
    path: ShownPath,
    #[serde(flatten)]
    advice: Advice,
}

/// How much is said.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Stacks, and as much advice.
    pub stacks: usize,
    /// Functions of a path, and characters of each.
    pub steps: usize,
    pub name_characters: usize,
}

impl Limits {
    pub const NONE: Limits = Limits {
        stacks: usize::MAX,
        steps: usize::MAX,
        name_characters: usize::MAX,
    };

    fn path(self, shown: ShownPath) -> ShownPath {
        shown.cut(self.steps, self.name_characters)
    }
}

/// The verdict for programs to read, under the names that every other surface shows.
pub fn document<'a>(
    profile: &'a Profile,
    verdict: &'a Verdict,
    names: &Names,
    most: Limits,
) -> Document<'a> {
    let filter = Filter::default();
    let mut paths = names.paths(profile, &filter);
    let growth = &verdict.growth;
    let unit = verdict.source.unit();
    let told = |growth| ToldGrowth {
        growth,
        reasons: sentences::of_growth(growth, unit),
    };
    let headline_codes = verdict.reasons.iter().map(Reason::Headline);
    Document {
        format: "residue-leaks",
        version: 1,
        program: &profile.meta.program,
        unit,
        events: verdict.events,
        about: &profile.timeline.about,
        verdict: verdict.headline,
        headline: headline(verdict),
        basis: verdict.basis,
        rate_bytes_per_event: growth.rate,
        low: growth.low,
        high: growth.high,
        first_event: growth.first_event,
        last_event: growth.last_event,
        warm_up_events: growth.warm_up_events,
        smallest_visible_bytes_per_event: growth.smallest_visible,
        needs_events: growth.needs_events,
        reasons: sentences::of_verdict(verdict),
        reason_codes: headline_codes
            .chain(growth.reasons.iter().map(Reason::Growth))
            .collect(),
        counter: verdict.counter.as_ref().map(|one| counter(profile, one)),
        series: Series {
            live: verdict.live.as_ref().map(told),
            rss: verdict.rss.as_ref().map(told),
            vm: verdict.vm.as_ref().map(told),
        },
        account: verdict.account.as_ref().map(|account| ToldAccount {
            account,
            reasons: sentences::of_account(account, unit),
        }),
        pinned: pins::of_growth(profile, verdict, &mut paths),
        stacks: verdict
            .stacks
            .iter()
            .take(most.stacks)
            .map(|one| stack(profile, &mut paths, one, most, unit))
            .collect(),
        churn: verdict
            .churn
            .iter()
            .take(most.stacks)
            .map(|one| churn(profile, &mut paths, one, most))
            .collect(),
    }
}

fn counter<'a>(profile: &'a Profile, followed: &'a Followed) -> Counter<'a> {
    Counter {
        name: name_of(profile, followed),
        follow: &followed.follow,
    }
}

/// The name of a counter.
pub fn name_of<'a>(profile: &'a Profile, followed: &Followed) -> &'a str {
    let names = &profile.timeline.names;
    names.get(followed.name as usize).map_or("", String::as_str)
}

fn stack<'a>(
    profile: &'a Profile,
    paths: &mut PathReader<'_>,
    one: &'a StackVerdict,
    most: Limits,
    unit: &str,
) -> Stack<'a> {
    let verdict = &one.verdict;
    Stack {
        stack: one.stack,
        lines: one.lines,
        kind: one.kind.name(),
        shape: verdict.shape,
        shape_by_series: verdict.by_series,
        shape_by_births: verdict.by_births,
        agreement: AgreementText::of(verdict, unit),
        confidence: verdict.confidence,
        reason: sentences::of_shape(verdict, unit),
        reason_codes: &verdict.reasons,
        rate_bytes_per_event: verdict.growth.rate,
        low: verdict.growth.low,
        high: verdict.growth.high,
        share: one.share,
        blocks_per_event: one.blocks_per_event,
        counter: one.counter.as_ref().map(|one| counter(profile, one)),
        path: most.path(shown_path_of_stack(profile, paths, one.stack)),
        held: of_stack(profile, paths, one.stack),
        freed_at: one
            .freed_at
            .map(|node| most.path(shown_path(paths, node)).path),
        live: &one.sparkline,
    }
}

fn churn(profile: &Profile, paths: &mut PathReader<'_>, one: &Saving, most: Limits) -> Churn {
    Churn {
        path: most.path(shown_path_of_stack(profile, paths, one.stack)),
        advice: Advice::of(one, profile.timeline.about.source.unit()),
    }
}
