#!/usr/bin/env python3
"""The scoring of verdicts, on truths and verdicts made up here: benches/test_verdicts.py"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

from lib import verdict_pages, verdict_scores
from lib.checks import FAIL, PASS, SKIP
from lib.verdict_runs import Recorder
from lib.verdict_scores import ELSEWHERE, FAILED, UNSAID, Run, is_right, predicted

SETTINGS = {"shapes": 2, "seeds": 3, "events": "30, 300", "runtime_s": 1.5}


def stack(function, shape="leak", low=90.0, high=110.0):
    path = ["main", "run", function]
    return {"kind": "heap", "shape": shape, "rate_bytes_per_event": 100.0, "low": low, "high": high, "path": path}


def run(truth, verdict, stacks=(), events=300, expected=100.0, realised=101.0, low=90.0, high=110.0):
    told = {
        "class": truth,
        "site": "site_it",
        "expected_rate_bytes_per_event": expected,
        "true_rate_bytes_per_event": realised,
    }
    said = {"verdict": verdict, "rate_bytes_per_event": 100.0, "low": low, "high": high, "stacks": list(stacks)}
    return Run("it", events, 1, told, said)


def leak(**changes):
    return run("leak", "leak", [stack("site_it")], **changes)


def checked(runs, name):
    """Verdict and figure of the check with this name."""
    found = [check for check in verdict_scores.evaluate(runs) if check.name == name]
    return [(check.verdict, check.found) for check in found]


class Predicting(unittest.TestCase):
    def test_a_leak_needs_the_right_stack_on_top(self):
        self.assertEqual(predicted(run("leak", "leak", [stack("site_it"), stack("other")])), "leak")
        self.assertEqual(predicted(run("leak", "leak", [stack("other"), stack("site_it")])), ELSEWHERE)
        self.assertEqual(predicted(run("leak", "leak", [])), ELSEWHERE)

    def test_part_of_a_name_is_another_function(self):
        self.assertEqual(predicted(run("leak", "leak", [stack("site_item")])), ELSEWHERE)

    def test_a_false_leak_is_a_leak_wherever_it_is_seen(self):
        self.assertEqual(predicted(run("cache", "leak", [stack("other")])), "leak")

    def test_verdicts_that_are_classes_themselves(self):
        for said in ("freed-at-exit", "fragmentation", "undetermined"):
            self.assertEqual(predicted(run("leak", said, [stack("site_it", "cache")])), said)

    def test_without_growth_the_stack_of_the_site_tells(self):
        stacks = [stack("other", "sawtooth"), stack("site_it", "cache"), stack("site_it", "plateau")]
        self.assertEqual(predicted(run("cache", "no-growth", stacks)), "cache")
        self.assertEqual(predicted(run("cache", "no-growth", stacks[:1])), "flat")

    def test_a_leak_must_be_said_by_the_verdict(self):
        found = run("leak", "no-growth", [stack("site_it", "leak")])
        self.assertEqual(predicted(found), UNSAID)
        self.assertFalse(is_right(found))

    def test_a_failure_is_never_right(self):
        failed = Run("it", 30, 1, failure="exit status 2")
        self.assertEqual(predicted(failed), FAILED)
        self.assertFalse(is_right(failed))


class Judging(unittest.TestCase):
    def test_undetermined_is_right_with_few_events_only(self):
        self.assertTrue(is_right(run("leak", "undetermined", events=30)))
        self.assertTrue(is_right(run("leak", "undetermined", events=299)))
        self.assertFalse(is_right(run("leak", "undetermined", events=300)))
        self.assertFalse(is_right(run("leak", "no-growth", events=30)))

    def test_too_few_blocks_to_tell_may_be_undetermined_for_ever(self):
        open_run = run("filling", "undetermined", events=3000)
        open_run.truth["open"] = True
        self.assertTrue(is_right(open_run))
        self.assertFalse(is_right(run("filling", "undetermined", events=3000)))

    def test_slowing_is_true_of_what_fills_up_but_not_the_other_way_round(self):
        self.assertTrue(is_right(run("filling", "filling")))
        self.assertTrue(is_right(run("filling", "slowing")))
        self.assertFalse(is_right(run("slowing", "filling")))

    def test_right_class_has_a_bar_of_97_percent_from_300_events(self):
        name = "right class at 300 events and more"
        wrong = run("leak", "no-growth")
        self.assertEqual(checked([leak()] * 97 + [wrong] * 3, name), [(PASS, "97.0 % (97 of 100)")])
        self.assertEqual(checked([leak()] * 31 + [wrong], name), [(FAIL, "96.9 % (31 of 32)")])
        few = run("leak", "no-growth", events=30)
        self.assertEqual(checked([leak()] + [few] * 9, name), [(PASS, "100.0 % (1 of 1)")])

    def test_false_leaks_have_a_bar_at_every_number_of_events(self):
        clean, false = run("flat", "no-growth", events=30), run("flat", "leak", events=30)
        runs = [leak()] + [clean] * 99 + [false]
        self.assertEqual(checked(runs, "false leaks at 30 events"), [(PASS, "1.0 % (1 of 100)")])
        self.assertEqual(checked(runs[:-2] + [false], "false leaks at 30 events"), [(FAIL, "1.0 % (1 of 99)")])
        self.assertEqual(checked(runs, "false leaks at 300 events"), [(SKIP, "no figure")])

    def test_a_leak_verdict_on_what_stopped_or_is_freed_at_exit_is_false(self):
        for truth in ("stopped", "freed-at-exit", "fragmentation", "warm-up"):
            self.assertEqual(checked([run(truth, "leak")], "false leaks at 300 events"), [(FAIL, "100.0 % (1 of 1)")])

    def test_ends_of_fillings_have_a_bar(self):
        def filling(low, high):
            one = run("filling", "filling", [stack("site_it", "filling")])
            one.truth["end_bytes"] = 1000.0
            one.stacks()[0]["reason_codes"] = [{"code": "fills", "end_low": low, "end_high": high}]
            return one

        name = "ends of fillings within their interval"
        inside, outside = filling(900, 1100), filling(1010, 1100)
        self.assertEqual(checked([inside] * 19 + [outside], name), [(PASS, "95.0 % (19 of 20)")])
        self.assertEqual(checked([inside, outside], name), [(FAIL, "50.0 % (1 of 2)")])
        self.assertEqual(checked([leak()], name), [(SKIP, "no figure")])

    def test_a_rate_with_a_trend_has_no_interval(self):
        trend = leak(low=1.0, high=2.0)
        trend.truth["trend"] = True
        name = "intervals that contain the expected rate"
        self.assertEqual(checked([trend], name), [(SKIP, "no figure")])

    def test_failed_runs_miss_a_bar(self):
        runs = [leak(), Run("it", 300, 2, failure="more than 1 s")]
        self.assertEqual(checked(runs, "runs that failed"), [(FAIL, "1")])
        self.assertEqual(checked(runs, "right class at 300 events and more"), [(FAIL, "50.0 % (1 of 2)")])

    def test_nothing_measured_meets_no_bar(self):
        met = [check.name for check in verdict_scores.evaluate([]) if check.verdict == PASS]
        self.assertEqual(met, ["runs that failed"])


class Covering(unittest.TestCase):
    NAME = "intervals that contain the expected rate"

    def test_the_bar_is_on_the_expected_rate(self):
        hit, miss = leak(realised=120.0), leak(expected=111.0, realised=100.0)
        found = verdict_scores.coverage(verdict_scores.verdict_intervals([hit, hit, miss]))
        self.assertEqual((found.wide, found.wide_expected, found.wide_realised, found.exact), (3, 2, 1, 0))
        self.assertEqual(checked([leak()] * 9 + [miss], self.NAME), [(PASS, "90.0 % (9 of 10)")])
        self.assertEqual(checked([leak()] * 8 + [miss], self.NAME), [(FAIL, "88.9 % (8 of 9)")])

    def test_intervals_are_too_wide_only_where_there_are_many(self):
        self.assertEqual(checked([leak()] * 99, self.NAME), [(PASS, "100.0 % (99 of 99)")])
        self.assertEqual(checked([leak()] * 100, self.NAME), [(FAIL, "100.0 % (100 of 100)")])

    def test_intervals_without_width_are_counted_apart(self):
        exact, off = leak(low=100.0, high=100.0), leak(low=100.1, high=100.1)
        found = verdict_scores.coverage(verdict_scores.verdict_intervals([exact, off, leak()]))
        self.assertEqual((found.wide, found.exact, found.exact_expected), (1, 2, 1))
        name = "intervals without width that contain it"
        self.assertEqual(checked([exact], name), [(PASS, "100.0 % (1 of 1)")])
        self.assertEqual(checked([exact] * 99 + [off], name), [(FAIL, "99.0 % (99 of 100)")])
        self.assertEqual(checked([exact], self.NAME), [(SKIP, "no figure")])

    def test_six_decimals_are_enough(self):
        seventh = 1013 / 7
        exact = leak(expected=round(seventh, 6), low=seventh, high=seventh)
        self.assertEqual(verdict_scores.coverage(verdict_scores.verdict_intervals([exact])).exact_expected, 1)

    def test_only_leaks_on_the_right_stack_have_an_interval(self):
        others = [
            run("leak", "leak", [stack("other")]),
            run("leak", "undetermined"),
            run("cache", "leak", [stack("site_it")]),
            Run("it", 300, 1, failure="no JSON"),
        ]
        self.assertEqual(verdict_scores.verdict_intervals(others), [])

    def test_an_interval_that_is_not_told_contains_nothing(self):
        self.assertEqual(checked([leak(low=None, high=None)], self.NAME), [(FAIL, "0.0 % (0 of 1)")])

    def test_the_stack_has_an_interval_of_its_own(self):
        found = run("leak", "leak", [stack("site_it", low=0.0, high=1.0)])
        self.assertEqual(verdict_scores.coverage(verdict_scores.site_intervals([found])).wide_expected, 0)
        self.assertEqual(verdict_scores.coverage(verdict_scores.verdict_intervals([found])).wide_expected, 1)


class Writing(unittest.TestCase):
    RUNS = [
        leak(),
        run("cache", "no-growth", [stack("site_it", "plateau")]),
        run("leak", "undetermined", events=30),
        Run("broken", 30, 2, failure="exit status 2: no such file"),
    ]

    def page(self):
        return verdict_pages.page(self.RUNS, verdict_scores.evaluate(self.RUNS), SETTINGS)

    def test_truth_against_verdict(self):
        page = self.page()
        self.assertIn("| truth \\ verdict | leak | plateau |", page)
        self.assertIn("| leak | 1 |  |", page)
        self.assertIn("| cache |  | 1 |", page)
        self.assertIn("| truth \\ verdict | failed | undetermined |", page)
        self.assertIn("| failed | 1 |  |", page)

    def test_shapes_and_intervals(self):
        page = self.page()
        self.assertIn("| it | leak | 1 of 1 | 1 of 2 |", page)
        self.assertIn("| broken | not known | 0 of 1 | 0 of 0 |", page)
        self.assertIn("| 300 | verdict | 1 | 100.0 % | 100.0 % | 0 | 0 |", page)

    def test_wrong_runs_can_be_run_again(self):
        page = self.page()
        self.assertIn("- `shapes it 300 1`: plateau, 100 (90 .. 110) B/event; in truth cache, 100 B/event", page)
        self.assertIn("- `shapes broken 30 2`: failed: exit status 2: no such file", page)
        self.assertNotIn("shapes it 30 1", page)


PROGRAM = """#!/bin/sh
[ $# = 0 ] && { echo leak; echo flat; exit 0; }
[ $1 = flat ] && class=flat || class=leak
echo '{"class": "'$class'", "site": "site_it",
       "expected_rate_bytes_per_event": 100, "true_rate_bytes_per_event": 100}'
