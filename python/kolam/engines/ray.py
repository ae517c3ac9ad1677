"""Ray runs the tasks of plans: processes of this machine, or a cluster that is there (pip install kolam[ray]).

Ray's own retries, lineage, shared memory and spilling are used. A Ray that is started here listens on the loopback
interface alone, with a token of its own, and is ended with the run.
"""

import atexit
import importlib
import os
import secrets
import shutil
import sys
import tempfile

import numpy as np

from kolam.engines._call import load_box

#: Bytes of the store of a Ray that is started here, where none are asked for, and the least that Ray takes.
_STORE_BYTES, _LEAST_STORE_BYTES = 1 << 30, 80 << 20
#: A lost node is seen after three of these, in milliseconds.
_HEALTH_MILLISECONDS = 500


def _ray(starts):
    """The module. Where a Ray is to be started and nobody has imported it, it reads our settings: they count at import."""
    if starts and "ray" not in sys.modules:
        folder = tempfile.mkdtemp(prefix="kolam-ray-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        token = os.path.join(folder, "token")
        with open(os.open(token, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": token}
    # Else every server listens on all interfaces.
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    return importlib.import_module("ray")


class RayEngine:
    """`address` joins a cluster; else a Ray of `workers` processes is started, with a store of `store_bytes`."""

    def __init__(self, workers, address=None, store_bytes=None, retries=5):
        self._ray = ray = _ray(starts=address is None)
        self._owns, self._folder = address is None and not ray.is_initialized(), None
        if self._owns:
            self._start(workers, store_bytes)
        elif not ray.is_initialized():
            ray.init(address=address, log_to_driver=False, configure_logging=False)
        self._run = ray.remote(num_cpus=1, max_retries=retries)(_run)
        self._load = ray.remote(num_cpus=1, max_retries=retries)(load_box)

    def _start(self, workers, store_bytes):
        self._folder = tempfile.mkdtemp(prefix="kolam-ray-")
        threads = os.environ.get("KOLAM_NUM_THREADS")
        os.environ["KOLAM_NUM_THREADS"] = "1"  # processes that are started now see it
        try:
            self._ray.init(
                num_cpus=workers,
                include_dashboard=False,
                log_to_driver=False,
                configure_logging=False,
                object_store_memory=max(_LEAST_STORE_BYTES, store_bytes or _STORE_BYTES),
                _temp_dir=self._folder,
                _node_ip_address="127.0.0.1",
                _system_config={
                    "health_check_initial_delay_ms": _HEALTH_MILLISECONDS,
                    "health_check_period_ms": _HEALTH_MILLISECONDS,
                    "health_check_failure_threshold": 3,
                },
            )
        finally:
            os.environ.pop("KOLAM_NUM_THREADS")
            if threads is not None:
                os.environ["KOLAM_NUM_THREADS"] = threads

    def put(self, array):
        return self._ray.put(np.asarray(array))

    def load(self, path, start, end):
        return self._load.remote(path, start, end)

    def submit(self, call, handles):
        made = self._run.options(num_returns=call.count).remote(call, *handles)
        return [made] if call.count == 1 else made

    def wait(self, handles, seconds):
        return self._ray.wait(handles, num_returns=1, timeout=seconds, fetch_local=False)[0]

    def error(self, handle):
        try:
            self._ray.get(handle)
        except self._ray.exceptions.RayTaskError as error:
            return error.cause if getattr(error, "cause", None) is not None else error
        except self._ray.exceptions.RayError as error:
            return error
        return None

    def get(self, handle):
        return self._ray.get(handle)

    def cancel(self, handle):
        self._ray.cancel(handle, force=True)

    def free(self, handles):
        handles.clear()  # Ray counts references

    def close(self):
        if self._owns:
            self._ray.shutdown()
            shutil.rmtree(self._folder, ignore_errors=True)


def _run(call, *blocks):
    results = call(*blocks)
    return results[0] if call.count == 1 else results
