#!/usr/bin/env python3
"""The benchmark's own reading, judging and writing, on figures made up here: benches/test_overhead.py"""

import json
import sys
import unittest

sys.dont_write_bytecode = True

from lib import checks, pages
from lib.lab import HEAPTRACK, HEAPTRACK_RAW, NATIVE, RESIDUE, Outcome, find_key, parse_json
from lib.results import Results
from lib.sections import GXX, LOOPS, NEW, PYTHON_MALLOC, STORM, loop_name

REPORT = """{"meta": {"notes": []}, "stacks": 3, "top": [],
    "recorder": {"arena_bytes": 100, "private_bytes": 20, "trie_nodes": 7}}"""
MAPPINGS = "munmap and mmap among 5,000 mappings"
SETTINGS = {"quick": False, "repeats": 5, "limit": "120", "data_limit": 6, "native_pairs": 2, "profiled_pairs": 1}


def made_up(**changes):
    """Results that pass every check, save what `changes` says about residue."""
    results = Results()
    for case in LOOPS:
        added = changes.get("added_by_new" if NEW in case else "added", 30)
        for who, ns in ((NATIVE, 20), (RESIDUE, 20 + added), (HEAPTRACK, 1020)):
            results.add("loop", loop_name(*case), who, {"ns": ns})
    for who, ns in ((NATIVE, 2500), (RESIDUE, 7000), (HEAPTRACK, 2510)):
        results.add("large", MAPPINGS, who, {"ns": ns})
    for program, seconds in ((GXX, 12), (PYTHON_MALLOC, 14)):
        for who, wall_s in ((NATIVE, 10), (RESIDUE, changes.get(program, seconds)), (HEAPTRACK, 30)):
            results.add("programs", program, who, {"wall_s": wall_s})
    own = {"arena_bytes": changes.get("block_bytes", 21e6), "private_bytes": 1e6, "trie_nodes": 15}
    results.add("memory", "1000000", RESIDUE, own | {"program_bytes": 130e6, "all_bytes": 140e6})
    results.add("memory", "1000000", NATIVE, {"program_bytes": 100e6, "all_bytes": 100e6})
    for section, case, stacks in (("million", "1000000", 1000001), ("storm", STORM, 200000)):
        add_stacks(results, section, case, stacks, changes)
    return results


def add_stacks(results, section, case, stacks, changes):
    kept, bytes_each = changes.get(section, stacks), changes.get("stack_bytes", 150)
    own = {"arena_bytes": stacks * bytes_each, "private_bytes": 1e6, "trie_nodes": 2 * stacks, "stacks": kept}
    seconds = 0.1 + 1e-9 * stacks * changes.get("stack_ns", 400)
    results.add(section, case, NATIVE, {"wall_s": 0.1})
    results.add(section, case, RESIDUE, own | {"file_bytes": 5e6, "finish_s": 0.2, "wall_s": seconds})


def verdicts(results, verdict):
    return [check.name for check in checks.evaluate(results) if check.verdict == verdict]


class Reading(unittest.TestCase):
    def test_keys_are_found_at_any_depth(self):
        document = parse_json(REPORT)
        found = [find_key(document, key) for key in ("arena_bytes", "trie_nodes", "stacks", "other")]
        self.assertEqual(found, [100, 7, 3, None])

    def test_what_is_no_json_has_no_keys(self):
        self.assertIsNone(find_key(parse_json("RecorderStats { arena_bytes: 1 }"), "arena_bytes"))

    def test_a_number_is_read_from_the_last_line_of_its_name(self):
        outcome = Outcome(1.0, ["truth pairs 3\n", "ns_per_pair 4\n", "ns_per_pair 12.50\n"], 0.5, None)
        self.assertEqual(outcome.number("ns_per_pair"), 12.5)
        self.assertIsNone(outcome.number("vmrss_kib"))


