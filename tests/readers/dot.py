"""Graphviz (package graphviz): a box for every function, and no value missing.

format: dot
suffix: .dot
counters: one
options: --min-percent 0
"""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

exported, truth = sys.argv[1:]
truth = json.load(open(truth))["counters"]
(expected,) = truth.values()
done = subprocess.run(["dot", "-Tsvg", exported], capture_output=True, text=True)
if done.returncode != 0:
    sys.exit(f"dot: {done.returncode}, {done.stderr}")
SVG = "{http://www.w3.org/2000/svg}"
picture = xml.fromstring(done.stdout)
groups = [group for group in picture.iter(f"{SVG}g") if group.get("class") in ("node", "edge")]
names = {group.find(f"{SVG}title").text for group in groups if group.get("class") == "node"}
own = 0
for group in groups:
    title = group.find(f"{SVG}title").text
    if group.get("class") == "edge":
        if not set(title.split("->")) <= names:
            sys.exit(f"a call between boxes that are not there: {title}")
        continue
    (link,) = group.iter(f"{SVG}a")
    values = re.search(r"\n(\d+) itself, (\d+) in all$", link.get("{http://www.w3.org/1999/xlink}title"))
    if int(values[2]) > expected:
        sys.exit(f"a function has more than there is: {values[0]}")
    own += int(values[1])
if "not shown" in "".join(picture.itertext()):
    sys.exit("there are more functions than are shown; take a smaller program")
if own != expected:
    sys.exit(f"the functions' own values: truth {expected}, read {own}")
