//! What a report can show.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// Who was recorded, what it held, what the recorder missed
    Summary,
    /// Functions by what they allocated themselves
    #[value(name = "self")]
    Own,
    /// Functions by what they and all that they called allocated
    Cumulative,
    /// Every function with its callers above it and its callees below
    Callers,
    /// The tree of calls; --inverted from the allocating function to the root
    Tree,
    /// The highest stacks, with their lines
    Stacks,
    /// Libraries by what their functions allocated
    Library,
    /// Scopes that the program marked, by the outermost
    Scope,
    /// Threads by what they made and freed
    Thread,
    /// Sizes of blocks, all and live
    Size,
    /// Containers that a reservation would help
    Advice,
}

impl View {
    /// What is shown unless something else is asked for.
    pub const DEFAULT: [View; 5] = [
        View::Summary,
        View::Own,
        View::Cumulative,
        View::Stacks,
        View::Advice,
    ];

    /// Whether names of functions are shown in it.
    pub fn has_names(self) -> bool {
        match self {
            View::Own
            | View::Cumulative
            | View::Callers
            | View::Tree
            | View::Stacks
            | View::Advice => true,
            View::Summary | View::Library | View::Scope | View::Thread | View::Size => false,
        }
    }
}
