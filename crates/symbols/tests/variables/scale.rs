//! A hundred megabytes of debug information.

use std::fs;
use std::time::Instant;

use residue_symbols::DataAddress;

use crate::programs::{addresses, ask, run, symbols};

const UNITS: usize = 110;

/// Linked again and again, because nothing of it is seen outside.
const UNIT: &str = "
    #include <functional>
    #include <iostream>
    #include <map>
    #include <regex>
    #include <string>
    #include <thread>
    #include <unordered_map>
    #include <vector>
    namespace {
    struct Cell {
      int number;
      std::map<std::string, std::vector<int>> hits;
    };
    Cell grid[4];
    thread_local Cell mine;
    __attribute__((used)) int run(const std::string &text) {
      static Cell kept;
      std::regex expression(\"a.*b\" + text);
      kept.hits[text].push_back(1);
      grid[2].hits[text].push_back(std::regex_match(text, expression));
      std::cout << text << mine.number++;
      std::thread([] {}).join();
      return kept.number;
    }
    } // namespace
";

#[test]
#[ignore = "takes minutes; run by `make symbols`"]
fn a_hundred_megabytes_of_debug_information() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("unit.cpp"), UNIT).unwrap();
    fs::write(directory.path().join("main.cpp"), "int main() {}").unwrap();
    let compile = ["-O2", "-g", "-std=c++17", "-c", "unit.cpp"];
    run("g++", &compile, directory.path());
    let link = ["-g", "-o", "program", "main.cpp"];
    run(
        "g++",
        &[&link[..], &["unit.o"; UNITS]].concat(),
        directory.path(),
    );
    let file = directory.path().join("program");
    let symbols = symbols(&file);
    let ask_in_time = |what: &str, addresses: &[DataAddress]| {
        let started = Instant::now();
        let found = ask(&file, addresses);
        let seconds = started.elapsed().as_secs_f64();
        println!("{what}: {} addresses in {seconds:.3} s", addresses.len());
        found
    };
    let bytes = fs::metadata(&file).unwrap().len();
    println!("{} MiB", bytes >> 20);

    let grids = symbols
        .iter()
        .filter(|symbol| symbol.name.ends_with("4gridE"));
    let grids: Vec<_> = grids.cloned().collect();
    assert_eq!(grids.len(), UNITS);
    ask_in_time("first", &[grids[0].start]);
    let one = ask_in_time("one", &[grids[UNITS / 2].start]);
    let one = one[0].as_ref().unwrap();
    assert_eq!((one.member.concat().as_str(), one.line), ("[0].number", 15));
    let all = ask_in_time("all words", &addresses(&symbols, 8));
    assert!(all.iter().all(Option::is_some));
    let described = all.iter().flatten().filter(|variable| variable.line == 15);
    assert_eq!(described.count(), addresses(&grids, 8).len());
}
