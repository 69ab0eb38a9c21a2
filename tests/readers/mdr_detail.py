"""The detailed dump: four numbers, then the path from the leaf, a line each.

format: mdr-detail
suffix: .mdr
counters: calls,total,live,peak
"""

import json
import re
import sys

exported, truth = sys.argv[1:]
truth = json.load(open(truth))["counters"]
sums = [0, 0, 0, 0]
depth = None
for line in open(exported).read().splitlines():
    if head := re.fullmatch(r"Stat (\d+) (\d+) (\d+) (\d+) at", line):
        if depth == 0:
            sys.exit(f"a stack without a line before: {line}")
        sums = [sum + int(value) for sum, value in zip(sums, head.groups())]
        depth = 0
    elif place := re.fullmatch(r"#(\d+) (\S.*) (\S+):(\d+)", line):
        if depth is None or int(place[1]) != depth:
            sys.exit(f"not line {depth} of a stack: {line}")
        depth += 1
    else:
        sys.exit(f"neither a stack nor a line of one: {line}")
if sums != list(truth.values()):
    sys.exit(f"truth {truth}, read {sums}")
