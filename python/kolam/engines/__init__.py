"""Engines that run the tasks of plans on other processes and machines (docs/design/engines.md).

An engine is an object with

    put(array)                     a handle of the bytes of an array of this process
    submit(call, handles)          a task, call(*bytes of handles), and a handle for each of its `call.count` results; the call
                                   gives (note, results)
    wait(tasks, seconds)           those that have ended, after at most that long; waits for one
    error(task)                    what a task that has ended raised; None where it did not
    notes()                        the notes of tasks that have ended, but None, since it was asked last
    get(handle, seconds)           the bytes, as a NumPy array of uint8; raises TimeoutError
    cancel(task)                   ends it, and what waits for its results, wherever it is
    mend()                         looks for workers that have stopped or are gone, and puts others in their place
    free(handles)                  nobody asks for them any more
    done()                         the run has ended: nobody asks for any handle, nothing is computed again
    close()
    lost                           exceptions by which it says that it, and not the task, has failed

Tasks are pure: they may run twice.
"""

import atexit
import math
import os
import shutil
import time

import numpy as np

from kolam import _kolam
from kolam.engines._call import LoadCall, PieceCall
from kolam.errors import KolamTypeError, KolamValueError

_NAMES = ("dask", "local", "ray")
#: Seconds that a task may take at least, how many times its prediction, and how often it is tried.
_LEAST_SECONDS, _TIMES_PREDICTED, _TRIES = 10.0, 20.0, 3
#: Bytes of a store of shared memory that is started.
_LEAST_STORE = 1 << 30
#: Tasks of a worker that wait beside the one that runs.
_AHEAD = 3
#: Elements a second that a block comes with at least.
_LEAST_SPEED = 1e6


def run(name, plan, leaves, files, options, progress=None, kept=None):
    """The results of a plan, by an engine; None for those that go to files."""
    if kept is not None and not kept.directory:
        raise KolamValueError.make(
            "Plan.run", "plan-option", f"option 'kept': expected results with a directory, which the workers of '{name}' share, but it has none"
        )
    return _Coordinator(_engine(name, plan, options), plan, leaves, files, progress, kept).run()


def close():
    """Ends the engines that runs of this process started. They stay until then, as starting one takes seconds."""
    while _started:
        _started.popitem()[1].close()


#: By name, number of workers and options.
_started = {}
atexit.register(close)


def _engine(name, plan, options):
    if not isinstance(name, str) or name not in _NAMES:
        raise KolamValueError.make("Plan.run", "unknown-engine", f"argument 'engine': expected one of {', '.join(_NAMES)}, but got {name!r}")
    workers = int(plan.cost().get("workers", 1)) or 1
    if name == "ray" and "address" not in options:
        options = {"store_bytes": _store_bytes(plan.cost().get("peak_memory", 0.0) * workers)} | options
    try:
        if name == "ray":
            from kolam.engines.ray import RayEngine as Engine
        else:
            from kolam.engines.dask import DaskEngine as Engine
    except ImportError as error:
        raise KolamValueError.make(
            "Plan.run", "engine-missing", f"expected the engine '{name}' to be installed, but {error}; pip install kolam[{name}]"
        ) from error
    key = (name, workers, tuple(sorted(options.items())))
    if key in _started:
        return _started[key]
    close()  # one at a time: they take the same cores
    try:
        _started[key] = Engine(workers, **options)
        return _started[key]
    except TypeError as error:
        raise KolamTypeError.make("Plan.run", "call-mismatch", f"engine '{name}': {error}") from error


def _store_bytes(needed):
    """Twice what the workers hold together, as a power of two, so that the store of one plan serves others; as far as it is there."""
    there = shutil.disk_usage("/dev/shm").free * 0.8 if os.path.isdir("/dev/shm") else math.inf
    return int(min(max(_LEAST_STORE, 2 ** math.ceil(math.log2(2 * needed + 1))), there))


class _Submitted:
    """A task that an engine has, and the handles of its results."""

    __slots__ = ("number", "task", "waits", "deadline", "tries")

    def __init__(self, number, task, waits, tries):
        self.number, self.task, self.tries = number, task, tries
        self.waits = waits  # numbers of tasks that make its blocks and have not ended
        self.deadline = None  # from when it may be running


