#!/usr/bin/env python3
"""Does the gauntlet notice what it is there to notice?"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the source tree

from lib import gauntlet_processes
from lib.gauntlet_processes import Executed, executed
from lib.gauntlet_programs import PROGRAMS, Program
from lib.gauntlet_runs import Trial, roots

# Stands for `residue run ... -- COMMAND`, and does to the program what a recorder must not.
TAMPER = """#!/bin/sh
while [ "$1" != -- ]; do [ "$1" = --arena-dir ] && arenas=$2; shift; done
shift
{before}
"$@"
{after}
"""


def complaints(before="", after="", run="echo one; echo two >&2", **more):
    """Of a program that is recorded by something else."""
    with tempfile.TemporaryDirectory() as folder:
        residue = Path(folder) / "residue"
        residue.write_text(TAMPER.format(before=before, after=after))
        residue.chmod(0o755)
        program = Program("job", "a job", run=run, is_script=True, can_be_traced=False, **more)
        with Trial(residue, program, limit_s=20) as trial:
            return trial.run(with_heaptrack=False, is_quick=True).complaints


class Noticed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        gauntlet_processes.adopt_orphans()

    def test_a_run_that_is_left_alone_has_no_profile(self):
        self.assertEqual(complaints(), ["recorded: no profile"])

    def test_other_output(self):
        self.assertIn("recorded: stdout: 'more', not 'one'", complaints(before="echo more"))
        self.assertIn("recorded: stderr: 'more', not 'two'", complaints(before="echo more >&2"))

    def test_another_status(self):
        self.assertIn("recorded: status 3, 'two', not 0", complaints(after="exit 3"))

    def test_a_file_in_shared_memory(self):
        self.assertIn("recorded: left in shared memory: arena", complaints(after="touch $arenas/arena"))

    def test_a_process_that_stays(self):
        self.assertIn("recorded: left running: sleep", complaints(after="sleep 60 >/dev/null 2>&1 &"))
        self.assertEqual(gauntlet_processes.running(), {})

    def test_a_process_whose_name_is_no_text(self):
        """Any process of the machine may be called so; it once ended the search."""
        program = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'\\xff\\xfe'); print(flush=True); time.sleep(60)"
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as named:
            named.stdout.readline()
            found = gauntlet_processes.running()
            named.kill()
        self.assertEqual(found, {named.pid: "\ufffd\ufffd"})

    def test_nothing_is_said_of_what_is_not_recorded(self):
        self.assertEqual(complaints(is_recorded=False), ["not recorded, and nothing says so"])
        self.assertEqual(complaints(is_recorded=False, after="echo residue: /bin/sh is of stone >&2"), [])


class Read(unittest.TestCase):
    def test_what_strace_writes(self):
        with tempfile.NamedTemporaryFile("w+") as log:
            log.write(
                '10 execve("/usr/bin/residue", ["residue"], 0x7ffc /* 9 vars */) = 0\n'
                '11 execve("/bin/no", ["no"], 0x7ffc /* 9 vars */) = -1 ENOENT (No such file or directory)\n'
                '11 execve("/bin/sh", ["sh"], 0x7ffc /* 9 vars */ <unfinished ...>\n'
                '12 execveat(3, "", ["x"], 0x7ffc /* 9 vars */, AT_EMPTY_PATH) = 0\n'
                "11 <... execve resumed>) = 0\n"
            )
            log.flush()
            expected = [Executed(10, "/usr/bin/residue"), Executed(12, ""), Executed(11, "/bin/sh")]
            self.assertEqual(executed(Path(log.name)), expected)

    def test_programs_without_a_profile(self):
        program = Program("job", "a job", run="true")
        with Trial("residue", program, limit_s=1) as trial:
            all_executed = [Executed(1, "/x/residue"), Executed(2, "/x/one"), Executed(3, "/x/two"), Executed(4, "/x/three")]
            reports = [{"meta": {"pid": 2, "executable": "/x/one"}}, {"meta": {"pid": 9, "executable": "/x/two"}}]
            said = ["/x/three is statically linked"]
            self.assertEqual(trial.unheard_of(all_executed, reports, said), ["/x/two"])
            reports[0]["meta"]["notes"] = ["1 executed program not recorded: the process had changed its user"]
            self.assertEqual(trial.unheard_of(all_executed, reports, said), [])

    def test_stacks_that_are_whole(self):
        self.assertEqual(roots("_start;main;f 3\njob+0x10;__libc_start_main;g 4\nf;g;h;main 5\n"), (12, 7))

    def test_names_of_programs_are_their_own(self):
        names = [program.name for program in PROGRAMS]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
