"""The scores as Markdown: docs/VERDICTS.md, and what is printed."""

from lib import verdict_scores as scores
from lib.pages import table

HEAD = """\
# Verdicts

Made by `benches/verdicts.py`; not edited by hand. Each run of `workloads/shapes` has one behaviour, with sizes, rates
and phases drawn from its seed, and is recorded with `residue run`; the verdict is that of `residue leaks`.
{runs} runs: {shapes} shapes, {seeds} seeds, events {events}; {runtime_s:.0f} s in all.

A leak is right only if its first stack holds the function that leaks. With no growth, the class is the shape of that
function's stack; without such a stack it is *flat*. *Undetermined* is right below {enough} events, wrong from there on;
but for `fills-half`, whose rate has only just fallen by half, it is always right. *Slowing* is right for what fills up,
too: it says less. For growth that slows down, the class is the verdict.
"""

COVERAGE_TEXT = """\
Leaks that were found: does the 95 % interval contain the rate? The *expected* rate is the one of the long run, for
shapes with chance in them; *realised* is what these events left in fact. The bar is on the expected rate. Intervals
without width claim to know the rate to the byte, and are counted apart. `counter-trend` has no rate of the whole run.
"""


def page(runs, checks, settings):
    counts = sorted({run.events for run in runs})
    sections = [HEAD.format(enough=scores.ENOUGH_EVENTS, runs=len(runs), **settings)]
    sections.append("## Bars\n\n" + checks_table(checks))
    for events in counts:
        chosen = [run for run in runs if run.events == events]
        sections.append(f"## Truth and verdict, {events} events\n\n" + confusion_table(chosen))
    sections.append("## Right, by shape\n\n" + shape_table(runs, counts))
    sections.append("## Intervals\n\n" + COVERAGE_TEXT + "\n" + coverage_table(runs, counts))
    sections.append("## Runs that are wrong\n\n" + wrong_list(runs))
    return "\n".join(sections)


def checks_table(checks):
    return table(("bar", "wanted", "found", "met"), [(c.name, c.bar, c.found, c.verdict) for c in checks])


def confusion_table(runs):
    counts = scores.confusion(runs)
    truths = in_order({truth for truth, _ in counts}, runs)
    columns = in_order({found for _, found in counts}, runs)
    rows = [[truth, *(counts[truth, found] or "" for found in columns)] for truth in truths]
    return table(["truth \\ verdict", *columns], rows)


def in_order(classes, runs):
    """The classes of the truth as the runs come, then what only verdicts say."""
    told = list(dict.fromkeys(run.truth_class for run in runs if run.truth_class in classes))
    return told + sorted(classes - set(told))


def shape_table(runs, counts):
    rows = []
    for shape in dict.fromkeys(run.shape for run in runs):
        mine = [run for run in runs if run.shape == shape]
        truth = next((run.truth_class for run in mine if run.truth_class), "not known")
        rows.append([shape, truth, *(right_of([r for r in mine if r.events == events]) for events in counts)])
    rows.append(["all", "", *(right_of([run for run in runs if run.events == events]) for events in counts)])
    return table(["shape", "class", *(f"{events} events" for events in counts)], rows)


def right_of(runs):
    return f"{sum(map(scores.is_right, runs))} of {len(runs)}"


def coverage_table(runs, counts):
    header = ("events", "interval of", "with width", "contain expected", "contain realised", "without width", "contain")
    rows = []
    for events in counts:
        chosen = [run for run in runs if run.events == events]
        for name, intervals in (("verdict", scores.verdict_intervals), ("stack", scores.site_intervals)):
            found = scores.coverage(intervals(chosen))
            realised = scores.share(found.wide_realised, found.wide)
            shares = [scores.percent(found.of_wide()), scores.percent(realised)]
            rows.append([events, name, found.wide, *shares, found.exact, found.exact_expected])
    return table(header, rows)


def wrong_list(runs):
    wrong = [run for run in runs if not scores.is_right(run)]
    lines = [f"- `shapes {r.shape} {r.events} {r.seed}`: {described(r)}\n" for r in wrong]
    return "".join(lines) or "None.\n"


def described(run):
    if run.failure:
        return f"failed: {run.failure}"
    rate = run.truth["expected_rate_bytes_per_event"]
    truth = f"{run.truth_class}, {rate:g} B/event" if rate else run.truth_class
    said, low, high = (number(run.verdict.get(key)) for key in ("rate_bytes_per_event", "low", "high"))
    return f"{scores.predicted(run)}, {said} ({low} .. {high}) B/event; in truth {truth}"


def number(value):
    return "none" if value is None else f"{value:.6g}"
