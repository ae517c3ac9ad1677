"""Ray runs the tasks of plans: processes of this machine, or a cluster that is there (pip install kolam[ray]).

Retries, lineage, shared memory and spilling are Ray's. One that is started here listens on loopback alone, with a token of its own.
"""

import atexit
import glob
import importlib
import os
import secrets
import shutil
import signal
import sys
import tempfile

import numpy as np

#: Bytes of the smallest store that Ray takes.
_LEAST_STORE_BYTES = 80 << 20


def _ray(starts):
    """The module. Where a Ray is to be started and nobody has imported it, it reads our settings: they count at import."""
    if starts and "ray" not in sys.modules:
        _remove_left_over()
        folder = tempfile.mkdtemp(prefix=f"kolam-ray-{os.getpid()}-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        token = os.path.join(folder, "token")
        with open(os.open(token, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": token}
    # Else every server listens on all interfaces.
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    return importlib.import_module("ray")


def _remove_left_over():
    """Removes the folders of processes that were killed."""
    for folder in glob.glob(os.path.join(tempfile.gettempdir(), "kolam-ray-*-*")):
        if not os.path.exists(f"/proc/{folder.rsplit('-', 2)[1]}"):
            shutil.rmtree(folder, ignore_errors=True)


class RayEngine:
    """`address` joins a cluster; else a Ray of `processes` (of the plan's workers) is started, with a store of `store_bytes`."""

    def __init__(self, workers, address=None, processes=None, store_bytes=None, retries=5):
        self._ray = ray = _ray(starts=address is None)
        self._owns, self._folder = not ray.is_initialized(), None
        if self._owns and address is None:
            self._start(processes or workers, store_bytes)
        elif self._owns:
            ray.init(address=address, log_to_driver=False, configure_logging=False)
        self._run, self._notes = ray.remote(num_cpus=1, max_retries=retries)(_run), []
        self._watch = ray.remote(num_cpus=0, max_retries=0)(_kill_stopped)
        self.lost = (ray.exceptions.RayError,)

    def _start(self, processes, store_bytes):
        self._folder = tempfile.mkdtemp(prefix=f"kolam-ray-{os.getpid()}-")
        before = {name: os.environ.get(name) for name in ("KOLAM_NUM_THREADS", "KOLAM_TRACE")}
        os.environ |= {"KOLAM_NUM_THREADS": "1", "KOLAM_TRACE": ""}  # processes that are started now see it
        try:
            self._ray.init(
                num_cpus=processes,
                include_dashboard=False,
                log_to_driver=False,
                configure_logging=False,
                object_store_memory=max(_LEAST_STORE_BYTES, store_bytes or 0),
                _temp_dir=self._folder,
                _node_ip_address="127.0.0.1",
            )
        finally:
            for name in before:
                del os.environ[name]
            os.environ |= {name: value for name, value in before.items() if value is not None}

    def put(self, array):
        return self._ray.put(np.asarray(array))

    def submit(self, call, handles):
        task = self._run.options(num_returns=1 + call.count).remote(call, *handles)
        return (task[0], task[1:]) if call.count else (task, [])

    def wait(self, tasks, seconds):
        return self._ray.wait(tasks, num_returns=1, timeout=seconds)[0]

    def error(self, task):
        try:
            if (note := self._ray.get(task)) is not None:
                self._notes.append(note)
        except self._ray.exceptions.RayTaskError as error:
            return error.cause if getattr(error, "cause", None) is not None else error
        except self._ray.exceptions.RayError as error:
            return error
        return None

    def notes(self):
        notes, self._notes = self._notes, []
        return notes

    def get(self, handle, seconds):
        try:
            return self._ray.get(handle, timeout=seconds)
        except self._ray.exceptions.GetTimeoutError as error:
            raise TimeoutError from error

    def cancel(self, task):
        self._ray.cancel(task, force=True)

    def mend(self):
        for node in self._ray.nodes():
            if node["Alive"]:
                here = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                self._watch.options(scheduling_strategy=here).remote()

    def free(self, handles):
        handles.clear()  # Ray counts references

    def done(self):
        pass  # nothing is left

    def close(self):
        if self._owns:
            self._ray.shutdown()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)


def _run(call, *blocks):
    """The first result, the note, says that the task has ended: what it made need not be fetched to know."""
    note, results = call(*blocks)
    return note, *results


def _kill_stopped():
    """Ends the workers of this node that are stopped. Ray does not see them, a cancelled task keeps its slot in them."""
    raylet = os.getppid()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
            if state in "Tt" and int(parent) == raylet:
                os.kill(int(name), signal.SIGKILL)
        except OSError:  # it has ended
            continue
