//! Functions as IgProf and gprof print them: two flat profiles, then for every function a block
//! under its rank, callers above its line and callees below.

use residue_names::columns;
use residue_profile::Counter;
use residue_profile::units::{count, counted};
use residue_query::report::callers::{Callers, Function, Other};
use residue_query::report::flat::is_enough;

use crate::amount::amount;
use crate::report::grid::NOT_RECORDED;
use crate::terminal::Page;

const RULE: usize = 100;
/// In place of what belongs to the function alone, in lines of others.
const NOT_ITS_OWN: &str = "..........";
/// In place of a percentage, of a counter that does not add up.
const NO_SHARE: &str = "-";

pub fn lines(callers: &Callers, counter: Counter, page: &Page) -> Vec<String> {
    let listing = Listing {
        callers,
        counter,
        page,
    };
    let heading = format!(
        "igprof: {} of {} by {}, {} {}",
        count(callers.functions.len() as u64),
        counted(callers.found as u64, "function", "functions"),
        counter.subject(),
        amount(counter, callers.whole),
        match counter.adds_up() {
            true => "in total",
            false => "the largest of all",
        }
    );
    let mut lines = vec![page.bold(&heading)];
    listing.flat(
        "cumulative",
        "Total",
        |function| (function.cumulative, function.cumulative_calls),
        &mut lines,
    );
    listing.flat(
        "self",
        "Self",
        |function| (function.own, function.self_calls),
        &mut lines,
    );
    listing.call_tree(&mut lines);
    lines
}

struct Listing<'a> {
    callers: &'a Callers,
    counter: Counter,
    page: &'a Page,
}

impl Listing<'_> {
    fn rule(&self) -> String {
        self.page.dim(&"-".repeat(self.page.width.min(RULE)))
    }

    fn flat(
        &self,
        what: &str,
        head: &str,
        of: impl Fn(&Function) -> (u64, Option<u64>),
        lines: &mut Vec<String>,
    ) {
        let min_percent = self.callers.min_percent;
        lines.push(self.rule());
        lines.push(format!("Flat profile ({what} >= {min_percent} %)"));
        lines.push(String::new());
        let head = format!("{:>7}  {head:>12}  {:>12}  Function", "% total", "Calls");
        lines.push(self.page.bold(&head));
        let mut functions: Vec<&Function> = self.callers.functions.iter().collect();
        functions.retain(|it| {
            let (value, _) = of(it);
            value > 0 && is_enough(value, self.callers.whole, min_percent)
        });
        functions.sort_by_key(|it| std::cmp::Reverse(of(it).0));
        for function in functions {
            let (value, calls) = of(function);
            let numbers = format!(
                "{:>7}  {:>12}  {:>12}  ",
                self.percent(value),
                self.value(value),
                calls_text(calls)
            );
            let name = format!("{} [{}]", function.function, function.rank);
            lines.push(self.with_name(&numbers, &name));
        }
    }

    fn call_tree(&self, lines: &mut Vec<String>) {
        lines.push(self.rule());
        lines.push("Call tree profile (cumulative)".to_string());
        lines.push(
            "of callers and callees: what the call has / the function in all; its calls / all"
                .to_string(),
        );
        lines.push(String::new());
        let head = numbers(
            "Rank",
            "% total",
            "Total",
            ["Self", "Children"],
            ["Calls", "Total"],
        );
        lines.push(self.page.bold(&format!("{head}Function")));
        for function in &self.callers.functions {
            lines.push(self.rule());
            self.others(&function.callers, lines);
            // The largest block of what it called is one of its callees', in the lines below.
            let children = match self.counter.adds_up() {
                true => self.value(function.cumulative.saturating_sub(function.own)),
                false => NO_SHARE.to_string(),
            };
            let calls = calls_text(function.cumulative_calls);
            let text = numbers(
                &format!("[{}]", function.rank),
                &self.percent(function.cumulative),
                &self.value(function.cumulative),
                [&self.value(function.own), &children],
                [&calls, &calls],
            );
            let main = self.with_name(&text, &function.function);
            lines.push(self.page.bold(&main));
            self.others(&function.callees, lines);
        }
    }

    fn others(&self, others: &[Other], lines: &mut Vec<String>) {
        for other in others {
            let total = other.cumulative.unwrap_or(other.value);
            let calls = other.cumulative_calls.or(other.calls);
            let text = numbers(
                "",
                &self.percent(other.value),
                NOT_ITS_OWN,
                [&self.value(other.value), &self.value(total)],
                [&calls_text(other.calls), &calls_text(calls)],
            );
            let name = match other.rank {
                Some(rank) => format!("  {} [{rank}]", other.function),
                None => format!("  {}", other.function),
            };
            lines.push(self.with_name(&text, &name));
        }
    }

    fn with_name(&self, numbers: &str, name: &str) -> String {
        let room = self.page.width.saturating_sub(columns(numbers));
        format!("{numbers}{}", self.page.fit(name, room.max(20)))
    }

    fn value(&self, value: u64) -> String {
        self.counter.unit().amount(value)
    }

    fn percent(&self, value: u64) -> String {
        if !self.counter.adds_up() {
            return NO_SHARE.to_string();
        }
        let whole = self.callers.whole.max(1) as f64;
        format!("{:.1}", value as f64 / whole * 100.0)
    }
}

fn numbers(rank: &str, percent: &str, own: &str, value: [&str; 2], calls: [&str; 2]) -> String {
    let [part, whole] = value;
    let [part_calls, all_calls] = calls;
    format!(
        "{rank:<7} {percent:>7}  {own:>10}  {part:>10} / {whole:<10}  {part_calls:>10} / \
         {all_calls:<10}  "
    )
}

fn calls_text(calls: Option<u64>) -> String {
    calls.map_or(NOT_RECORDED.to_string(), count)
}
