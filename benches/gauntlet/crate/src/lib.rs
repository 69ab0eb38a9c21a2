//! Enough generic code to keep a compiler busy for a second.
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

pub fn counted<K: Ord + Clone + Debug>(keys: impl Iterator<Item = K>) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
    counts
}

pub fn described<T: Debug>(values: &[T]) -> Vec<String> {
    values.iter().map(|value| format!("{value:?}")).collect()
}

pub fn work(turns: usize) -> usize {
    let words: HashMap<usize, String> = (0..turns).map(|n| (n, format!("{}", n * 7919 % 3001))).collect();
    let by_word = counted(words.values().cloned());
    let by_length = counted(words.values().map(String::len));
    let by_pair = counted(words.iter().map(|(n, word)| (n % 7, word.len())));
    let texts = described(&by_length.into_iter().collect::<Vec<_>>());
    let pairs = described(&by_pair.into_iter().collect::<Vec<_>>());
    by_word.values().chain([&texts.len(), &pairs.len()]).fold(0, |sum, it| sum * 31 % 1_000_003 + it)
}

#[cfg(test)]
mod tests {
    #[test]
    fn works_the_same_twice() {
        assert_eq!(super::work(1000), super::work(1000));
    }
}
