//! Pictures of a profile for logs, papers and batch jobs: no browser, no network, no
//! fonts of the machine.
//!
//! ```text
//!   Profile, Verdict ──► timeline ─┐
//!                        stages    │ panels, or why there is none
//!                        survival  ├──► page ──► SVG ──► PNG
//!                        account   │
//!                        heap ─────┘
//! ```
#![forbid(unsafe_code)]

mod account;
mod dates;
mod fit;
mod heap;
mod page;
mod png;
mod scale;
mod stages;
mod survival;
mod svg;
mod theme;
mod thin;
mod timeline;
mod words;

pub use png::{Error, png};

use account::Account;
use heap::{By, Heap};
use page::{Drawing, HEAD_PX, LINE_PX, MARGIN_PX, Page, SMALL_PX, TITLE_PX};
use residue_analysis::groups::Groups;
use residue_analysis::history::{EventRange, History};
use residue_analysis::shape::Shape;
use residue_analysis::verdict::{Headline, StackVerdict, Verdict};
use residue_profile::Profile;
use residue_profile::timeline::{Source, StackId};
use residue_profile::units::{count, counted_units};
use stages::Heat;
use survival::Survival;
use svg::Anchor;
use timeline::Timeline;

/// Between panels.
const PANEL_GAP_PX: f64 = 26.0;

/// What a picture is of.
pub struct Subject<'a> {
    pub profile: &'a Profile,
    pub range: EventRange,
    /// Of that range; `None` where there are too few events for one.
    pub verdict: Option<&'a Verdict>,
    /// The verdict in a sentence, or why there is none.
    pub headline: &'a str,
    /// What a stack is called.
    pub stack_name: &'a dyn Fn(StackId) -> String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    Timeline,
    Stages,
    Survival,
    Account,
    /// How full the pages of the heap are, how old the blocks on them, and whose they are.
    Heap,
    HeapAge,
    HeapStack,
}

#[derive(Debug, Clone, Copy)]
pub struct Look {
    pub width_px: u32,
    pub is_dark: bool,
}

impl Look {
    /// Less has no room for labels, more would be a very large picture.
    pub const WIDTHS_PX: std::ops::RangeInclusive<u32> = 480..=4000;
    pub const USUAL_WIDTH_PX: u32 = 960;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub svg: String,
    pub panels: Vec<Panel>,
    /// Why panels that were asked for could not be drawn.
    pub left_out: Vec<String>,
}

impl Subject<'_> {
    /// What one turn is called.
    fn unit(&self) -> &str {
        let source = self.profile.timeline.about.source;
        match (source, self.profile.meta.birth_unit.as_str()) {
            (Source::None, "") => source.unit(),
            (Source::None, unit) => unit,
            _ => source.unit(),
        }
    }
}

/// Draws the panels that are asked for and for which there are data.
pub fn draw(subject: &Subject<'_>, asked: &[Panel], look: Look) -> Picture {
    let groups = Groups::of(subject.profile);
    let history = History::new(subject.profile, &groups, subject.range);
    let mut left_out = Vec::new();
    let mut panels: Vec<(Panel, Box<dyn Drawing>)> = Vec::new();
    for panel in [
        Panel::Timeline,
        Panel::Stages,
        Panel::Survival,
        Panel::Account,
        Panel::Heap,
        Panel::HeapAge,
        Panel::HeapStack,
    ] {
        if !asked.contains(&panel) {
            continue;
        }
        let history = history.as_ref();
        let made: Result<Box<dyn Drawing>, String> = match panel {
            Panel::Timeline => Timeline::of(subject, history).map(boxed),
            Panel::Stages => Heat::of(subject).map(boxed),
            Panel::Survival => Survival::of(subject, history).map(boxed),
            Panel::Account => Account::of(subject).map(boxed),
            Panel::Heap => Heap::of(subject, By::Fullness).map(boxed),
            Panel::HeapAge => Heap::of(subject, By::Age).map(boxed),
            Panel::HeapStack => Heap::of(subject, By::Stack).map(boxed),
        };
        match made {
            Ok(drawing) => panels.push((panel, drawing)),
            // The panels of the heap have one reason.
            Err(reason) if left_out.contains(&reason) => {}
            Err(reason) => left_out.push(reason),
        }
    }
    let theme = if look.is_dark {
        theme::DARK
    } else {
        theme::LIGHT
    };
    let (narrowest, widest) = (*Look::WIDTHS_PX.start(), *Look::WIDTHS_PX.end());
    let width = f64::from(look.width_px.clamp(narrowest, widest));
    let events = events_shown(&panels);
    let mut page = Page::new(theme, width, events, subject.unit());
    let mut bottom = draw_head(&mut page, subject);
    for (_, drawing) in &panels {
        bottom = drawing.draw(&mut page, bottom + PANEL_GAP_PX);
    }
    bottom = draw_left_out(&mut page, &left_out, bottom);
    let title = format!("{}: {}", subject.profile.meta.program, subject.headline);
    Picture {
        svg: page
            .svg
            .finish((width, (bottom + MARGIN_PX).ceil()), &title, theme.paper),
        panels: panels.iter().map(|(panel, _)| *panel).collect(),
        left_out,
    }
}

