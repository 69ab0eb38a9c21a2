//! Who holds what, for programs to read; the schema is docs/schemas/holders.schema.json.

use residue_calltree::{Filter, PathReader};
use residue_names::cut_middle;
use residue_profile::Profile;
use residue_profile::holders::{
    Chain, HeldState, HeldSum, Holder, HolderKind, Picture, Retained, Shape, Step,
};
use residue_profile::timeline::StackId;
use serde::Serialize;
use std::cmp::Reverse;

use super::{holds, words};
use crate::choice::Names;
use crate::leaks::{ShownPath, shown_path_of_stack};

/// The document of `residue holders --json`. Sizes are in bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "HoldersDocument")
)]
pub struct Document {
    pub format: &'static str,
    pub version: u32,
    /// Name of the program.
    pub program: String,
    /// What births are counted in: `event` or `tick`.
    pub unit: String,
    /// The event that had begun last when the picture was taken.
    pub event: u32,
    /// Whether the program had begun to end.
    pub at_exit: bool,
    /// Whether somebody asked for it while that event ran, or before the first.
    pub is_asked: bool,
    /// How long the program was held up, and how long reading took while it went on.
    pub took_ns: u64,
    pub read_ns: u64,
    pub threads: u32,
    /// Other threads could not be stopped and ran while the picture was taken.
    pub other_threads_ran: bool,
    /// Bytes that could not be read.
    pub unread_bytes: u64,
    /// Blocks are missing.
    pub is_incomplete: bool,
    /// All live blocks, by what holds them.
    pub all: Amounts,
    /// What stacks left, the largest loss first, then the largest amount.
    pub stacks: Vec<Stack>,
    /// Words outside the heap on which most hangs: without them it would be lost.
    pub retained: Vec<RetainedBy>,
    /// The picture in sentences: when, how long, what is missing.
    pub about: Vec<String>,
}

/// Blocks, and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "HeldAmount"))]
pub struct Amount {
    pub blocks: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "HeldAmounts"))]
pub struct Amounts {
    /// A chain of pointers leads to them from a variable, a stack or a register.
    pub held: Amount,
    /// The same, by pointers into them alone and none to their starts.
    pub held_inside: Amount,
    /// Nothing points to them.
    pub lost: Amount,
    /// Only blocks that they hold themselves point to them.
    pub lost_in_cycle: Amount,
    /// Only lost blocks point to them.
    pub held_by_lost: Amount,
}

impl Amounts {
    fn of_state(&mut self, state: HeldState) -> &mut Amount {
        match state {
            HeldState::Held => &mut self.held,
            HeldState::HeldInside => &mut self.held_inside,
            HeldState::Lost => &mut self.lost,
            HeldState::LostInCycle => &mut self.lost_in_cycle,
            HeldState::HeldByLost => &mut self.held_by_lost,
        }
    }

    fn add(&mut self, state: HeldState, blocks: u64, bytes: u64) {
        let amount = self.of_state(state);
        amount.blocks = amount.blocks.saturating_add(blocks);
        amount.bytes = amount.bytes.saturating_add(bytes);
    }

    /// Lost, in whatever way.
    pub fn all_lost(&self) -> Amount {
        sum(&[self.lost, self.lost_in_cycle, self.held_by_lost])
    }

    pub fn all_held(&self) -> Amount {
        sum(&[self.held, self.held_inside])
    }
}

fn sum(parts: &[Amount]) -> Amount {
    parts.iter().fold(Amount::default(), |sum, part| Amount {
        blocks: sum.blocks.saturating_add(part.blocks),
        bytes: sum.bytes.saturating_add(part.bytes),
    })
}

/// What one call path left.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "HeldStack"))]
pub struct Stack {
    pub stack: StackId,
    #[serde(flatten)]
    pub path: ShownPath,
    #[serde(flatten)]
    pub amounts: Amounts,
    /// The first and the last event in which lost blocks were made; null where none is lost.
    pub lost_births: Option<(u32, u32)>,
    /// The same of those that are held.
    pub held_births: Option<(u32, u32)>,
    /// The line that `residue leaks` shows.
    pub words: Option<String>,
    /// Shortest ways from a root, those through the same call paths together, most bytes first.
    pub chains: Vec<ShownChain>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "HolderChain"))]
pub struct ShownChain {
    #[serde(flatten)]
    pub amount: Amount,
    pub holder: ShownHolder,
    /// From the holder on; the blocks themselves are not among them.
    pub steps: Vec<ShownStep>,
    pub words: String,
}

