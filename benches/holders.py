#!/usr/bin/env python3
"""What `residue run --holders` calls lost, beside what LeakSanitizer calls leaked and what programs know themselves.

    benches/holders.py --residue target/release/residue [--runs 50] [--seed 1]

Each way of keeping or losing blocks (benches/holders/shapes.cpp) is built once with -fsanitize=leak, run by itself, and
once without, recorded. All that LeakSanitizer calls leaked must be lost for Residue, and Residue must agree with the
program; where LeakSanitizer does not is listed. The same with jemalloc, and blocks that a Python
program keeps and loses, for Residue alone.

Then --runs programs of random seeds, with one to eight threads that move the only pointers to their blocks all the time
(benches/holders/moving.cpp), are recorded with pictures of some events. No block that is older than two events and to which
a pointer leads may be called lost. The exit status is 1 where anything of all that is not so.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent / "holders"
COMMON = ["-O2", "-g", "-pthread", "-std=gnu++17", "-ldl"]

PYTHON = """
import ctypes
kept = [bytearray(4096) for _ in range(50)]
lost = [bytearray(3000) for _ in range(50)]
for it in lost:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(it))
del it
lost = None
"""


def built(folder):
    """The programs: for LeakSanitizer, plain, and those that go with them."""
    for name, flags in {"shapes_lsan": ["-fsanitize=leak"], "shapes": []}.items():
        subprocess.run(["g++", *flags, "-o", folder / name, HERE / "shapes.cpp", *COMMON], check=True)
    subprocess.run(["g++", "-o", folder / "moving", HERE / "moving.cpp", *COMMON], check=True)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", folder / "plugin.so", HERE / "plugin.c"], check=True)


def truths(text):
    return {key: int(value) for key, value in re.findall(r"^truth (\S+) (\d+)$", text, re.M)}


def leaked(report):
    """Objects that LeakSanitizer found, of the functions that count."""
    objects = 0
    for leak in re.split(r"\n(?=(?:Direct|Indirect) leak of )", report):
        head = re.match(r"(?:Direct|Indirect) leak of \d+ byte\(s\) in (\d+) object\(s\)", leak)
        if head and re.search(r" in of_", leak):
            objects += int(head[1])
    return objects


class Bench:
    def __init__(self, residue, folder):
        self.residue = Path(residue).absolute()
        self.folder = folder

    def lsan(self, way):
        """What LeakSanitizer counts; None where it cannot run here (it needs ptrace)."""
        command = [self.folder / "shapes_lsan", way, self.folder / "plugin.so"]
        environment = {**os.environ, "LSAN_OPTIONS": "max_leaks=0:exitcode=0:fast_unwind_on_malloc=0"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if "LeakSanitizer has encountered a fatal error" in done.stderr:
            return None
        return leaked(done.stderr)

    def recorded(self, command, options=("--holders",), **environment):
        """The program's truths, and what `residue holders` says."""
        profile = self.folder / "job.residue"
        profile.unlink(missing_ok=True)
        run = [self.residue, "run", "-q", *options, "-o", profile, "--", *command]
        done = subprocess.run(run, env={**os.environ, **environment}, capture_output=True, text=True)
        read = subprocess.run([self.residue, "holders", "--json", profile], capture_output=True, text=True)
        if read.returncode:
            return truths(done.stdout), None, read.stderr.strip()
        return truths(done.stdout), json.loads(read.stdout), ""


def of_functions(document, prefix):
    """Blocks that are lost and held, of the stacks in which such a function occurs."""
    lost = held = 0
    for stack in document["stacks"]:
        if any(name.startswith(prefix) for name in stack["path"]):
            lost += sum(stack[state]["blocks"] for state in ("lost", "lost_in_cycle", "held_by_lost"))
            held += sum(stack[state]["blocks"] for state in ("held", "held_inside"))
    return lost, held


