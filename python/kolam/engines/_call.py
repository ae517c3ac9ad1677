"""What tasks run in an engine's process: calls that can be sent there.

A call gives (note, results): results are bytes of blocks, the note is None, or (spans for KOLAM_TRACE, whether the results were
kept from an earlier run, nanoseconds from the process's monotonic clock to the time of day).
"""

import functools
import os
import threading
import time

import numpy as np


class LoadCall:
    """The bytes of a box of a `.npy` file."""

    __slots__ = ("path", "start", "end", "traced")
    count = 1

    def __init__(self, path, start, end, traced=False):
        self.path, self.start, self.end, self.traced = path, start, end, traced

    def __reduce__(self):
        return LoadCall, (self.path, self.start, self.end, self.traced)

    def __call__(self):
        from kolam import _kolam

        return _noted("load", self.traced, lambda: ([np.asarray(_kolam._box_of_file(self.path, self.start, self.end))], False))


class PieceCall:
    """A piece on the bytes of blocks: call(*blocks). `kept` is the directory and the bytes of results that are kept, or None."""

    __slots__ = ("text", "reads", "offsets", "count", "what", "traced", "kept", "version")

    def __init__(self, text, reads, offsets, count, what="", traced=False, kept=None):
        from kolam import __version__

        self.text, self.reads, self.offsets, self.count = text, reads, offsets, count
        self.what, self.traced, self.kept, self.version = what, traced, kept, __version__

    def __reduce__(self):
        return _remade, (self.version, self.text, self.reads, self.offsets, self.count, self.what, self.traced, self.kept)

    def __call__(self, *blocks):
        from kolam import __version__
        from kolam.errors import KolamValueError

        if __version__ != self.version:
            raise KolamValueError.make(
                "Plan.run", "engine-version", f"expected workers with Kolam {self.version}, but one has {__version__}"
            )
        return _noted(self.what, self.traced, lambda: self._results(iter(blocks)))

    def _results(self, given):
        from kolam import _kolam

        reads = [(dtype, start, end, [(next(given), s, e) for s, e in boxes]) for dtype, start, end, boxes in self.reads]
        results, is_found = _kolam._run_piece(self.text, reads, self.offsets, None if self.kept is None else _kept(*self.kept))
        # A result may lie in the memory of a block, which is the engine's.
        return [np.asarray(result) for result in results], is_found


def _remade(version, *facts):
    call = PieceCall(*facts)
    call.version = version
    return call


@functools.cache
def _kept(directory, size):
    from kolam import _kolam

    return _kolam._KeptResults(size, directory)


def _noted(what, traced, run):
    if not traced:
        results, is_found = run()
        return ([], True, 0) if is_found else None, results
    from kolam import _kolam

    _kolam._collect_trace()
    start = time.monotonic_ns()
    results, is_found = run()
    end = time.monotonic_ns()
    span = (what, "task", start, end - start, os.getpid(), threading.get_native_id())
    return ([span, *_kolam._take_trace()], is_found, time.time_ns() - end), results