class Judging(unittest.TestCase):
    def test_all_bars_met(self):
        self.assertEqual(verdicts(made_up(), checks.FAIL), [])
        self.assertEqual(verdicts(made_up(), checks.SKIP), [])

    def test_each_bar_can_be_missed(self):
        self.assertEqual(len(verdicts(made_up(added=400), checks.FAIL)), 6)
        self.assertEqual(len(verdicts(made_up(added_by_new=400), checks.FAIL)), 2)
        self.assertEqual(len(verdicts(made_up(**{GXX: 31}), checks.FAIL)), 2)
        self.assertEqual(len(verdicts(made_up(**{PYTHON_MALLOC: 16}), checks.FAIL)), 1)
        self.assertEqual(len(verdicts(made_up(block_bytes=23e6), checks.FAIL)), 1)
        self.assertEqual(len(verdicts(made_up(stack_bytes=190), checks.FAIL)), 2)
        self.assertEqual(len(verdicts(made_up(stack_ns=600), checks.FAIL)), 2)
        self.assertEqual(len(verdicts(made_up(million=873812), checks.FAIL)), 1)

    def test_new_paths_have_bars_of_their_own(self):
        missed = ["depth 60, 25 a path, 2 threads, each path new: added, of what heaptrack adds"]
        self.assertEqual(verdicts(made_up(added_by_new=70), checks.FAIL), missed)

    def test_a_storm_of_few_stacks_is_none(self):
        self.assertIn(f"{STORM}: kept apart", verdicts(made_up(storm=99999), checks.FAIL))

    def test_nothing_measured_is_no_pass(self):
        self.assertEqual(verdicts(Results(), checks.PASS), [])

    def test_residue_not_finishing_is_a_failure(self):
        results = made_up()
        results.entry("programs", GXX, RESIDUE)["dnf"] = "exit status 1"
        results.entry("storm", STORM, RESIDUE)["dnf"] = "exit status 1"
        self.assertEqual(len(verdicts(results, checks.FAIL)), 3)

    def test_raw_stands_in_for_a_heaptrack_that_died(self):
        results = made_up()
        results.entry("programs", GXX, HEAPTRACK)["dnf"] = "exit status 141"
        self.assertEqual(len(verdicts(results, checks.SKIP)), 1)
        results.add("programs", GXX, HEAPTRACK_RAW, {"wall_s": 11})
        self.assertEqual(len(verdicts(results, checks.FAIL)), 1)

    def test_figures_are_medians(self):
        results = Results()
        for value in (5, 1, 90, 2, 3):
            results.add("programs", GXX, NATIVE, {"wall_s": value})
        self.assertEqual(results.median("programs", GXX, NATIVE, "wall_s"), 3)


class Writing(unittest.TestCase):
    def test_the_page_has_every_section(self):
        results = made_up()
        results.entry("loop", loop_name(60, 25, 1), HEAPTRACK)["dnf"] = "more than 120 s"
        page = pages.page(results, SETTINGS, {"CPU": "some"}, checks.evaluate(results))
        self.assertIn("| 60 | 25 | 1 | 2,048 | 20.0 | 30.0 | DNF |", page)
        self.assertIn("| 60 | 25 | 2 | each new | 20.0 | 30.0 | 1,000.0 | 1/33.3 |", page)
        self.assertIn(f"| {MAPPINGS} | 2,500.0 | 4,500.0 | 10.0 |", page)
        self.assertIn("| g++ -O2 | 10.00 s | 1.20 x | 3.00 x |", page)
        self.assertIn("| 1,000,000 | 22.0 B | 30.0 B |", page)
        self.assertIn(f"| {STORM} | native | residue |", page)
        self.assertIn("| added for each stack |  | 400 ns |", page)
        self.assertIn("| recorder's memory for each stack |  | 155.0 B |", page)
        self.assertIn("more than 120 s", page)
        self.assertIn("## Checks", page)

    def test_only_the_marked_part_of_the_readme_changes(self):
        readme = f"a\n{pages.README_BEGIN}\nold\n{pages.README_END}\nb\n"
        changed = pages.with_table(readme, "new\n")
        self.assertEqual(changed, f"a\n{pages.README_BEGIN}\nnew\n{pages.README_END}\nb\n")
        self.assertIsNone(pages.with_table("no markers", "new\n"))

    def test_results_survive_json(self):
        results = Results(json.loads(json.dumps(made_up().samples)))
        self.assertEqual(pages.readme_table(results), pages.readme_table(made_up()))


if __name__ == "__main__":
    unittest.main()
