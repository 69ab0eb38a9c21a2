"""The picture as XML: every frame lies inside the one below it, and no byte is missing.

format: flamegraph
suffix: .svg
counters: one
"""

import json
import sys
import xml.etree.ElementTree as xml

exported, truth = sys.argv[1:]
truth = json.load(open(truth))["counters"]
(expected,) = truth.values()
ATTRIBUTE = "{http://github.com/jonhoo/inferno}"
frames = [
    (float(rect.get("y")), int(rect.get(ATTRIBUTE + "x")), int(rect.get(ATTRIBUTE + "w")))
    for rect in xml.parse(exported).iter("{http://www.w3.org/2000/svg}rect")
    if rect.get(ATTRIBUTE + "w")
]
rows = {}
for height, start, width in frames:
    rows.setdefault(height, []).append((start, start + width))
below = None
for height in sorted(rows, reverse=True):
    row = sorted(rows[height])
    if below is None and row != [(0, expected)]:
        sys.exit(f"the picture is of {row}, not of {expected}")
    for (_, end), (start, _) in zip(row, row[1:]):
        if start < end:
            sys.exit(f"frames overlap at {start}")
    for start, end in row if below else []:
        if not any(left <= start and end <= right for left, right in below):
            sys.exit(f"the frame {start}..{end} stands on nothing")
    below = row
