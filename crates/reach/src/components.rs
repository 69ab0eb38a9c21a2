//! Strongly connected components of the blocks that no root reaches, and which of them
//! nothing else points to.
//!
//! Pearce's algorithm: Tarjan's with one number a block, which is first the order of the
//! visit and then, counted down from the top, the component. Its stacks are vectors, so a
//! list of a million nodes is no deeper than any other.

use crate::bits::Bits;
use crate::block::BlockId;
use crate::graph::Graph;
use crate::rows::Cursor;

const TOP: u32 = u32::MAX;

pub(crate) struct Components {
    /// Of each block: 0 where it was not asked about.
    numbers: Vec<u32>,
    /// By `TOP - number`.
    entered: Bits,
    several: Bits,
}

impl Components {
    /// Of the blocks that are meant. None of them is pointed to by one that is not meant.
    pub fn new(graph: &Graph, is_meant: impl Fn(u32) -> bool) -> Self {
        let numbers = Search::new(graph, &is_meant).run();
        let lowest = numbers.iter().filter(|&&number| number != 0).min();
        let count = lowest.map_or(0, |&lowest| (TOP - lowest) as usize + 1);
        let mut entered = Bits::new(count);
        let mut several = Bits::new(count);
        let mut seen = Bits::new(count);
        for (block, &number) in numbers.iter().enumerate() {
            if number == 0 {
                continue;
            }
            if !seen.set(TOP - number) {
                several.set(TOP - number);
            }
            graph.each_held_by(block as u32, |target, _| {
                let other = numbers[target as usize];
                if other != 0 && other != number {
                    entered.set(TOP - other);
                }
            });
        }
        Components {
            numbers,
            entered,
            several,
        }
    }

    /// The same for all of a component.
    pub fn number(&self, block: u32) -> u32 {
        self.numbers[block as usize]
    }

    /// Whether nothing outside of its component points into it.
    pub fn is_source(&self, block: u32) -> bool {
        let number = self.numbers[block as usize];
        number != 0 && !self.entered.get(TOP - number)
    }

    /// Whether there are others in its component.
    pub fn is_cycle(&self, block: u32) -> bool {
        let number = self.numbers[block as usize];
        number != 0 && self.several.get(TOP - number)
    }
}

struct Visit {
    block: u32,
    cursor: Cursor,
    outer_is_left: bool,
    /// Nothing earlier was reached from here, so far.
    is_first: bool,
}

struct Search<'a, F> {
    graph: &'a Graph,
    is_meant: &'a F,
    numbers: Vec<u32>,
    visits: Vec<Visit>,
    /// Done, but their component is not.
    waiting: Vec<u32>,
    index: u32,
    component: u32,
}

impl<'a, F: Fn(u32) -> bool> Search<'a, F> {
    fn new(graph: &'a Graph, is_meant: &'a F) -> Self {
        Search {
            graph,
            is_meant,
            numbers: vec![0; graph.heap().len()],
            visits: Vec::new(),
            waiting: Vec::new(),
            index: 1,
            component: TOP,
        }
    }

    fn run(mut self) -> Vec<u32> {
        for block in 0..self.numbers.len() as u32 {
            if self.numbers[block as usize] == 0 && (self.is_meant)(block) {
                self.begin(block);
                while let Some(visit) = self.visits.last_mut() {
                    match next_target(self.graph, visit) {
                        Some(target) if !(self.is_meant)(target) => {}
                        Some(target) if self.numbers[target as usize] == 0 => self.begin(target),
                        Some(target) => self.compare(target),
                        None => self.end(),
                    }
                }
            }
        }
        self.numbers
    }

    fn begin(&mut self, block: u32) {
        self.numbers[block as usize] = self.index;
        self.index += 1;
        self.visits.push(Visit {
            block,
            cursor: self.graph.rows().edges(block).cursor(),
            outer_is_left: true,
            is_first: true,
        });
    }

    /// The block that is visited belongs with whatever earlier one the target reaches.
    fn compare(&mut self, target: u32) {
        let reached = self.numbers[target as usize];
        if let Some(visit) = self.visits.last_mut() {
            let own = &mut self.numbers[visit.block as usize];
            if reached < *own {
                *own = reached;
                visit.is_first = false;
            }
        }
    }

    fn end(&mut self) {
        let Some(visit) = self.visits.pop() else {
            return;
        };
        let own = self.numbers[visit.block as usize];
        if visit.is_first {
            self.index -= 1;
            while let Some(&member) = self.waiting.last() {
                if own > self.numbers[member as usize] {
                    break;
                }
                self.waiting.pop();
                self.numbers[member as usize] = self.component;
                self.index -= 1;
            }
            self.numbers[visit.block as usize] = self.component;
            self.component -= 1;
        } else {
            self.waiting.push(visit.block);
        }
        self.compare(visit.block);
    }
}

fn next_target(graph: &Graph, visit: &mut Visit) -> Option<u32> {
    let pointed = graph.rows().next_target(&mut visit.cursor);
    pointed.or_else(|| {
        let outer = graph.heap().outer(BlockId(visit.block));
        let outer = outer.filter(|_| visit.outer_is_left);
        visit.outer_is_left = false;
        outer.map(|outer| outer.0)
    })
}
