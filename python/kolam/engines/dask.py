"""Dask runs the tasks of plans: processes of this machine, or a cluster that is there (pip install kolam[dask]).

Blocks are copied between workers, and live in the worker that made them. Dask does not see a worker that is stopped, and
after some kills it leaves workers dead: every wait has a deadline, and `mend` looks after them.
"""

import contextlib
import os
import shutil
import signal
import tempfile
import time

import dask
import distributed
import numpy as np

#: Kills that a task survives, seconds between looks at the workers, and after which a worker that says nothing is stopped.
_KILLS, _LOOK_SECONDS, _SILENT_SECONDS = 20, 2.0, 5.0
#: What workers' notes are logged under.
_NOTES = "kolam"
_ENDED = ("finished", "error", "cancelled")


class DaskEngine:
    """`address` joins a scheduler; else `processes` (of the plan's workers) are started, listening on loopback alone.

    `store_bytes` is what they may hold together; beyond that they write to disk.
    """

    lost = (
        distributed.KilledWorker, distributed.CancelledError, distributed.comm.CommClosedError,
        distributed.scheduler.NoWorkerError, distributed.scheduler.NoValidWorkerError,
    )  # fmt: skip

    def __init__(self, workers, address=None, processes=None, store_bytes=None, retries=5):
        self._cluster, self._processes, self._notes_seen = None, processes or workers, 0
        self._folder, self._files = None, 0
        if address is None:
            self._folder = tempfile.mkdtemp(prefix=f"kolam-dask-{os.getpid()}-")
            with dask.config.set({"distributed.scheduler.allowed-failures": _KILLS}):
                self._cluster = distributed.LocalCluster(
                    n_workers=self._processes, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
                    silence_logs=60, env={"KOLAM_NUM_THREADS": "1", "KOLAM_TRACE": ""},
                    memory_limit="auto" if store_bytes is None else store_bytes // self._processes,
                )  # fmt: skip
        self._client = distributed.Client(address or self._cluster, set_as_default=False)
        self._retries = retries

    def _submit(self, f, *args):
        return self._client.submit(f, *args, pure=False, retries=self._retries)

    def put(self, array):
        # What is scattered dies with its worker; what a task reads or carries does not.
        if self._folder is not None:
            self._files += 1
            path = os.path.join(self._folder, str(self._files))
            np.asarray(array).tofile(path)
            return self._submit(np.fromfile, path, np.uint8)
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1PB"}):
            return self._submit(np.frombuffer, np.asarray(array).tobytes(), np.uint8)

    def submit(self, call, handles):
        made = self._submit(_run, call, *handles)
        return made, [made] if call.count == 1 else [self._submit(_part, made, number) for number in range(call.count)]

    def wait(self, tasks, seconds):
        until = time.monotonic() + seconds
        while True:
            if ended := [task for task in tasks if task.status in _ENDED]:
                return ended
            left = until - time.monotonic()
            if left <= 0.0:
                return []
            self._refill()
            try:
                with self._client.as_current():
                    distributed.wait(tasks, timeout=min(left, _LOOK_SECONDS), return_when="FIRST_COMPLETED")
            except (distributed.TimeoutError, *self.lost):
                pass  # the status says it

    def error(self, task):
        if task.status == "cancelled":
            return distributed.CancelledError(task.key)
        return task.exception(timeout=60) if task.status == "error" else None

    def notes(self):
        events = self._client.get_events(_NOTES)
        new, self._notes_seen = events[self._notes_seen :], len(events)
        return [note for _, note in new]

    def get(self, handle, seconds):
        try:
            return handle.result(timeout=seconds)
        except distributed.TimeoutError as error:
            raise TimeoutError from error

    def cancel(self, task):
        busy = [worker for worker, keys in self._client.processing().items() if task.key in keys]
        self._client.cancel([task], force=True)
        self._kill(busy)  # what runs in C does not hear it

    def mend(self):
        now = time.time()
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        self._kill([a for a, w in workers.items() if now - w["last_seen"] > _SILENT_SECONDS or w["status"] == "paused"])
        self._refill()

    def _kill(self, addresses):
        if self._cluster is None:
            if addresses:
                self._client.restart_workers(addresses, raise_for_error=False)
            return
        for nanny in list(self._cluster.workers.values()):
            if nanny.worker_address in addresses and nanny.pid:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(nanny.pid, signal.SIGKILL)  # its nanny starts another one

    def _refill(self):
        """Starts nannies again that have given up."""
        if self._cluster is not None:
            self._cluster.sync(self._refill_there)

    async def _refill_there(self):
        gone = (distributed.Status.closed, distributed.Status.failed)
        for name, nanny in list(self._cluster.workers.items()):
            if nanny.status in gone:
                del self._cluster.workers[name]
        if len(self._cluster.workers) < self._processes:
            self._cluster.scale(self._processes)

    def free(self, handles):
        for handle in handles:
            handle.release()
        handles.clear()

    def done(self):
        for name in os.listdir(self._folder) if self._folder else ():
            os.unlink(os.path.join(self._folder, name))

    def close(self):
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()
            shutil.rmtree(self._folder, ignore_errors=True)


def _run(call, *blocks):
    note, results = call(*blocks)
    if note is not None:
        distributed.get_worker().log_event(_NOTES, note)
    results = [np.array(result) for result in results]  # in memory that goes back when they are written to disk
    return results[0] if call.count == 1 else results


def _part(results, number):
    return results[number]
