"""The gauntlet's results as lines of text and as a page."""

HEAD = """# The gauntlet
Real programs from Debian, each run from the same files unrecorded, recorded, and under heaptrack. `same` says that the
recorded run had the same exit status, stdout and stderr (but for what differs between any two runs, such as times). A stack
is whole when it begins where the kernel or the C library starts a program or a thread. `differing` stacks are those that
libgcc's unwinder sees otherwise, in a run that compares each captured one. Recorder memory is of all processes together.

Made by `make gauntlet`.

| program | what it does | same | processes | calls | lost | time | heaptrack | whole stacks | heaptrack | compared | differing | recorder memory |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""


def cells(result):
    def ratio(seconds):
        return "" if seconds is None or not result.native_s else f"{seconds / result.native_s:.2f} x"

    def share(part):
        return "" if part is None else f"{100 * part:.1f} %"

    return [
        result.name, result.what, "no" if result.complaints else "yes", f"{result.processes:,}", f"{result.calls:,}",
        f"{result.dropped:,}", ratio(result.recorded_s), ratio(result.heaptrack_s), share(result.to_root),
        share(result.heaptrack_to_root), f"{result.verified:,}", f"{result.differences:,}",
        f"{result.recorder_bytes / 2**20:.1f} MiB",
    ]


def line(result):
    name, _, same, processes, calls, lost, time, heaptrack, whole, whole_heaptrack, compared, differing, memory = cells(result)
    return (
        f"{name:<14} same: {same:<3} processes {processes:>5} calls {calls:>12} lost {lost:>6} time {time:>7} ({heaptrack or '-':>7})"
        f" whole {whole:>7} ({whole_heaptrack or '-':>7}) compared {compared:>10} differing {differing} memory {memory}"
    )


def page(results, facts):
    rows = "".join(f"| {' | '.join(cells(result))} |\n" for result in results)
    complaints = "".join(f"- {result.name}: {said}\n" for result in results for said in result.complaints)
    told = f"\n## What was not the same\n{complaints}" if complaints else ""
    machine = "".join(f"| {name} | {value} |\n" for name, value in facts.items())
    return f"{HEAD}{rows}{told}\n## Measured on\n| | |\n| --- | --- |\n{machine}"
