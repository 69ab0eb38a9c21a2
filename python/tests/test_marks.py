"""Each test runs a short program twice: alone, and with a stand-in for the recorder
preloaded that writes down every call it gets."""

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "crates" / "marks" / "tests" / "programs"


class Marks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.stand_in = os.path.join(cls.folder.name, "stand_in.so")
        options = ["-shared", "-fPIC", "-I", str(ROOT / "include")]
        source = str(PROGRAMS / "stand_in.c")
        subprocess.run(["cc", *options, "-o", cls.stand_in, source, "-ldl"], check=True)

    def run_program(self, text, **more_environment):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python" / "src"), **more_environment}
        program = [sys.executable, "-c", "import residue\n" + textwrap.dedent(text)]
        return subprocess.run(
            program, env=environment, check=True, stdout=subprocess.PIPE, universal_newlines=True
        ).stdout

    def recorded(self, text, **more_environment):
        """What the program says, and the calls the recorder gets."""
        log = os.path.join(self.folder.name, self.id())
        open(log, "w").close()
        said = self.run_program(
            text, LD_PRELOAD=self.stand_in, STAND_IN_LOG=log, **more_environment
        )
        with open(log) as lines:
            return said, lines.read().splitlines()

    def calls(self, text):
        """The calls of a program that says nothing, recorded or not."""
        self.assertEqual(self.run_program(text), "")
        said, calls = self.recorded(text)
        self.assertEqual(said, "")
        return calls

    def test_active(self):
        text = "print(residue.active(), residue.current())"
        self.assertEqual(self.run_program(text), "False 0\n")
        self.assertEqual(self.recorded(text), ("True 7\n", ["event_current"]))

    def test_event_ends_when_its_block_does(self):
        calls = self.calls(
            """
            with residue.event(1):
                residue.stamp("one")
            try:
                with residue.event(2, stream=3):
                    raise KeyError
            except KeyError:
                residue.stamp("caught")
            """
        )
        expected = ["event_begin 1 0", "stamp one", "event_end 1 0"]
        expected += ["event_begin 2 3", "event_end 2 3", "stamp caught"]
        self.assertEqual(calls, expected)

    def test_decorators_mark_every_call_and_keep_the_function(self):
        calls = self.calls(
            """
            @residue.event(4)
            @residue.scope("body")
            def body(value):
                residue.count("value", value)
                return value + 1

            assert body(1) == 2 and body(2) == 3 and body.__name__ == "body"
            """
        )
        once = ["event_begin 4 0", "scope_begin body", "count value {}", "scope_end", "event_end 4 0"]
        self.assertEqual(calls, [line.format(value) for value in (1, 2) for line in once])

    def test_loop(self):
        calls = self.calls(
            """
            def items():
                for letter in "abc":
                    residue.stamp("make " + letter)
                    yield letter

            for letter in residue.events(items(), first=10, stream=2):
                residue.stamp(letter)
                if letter == "b":
                    break
            residue.stamp("after")
            """
        )
        expected = ["stamp make a", "event_begin 10 2", "stamp a", "event_end 10 2"]
        expected += ["stamp make b", "event_begin 11 2", "stamp b", "event_end 11 2", "stamp after"]
        self.assertEqual(calls, expected)

    def test_task_goes_back(self):
        calls = self.calls(
            """
            @residue.task(9)
            def work():
                residue.stamp("work")

            with residue.task(7):
                work()
            """
        )
        expected = ["event_enter 7", "event_enter 9", "stamp work", "event_enter 7", "event_enter 5"]
        self.assertEqual(calls, expected)

    def test_pause_thresholds_snapshot(self):
        calls = self.calls(
            """
            residue.pause()
            residue.resume()
            residue.pause(all_threads=True)
            residue.resume(all_threads=True)
            with residue.paused():
                residue.snapshot("half")
            residue.thresholds(64, 2**40)
            """
        )
        expected = ["pause 0", "resume 0", "pause 1", "resume 1"]
        expected += ["pause 0", "snapshot half", "resume 0", "thresholds 64 1099511627776"]
        self.assertEqual(calls, expected)

    def test_names_and_numbers_of_many_kinds(self):
        calls = self.calls(
            r"""
            class Like:
                def __index__(self): return 2**63
                def __float__(self): return 0.5

            residue.stamp("détecteur")
            residue.stamp("\udcff")
            residue.stamp(7)
            residue.count("half", Like())
            with residue.event(Like()):
                pass
            """
        )
        expected = ["stamp détecteur", "stamp ?", "stamp 7", "count half 0.5"]
        expected += ["event_begin 9223372036854775808 0", "event_end 9223372036854775808 0"]
        self.assertEqual(calls, expected)

    def test_what_the_table_lacks_does_nothing(self):
        # Up to and with event_enter.
        text = """
            with residue.event(1):
                residue.stamp("one")
                residue.snapshot("two")
            """
        self.assertEqual(
            self.recorded(text, STAND_IN_BYTES="40"), ("", ["event_begin 1 0", "event_end 1 0"])
        )


if __name__ == "__main__":
    unittest.main()