/// A word outside the heap that points into it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ShownHolder {
    pub kind: HolderKind,
    /// Path of the module, or number of the thread.
    pub place: String,
    pub address: u64,
    /// Further words of the same variable or stack do the same.
    pub is_one_of_many: bool,
    /// Null where it has no name.
    pub variable: Option<String>,
    /// Path to the member, in full: `.map[3].first`.
    pub member: String,
    /// Where it is declared.
    pub file: Option<String>,
    pub line: u32,
    pub words: String,
}

/// A block on the way.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "HolderStep"))]
pub struct ShownStep {
    pub stack: StackId,
    #[serde(flatten)]
    pub path: ShownPath,
    /// Where in it the pointer is; null: at various places.
    pub offset: Option<u64>,
    /// Several such blocks, each held by the one before.
    pub is_repeated: bool,
    /// What container it looks like.
    pub shape: Option<Shape>,
    /// Pointers that are set in the largest.
    pub elements: u64,
    /// What it is: `an array of 602 pointers`.
    pub words: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RetainedBy {
    pub holder: ShownHolder,
    /// All that would be lost without it.
    pub bytes: u64,
    /// Who allocated the block that it points to.
    pub stack: StackId,
    #[serde(flatten)]
    pub path: ShownPath,
}

/// Blocks that are reached through those of a stack.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Holds {
    pub stack: StackId,
    #[serde(flatten)]
    pub path: ShownPath,
    #[serde(flatten)]
    pub amount: Amount,
    /// Stacks whose blocks lie between; zero of what is held directly.
    pub between: usize,
    /// What the blocks that hold it are.
    pub by: ShownStep,
}

/// How much is said.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub stacks: usize,
    pub chains: usize,
    /// Of a chain.
    pub holders: usize,
    pub retained: usize,
    /// Functions of a path, and characters of each.
    pub steps: usize,
    pub name_characters: usize,
}

impl Limits {
    pub const NONE: Limits = Limits {
        stacks: usize::MAX,
        chains: usize::MAX,
        holders: usize::MAX,
        retained: usize::MAX,
        steps: usize::MAX,
        name_characters: usize::MAX,
    };
}

/// Which stacks have rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    All,
    /// Those that lost anything.
    Lost,
    /// Those of which anything is held.
    Held,
}

impl Which {
    pub const ALL: [(&str, Which); 3] = [
        ("all", Which::All),
        ("lost", Which::Lost),
        ("held", Which::Held),
    ];
}

