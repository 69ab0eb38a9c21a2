"""Marks events, stages and counters for Residue; does nothing when the program is not recorded.

    import residue

    for batch in residue.events(batches):      # one turn of the loop is one event
        residue.stamp("forward")               # between two stamps lies a stage
        with residue.scope("model"):
            loss = model(batch)
        residue.count("tokens", len(batch))

Where the loop is elsewhere, mark its body:

    with residue.event(number):
        ...

Names are text; the recorder gets them as UTF-8.
"""

from contextlib import ContextDecorator as _ContextDecorator

from ._table import find as _find

__all__ = [
    "active",
    "count",
    "current",
    "event",
    "events",
    "pause",
    "paused",
    "resume",
    "scope",
    "snapshot",
    "stamp",
    "task",
    "thresholds",
]

_recorder = _find()


def active():
    """Whether the program is recorded: worth asking before computing what only a mark needs."""
    return _recorder.active


class event(_ContextDecorator):
    """This thread works on event `id` inside the `with` block, or inside the function decorated.

    Streams number event loops that run side by side.
    """

    def __init__(self, id, stream=0):
        self.id = id
        self.stream = stream

    def __enter__(self):
        _recorder.event_begin(self.id, self.stream)
        return self

    def __exit__(self, *exception):
        _recorder.event_end(self.id, self.stream)


def events(iterable, first=0, stream=0):
    """Yields the items; the loop's body is an event for each, numbered from `first`.

    Making the next item lies between two events. A `break` ends the event, too.
    """
    for number, item in enumerate(iterable, first):
        with event(number, stream):
            yield item


class scope(_ContextDecorator):
    """A named part of the work on this thread: a `with` block, or a function. Scopes nest."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        _recorder.scope_begin(self.name)
        return self

    def __exit__(self, *exception):
        _recorder.scope_end()


class task(_ContextDecorator):
    """This thread works for the event of that token inside the `with` block.

    Take the token with `current()` where the event is, and enter it where its work is
    done. Use each task for one block.
    """

    def __init__(self, token):
        self.token = token
        self.before = 0

    def _recreate_cm(self):
        return task(self.token)

    def __enter__(self):
        self.before = _recorder.event_enter(self.token)
        return self

    def __exit__(self, *exception):
        _recorder.event_enter(self.before)


class paused(_ContextDecorator):
    """Allocations of this thread (of all threads) are not recorded inside the `with` block."""

    def __init__(self, all_threads=False):
        self.all_threads = all_threads

    def __enter__(self):
        pause(self.all_threads)
        return self

    def __exit__(self, *exception):
        resume(self.all_threads)


def current():
    """The token of the event this thread works for; 0: none."""
    return _recorder.event_current()


def stamp(name):
    """A named moment inside an event; between two stamps lies a stage."""
    _recorder.stamp(name)


def count(name, value):
    """A number of the event: hits, tracks, tokens."""
    _recorder.count(name, value)


def pause(all_threads=False):
    """Allocations of this thread (of all threads) are not recorded until `resume`."""
    _recorder.pause(all_threads)


def resume(all_threads=False):
    """Recording goes on."""
    _recorder.resume(all_threads)


def snapshot(name):
    """Keeps the state of the heap at this moment under a name."""
    _recorder.snapshot(name)


def thresholds(min_bytes, max_bytes):
    """From now on call paths are kept for blocks of `min_bytes` to `max_bytes` only."""
    _recorder.thresholds(min_bytes, max_bytes)
