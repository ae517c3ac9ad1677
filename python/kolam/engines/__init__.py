"""Engines that run the tasks of plans on other processes and machines (docs/design/engines.md).

An engine is an object with

    put(array)                     a handle of the bytes of an array of this process
    load(path, start, end)         a task that reads a box of a `.npy` file: its handle
    submit(call, handles)          a task: call(*bytes of handles); a handle for each of its `call.count` results
    wait(handles, seconds)         those whose tasks have ended, after at most that long; waits for one
    error(handle)                  what the task of a handle that has ended raised; None where it did not
    get(handle)                    the bytes, as a NumPy array of uint8
    cancel(handle)                 ends its task wherever it is
    free(handles)                  nobody asks for them any more
    close()

Tasks are pure: they may run twice.
"""

import atexit
import time

from kolam import _kolam
from kolam.engines._call import PieceCall
from kolam.errors import KolamTypeError, KolamValueError

_NAMES = ("dask", "local", "ray")
#: Seconds that a task may take at least, how many times its prediction, and how often it is tried.
_LEAST_SECONDS, _TIMES_PREDICTED, _TRIES = 10.0, 20.0, 3
#: Tasks of a worker that wait beside the one that runs.
_AHEAD = 3


def run(name, plan, leaves, files, options):
    """The results of a plan, by an engine; None for those that go to files."""
    return _Coordinator(_engine(name, plan, options), plan, leaves, files).run()


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


class _Submitted:
    """A task that an engine has: the handles of its results, and until when it is to end."""

    __slots__ = ("number", "handles", "deadline", "tries")

    def __init__(self, number, handles, deadline, tries):
        self.number, self.handles, self.deadline, self.tries = number, handles, deadline, tries


class _Coordinator:
    def __init__(self, engine, plan, leaves, files):
        self._engine = engine
        self._leaves = [*leaves, *_kolam._plan_captured(plan)]
        self._tasks, self._pieces = _kolam._plan_tasks(plan), _kolam._plan_pieces(plan)
        self._results = _kolam._plan_results(plan)
        self._handles, self._submitted = {}, {}
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
        workers = 1 + max((task[0] for task in self._tasks), default=0)
        for number, task in enumerate(self._tasks):
            while len(self._submitted) >= workers * (1 + _AHEAD):
                self._wait()
            self._submit(number, task, 1)
        while self._submitted:
            self._wait()
        return self._collect()

    def _submit(self, number, task, tries):
        _, piece, argument, reads, writes, offsets, seconds, _ = task
        if piece < 0:
            leaf, (_, _, start, end) = self._leaves[argument], writes[0]
            if isinstance(leaf, str):
                handles = [self._engine.load(leaf, start, end)]
            else:
                self._handles[writes[0][0]] = self._engine.put(_kolam._box_of_array(leaf, start, end))
                return
        else:
            call = PieceCall(
                self._pieces[piece], [(dtype, start, end, [(s, e) for _, _, s, e in blocks]) for dtype, start, end, blocks in reads], offsets,
                len(writes),
            )  # fmt: skip
            handles = self._engine.submit(call, [self._handles[block[0]] for read in reads for block in read[3]])
        for write, handle in zip(writes, handles, strict=True):
            self._handles[write[0]] = handle
        wait = max(_LEAST_SECONDS, _TIMES_PREDICTED * seconds) * 2 ** (tries - 1) * (1 + _AHEAD)
        self._submitted[handles[0]] = _Submitted(number, handles, time.monotonic() + wait, tries)

    def _wait(self):
        soonest = min(task.deadline for task in self._submitted.values())
        ended = self._engine.wait(list(self._submitted), max(0.0, soonest - time.monotonic()))
        for handle in ended:
            self._finish(self._submitted.pop(handle))
        if not ended:
            self._give_up_late()

    def _finish(self, submitted):
        task = self._tasks[submitted.number]
        error = self._engine.error(submitted.handles[0])
        if error is not None:
            if hasattr(error, "slug"):
                words = str(error).partition("] ")[2].partition("\n")[0]
                raise type(error).make("Plan.run", error.slug, f"{words}; in a task of {task[7]}")
            raise error
        freed = []
        for read in task[3]:
            for block in read[3]:
                self._left[block[0]] -= 1
                if self._left[block[0]] == 0:
                    freed.append(self._handles.pop(block[0]))
        for write in task[4]:
            if self._left.get(write[0], 0) == 0:
                freed.append(self._handles.pop(write[0]))
        self._engine.free(freed)

    def _give_up_late(self):
        now = time.monotonic()
        for handle, late in list(self._submitted.items()):
            if late.deadline > now:
                continue
            del self._submitted[handle]
            task = self._tasks[late.number]
            self._engine.cancel(handle)
            if late.tries >= _TRIES:
                raise KolamValueError.make("Plan.run", "engine-hangs", f"expected a task of {task[7]} to end, but it did not, {_TRIES} times")
            self._submit(late.number, task, late.tries + 1)

    def _collect(self):
        count = 1 + max(number for _, numbers, _ in self._results for number in numbers)
        results = [None] * count
        for (dtype, start, end, blocks), numbers, argument in self._results:
            if argument >= 0:
                whole = self._leaves[argument]
                value = _kolam._box_of_file(whole, start, end) if isinstance(whole, str) else _kolam._box_of_array(whole, start, end)
                pieces = [(value, start, end)]
            else:
                pieces = [(self._engine.get(self._handles[number]), s, e) for number, _, s, e in blocks]
            for number in numbers:
                if number in self._files:
                    for value, s, e in pieces:
                        self._files[number].write(dtype, s, e, value)
                else:
                    results[number] = _kolam._assembled((dtype, start, end, pieces))
        for file in self._files.values():
            file.commit()
        return results
