//! Who holds what is live: what a frozen picture of the process said, at one moment.
//!
//! ```text
//!   root word ──► block of stack A ──► block of stack B ──► blocks of stack C
//!   (variable)     at offset 16         at any offset        counted: a chain of C
//! ```
//!
//! Every block that was live is lost, held by lost ones alone, or held from a root. Chains are
//! shortest ways from a root, those through the same stacks merged.

use crate::error::{Damage, Reason};
use crate::layout::Tag;
use crate::pins::Pins;
use crate::timeline::StackId;
use serde::{Deserialize, Serialize};

/// What one picture said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Picture {
    /// The event that had begun last.
    pub event: u32,
    /// The program had begun to end.
    pub at_exit: bool,
    /// Somebody asked for it while that event ran, or before the first.
    pub is_asked: bool,
    /// Why there is nothing more; empty where there is.
    pub trouble: String,
    /// How long the program was held up by copying its page tables.
    pub took_ns: u64,
    /// How long reading took, while the program went on.
    pub read_ns: u64,
    pub threads: u32,
    /// Other threads could not be stopped, and ran while the picture was taken.
    pub others_ran: bool,
    /// Blocks in it, and their bytes.
    pub blocks: u64,
    pub bytes: u64,
    /// Of these bytes and of the roots, those that could not be read.
    pub unread_bytes: u64,
    /// Blocks that are missing: there was no room to keep what was live.
    pub is_incomplete: bool,
    /// Ascending by stack, birth, state.
    pub sums: Vec<HeldSum>,
    /// Ascending by stack; of one stack the chain with the most bytes first.
    pub chains: Vec<Chain>,
    /// What was left out of them.
    pub left_out_bytes: u64,
    /// Root words that hold much: all that would be lost without them.
    pub retained: Vec<Retained>,
    /// Who keeps the pages of the heap resident; `None` where the kernel did not say which are.
    pub pins: Option<Pins>,
}

impl Picture {
    /// When it was taken, in words.
    pub fn when(&self, unit: &str) -> String {
        match (self.at_exit, self.is_asked, self.event) {
            (true, _, 0) => "when the program ended".to_string(),
            (true, _, event) => format!("when the program ended, in {unit} {event}"),
            (false, true, 0) => format!("on request, before {unit} 1"),
            (false, true, event) => format!("on request, in {unit} {event}"),
            (false, false, event) => format!("at the end of {unit} {event}"),
        }
    }

    /// All that somebody else wrote.
    pub(crate) fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let of_chains = self.chains.iter_mut().map(|chain| &mut chain.root);
        let of_retained = self
            .retained
            .iter_mut()
            .map(|retained| &mut retained.holder);
        let holders = of_chains.chain(of_retained);
        let texts = holders.flat_map(|it| {
            [
                &mut it.place,
                &mut it.variable,
                &mut it.member,
                &mut it.file,
            ]
        });
        texts.chain([&mut self.trouble])
    }

    /// Takes out what names stacks that are not there.
    pub(crate) fn repair(&mut self, stacks: usize) -> Option<Damage> {
        let is_there = |stack: StackId| (stack as usize) < stacks;
        let before = self.sums.len() + self.chains.len() + self.retained.len();
        self.sums.retain(|sum| is_there(sum.stack));
        self.retained.retain(|retained| is_there(retained.stack));
        self.chains.retain(|chain| {
            is_there(chain.stack) && chain.steps.iter().all(|step| is_there(step.stack))
        });
        let of_pins = self.pins.as_mut().map_or(0, |pins| pins.repair(is_there));
        let out = before - (self.sums.len() + self.chains.len() + self.retained.len()) + of_pins;
        (out > 0).then(|| {
            let what = format!("{out} rows name stacks that are not there");
            Reason::bad(what).of(Tag::HOLD)
        })
    }
}

/// Whether anything points to a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HeldState {
    /// A chain of pointers leads from a root to it.
    Held,
    /// The same, and no pointer to its start is among those that hold it.
    HeldInside,
    /// Nothing points to it.
    Lost,
    /// Only blocks that it holds itself point to it.
    LostInCycle,
    /// Only lost blocks point to it.
    HeldByLost,
}

impl HeldState {
    pub fn is_lost(self) -> bool {
        matches!(
            self,
            HeldState::Lost | HeldState::LostInCycle | HeldState::HeldByLost
        )
    }
}

/// Blocks of one stack and one birth in one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldSum {
    pub stack: StackId,
    /// As in `BirthBin`.
    pub birth: u32,
    pub state: HeldState,
    pub blocks: u64,
    pub bytes: u64,
}

/// A way from a root to blocks of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// Whose blocks it leads to.
    pub stack: StackId,
    pub blocks: u64,
    pub bytes: u64,
    pub root: Holder,
    /// From the root on; the blocks themselves are not among them.
    pub steps: Vec<Step>,
}

/// A word outside the heap that points into it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Holder {
    pub kind: HolderKind,
    /// The module's path, or the thread's number.
    pub place: String,
    /// Where the word is.
    pub address: u64,
    /// Other words of the same kind and place do so, too.
    pub is_one_of_many: bool,
    /// The variable's linkage name; empty where it has none.
    pub variable: String,
    /// The path to its member at this place, such as `.map[3].first`; empty where it is not known.
    pub member: String,
    /// Where it is declared; empty and zero where that is not known.
    pub file: String,
    pub line: u32,
}

#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HolderKind {
    /// A variable of a module.
    Module,
    /// A stack of a thread, or its own data.
    Thread,
    Registers,
    #[default]
    #[serde(other)]
    Unknown,
}

/// Blocks on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Who allocated the block that holds the next.
    pub stack: StackId,
    /// Where in it the pointer is; `None`: at various places.
    pub offset: Option<u64>,
    /// Several such blocks, each held by the one before.
    pub is_repeated: bool,
    pub shape: Option<Shape>,
    /// Elements of the largest.
    pub elements: u64,
}

/// What a container is by its looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "ContainerShape")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    List,
    DoublyLinkedList,
    Tree,
    HashNodes,
    HashBuckets,
    DequeChunks,
    DequeMap,
    /// A buffer of pointers, a vector's most likely.
    Pointers,
    /// A buffer of structs with a pointer in each.
    Structs,
}

/// What hangs on one word or block: without it, it would be lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retained {
    pub holder: Holder,
    /// The block that hangs on it and holds the rest, by stack.
    pub stack: StackId,
    pub bytes: u64,
}
