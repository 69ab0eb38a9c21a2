"""Records one run of `shapes` and asks for its verdict."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from lib.lab import LONGEST_REASON, SHARED_MEMORY, kill_session
from lib.verdict_scores import Run

TRUTH_KEYS = {"class", "site", "true_rate_bytes_per_event", "expected_rate_bytes_per_event"}
VERDICT_KEYS = {"verdict", "stacks"}
STACK_KEYS = {"path", "shape"}


class Failure(Exception):
    pass


class Recorder:
    """The residue binary, the program with the shapes, and a place for profiles."""

    def __init__(self, residue, workloads, limit_s):
        self.residue = str(Path(residue).resolve())
        self.program = str(Path(workloads).resolve() / "shapes")
        self.limit_s = limit_s
        in_memory = SHARED_MEMORY.is_dir() and os.access(SHARED_MEMORY, os.W_OK)
        self.place = SHARED_MEMORY if in_memory else None

    def shapes(self):
        return self.output_of([self.program]).split()

    def run(self, shape, events, seed):
        """Whatever goes wrong is part of the result."""
        run = Run(shape, events, seed)
        try:
            with tempfile.TemporaryDirectory(prefix="residue-verdicts-", dir=self.place) as folder:
                self.record(run, folder)
        except Failure as failure:
            run.failure = str(failure)
        return run

    def record(self, run, folder):
        profile = f"{folder}/run.residue"
        arguments = [run.shape, str(run.events), str(run.seed)]
        record = [self.residue, "run", "-q", "-o", profile, "--arena-dir", folder, "--"]
        run.truth = parsed(self.output_of([*record, self.program, *arguments]), TRUTH_KEYS, "truth")
        run.verdict = parsed(self.output_of([self.residue, "leaks", profile, "--json"]), VERDICT_KEYS, "verdict")
        for stack in run.verdict["stacks"]:
            require(stack, STACK_KEYS, "verdict's stack")

    def output_of(self, command):
        environment = os.environ | {"LC_ALL": "C"}
        environment.pop("LD_PRELOAD", None)
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise Failure(f"{command[0]}: {error.strerror}") from error
        try:
            output, errors = process.communicate(timeout=self.limit_s)
        except subprocess.TimeoutExpired:
            kill_session(process.pid)
            process.communicate()
            raise Failure(f"more than {self.limit_s:g} s") from None
        if process.returncode != 0:
            said = (errors.strip().splitlines() or ["nothing said"])[0]
            raise Failure(f"exit status {process.returncode}: {said}"[:LONGEST_REASON])
        return output


def parsed(text, keys, name):
    try:
        document = json.loads(text)
    except ValueError:
        raise Failure(f"the {name} is no JSON") from None
    require(document, keys, name)
    return document


def require(document, keys, name):
    if missing := keys - set(document if isinstance(document, dict) else ()):
        raise Failure(f"the {name} lacks {', '.join(sorted(missing))}")
