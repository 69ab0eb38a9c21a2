"""ms_print (package valgrind): the whole, and that every caller's part adds up to it.

format: massif
suffix: .massif
counters: one
options: --min-percent 0
"""

import json
import re
import subprocess
import sys

exported, truth = sys.argv[1:]
truth = json.load(open(truth))["counters"]
(expected,) = truth.values()
done = subprocess.run(["ms_print", "--threshold=0", exported], capture_output=True, text=True)
if done.returncode != 0 or done.stderr:
    sys.exit(f"ms_print: {done.returncode}, {done.stderr}")
tops = re.findall(r"^[\d.]+% \(([\d,]+)B\) \(heap allocation functions\)", done.stdout, re.MULTILINE)
if [int(top.replace(",", "")) for top in tops] != [expected]:
    sys.exit(f"the whole: truth {expected}, read {tops}")
# What the functions that allocate have, and above each those that called it.
allocating = 0
values = [expected]
for line in done.stdout.splitlines():
    if arrow := re.match(r"([ |]*)->[\d.]+% \(([\d,]+)B\) ", line):
        depth = len(arrow[1]) // 2 + 1
        value = int(arrow[2].replace(",", ""))
        del values[depth:]
        if value > values[-1]:
            sys.exit(f"a caller has more than what it called: {line}")
        values.append(value)
        allocating += value if depth == 1 else 0
if allocating != expected:
    sys.exit(f"the allocating functions: truth {expected}, read {allocating}")
