"""Lines that its users cut at the dollars: a path, and four numbers.

format: mdr
suffix: .mdr
counters: calls,total,live,peak
"""

import json
import sys

exported, truth = sys.argv[1:]
truth = json.load(open(truth))["counters"]
sums = [0, 0, 0, 0]
paths = set()
for line in open(exported).read().splitlines():
    path, *values = line.rsplit("$", 4)
    mark, *steps = path.split(";")
    if mark != "_mpTrace_" or not all(steps) or not path.endswith(" "):
        sys.exit(f"no path: {line}")
    if path in paths:
        sys.exit(f"twice: {line}")
    paths.add(path)
    sums = [sum + int(value) for sum, value in zip(sums, values, strict=True)]
if sums != list(truth.values()):
    sys.exit(f"truth {truth}, read {sums}")