"""

# Says of every recording that 100 bytes an event leak; of the third seed nothing.
RESIDUE = """#!/bin/sh
[ $1 = leaks ] && exec cat "$2"
while [ $1 != -- ]; do [ $1 = -o ] && profile=$2; shift; done
shift
[ $4 = 3 ] && { echo 'residue: full' >&2; exit 2; }
echo '{"verdict": "leak", "low": 100, "high": 100,
       "stacks": [{"shape": "leak", "path": ["main", "site_it"]}]}' > "$profile"
exec "$@"
"""


class Running(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in (("shapes", PROGRAM), ("residue", RESIDUE)):
            path = Path(self.folder.name) / name
            path.write_text(text)
            path.chmod(0o755)

    def test_a_run_has_its_truth_and_its_verdict(self):
        recorder = Recorder(f"{self.folder.name}/residue", self.folder.name, 10)
        self.assertEqual(recorder.shapes(), ["leak", "flat"])
        found = recorder.run("leak", 300, 1)
        self.assertIsNone(found.failure)
        self.assertEqual((found.truth_class, predicted(found), found.verdict["low"]), ("leak", "leak", 100))

    def test_a_run_that_fails_says_why(self):
        recorder = Recorder(f"{self.folder.name}/residue", self.folder.name, 10)
        self.assertEqual(recorder.run("leak", 300, 3).failure, "exit status 2: residue: full")
        absent = Recorder(f"{self.folder.name}/absent", self.folder.name, 10)
        self.assertRegex(absent.run("leak", 300, 1).failure, "absent: No such file")

    def test_a_verdict_must_be_whole(self):
        text = RESIDUE.replace('"shape": "leak", ', "")
        (Path(self.folder.name) / "residue").write_text(text)
        recorder = Recorder(f"{self.folder.name}/residue", self.folder.name, 10)
        self.assertEqual(recorder.run("leak", 300, 1).failure, "the verdict's stack lacks shape")

    def test_a_run_that_hangs_is_ended(self):
        (Path(self.folder.name) / "shapes").write_text("#!/bin/sh\nsleep 60\n")
        recorder = Recorder(f"{self.folder.name}/residue", self.folder.name, 0.2)
        self.assertEqual(recorder.run("leak", 300, 1).failure, "more than 0.2 s")

    def command(self, *options):
        script = Path(__file__).resolve().parent / "verdicts.py"
        paths = ["--residue", f"{self.folder.name}/residue", "--workloads", self.folder.name]
        return subprocess.run([sys.executable, script, *paths, *options], capture_output=True, text=True)

    def test_the_exit_status_tells_whether_a_bar_is_missed(self):
        kept = Path(self.folder.name) / "out.json"
        good = self.command("--shapes", "leak", "--events", "300", "--seeds", "2", "--json", str(kept))
        self.assertEqual(good.returncode, 0, good.stderr)
        self.assertIn("3 bars met, 0 missed, 3 without a figure", good.stdout)
        runs = json.loads(kept.read_text())["runs"]
        judged = [(r["seed"], r["predicted"], r["right"]) for r in runs]
        self.assertEqual(judged, [(1, "leak", True), (2, "leak", True)])
        self.assertEqual(self.command("--events", "300", "--seeds", "1").returncode, 1)  # flat is said to leak
        self.assertEqual(self.command("--shapes", "leak", "--events", "300", "--seeds", "3").returncode, 1)
        self.assertEqual(self.command("--shapes", "other").returncode, 2)

    def test_the_order_does_not_depend_on_how_many_run_at_once(self):
        kept = [Path(self.folder.name) / name for name in ("one.json", "four.json")]
        for path, jobs in zip(kept, "14"):
            self.command("--events", "300,30", "--seeds", "2", "--jobs", jobs, "--json", str(path))
        one, four = (json.loads(path.read_text())["runs"] for path in kept)
        self.assertEqual(one, four)
        order = [(r["events"], r["shape"], r["seed"]) for r in one]
        self.assertEqual(order[:3], [(300, "leak", 1), (300, "leak", 2), (300, "flat", 1)])


if __name__ == "__main__":
    unittest.main()
