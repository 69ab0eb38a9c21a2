//! What a workload says about itself: lines `truth KEY VALUE`, or
//! `truth PID KEY VALUE` from a family of processes.

use std::collections::BTreeMap;

#[derive(Debug, Clone, Default)]
pub struct Truths {
    values: BTreeMap<String, u64>,
}

impl Truths {
    pub fn parse(text: &str) -> Truths {
        let mut truths = Truths::default();
        for words in lines(text) {
            if let [key, value] = words[..] {
                truths.insert(key, value);
            }
        }
        truths
    }

    /// The truths of each process, by its number.
    pub fn parse_by_process(text: &str) -> BTreeMap<u32, Truths> {
        let mut all: BTreeMap<u32, Truths> = BTreeMap::new();
        for words in lines(text) {
            if let [pid, key, value] = words[..] {
                let pid = pid.parse().expect("the number of a process");
                all.entry(pid).or_default().insert(key, value);
            }
        }
        all
    }

    fn insert(&mut self, key: &str, value: &str) {
        let value = value
            .parse()
            .unwrap_or_else(|_| panic!("truth {key} {value}: not a number"));
        self.values.insert(key.to_string(), value);
    }

    pub fn get(&self, key: &str) -> u64 {
        self.find(key).unwrap_or_else(|| {
            panic!(
                "the workload did not tell {key}; it told {:?}",
                self.values.keys().collect::<Vec<_>>()
            )
        })
    }

    pub fn find(&self, key: &str) -> Option<u64> {
        self.values.get(key).copied()
    }

    /// Every truth about a function as (function, what, value); keys with more than
    /// one dot, such as `f.hist.3.calls`, are for the test of that workload.
    pub fn of_functions(&self) -> impl Iterator<Item = (&str, &str, u64)> {
        self.values.iter().filter_map(|(key, &value)| {
            let (function, what) = key.split_once('.')?;
            (!what.contains('.')).then_some((function, what, value))
        })
    }
}

/// The words after `truth` of each such line.
fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter_map(|line| line.strip_prefix("truth "))
        .map(|rest| rest.split_whitespace().collect())
}
