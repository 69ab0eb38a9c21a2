//! What a report can show, of stacks and functions.

pub mod advice;
pub mod callers;
pub mod churn;
pub mod document;
pub mod flat;
pub mod groups;
pub mod source;
pub mod stacks;
pub mod tree;

use regex::Regex;

use flat::Limit;

/// One part of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    Summary,
    Own,
    Cumulative,
    Callers,
    IgProf,
    Tree,
    Stacks,
    Library,
    Scope,
    Thread,
    Size,
    Churn,
    Advice,
}

impl View {
    pub const ALL: [View; 13] = [
        View::Summary,
        View::Own,
        View::Cumulative,
        View::Callers,
        View::IgProf,
        View::Tree,
        View::Stacks,
        View::Library,
        View::Scope,
        View::Thread,
        View::Size,
        View::Churn,
        View::Advice,
    ];

    /// What is shown unless something else is asked for.
    pub const DEFAULT: [View; 5] = [
        View::Summary,
        View::Own,
        View::Cumulative,
        View::Stacks,
        View::Advice,
    ];

    /// The name it has on the command line.
    pub fn name(self) -> &'static str {
        match self {
            View::Summary => "summary",
            View::Own => "self",
            View::Cumulative => "cumulative",
            View::Callers => "callers",
            View::IgProf => "igprof",
            View::Tree => "tree",
            View::Stacks => "stacks",
            View::Library => "library",
            View::Scope => "scope",
            View::Thread => "thread",
            View::Size => "size",
            View::Churn => "churn",
            View::Advice => "advice",
        }
    }

    /// What it is, in a help text.
    pub fn meaning(self) -> &'static str {
        match self {
            View::Summary => "The program, its totals and what the recorder missed",
            View::Own => "Functions by what they allocated themselves",
            View::Cumulative => "Functions by what they and their callees allocated",
            View::Callers => "Every function with its callers above it and its callees below",
            View::IgProf => "The same as IgProf and gprof print it: flat profiles, then ranks [N]",
            View::Tree => "The call tree; --inverted from the allocating function to the root",
            View::Stacks => "The largest stacks, with source lines",
            View::Library => "Libraries by what their functions allocated",
            View::Scope => "Scopes that the program marked, by the outermost",
            View::Thread => "Threads by what they allocated and freed",
            View::Size => "Sizes of blocks, all and live",
            View::Churn => "Stacks by what they allocate in each event",
            View::Advice => "Containers that could reserve, blocks that could be reused",
        }
    }

    /// Whether names of functions are shown in it.
    pub fn has_names(self) -> bool {
        match self {
            View::Own
            | View::Cumulative
            | View::Callers
            | View::IgProf
            | View::Tree
            | View::Stacks
            | View::Churn
            | View::Advice => true,
            View::Summary | View::Library | View::Scope | View::Thread | View::Size => false,
        }
    }
}

/// Which parts of a report, and how much of each.
#[derive(Debug, Clone)]
pub struct Request {
    pub views: Vec<View>,
    pub limit: Limit,
    /// Least share of callers and of branches of the tree, in percent.
    pub threshold_percent: f64,
    /// Callers: only functions that match.
    pub function: Option<Regex>,
    /// Tree: from the allocating functions to the root.
    pub inverted: bool,
}
