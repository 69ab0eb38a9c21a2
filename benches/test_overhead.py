#!/usr/bin/env python3
"""The benchmark's own reading, judging and writing, on figures made up here: benches/test_overhead.py"""

import json
import sys
import unittest

sys.dont_write_bytecode = True

from lib import checks, pages
from lib.lab import HEAPTRACK, HEAPTRACK_RAW, NATIVE, RESIDUE, Outcome, find_key, parse_json
from lib.results import Results
from lib.sections import GXX, loop_name

REPORT = """{"meta": {"notes": []}, "stacks": 3, "top": [],
    "recorder": {"arena_bytes": 100, "private_bytes": 20, "trie_nodes": 7}}"""
SETTINGS = {"quick": False, "repeats": 5, "limit": "120", "data_limit": 6, "native_pairs": 2, "profiled_pairs": 1}


def made_up(**changes):
    """Results that pass every check, save what `changes` says about residue."""
    results = Results()
    for depth, allocs, threads in ((60, 25, 1), (60, 25, 2), (120, 25, 1), (60, 250, 1), (60, 250, 2), (120, 250, 1)):
        for who, ns in ((NATIVE, 20), (RESIDUE, 20 + changes.get("added", 40)), (HEAPTRACK, 1020)):
            results.add("loop", loop_name(depth, allocs, threads), who, {"ns": ns})
    for who, seconds in ((NATIVE, 10), (RESIDUE, changes.get("seconds", 14)), (HEAPTRACK, 30)):
        results.add("programs", GXX, who, {"wall_s": seconds})
    own = {"arena_bytes": 30e6, "private_bytes": 1e6, "trie_nodes": 15, "program_bytes": 130e6, "all_bytes": 140e6}
    results.add("memory", "1000000", RESIDUE, own)
    results.add("memory", "1000000", NATIVE, {"program_bytes": 100e6, "all_bytes": 100e6})
    kept = {"stacks": changes.get("stacks", 1000001), "file_bytes": 5e6, "finish_s": 2, "wall_s": 4}
    results.add("million", "1000000", RESIDUE, own | kept | {"trie_nodes": 2e6})
    return results


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
        self.assertEqual(len(verdicts(made_up(added=400), checks.FAIL)), 4)
        self.assertEqual(len(verdicts(made_up(seconds=31), checks.FAIL)), 2)
        self.assertEqual(len(verdicts(made_up(stacks=873812), checks.FAIL)), 1)

    def test_nothing_measured_is_no_pass(self):
        self.assertEqual(verdicts(Results(), checks.PASS), [])

    def test_residue_not_finishing_is_a_failure(self):
        results = made_up()
        results.entry("programs", GXX, RESIDUE)["dnf"] = "exit status 1"
        self.assertEqual(len(verdicts(results, checks.FAIL)), 2)

    def test_raw_stands_in_for_a_heaptrack_that_died(self):
        results = made_up()
        results.entry("programs", GXX, HEAPTRACK)["dnf"] = "exit status 141"
        self.assertEqual(len(verdicts(results, checks.SKIP)), 1)
        results.add("programs", GXX, HEAPTRACK_RAW, {"wall_s": 12})
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
        self.assertIn("| 60 | 25 | 1 | 20.0 | 40.0 | DNF |", page)
        self.assertIn("| g++ -O2 | 10.00 s | 1.40 x | 3.00 x |", page)
        self.assertIn("| 1,000,000 | 31.0 B | 30.0 B |", page)
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