/// What a picture says of each stack, the largest loss first, then the largest amount; of those that
/// hold, the largest amount that is held.
pub fn rows(picture: &Picture, which: Which) -> Vec<&[HeldSum]> {
    let mut rows: Vec<(Amounts, &[HeldSum])> = picture
        .sums
        .chunk_by(|a, b| a.stack == b.stack)
        .map(|row| (amounts(row), row))
        .collect();
    rows.retain(|(amounts, _)| match which {
        Which::All => true,
        Which::Lost => amounts.all_lost().blocks > 0,
        Which::Held => amounts.all_held().blocks > 0,
    });
    rows.sort_by_key(|(amounts, row)| {
        let (lost, held) = (amounts.all_lost().bytes, amounts.all_held().bytes);
        let first = match which {
            Which::Held => held,
            Which::All | Which::Lost => lost,
        };
        (
            Reverse(first),
            Reverse(lost.saturating_add(held)),
            row[0].stack,
        )
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

pub fn document(profile: &Profile, picture: &Picture, names: &Names, most: Limits) -> Document {
    let filter = Filter::default();
    let mut reader = Reader::new(profile, picture, names.paths(profile, &filter), most);
    let rows = rows(picture, Which::All);
    reader.document(rows.into_iter().take(most.stacks))
}

/// What births are counted in.
pub fn unit_of(profile: &Profile) -> &str {
    match profile.meta.birth_unit.as_str() {
        "" => "event",
        unit => unit,
    }
}

/// Reads a picture, with names.
pub struct Reader<'a> {
    profile: &'a Profile,
    picture: &'a Picture,
    paths: PathReader<'a>,
    most: Limits,
}

impl<'a> Reader<'a> {
    pub fn new(
        profile: &'a Profile,
        picture: &'a Picture,
        paths: PathReader<'a>,
        most: Limits,
    ) -> Reader<'a> {
        Reader {
            profile,
            picture,
            paths,
            most,
        }
    }

    /// With these rows of stacks.
    pub fn document<'r>(&mut self, rows: impl Iterator<Item = &'r [HeldSum]>) -> Document {
        let (profile, picture) = (self.profile, self.picture);
        let unit = unit_of(profile);
        let retained = picture.retained.iter().take(self.most.retained);
        Document {
            format: "residue-holders",
            version: 1,
            program: profile.meta.program.clone(),
            unit: unit.to_string(),
            event: picture.event,
            at_exit: picture.at_exit,
            is_asked: picture.is_asked,
            took_ns: picture.took_ns,
            read_ns: picture.read_ns,
            threads: picture.threads,
            other_threads_ran: picture.others_ran,
            unread_bytes: picture.unread_bytes,
            is_incomplete: picture.is_incomplete,
            all: amounts(&picture.sums),
            stacks: rows.map(|row| self.stack(row)).collect(),
            retained: retained.map(|one| self.retained(one)).collect(),
            about: words::moment(picture, unit),
        }
    }

    /// What one stack left; `None` where nothing of it was live.
    pub fn stack_of(&mut self, stack: StackId) -> Option<Stack> {
        let sums = &self.picture.sums;
        let from = sums.partition_point(|sum| sum.stack < stack);
        let row = sums[from..].chunk_by(|a, b| a.stack == b.stack).next()?;
        (row[0].stack == stack).then(|| self.stack(row))
    }

    /// What the blocks of a stack hold, most bytes first; so many of them at most, and how many
    /// there are.
    pub fn holds(&mut self, stack: StackId, most: usize) -> (Vec<Holds>, usize) {
        let all = holds::of(&self.picture.chains, stack);
        let found = all.len();
        let shown = all.into_iter().take(most).map(|of| Holds {
            stack: of.stack,
            path: self.path(of.stack),
            amount: Amount {
                blocks: of.blocks,
                bytes: of.bytes,
            },
            between: of.between,
            by: self.step(of.by),
        });
        (shown.collect(), found)
    }

    fn path(&mut self, stack: StackId) -> ShownPath {
        let path = shown_path_of_stack(self.profile, &mut self.paths, stack);
        path.cut(self.most.steps, self.most.name_characters)
    }

    fn stack(&mut self, row: &[HeldSum]) -> Stack {
        let (picture, stack) = (self.picture, row[0].stack);
        let births = |is_lost: bool| {
            let of_state = row.iter().filter(|sum| sum.state.is_lost() == is_lost);
            let births: Vec<u32> = of_state.map(|sum| sum.birth).collect();
            Some((*births.iter().min()?, *births.iter().max()?))
        };
        let from = picture.chains.partition_point(|chain| chain.stack < stack);
        let chains = picture.chains[from..].iter();
        let chains = chains.take_while(|chain| chain.stack == stack);
        let chains: Vec<&Chain> = chains.take(self.most.chains).collect();
        Stack {
            stack,
            path: self.path(stack),
            amounts: amounts(row),
            lost_births: births(true),
            held_births: births(false),
            words: words::of_stack(self.profile, &mut self.paths, stack)
                .map(|it| self.sentence(it)),
            chains: chains.into_iter().map(|chain| self.chain(chain)).collect(),
        }
    }

    fn chain(&mut self, chain: &Chain) -> ShownChain {
        let words = words::chain(self.profile, &mut self.paths, chain);
        let steps = chain.steps.iter().take(self.most.holders);
        ShownChain {
            amount: Amount {
                blocks: chain.blocks,
                bytes: chain.bytes,
            },
            holder: self.holder(&chain.root),
            words: self.sentence(words),
            steps: steps.map(|step| self.step(step)).collect(),
        }
    }

    fn step(&mut self, step: &Step) -> ShownStep {
        ShownStep {
            stack: step.stack,
            path: self.path(step.stack),
            offset: step.offset,
            is_repeated: step.is_repeated,
            shape: step.shape,
            elements: step.elements,
            words: words::step(step),
        }
    }

    fn holder(&self, holder: &Holder) -> ShownHolder {
        let cut = |text: &str| cut_middle(text, self.most.name_characters);
        let named = |text: &str| (!text.is_empty()).then(|| cut(text));
        ShownHolder {
            kind: holder.kind,
            place: cut(&holder.place),
            address: holder.address,
            is_one_of_many: holder.is_one_of_many,
            variable: named(&holder.variable).map(|_| cut(&words::variable(holder))),
            member: cut(&holder.member),
            file: named(&holder.file),
            line: holder.line,
            words: self.sentence(words::holder(holder)),
        }
    }

    /// With as many characters as a few names have.
    fn sentence(&self, words: String) -> String {
        const NAMES: usize = 10;
        cut_middle(&words, self.most.name_characters.saturating_mul(NAMES))
    }

    fn retained(&mut self, retained: &Retained) -> RetainedBy {
        RetainedBy {
            holder: self.holder(&retained.holder),
            bytes: retained.bytes,
            stack: retained.stack,
            path: self.path(retained.stack),
        }
    }
}

fn amounts(row: &[HeldSum]) -> Amounts {
    let mut amounts = Amounts::default();
    for sum in row {
        amounts.add(sum.state, sum.blocks, sum.bytes);
    }
    amounts
}