def compare(bench):
    ways = subprocess.run([bench.folder / "shapes", "--list"], capture_output=True, text=True, check=True).stdout.split()
    wrong, differences = [], []
    print(f"{'way':32} {'truth':>9} {'residue':>9} {'lsan':>6} {'jemalloc':>9}")
    for way in ways:
        command = [bench.folder / "shapes", way, bench.folder / "plugin.so"]
        truth, document, error = bench.recorded(command)
        if document is None:
            wrong.append(f"{way}: {error}")
            continue
        lost, held = of_functions(document, "of_")
        found = bench.lsan(way)
        _, other, _ = bench.recorded(command, LD_PRELOAD="libjemalloc.so.2")
        with_jemalloc = of_functions(other, "of_")[0] if other else None
        shown = [str(it) if it is not None else "-" for it in (found, with_jemalloc)]
        print(f"{way:32} {truth['lost']:>9} {lost:>9} {shown[0]:>6} {shown[1]:>9}")
        if (lost, held) != (truth["lost"], truth["held"]):
            wrong.append(f"{way}: {lost} lost and {held} held for Residue, {truth}")
        if with_jemalloc not in (None, truth["lost"]):
            wrong.append(f"{way}: {with_jemalloc} lost with jemalloc, {truth}")
        if found is not None and found > lost:
            wrong.append(f"{way}: LeakSanitizer calls {found} leaked, Residue {lost}")
        if found not in (None, truth["lost"]):
            differences.append(f"{way}: {found} for LeakSanitizer, {truth['lost']} in truth")
    print("\nLeakSanitizer and the truth differ in:" if differences else "\nLeakSanitizer agrees with the truth everywhere")
    print(*(f"  {line}" for line in differences), sep="\n")
    return wrong


def python_objects(bench):
    script = bench.folder / "objects.py"
    script.write_text(PYTHON)
    _, document, error = bench.recorded(["python3", script], PYTHONMALLOC="malloc")
    if document is None:
        return [f"Python: {error}"]
    lost = [stack[state] for stack in document["stacks"] for state in ("lost", "lost_in_cycle", "held_by_lost")]
    blocks = {size: sum(it["blocks"] for it in lost if it["bytes"] == size * it["blocks"]) for size in (3001, 4097)}
    print(f"Python: {blocks[3001]} of 50 objects that it loses are lost, and {blocks[4097]} of 50 that it keeps")
    too_many = sum(it["bytes"] for it in lost) >= 50 * 4097
    # Old words on a stack may hold a few.
    is_right = 45 <= blocks[3001] <= 50 and blocks[4097] == 0 and not too_many
    return [] if is_right else ["Python: lost are " + str(blocks)]


def move(bench, runs, seed):
    """Random threads, pictures of random events."""
    chance = random.Random(seed)
    wrong, pictures, blocks, ran_on = [], 0, 0, 0
    for run in range(runs):
        threads, events = chance.randint(1, 8), chance.randint(4, 40)
        of_run = chance.randrange(1 << 31)
        at = sorted({chance.randint(2, events), events})
        command = [bench.folder / "moving", str(of_run), str(threads), str(events)]
        _, document, error = bench.recorded(command, ["--holders-at", ",".join(map(str, at))])
        name = f"moving {of_run} {threads} {events} --holders-at {at}"
        if document is None:
            wrong.append(f"{name}: {error}")
            continue
        if document["other_threads_ran"]:
            ran_on += 1
            continue
        pictures += 1
        for stack in document["stacks"]:
            lost = sum(stack[state]["blocks"] for state in ("lost", "lost_in_cycle", "held_by_lost"))
            held = sum(stack[state]["blocks"] for state in ("held", "held_inside"))
            if any(name.startswith("of_moved") for name in stack["path"]):
                blocks += held + lost
                if lost and stack["lost_births"][0] + 2 <= document["event"]:
                    wrong.append(f"{name}: {lost} of {lost + held} blocks called lost, born in {stack['lost_births']}")
    print(f"moving: {pictures} pictures, {blocks} blocks that a pointer held, in {len(wrong)} runs one was called lost;"
          f" threads ran on in {ran_on}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residue", required=True)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        built(folder)
        bench = Bench(args.residue, folder)
        wrong = compare(bench) + python_objects(bench) + move(bench, args.runs, args.seed)
    print(*(f"WRONG {line}" for line in wrong), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
