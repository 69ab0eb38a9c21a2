"""callgrind_annotate (package valgrind): the totals, and the sum of all functions' own values.

format: callgrind
suffix: .callgrind
counters: many
"""

import json
import re
import subprocess
import sys

exported, truth = sys.argv[1:]
truth = json.load(open(truth))["counters"]
EVENTS = [name.replace("-", "_") for name in truth]
# A value, with a share or not; a full stop for nothing.
VALUE = re.compile(r"\s*([\d,]+|\.)(?: \([ \d.]+%\))?(?=\s)")


def annotated(*options):
    """The values of every row, by what the row is of."""
    command = ["callgrind_annotate", "--threshold=100", "--auto=no", *options, exported]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"callgrind_annotate: {done.returncode}, {done.stderr}")
    if not re.search(rf"^Events recorded: +{' '.join(EVENTS)}$", done.stdout, re.MULTILINE):
        sys.exit(f"not the events {EVENTS}:\n{done.stdout}")
    rows = {}
    for line in done.stdout.splitlines():
        values, at = [], 0
        while len(values) < len(EVENTS) and (value := VALUE.match(line, at)):
            values.append(0 if value[1] == "." else int(value[1].replace(",", "")))
            at = value.end()
        if len(values) == len(EVENTS):
            name = line[at:].strip()
            rows[name] = [one + other for one, other in zip(rows.get(name, [0] * len(values)), values)]
    return rows


expected = list(truth.values())
own = annotated("--inclusive=no")
if any(expected):
    if own.pop("PROGRAM TOTALS") != expected:
        sys.exit(f"totals: truth {truth}")
    sums = [sum(column) for column in zip(*own.values())]
    if sums != expected:
        sys.exit(f"own values: truth {expected}, read {sums}")
    inclusive = annotated("--inclusive=yes")
    if inclusive["???:[root] [???]"] != expected:
        sys.exit(f"the root: truth {expected}, read {inclusive}")
    for name, values in inclusive.items():
        if any(value > whole for value, whole in zip(values, expected)):
            sys.exit(f"{name} has more than there is: {values}")
