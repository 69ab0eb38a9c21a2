"""Go's pprof (package golang-go): the sum of every sample type, and that it can show each.

format: pprof
suffix: .pb.gz
counters: many
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

exported, truth = sys.argv[1:]
told = json.load(open(truth))
truth = told["counters"]
NAMES = {
    "calls": "alloc_objects",
    "total": "alloc_space",
    "live": "inuse_space",
    "live-blocks": "inuse_objects",
}


def pprof(*arguments):
    # It keeps what it fetched in a folder of its own, which may be anywhere.
    environment = dict(os.environ, PPROF_TMPDIR=str(Path(exported).parent))
    command = ["go", "tool", "pprof", *arguments, exported]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout


raw = pprof("-raw", "-symbolize=none")
types = re.search(r"^Samples:\n(.*)$", raw, re.MULTILINE)[1].replace("[dflt]", "").split()
types = [name.split("/")[0] for name in types]
expected = [NAMES.get(name, name) for name in truth]
if types != expected:
    sys.exit(f"sample types: truth {expected}, read {types}")
samples = re.findall(r"^([ \d]+): [ \d]+$", raw.split("\nLocations\n")[0], re.MULTILINE)
values = [[int(value) for value in sample.split()] for sample in samples]
sums = [sum(column) for column in zip(*values)] or [0] * len(types)
if sums != list(truth.values()):
    sys.exit(f"sums: truth {truth}, read {sums}")
main = re.search(r"^Mappings\n1: \S+ (\S+)", raw, re.MULTILINE)
if values and Path(main[1]).name != told["program"]:
    sys.exit(f"the first mapping is {main[1]}, not the program")
for name, value in zip(types, sums):
    if value > 0:
        top = pprof("-top", "-nodecount=3", "-unit=B", f"-sample_index={name}")
        if f"Type: {name}\n" not in top or "flat%" not in top:
            sys.exit(f"no table of {name}: {top}")
