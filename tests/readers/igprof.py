"""igprof-analyse, where it is installed (or named by IGPROF_ANALYSE): its totals; and always
the grammar that it reads: depths that go one down at a time, and definitions before uses.

format: igprof
suffix: .igprof
counters: calls,total,live-blocks,live,peak
"""

import json
import os
import re
import shutil
import subprocess
import sys

exported, truth = sys.argv[1:]
truth = json.load(open(truth))["counters"]
FUNCTION = re.compile(r"FN(\d+)(?:=\(F(\d+)(?:=\((.*?)\))?\+0 N=\((.*)\)\))?\+0$")
COUNTER = re.compile(r"V(\d)(?:=\((MEM_TOTAL|MEM_LIVE)\))?:\((\d+),(\d+),(\d+)\)$")


def expect(what, found, true):
    if found != true:
        sys.exit(f"{what}: truth {true}, read {found}")


head, *lines = open(exported).read().splitlines()
if not re.fullmatch(r"P=\(ID=\d+ N=\(.+\) T=0\.000000\)", head):
    sys.exit(f"the first line is {head}")
functions, files, counters = set(), set(), {}
sums = {"MEM_TOTAL": [0, 0, 0], "MEM_LIVE": [0, 0, 0]}
depth = 0
for line in lines:
    frame, *values = re.split(r" (?=V\d)", line)
    place, function = frame.split(" ", 1)
    deeper = int(place.removeprefix("C"))
    if not 1 <= deeper <= depth + 1:
        sys.exit(f"from depth {depth} to {deeper}")
    depth = deeper
    number, file, path, name = FUNCTION.fullmatch(function).groups()
    if (number in functions) == (name is not None):
        sys.exit(f"function {number} is defined twice or never: {line}")
    functions.add(number)
    if file is not None and (file in files) == (path is not None):
        sys.exit(f"file {file} is defined twice or never: {line}")
    files.add(file)
    for value in values:
        number, name, *amounts = COUNTER.fullmatch(value).groups()
        if name:
            counters[number] = name
        for place, amount in enumerate(amounts):
            sums[counters[number]][place] += int(amount)
calls, total, _ = sums["MEM_TOTAL"]
blocks, live, peak = sums["MEM_LIVE"]
found = {"calls": calls, "total": total, "live-blocks": blocks, "live": live, "peak": peak}
expect("the lines", found, truth)

analyse = os.environ.get("IGPROF_ANALYSE") or shutil.which("igprof-analyse")
for counter, value, count, kind in [
    ("MEM_TOTAL", truth["total"], truth["calls"], "normal"),
    ("MEM_LIVE", truth["live"], truth["live-blocks"], "normal"),
    ("MEM_LIVE", truth["peak"], None, "peak"),
]:
    if not analyse or value == 0:
        continue
    command = [analyse, "-d", "-r", counter, "--value", kind, exported]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr}")
    whole = re.search(r"^ *100\.0 +([\d']+) +([\d']+) +<spontaneous>", done.stdout, re.MULTILINE)
    expect(f"{counter} {kind}", int(whole[1].replace("'", "")), value)
    if count is not None:
        expect(f"the calls of {counter}", int(whole[2].replace("'", "")), count)