class _Coordinator:
    def __init__(self, engine, plan, leaves, files, progress=None, kept=None):
        self._engine, self._plan, self._found = engine, plan, 0
        self._traced = _kolam._has_trace()
        self._kept = None if kept is None else (os.path.abspath(kept.directory), kept.allowed_bytes)
        self._leaves = [*leaves, *_kolam._plan_captured(plan)]
        self._tasks, self._pieces = _kolam._plan_tasks(plan), _kolam._plan_pieces(plan)
        self._results = _kolam._plan_results(plan)
        self._workers = 1 + max((task[0] for task in self._tasks), default=0)
        self._handles, self._maker = {}, {}  # of blocks that somebody will read
        self._submitted, self._tries = {}, {}  # by number, in the order of submission
        computing = [task for task in self._tasks if task[1] >= 0]
        self._seconds = sum(task[6] for task in computing) or 1.0
        self._count = len(computing)
        self._clock = _kolam._TaskClock(self._count, sum(task[8] for task in computing), progress)
        self._left = {}  # readers of each block that have not ended
        for task in self._tasks:
            for read in task[3]:
                for block in read[3]:
                    self._left[block[0]] = self._left.get(block[0], 0) + 1
        self._files = {}
        for (dtype, start, end, blocks), numbers, _ in self._results:
            for number in numbers:
                if number in files:
                    self._files[number] = _kolam._NpyWriter(files[number], dtype, end)
            for block in blocks:
                self._left[block[0]] = self._left.get(block[0], 0) + 1

    def run(self):
        for number in range(len(self._tasks)):
            while len(self._submitted) >= self._workers * (1 + _AHEAD):
                self._wait()
            self._submit(number)
        while self._submitted:
            self._wait()
        results = self._collect()
        self._engine.done()
        self._take_notes()
        self._clock.finish()
        self._plan.note_run(self._count, self._found, self._clock.seconds())
        return results

    def _take_notes(self):
        here = time.time_ns() - time.monotonic_ns()
        for spans, is_found, there in self._engine.notes():
            self._found += is_found
            _kolam._add_to_trace([(name, category, start + there - here, *rest) for name, category, start, *rest in spans])

    def _submit(self, number):
        _, piece, argument, reads, writes, offsets, _, what, _ = self._tasks[number]
        if piece < 0:
            leaf, (_, _, start, end) = self._leaves[argument], writes[0]
            if not isinstance(leaf, str):
                self._handles[writes[0][0]] = self._engine.put(_kolam._box_of_array(leaf, start, end))
                return
            task, handles = self._engine.submit(LoadCall(leaf, start, end, self._traced), [])
        else:
            call = PieceCall(
                self._pieces[piece], [(dtype, start, end, [(s, e) for _, _, s, e in blocks]) for dtype, start, end, blocks in reads], offsets,
                len(writes), what, self._traced, self._kept,
            )  # fmt: skip
            task, handles = self._engine.submit(call, [self._handles[block[0]] for read in reads for block in read[3]])
        for write, handle in zip(writes, handles, strict=True):
            self._handles[write[0]], self._maker[write[0]] = handle, number
        makers = {self._maker.get(block[0]) for read in reads for block in read[3]}
        self._submitted[number] = _Submitted(number, task, makers & self._submitted.keys(), self._tries.get(number, 0))
        self._start_clocks()

    def _start_clocks(self):
        """Sets the deadlines of the tasks that may be running: as many of those that wait for nothing as there are workers."""
        idle = self._workers
        for submitted in self._submitted.values():
            if submitted.waits:
                continue
            if submitted.deadline is None:
                seconds = max(_LEAST_SECONDS, _TIMES_PREDICTED * self._tasks[submitted.number][6])
                submitted.deadline = time.monotonic() + seconds * 2**submitted.tries
            idle -= 1
            if idle == 0:
                return

    def _wait(self):
        soonest = min(each.deadline for each in self._submitted.values() if each.deadline is not None)
        by_task = {each.task: each for each in self._submitted.values()}
        ended = self._engine.wait(list(by_task), max(1e-3, soonest - time.monotonic()))
        for task in ended:
            if by_task[task].number in self._submitted:
                self._finish(by_task[task])
        if not ended:
            now = time.monotonic()
            self._repeat([each for each in self._submitted.values() if each.deadline is not None and each.deadline <= now], None)
        self._start_clocks()

    def _finish(self, submitted):
        error = self._engine.error(submitted.task)
        if error is not None:
            self._fail(*self._origin(submitted, error))
            return
        del self._submitted[submitted.number]
        if (ended := self._tasks[submitted.number])[1] >= 0:
            self._clock.ended(ended[6] / self._seconds, ended[8])
        for other in self._submitted.values():
            other.waits.discard(submitted.number)
        task, read = self._tasks[submitted.number], []
        for each in task[3]:
            for block in each[3]:
                self._left[block[0]] -= 1
                read.append(block[0])
        # The engine may say of a reader that it has ended before it says so of the maker.
        gone = {number for number in (*read, *(write[0] for write in task[4])) if self._left.get(number, 0) == 0}
        self._engine.free([self._handles.pop(number) for number in sorted(gone) if number in self._handles])

    def _origin(self, submitted, error):
        """The task that failed, and how, where another one may have failed only because its blocks were not made."""
        for number in sorted(submitted.waits):
            maker = self._submitted[number]
            if self._engine.wait([maker.task], 0.0) and (cause := self._engine.error(maker.task)) is not None:
                return self._origin(maker, cause)
        return submitted, error

    def _fail(self, submitted, error):
        what = self._tasks[submitted.number][7]
        if isinstance(error, self._engine.lost):
            self._repeat([submitted], error)
        elif hasattr(error, "slug"):
            message = str(error).partition(f"[{error.slug}] ")[2].rpartition("\n  at ")[0]
            raise type(error).make("Plan.run", error.slug, f"{message}; in a task of {what}") from error
        else:
            raise error

    def _repeat(self, failed, error):
        """Submits tasks again that are late, or lost by the engine, and those that wait for their blocks."""
        for submitted in failed:
            self._engine.cancel(submitted.task)
            tries = self._tries[submitted.number] = submitted.tries + 1
            if tries >= _TRIES:
                what = self._tasks[submitted.number][7]
                close()
                if error is None:
                    raise KolamValueError.make("Plan.run", "engine-hangs", f"expected a task of {what} to end, but it did not, {_TRIES} times")
                raise KolamValueError.make(
                    "Plan.run", "engine-failed", f"expected a task of {what} to run, but the engine gave it up, {_TRIES} times: {error!r}"
                ) from error
        self._engine.mend()
        again = {submitted.number for submitted in failed}
        for number, submitted in sorted(self._submitted.items()):
            if submitted.waits & again:
                again.add(number)
                self._engine.cancel(submitted.task)
        for number in again:
            del self._submitted[number]
        for number in sorted(again):
            self._submit(number)

    def _get(self, block):
        """A block's bytes. The workers that hold it may have stopped or be gone since its task ended."""
        number, _, start, end = block
        seconds = _LEAST_SECONDS + math.prod(e - s for s, e in zip(start, end, strict=True)) / _LEAST_SPEED
        for tries in range(_TRIES):
            try:
                return self._engine.get(self._handles[number], seconds * 2**tries)
            except (TimeoutError, *self._engine.lost):
                self._engine.mend()
        what = self._tasks[self._maker[number]][7]
        close()
        raise KolamValueError.make("Plan.run", "engine-hangs", f"expected the results of {what}, but they did not come, {_TRIES} times")

    def _collect(self):
        count = 1 + max(number for _, numbers, _ in self._results for number in numbers)
        results = [None] * count
        for (dtype, start, end, blocks), numbers, argument in self._results:
            files = [self._files[number] for number in numbers if number in self._files]
            whole = None if len(files) == len(numbers) else _Whole(start, end)
            for block, value in self._argument(argument, dtype, start, end) if argument >= 0 else map(self._fetched, blocks):
                for file in files:
                    file.write(dtype, block[2], block[3], value)
                if whole is not None:
                    whole.add(block[2], block[3], value)
            for number in numbers:
                if number not in self._files:
                    results[number] = _kolam._assembled((dtype, start, end, [(whole.bytes(), start, end)]))
        for file in self._files.values():
            file.commit()
        return results

    def _argument(self, argument, dtype, start, end):
        leaf = self._leaves[argument]
        value = _kolam._box_of_file(leaf, start, end) if isinstance(leaf, str) else _kolam._box_of_array(leaf, start, end)
        return [((None, dtype, start, end), np.asarray(value))]

    def _fetched(self, block):
        return block, self._get(block)


class _Whole:
    """A result of which one block at a time is at hand."""

    def __init__(self, start, end):
        self._start, self._shape, self._bytes = start, [e - s for s, e in zip(start, end, strict=True)], None

    def add(self, start, end, value):
        shape = [e - s for s, e in zip(start, end, strict=True)]
        value = np.asarray(value).reshape(*shape, -1) if math.prod(shape) else np.empty((*shape, 1), np.uint8)
        if self._bytes is None:
            self._bytes = np.empty((*self._shape, value.shape[-1]), np.uint8)
        self._bytes[tuple(slice(s - f, e - f) for s, e, f in zip(start, end, self._start, strict=True))] = value

    def bytes(self):
        return self._bytes.reshape(-1)
