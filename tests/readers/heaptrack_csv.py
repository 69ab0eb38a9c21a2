"""The table as Python reads CSV: the functions' own values add up, and none has more with all
that it called than there is.

format: heaptrack-csv
suffix: .csv
counters: calls,temporaries,at-peak,live,live-blocks,total
"""

import csv
import json
import sys

exported, truth = sys.argv[1:]
truth = json.load(open(truth))["counters"]
COLUMNS = {
    "calls": "allocations",
    "temporaries": "temporary",
    "at-peak": "peak_bytes",
    "live": "leaked_bytes",
    "live-blocks": "leaked_blocks",
    "total": "allocated_bytes",
}
rows = list(csv.DictReader(open(exported, newline=""), strict=True))
for counter, expected in truth.items():
    column = COLUMNS[counter]
    own = sum(int(row[f"self_{column}"]) for row in rows)
    if own != expected:
        sys.exit(f"{counter}: truth {expected}, read {own}")
    for row in rows:
        if not int(row[f"self_{column}"]) <= int(row[f"inclusive_{column}"]) <= expected:
            sys.exit(f"{counter}: {row}")
