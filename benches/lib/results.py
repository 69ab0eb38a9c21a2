"""The samples of a run, their medians, and the loop that takes them."""

import statistics
import sys

from lib.lab import NATIVE


class Results:
    """samples[section][case][contestant] = {"figures": {name: [values]}, "dnf": reason or None}"""

    def __init__(self, samples=None):
        self.samples = samples if samples is not None else {}

    def entry(self, section, case, contestant):
        cases = self.samples.setdefault(section, {}).setdefault(case, {})
        return cases.setdefault(contestant, {"figures": {}, "dnf": None})

    def add(self, section, case, contestant, figures):
        kept = self.entry(section, case, contestant)["figures"]
        for name, value in figures.items():
            if value is not None:
                kept.setdefault(name, []).append(value)

    def cases(self, section):
        return list(self.samples.get(section, {}))

    def dnf(self, section, case, contestant):
        return self.samples.get(section, {}).get(case, {}).get(contestant, {}).get("dnf")

    def median(self, section, case, contestant, figure):
        """None where there is no such figure, or the contestant once did not finish the case."""
        entry = self.samples.get(section, {}).get(case, {}).get(contestant)
        if entry is None or entry["dnf"] or not entry["figures"].get(figure):
            return None
        return statistics.median(entry["figures"][figure])

    def added(self, section, case, contestant, figure):
        mine, native = (self.median(section, case, who, figure) for who in (contestant, NATIVE))
        return None if mine is None or native is None else mine - native

    def ratio(self, section, case, contestant, figure):
        mine, native = (self.median(section, case, who, figure) for who in (contestant, NATIVE))
        return None if mine is None or not native else mine / native

    def did_not_finish(self):
        for section, cases in self.samples.items():
            for case, contestants in cases.items():
                for contestant, entry in contestants.items():
                    if entry["dnf"]:
                        yield section, case, contestant, entry["dnf"]


def take(lab, cases, repeats, results):
    """Each repeat runs every case once under every contestant, so that whatever else the
    machine does meets them all alike; who is first changes from one to the next."""
    for repeat in range(repeats):
        for number, case in enumerate(cases):
            contestants = [who for who in case.contestants if lab.has(who)]
            first = (repeat + number) % len(contestants)
            for contestant in contestants[first:] + contestants[:first]:
                take_one(lab, case, contestant, results, f"{repeat + 1}/{repeats}")


def take_one(lab, case, contestant, results, turn):
    entry = results.entry(case.section, case.name, contestant)
    # Who did not finish a case once is not started on it again: it would only take the time limit.
    if entry["dnf"]:
        return
    outcome, figures = lab.measure(contestant, case.argv(contestant), case.read, case.variables, case.pause_at)
    entry["dnf"] = outcome.failure
    results.add(case.section, case.name, contestant, figures)
    said = f"DNF: {outcome.failure}" if outcome.failure else summary(figures)
    print(f"[{turn}] {case.section} {case.name} {contestant}: {outcome.wall_s:.2f} s  {said}", file=sys.stderr)


def summary(figures):
    return " ".join(f"{name}={value:.6g}" for name, value in figures.items() if value is not None)