fn boxed(drawing: impl Drawing + 'static) -> Box<dyn Drawing> {
    Box::new(drawing)
}

/// From the first to the last event of all panels, so that they stand one below the other.
fn events_shown(panels: &[(Panel, Box<dyn Drawing>)]) -> (f64, f64) {
    let both = |one: (f64, f64), other: (f64, f64)| (one.0.min(other.0), one.1.max(other.1));
    let shown = panels.iter().filter_map(|(_, drawing)| drawing.events());
    shown.reduce(both).unwrap_or((0.0, 1.0))
}

/// The stacks that the verdict's rate is about, those with the highest rates first.
fn guilty(verdict: &Verdict) -> Vec<&StackVerdict> {
    let of_shape = |shape: Shape| -> Vec<&StackVerdict> {
        let stacks = verdict.stacks.iter();
        stacks
            .filter(|stack| stack.verdict.shape == shape)
            .collect()
    };
    let leaking = of_shape(Shape::Leak);
    match verdict.headline {
        Headline::FreedAtExit => of_shape(Shape::ExitFreed),
        Headline::Filling => of_shape(Shape::Filling),
        Headline::Slowing => [of_shape(Shape::Slowing), of_shape(Shape::Filling)].concat(),
        _ if leaking.is_empty() => of_shape(Shape::ExitFreed),
        _ => leaking,
    }
}

fn draw_head(page: &mut Page, subject: &Subject<'_>) -> f64 {
    let room = page.width - 2.0 * MARGIN_PX;
    let meta = &subject.profile.meta;
    let mut base = MARGIN_PX + TITLE_PX;
    let program = words::cut_middle(&meta.program, TITLE_PX * 1.1, room);
    page.svg
        .text((MARGIN_PX, base), page.bold(TITLE_PX), &program);
    base += 6.0;
    for line in words::wrapped(subject.headline, HEAD_PX, room) {
        base += HEAD_PX + 4.0;
        let mut look = page.label(Anchor::Start);
        look.size_px = HEAD_PX;
        page.svg.text((MARGIN_PX, base), look, &line);
    }
    for line in words::wrapped(&facts(subject), SMALL_PX, room) {
        base += SMALL_PX + 6.0;
        page.svg
            .text((MARGIN_PX, base), page.small(Anchor::Start), &line);
    }
    base
}

/// `200 events · 2026-11-15 13:44 UTC on node7 · residue 0.1.0`
fn facts(subject: &Subject<'_>) -> String {
    let meta = &subject.profile.meta;
    let events = subject.profile.timeline.about.events;
    let unit = subject.unit();
    let mut facts = vec![counted_units(events, unit)];
    let EventRange { from, to } = subject.range;
    if subject.range != EventRange::ALL {
        let to = count(u64::from(to).min(events));
        facts.push(format!("{unit}s {}..{to} are shown", count(from.into())));
    }
    let date = dates::utc(meta.started_unix_ns);
    facts.extend(match (date, meta.host.as_str()) {
        (Some(date), "") => Some(date),
        (Some(date), host) => Some(format!("{date} on {host}")),
        (None, _) => None,
    });
    if !meta.residue_version.is_empty() {
        facts.push(format!("residue {}", meta.residue_version));
    }
    facts.join(" · ")
}

fn draw_left_out(page: &mut Page, left_out: &[String], bottom: f64) -> f64 {
    if left_out.is_empty() {
        return bottom;
    }
    let text = format!("Not drawn: {}", left_out.join("; "));
    let mut base = bottom + PANEL_GAP_PX / 2.0;
    for line in words::wrapped(&text, SMALL_PX, page.width - 2.0 * MARGIN_PX) {
        base += LINE_PX;
        page.svg
            .text((MARGIN_PX, base), page.small(Anchor::Start), &line);
    }
    base
}
