//! Words of roots, those together that are one thing to whoever asks.
//!
//! Every word is an origin of its own until somebody can name variables: then the words of a
//! static array are one, and so are those of a thread's stack.

use crate::graph::Graph;
use crate::root::RootWord;
use rustc_hash::FxHashMap;

#[derive(Debug)]
pub struct Origins {
    /// Places in `Graph::root_words`, those of an origin together and in their order.
    words: Vec<u32>,
    /// Of each origin the first of its words above, and the end of the last.
    firsts: Vec<u32>,
    /// Of each root word.
    numbers: Vec<u32>,
}

impl Origins {
    pub fn each_word(graph: &Graph) -> Self {
        Origins::by(graph, |word| (word.root, word.at))
    }

    /// Words with equal keys are one origin.
    pub fn by<K: Eq + std::hash::Hash>(graph: &Graph, key: impl Fn(&RootWord) -> K) -> Self {
        let mut known: FxHashMap<K, u32> = FxHashMap::default();
        let mut numbers = Vec::with_capacity(graph.root_words().len());
        for word in graph.root_words() {
            let next = known.len() as u32;
            numbers.push(*known.entry(key(word)).or_insert(next));
        }
        let mut firsts = vec![0u32; known.len() + 1];
        for &number in &numbers {
            firsts[number as usize + 1] += 1;
        }
        for number in 0..known.len() {
            firsts[number + 1] += firsts[number];
        }
        let mut next = firsts.clone();
        let mut words = vec![0; numbers.len()];
        for (word, &number) in numbers.iter().enumerate() {
            let place = &mut next[number as usize];
            words[*place as usize] = word as u32;
            *place += 1;
        }
        Origins {
            words,
            firsts,
            numbers,
        }
    }

    /// In the order of their first words.
    pub fn len(&self) -> usize {
        self.firsts.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its words, by their places in [`Graph::root_words`].
    pub fn words(&self, origin: u32) -> &[u32] {
        let first = self.firsts[origin as usize] as usize;
        let end = self.firsts[origin as usize + 1] as usize;
        &self.words[first..end]
    }

    /// The origin of a root word.
    pub fn of_word(&self, word: usize) -> u32 {
        self.numbers[word]
    }
}
