"""What a random program counted itself, beside what was recorded of it."""

from pathlib import Path

from lib import profile_counts
from lib.profile_counts import COUNTS

FUNCTIONS = {"torture_alloc": "heap", "plugin_a_alloc": "heap", "torture_map": "mapping"}
WHOLE = "whole"
PROGRAM = "torture"
# What is lost is counted here; nothing else may be missing.
LOSSES = ("dropped", "dropped_frees", "missed_frees", "cut_stacks", "early_stacks")
# Blocks that were recorded without their path.
WITHOUT_PATH = "overflow"


def truths(folder):
    """By process and program: its counts, as far as it came to write them all."""
    found = {}
    for path in Path(folder).iterdir():
        text = path.read_text()
        if text.endswith(f"{WHOLE}\n"):
            pid, level = path.name.split(".")
            found[int(pid), int(level)] = profile_counts.truths(text)
    return found


class Recorded:
    """A profile, as far as it is compared."""

    def __init__(self, residue, path):
        profile = profile_counts.dumped(residue, path)
        self.meta, self.recorder = profile["meta"], profile["recorder"]
        self.sums = profile_counts.sums(profile, FUNCTIONS)
        # No room for a module, or its file could not be read.
        has_no_names = any("ran out of memory" in note or "cannot be read" in note for note in self.meta["notes"])
        self.trouble = []
        self.without_path = dict.fromkeys(COUNTS.values(), 0)
        for stack, on_it in zip(profile["stacks"], profile_counts.functions_of_stacks(profile)):
            counters = stack["counters"]
            if counters["frees"] + counters["live_blocks"] != counters["calls"]:
                self.trouble.append(f"a stack with {counters}")
            if stack["kind"] == WITHOUT_PATH or ("" in on_it and has_no_names):
                for counter in COUNTS.values():
                    self.without_path[counter] += counters[counter]

    def key(self):
        """Process and program; None for what only led to the program, such as `env`."""
        if Path(self.meta["executable"]).name != PROGRAM:
            return None
        command = self.meta["command"]
        return self.meta["pid"], int(command[2]) if len(command) == 3 else 0

    def is_nameless(self):
        """There was no room even for its name; all of it is counted as dropped."""
        return not self.meta["executable"] and self.recorder["dropped"] > 0

    def lost(self):
        return sum(self.recorder[name] for name in LOSSES) + self.without_path["calls"]

    def differences(self, truth):
        """What is not as the program counted it, and not counted as lost."""
        found = list(self.trouble)
        lost = self.lost()
        for name in FUNCTIONS:
            for key, counter in COUNTS.items():
                wanted, seen = truth[f"{name}.{key}"], self.sums[name][counter]
                if wanted == seen:
                    continue
                # Of calls and frees it is known how many; of bytes only that some are missing.
                missing = wanted - seen
                limit = {
                    "calls": self.recorder["dropped"] + self.without_path["calls"],
                    "frees": self.recorder["dropped"] + self.recorder["dropped_frees"] + self.without_path["frees"],
                }.get(key)
                is_told = lost > 0 and (limit is None or 0 <= missing <= limit or self.recorder["cut_stacks"] > 0)
                if not is_told:
                    found.append(f"{name}.{key} is {seen}, the program counted {wanted} (lost: {lost})")
        if self.recorder["verify_differences"]:
            found.append(f"{self.recorder['verify_differences']} stacks differ from libgcc's")
        if lost == 0 and self.recorder["unknown_frees"] > 0:
            found.append(f"{self.recorder['unknown_frees']} frees of blocks that are not known")
        return found
