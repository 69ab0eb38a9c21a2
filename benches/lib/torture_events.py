"""Truths after thinning: of up to ten million events, most are dropped; what is left must be as the program says."""

import bisect
import json
import subprocess

from lib import profile_counts

FUNCTIONS = {"leak_here": "heap", "keep_here": "heap", "temp_here": "heap"}
FEWEST_EVENTS, MOST_EVENTS = 1_000, 10_000_000


def choose_events(random):
    """As many small runs as large ones, by powers of ten."""
    return int(FEWEST_EVENTS * (MOST_EVENTS / FEWEST_EVENTS) ** random.random())


class Thinned:
    """One recording of many events, beside what the program says of it."""

    def __init__(self, residue, program, events, seed, folder, limit_s):
        self.command = [str(program), str(events), str(seed)]
        self.events, self.residue, self.limit_s = events, residue, limit_s
        self.profile = folder / "events.residue"
        run = self.finished([residue, "run", "-q", "-o", str(self.profile), "--arena-dir", str(folder), "--", *self.command])
        self.truth = profile_counts.truths(run)
        self.dump = profile_counts.dumped(residue, self.profile, limit_s)
        of_stacks = profile_counts.functions_of_stacks(self.dump)
        self.function_of_stack = [next(iter(FUNCTIONS.keys() & on_it), None) for on_it in of_stacks]

    def finished(self, command, stdin=None):
        return subprocess.run(command, input=stdin, capture_output=True, text=True, check=True, timeout=self.limit_s).stdout

    def complaints(self):
        return [*self.of_the_end(), *self.of_moments(), *self.of_births(), *self.of_the_verdict()]

    def of_the_end(self):
        about = self.dump["timeline"]["about"]
        if about["events"] != self.events:
            yield f"{about['events']} events of {self.events}"
        yield from profile_counts.differences(self.dump, FUNCTIONS, self.truth)

    def kept_ends(self):
        """Ends of events with all that changed until then: the sums by function, and the counter's."""
        timeline = self.dump["timeline"]
        changes = sorted(timeline["changes"], key=lambda change: change["moment"])
        totals = timeline["totals"]
        moments_of_totals = [total["moment"] for total in totals]
        sums = {name: [0, 0] for name in FUNCTIONS}
        at = 0
        for index, moment in enumerate(timeline["moments"]):
            while at < len(changes) and changes[at]["moment"] <= index:
                if name := self.function_of_stack[changes[at]["stack"]]:
                    sums[name][0] += changes[at]["blocks"]
                    sums[name][1] += changes[at]["bytes"]
                at += 1
            if moment["kind"] == "end" and moment["has_changes"]:
                place = bisect.bisect_right(moments_of_totals, index) - 1
                hits = totals[place]["total"] if place >= 0 else 0
                yield moment["event"], [*sums["leak_here"], *sums["keep_here"], hits]

    def of_moments(self):
        """What was live at the end of every event that is kept."""
        kept = list(self.kept_ends())
        if not kept:
            return ["no event is kept"]
        told = self.finished([*self.command, "tell"], stdin="\n".join(str(event) for event, _ in kept))
        truths = [[int(number) for number in line.split()] for line in told.splitlines()]
        found = []
        for (event, seen), (told_event, *truth) in zip(kept, truths, strict=True):
            if event != told_event or seen != truth:
                found.append(f"after event {event}: blocks and bytes of leak_here and keep_here, hits are {seen}, truly {truth}")
        return found[:3]

    def of_births(self):
        """Whatever is live was born in some event."""
        for stack, name in zip(self.dump["stacks"], self.function_of_stack):
            if name is None:
                continue
            for key, counter in (("blocks", "live_blocks"), ("bytes", "live_bytes")):
                born = sum(birth[key] for birth in stack["births"])
                if born != stack["counters"][counter]:
                    yield f"{name}: births of {born} {key}, live are {stack['counters'][counter]}"

    def of_the_verdict(self):
        """A leak is seen once it has come often enough; how much is near, or within what the verdict says."""
        leaks = json.loads(self.finished([self.residue, "leaks", "--json", str(self.profile)]))
        if self.truth["leak_here.calls"] < 50:
            return
        rate = self.truth["leak_here.live"] / self.events
        of_leak = [stack for stack in leaks["stacks"] if "leak_here" in json.dumps(stack)]
        if leaks["verdict"] != "leak" or not of_leak:
            yield f"{rate:.3f} B are lost an event, the verdict is {leaks['verdict']}"
            return
        told = of_leak[0]["rate_bytes_per_event"]
        # Of few blocks in many events the pace is not known better than its interval.
        is_within = (leaks["low"] or 0) <= rate <= (leaks["high"] or 0)
        if not 0.8 * rate <= told <= 1.25 * rate and not is_within:
            yield f"{rate:.3f} B are lost an event, the verdict says {told:.3f}"
