"""What a profile counts of a function, beside the `truth` lines of a workload."""

import json
import subprocess
from pathlib import Path

# By the name in a truth line.
COUNTS = {"calls": "calls", "total": "total_bytes", "frees": "frees", "live": "live_bytes", "live_blocks": "live_blocks"}


def truths(output):
    """`truth NAME VALUE` lines."""
    lines = (line.split() for line in output.splitlines() if line.startswith("truth "))
    return {name: int(value) for _, name, value in lines}


def dumped(residue, path, limit_s=300):
    """All of a profile; a ValueError says why it cannot be read."""
    dump = subprocess.run([residue, "dump", "--json", path], capture_output=True, text=True, timeout=limit_s)
    if dump.returncode != 0:
        raise ValueError(f"{Path(path).name} cannot be read: {dump.stderr.strip()}")
    return json.loads(dump.stdout)


def functions_of_stacks(dump):
    """The names on each stack."""
    names = [function["name"] for function in dump["functions"]]
    of_frame = [names[frame["function"]] if frame.get("function") is not None else "" for frame in dump["frames"]]
    for stack in dump["stacks"]:
        yield {of_frame[frame] for frame in stack["frames"] if isinstance(frame, int) and 0 <= frame < len(of_frame)}


def sums(dump, functions):
    """Of all stacks with a function on them, by its name: `functions` gives the kind of memory that counts."""
    found = {name: dict.fromkeys(COUNTS.values(), 0) for name in functions}
    for stack, on_it in zip(dump["stacks"], functions_of_stacks(dump)):
        for name in on_it & functions.keys():
            if stack["kind"] == functions[name]:
                for counter in COUNTS.values():
                    found[name][counter] += stack["counters"][counter]
    return found


def differences(dump, functions, truth):
    """What is not as the program counted it."""
    seen = sums(dump, functions)
    for name in functions:
        for key, counter in COUNTS.items():
            if seen[name][counter] != truth[f"{name}.{key}"]:
                yield f"{name}.{key} is {seen[name][counter]}, the program counted {truth[f'{name}.{key}']}"
