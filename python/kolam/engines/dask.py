"""Dask runs the tasks of plans: processes of this machine, or a cluster that is there (pip install kolam[dask]).

Blocks are copied between workers. Every wait has a deadline: a worker that stops is not seen by Dask.
"""

import numpy as np

import distributed

from kolam.engines._call import load_box


class DaskEngine:
    """`address` joins a scheduler; else `workers` processes are started, which listen on the loopback interface alone."""

    def __init__(self, workers, address=None, retries=5):
        self._cluster = None
        if address is None:
            self._cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
                silence_logs=50, env={"KOLAM_NUM_THREADS": "1"},
            )  # fmt: skip
        self._client = distributed.Client(address or self._cluster, set_as_default=False)
        self._retries = retries
        self._parts = {}  # results of a task with several, by its future

    def put(self, array):
        return self._client.scatter(np.asarray(array), hash=False)

    def load(self, path, start, end):
        return self._client.submit(load_box, path, start, end, pure=False, retries=self._retries)

    def submit(self, call, handles):
        made = self._client.submit(_run, call, *handles, pure=False, retries=self._retries)
        if call.count == 1:
            return [made]
        return [self._client.submit(_part, made, number, pure=False, retries=self._retries) for number in range(call.count)]

    def wait(self, handles, seconds):
        try:
            with self._client.as_current():
                return list(distributed.wait(handles, timeout=seconds, return_when="FIRST_COMPLETED").done)
        except (TimeoutError, distributed.TimeoutError):
            return []

    def error(self, handle):
        return handle.exception(timeout=60) if handle.status in ("error", "lost") else None

    def get(self, handle):
        return handle.result(timeout=600)

    def cancel(self, handle):
        self._client.cancel([handle], force=True)
        if self._cluster is not None:  # a task that spins or stopped ends with its worker only
            self._client.restart_workers([worker for worker, keys in self._client.processing().items() if handle.key in keys])

    def free(self, handles):
        for handle in handles:
            handle.release()
        handles.clear()

    def close(self):
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _run(call, *blocks):
    results = call(*blocks)
    return results[0] if call.count == 1 else results


def _part(results, number):
    return results[number]
